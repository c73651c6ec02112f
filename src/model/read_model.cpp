// Which reader a file is for, by its first bytes: names of files are not certain,
// save those of programs. Has read_model() and read_models(), which the commands call.
#include <algorithm>
#include <filesystem>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/arrays.hpp"
#include "model/find_models.hpp"
#include "model/protobuf.hpp"

namespace rnncheck::model {

namespace {

/// NumPy's archive of arrays, one .npy file for each.
void read_npz(const ZipArchive& archive, ModelFile& into) {
    into.format = "npz";
    into.framework = "numpy";
    std::vector<NamedTensor> tensors;
    for (const auto& entry : archive.entries())
        if (auto tensor = npy_tensor(archive.content(entry)))
            tensors.push_back(
                {"", entry.name.substr(0, entry.name.size() - 4), std::move(*tensor)});
    if (tensors.empty())
        throw InputError("it is a NumPy archive (.npz) without an array; give the model's file");
    add_layers_of_arrays(tensors, into);
    if (!into.layers.empty() || !into.unclear.empty())
        return;
    if (tensors.size() == 1)
        into.unclear.emplace_back(
            "it holds one array; jax.experimental.rnn keeps all weights of an LSTM in one such "
            "vector");
    else
        into.unclear.emplace_back(
            "it holds arrays alone, and none is named after a recurrent cell");
}

/// Other archives have a config.json, too: that of Keras 3 has the class of the model.
bool is_keras_config(const ZipArchive& archive, const ZipArchive::Entry& entry) {
    const Json config = Json::parse(archive.content(entry), nullptr, false);
    return !text_member(config, "class_name").empty();
}

/// By the names of the files in the archive: those of torch.export, torch.save
/// (data.pkl), Keras 3 (config.json), NumPy.
/// False where it is an archive of other files.
bool read_zip(std::string_view bytes, ModelFile& into) {
    const ZipArchive archive(bytes);
    if (read_exported_program(archive, into))
        return true;
    const auto& entries = archive.entries();
    if (archive.find("data.pkl")) {
        read_torch_zip(archive, into);
        return true;
    }
    if (const auto* const config = archive.find("config.json");
        config && is_keras_config(archive, *config)) {
        read_keras_zip(archive, into);
        return true;
    }
    if (archive.find("configuration.json") && archive.find("coefficients.bin"))
        throw InputError(
            "it is a model of Deeplearning4j, which is not read; 'unzip -p FILE "
            "configuration.json' shows its layers, "
            "of which DL4J "
            "computes LSTM and GravesLSTM in Java unless its CUDA helper for cuDNN is installed");
    const auto is_array = [](const ZipArchive::Entry& entry) {
        return entry.name.ends_with(".npy");
    };
    if (entries.empty() || !std::ranges::all_of(entries, is_array))
        return false;
    read_npz(archive, into);
    return true;
}

/// The index of a checkpoint in several files: safetensors, PyTorch's, or Keras' weights.
void read_index(const Json& index, const std::string& directory, ModelFile& into) {
    std::set<std::string> names;
    // Keras 3 lists the shards of each variable, the others name one.
    for (const Json& shards : member(index, "weight_map"))
        for (const Json& shard : shards.is_array() ? shards : Json::array({shards}))
            if (shard.is_string())
                names.insert(shard.get<std::string>());
    const auto is_hdf5 = [](const std::string& name) { return name.ends_with(".h5"); };
    if (names.empty() || !std::ranges::all_of(names, is_hdf5))
        return read_safetensors_index(index, directory, into);
    into.format = "keras_weights";
    into.framework = "keras";
    std::vector<std::unique_ptr<MappedFile>> files;
    Weights weights;
    for (const std::string& name : names) {
        // The index is from the same unknown origin as the model.
        if (contains(name, "/"))
            throw InputError("the index names a file outside its directory");
        try {
            files.push_back(std::make_unique<MappedFile>(directory + "/" + name));
            weights.merge(read_hdf5(files.back()->bytes()).datasets);
        } catch (const InputError& error) {
            throw InputError("'" + name + "', which the index names: " + error.what());
        }
    }
    add_keras_layers(weights, into);
}

/// The formats in JSON, by a member that only one of them has.
void read_json(std::string_view bytes, const std::string& directory, ModelFile& into) {
    const Json json = parsed_json(bytes, "the file");
    if (member(json, "weight_map").is_object())
        return read_index(json, directory, into);
    if (member(json, "cells").is_array() && json.contains("nbformat"))
        return read_notebook(json, into);
    if (member(json, "modelTopology").is_object())
        return read_tensorflow_js(json, into);
    if (text_member(member(json, "base_code"), "magic") == "pir")
        return read_paddle_program(json, into);
    if (!member(json, "class_name").is_string() || !json.contains("config"))
        throw InputError(advice_for_json(json));
    into.format = "keras_json";
    into.framework = "keras";
    if (const std::string version = text_member(json, "keras_version"); !version.empty())
        into.version = version;
    add_keras_layers(json, {}, into);
}

/// The length of the header, 8 bytes, then the header, which is JSON.
bool is_safetensors(std::string_view bytes) {
    return bytes.size() > 9 && bytes[8] == '{' && little(bytes, 0, 8) <= bytes.size() - 8;
}

/// A map of MessagePack whose first key is a text, in which Flax' arrays are.
bool is_flax(std::string_view bytes) {
    const auto byte = [&](std::size_t at) {
        if (at >= bytes.size())
            return 0u;
        return unsigned{static_cast<unsigned char>(bytes[at])};
    };
    const bool small = byte(0) > 0x80 && byte(0) <= 0x8f, large = byte(0) == 0xde;
    // A small map has its length in the first byte, a large one in two bytes behind it.
    unsigned key = byte(3);
    if (small)
        key = byte(1);
    return (small || large) && ((key >= 0xa1 && key <= 0xbf) || key == 0xd9);
}

/// Messages whose first field is a number: an ONNX model, a SavedModel's file
/// under another name, a Core ML model.
/// Core ML and the fingerprint of a SavedModel are known by their names, as
/// their fields are numbers, too. A MetaGraphDef has its graph in field 2,
/// ONNX' ModelProto its graph in field 7.
void read_numbered_message(
    std::string_view bytes,
    const std::string& name,
    const std::string& directory,
    ModelFile& into) {
    if (name.ends_with(".mlmodel") || file_name(name) == "fingerprint.pb")
        return reject_kind(bytes, name);
    const std::string_view inner = field_of(bytes, 2).bytes;
    if (!field_of(bytes, 7).bytes.empty())
        return read_onnx(bytes, directory, into);
    if (const std::string_view graph = graph_of_meta_graph(inner); !graph.empty())
        return read_tensorflow_graph(graph, "saved_model", into);
    if (!inner.empty() && field_of(bytes, 8).bytes.empty())
        return reject_kind(bytes, "x.mlmodel");
    read_onnx(bytes, directory, into);
}

/// False where the file is an archive of others.
/// From the certain to the uncertain: signatures of several bytes, then first
/// bytes that a format always has, then bytes that could be something else.
bool read_bytes(
    std::string_view bytes,
    const std::string& name,
    const std::string& directory,
    ModelFile& into) {
    constexpr std::size_t longest_list = 4 << 20;
    if (bytes.starts_with("PK\3\4") || bytes.starts_with("PK\5\6"))
        return read_zip(bytes, into);
    if (bytes.starts_with("\x1f\x8b"))
        return false;
    const std::string start(trim(bytes.substr(0, 64)));
    if (name.ends_with(".py"))
        read_python(bytes, into);
    else if (bytes.starts_with("\x89HDF\r\n\x1a\n"))
        read_keras_hdf5(bytes, into);
    else if (is_safetensors(bytes))
        read_safetensors(bytes, into);
    else if (
        bytes.starts_with("\x93NUMPY") ||
        (start.starts_with("{") && contains(std::string(bytes.substr(0, 4096)), "\n\x93NUMPY")))
        read_npy_arrays(bytes, into);
    else if (is_tar(bytes))
        return false;
    else if (
        start.starts_with("{") ||
        (start.starts_with("[") && !start.starts_with("[net]") && bytes.size() < longest_list))
        read_json(bytes, directory, into);
    else if (bytes.front() == '\x80')
        read_torch_pickle(bytes, into);
    else if (is_flax(bytes))
        read_flax_msgpack(bytes, into);
    else if (bytes.front() == '\x08')
        read_numbered_message(bytes, name, directory, into);
    else if (is_tensorflow_graph(bytes))
        read_tensorflow_graph(bytes, "tensorflow_graph", into);
    else if (const std::string_view graph = graph_of_meta_graph(bytes); !graph.empty())
        read_tensorflow_graph(graph, "tensorflow_graph", into);
    else
        reject_kind(bytes, name);
    return true;
}

/// Directories that are one model of a kind that is not read.
void reject_directory(const std::string& path) {
    constexpr std::pair<const char*, const char*> known[] = {
        {"/variables.index",
         "it is a part of a SavedModel; give the directory that has saved_model.pb in it"},
        {"/.metadata",
         "it is a checkpoint of torch.distributed.checkpoint; write it as one file with python -m "
         "torch.distributed.checkpoint.format_utils dcp_to_torch DIRECTORY model.pt, and give that "
         "file"},
        {"/Manifest.json",
         "it is a Core ML package, which runs on Apple's devices only; give the PyTorch, Keras or "
         "ONNX model that it "
         "was made from"},
        {"/_CHECKPOINT_METADATA",
         "it is a checkpoint of Orbax, arrays without operators; save the parameters with "
         "flax.serialization.to_bytes "
         "or as "
         "safetensors, and give that file"},
        {"/_METADATA",
         "it is a checkpoint of Orbax, arrays without operators; save the parameters with "
         "flax.serialization.to_bytes "
         "or as "
         "safetensors, and give that file"}};
    std::error_code error;
    for (const auto& [inner, advice] : known)
        if (std::filesystem::exists(path + inner, error))
            throw InputError(advice);
}

}  // namespace

/// A missing member is null, whose own members are null, too: paths through
/// JSON of unknown form need no checks in between.
const Json& member(const Json& object, const char* name) {
    static const Json nothing;
    if (!object.is_object())
        return nothing;
    const auto found = object.find(name);
    if (found == object.end())
        return nothing;
    return *found;
}

std::string text_member(const Json& object, const char* name) {
    const Json& value = member(object, name);
    if (!value.is_string())
        return "";
    return value.get<std::string>();
}

Json parsed_json(std::string_view text, const std::string& what) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded())
        damaged(what + " is not JSON");
    return json;
}

