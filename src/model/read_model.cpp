// Which reader a file is for, by its first bytes.
#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "model/arrays.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

/// NumPy's archive of arrays, one .npy file for each.
void read_npz(const ZipArchive& archive, ModelFile& into) {
    into.format = "npz";
    into.framework = "numpy";
    std::vector<NamedTensor> tensors;
    for (const auto& entry : archive.entries())
        if (auto tensor = npy_tensor(archive.content(entry)))
            tensors.push_back({"", entry.name.substr(0, entry.name.size() - 4), std::move(*tensor)});
    if (tensors.empty()) throw InputError("it is a NumPy archive (.npz) without an array; give the model's file");
    add_cells_by_names(tensors, into);
    if (!into.layers.empty() || !into.unclear.empty()) return;
    into.unclear.emplace_back(tensors.size() == 1
                                  ? "it holds one array; jax.experimental.rnn keeps all weights of an LSTM in "
                                    "one such vector"
                                  : "it holds arrays alone, and none is named after a recurrent cell");
}

void read_zip(std::string_view bytes, ModelFile& into) {
    const ZipArchive archive(bytes);
    if (archive.find("data.pkl")) return read_torch_zip(archive, into);
    if (archive.find("config.json")) return read_keras_zip(archive, into);
    const auto& entries = archive.entries();
    const auto is_array = [](const ZipArchive::Entry& entry) { return entry.name.ends_with(".npy"); };
    if (!entries.empty() && std::ranges::all_of(entries, is_array)) return read_npz(archive, into);
    throw InputError("the ZIP archive is neither a Keras model (config.json) nor one of PyTorch (data.pkl); if it " +
                     std::string("contains a model, unpack it and give that file"));
}

void read_json(std::string_view bytes, const std::string& directory, ModelFile& into) {
    const Json json = parsed_json(bytes, "the file");
    if (member(json, "weight_map").is_object()) return read_safetensors_index(json, directory, into);
    if (!member(json, "class_name").is_string())
        throw InputError("the JSON is neither a Keras model nor the index of a safetensors checkpoint; give the file " +
                         std::string("that contains the model or its weights"));
    into.format = "keras_json";
    into.framework = "keras";
    if (const std::string version = text_member(json, "keras_version"); !version.empty()) into.version = version;
    add_keras_layers(json, {}, into);
}

bool is_safetensors(std::string_view bytes) {
    return bytes.size() > 9 && bytes[8] == '{' && little(bytes, 0, 8) <= bytes.size() - 8;
}

/// A map of MessagePack whose first key is a text, in which Flax' arrays are.
bool is_flax(std::string_view bytes) {
    const auto byte = [&](std::size_t at) { return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0u; };
    const bool small = byte(0) > 0x80 && byte(0) <= 0x8f, large = byte(0) == 0xde;
    const unsigned key = byte(small ? 1 : 3);
    return (small || large) && ((key >= 0xa1 && key <= 0xbf) || key == 0xd9);
}

/// Of a format that is not read: what it is, and what to do.
[[noreturn]] void reject(std::string_view bytes) {
    struct Known {
        std::size_t at;
        std::string_view magic, advice;
    };
    constexpr Known others[] = {
        {0, "\x1f\x8b", "it is compressed with gzip; unpack it and give the model that it contains"},
        {257, "ustar", "it is a tar archive; unpack it and give the model that it contains"},
        {4, "TFL3", "it is a TensorFlow Lite model, which cuDNN does not run; give the model that it was made from"},
        {0, "GGUF", "it is a GGUF file, which cuDNN does not run; give the model that it was made from"}};
    for (const auto& [at, magic, advice] : others)
        if (bytes.size() > at && bytes.substr(at).starts_with(magic)) throw InputError(std::string(advice));
    throw InputError(
        "it is not a model of a known format: .keras, .h5, Keras JSON, SavedModel (its directory), ONNX, PyTorch (.pt, "
        ".pth, .bin, .ckpt, TorchScript), safetensors; save or export the model in one of these");
}

void read_file(const std::string& path, const std::string& directory, ModelFile& into) {
    const MappedFile mapped(path);
    const std::string_view bytes = mapped.bytes();
    if (bytes.starts_with("PK\3\4") || bytes.starts_with("PK\5\6")) return read_zip(bytes, into);
    if (bytes.starts_with("\x89HDF\r\n\x1a\n")) return read_keras_hdf5(bytes, into);
    if (is_safetensors(bytes)) return read_safetensors(bytes, into);
    if (trim(bytes.substr(0, 64)).starts_with("{")) return read_json(bytes, directory, into);
    if (bytes.front() == '\x80') return read_torch_pickle(bytes, into);
    if (bytes.starts_with("\x93NUMPY")) return read_npy_arrays(bytes, into);
    if (is_flax(bytes)) return read_flax_msgpack(bytes, into);
    if (bytes.front() == '\x08') return read_onnx(bytes, directory, into);  // ir_version, ModelProto's first field
    reject(bytes);
}

}  // namespace

const Json& member(const Json& object, const char* name) {
    static const Json nothing;
    if (!object.is_object()) return nothing;
    const auto found = object.find(name);
    return found == object.end() ? nothing : *found;
}

std::string text_member(const Json& object, const char* name) {
    const Json& value = member(object, name);
    return value.is_string() ? value.get<std::string>() : "";
}

Json parsed_json(std::string_view text, const std::string& what) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) damaged(what + " is not JSON");
    return json;
}

}  // namespace rnncheck::model

rnncheck::ModelFile rnncheck::read_model(const std::string& name, std::size_t weights_wanted) {
    const std::string path = std::filesystem::path(name).generic_string();  // with / on Windows, too
    ModelFile file;
    file.weights_wanted = weights_wanted;
    const std::string directory = contains(path, "/") ? directory_of(path) : ".";
    if (std::error_code error; std::filesystem::is_directory(path, error))
        model::read_saved_model(path, file);
    else if (file_name(path) == "saved_model.pb")
        model::read_saved_model(directory, file);
    else
        model::read_file(path, directory, file);
    return file;
}