/// Paddle's program in JSON: its operators "1.rnn" with their attributes.
void read_paddle_program(const Json& program, ModelFile& into) {
    into.format = "paddle_json";
    into.framework = "paddle";
    std::vector<const Json*> open{&program};
    constexpr std::size_t most = 1'000'000;
    for (std::size_t i = 0; i < open.size() && i < most; ++i) {
        const Json& here = *open[i];
        if (text_member(here, "#") == "1.rnn")
            add_paddle_layer(here, into);
        if (here.is_structured())
            for (const Json& inner : here)
                if (inner.is_structured())
                    open.push_back(&inner);
    }
}

/// An attribute "A" has its name as "N" and its value as "D" of "AT";
/// is_bidirec and mode are attributes of Paddle's operator rnn.
void add_paddle_layer(const Json& node, ModelFile& into) {
    std::map<std::string, Json> attributes;
    for (const Json& attribute : member(node, "A"))
        attributes[text_member(attribute, "N")] = member(member(attribute, "AT"), "D");
    const auto whole = [&](const char* name) -> std::optional<int> {
        const Json& value = attributes[name];
        if (!value.is_number_integer())
            return std::nullopt;
        return size_from(value.get<std::int64_t>());
    };
    ModelLayer layer;
    layer.name = concat("rnn_", into.layers.size());
    std::string mode;
    if (attributes["mode"].is_string())
        mode = lower(attributes["mode"].get<std::string>());
    layer.kind = from_name<LayerKind>(mode).value_or(LayerKind::rnn);
    layer.input = whole("input_size");
    layer.hidden = whole("hidden_size");
    layer.layers = whole("num_layers").value_or(1);
    layer.directions = directions_of(attributes["is_bidirec"] == Json(true));
    layer.dtype = "float32";
    layer.settings["op"] = "rnn";
    into.layers.push_back(std::move(layer));
}

}  // namespace rnncheck::model

/// The models of a file, a directory, or an archive. A SavedModel is a
/// directory, which is meant by the name of its file, too.
std::vector<rnncheck::FoundModel> rnncheck::read_models(
    const std::string& name, std::size_t weights_wanted) {
    // With / on Windows, too.
    const std::string path = std::filesystem::path(name).generic_string();
    std::error_code error;
    const bool is_directory = std::filesystem::is_directory(path, error);
    std::string directory = path;
    if (!is_directory)
        directory = contains(path, "/") ? directory_of(path) : ".";
    bool saved = file_name(path) == "saved_model.pb";
    if (is_directory)
        saved = std::filesystem::exists(path + "/saved_model.pb", error);
    if (!saved) {
        if (is_directory)
            model::reject_directory(path);
        return model::models_in(path, is_directory, weights_wanted, model::read_bytes);
    }
    FoundModel found{path, {}, {}};
    found.file.weights_wanted = weights_wanted;
    model::read_saved_model(directory, found.file);
    return {std::move(found)};
}

rnncheck::ModelFile rnncheck::read_model(const std::string& name, std::size_t weights_wanted) {
    std::vector<FoundModel> models = read_models(name, weights_wanted);
    std::erase_if(models, [](const FoundModel& one) { return !one.error.empty(); });
    if (models.size() > 1)
        throw InputError(concat(
            "it holds ",
            models.size(),
            " models, the first are '",
            models[0].name,
            "' and '",
            models[1].name,
            "'; give one of them"));
    return std::move(models.front().file);
}
