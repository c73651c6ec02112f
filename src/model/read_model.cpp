// Which reader a file is for, by its first bytes.
#include <sys/stat.h>

#include "base/text.hpp"
#include "model/readers.hpp"
#include "model/zip.hpp"

namespace rnncheck::model {

namespace {

ModelFile read_zip(std::string_view bytes) {
    const ZipArchive archive(bytes);
    if (archive.find("data.pkl")) return read_torch_zip(archive);
    if (archive.find("config.json")) return read_keras_zip(archive);
    throw InputError("the ZIP archive is neither a Keras model (config.json) nor one of PyTorch (data.pkl)");
}

ModelFile read_json(std::string_view bytes, const std::string& directory) {
    const Json json = parsed_json(bytes, "the file");
    if (member(json, "weight_map").is_object()) return read_safetensors_index(json, directory);
    if (member(json, "class_name").is_string()) return read_keras_json(json);
    throw InputError("the JSON is neither a Keras model nor the index of a safetensors checkpoint");
}

bool is_safetensors(std::string_view bytes) {
    return bytes.size() > 9 && bytes[8] == '{' && little(bytes, 0, 8) <= bytes.size() - 8;
}

}  // namespace

}  // namespace rnncheck::model

rnncheck::ModelFile rnncheck::read_model(const std::string& path) {
    using namespace model;
    struct stat status {};
    if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return read_saved_model(path);
    const std::string directory = contains(path, "/") ? directory_of(path) : ".";
    if (file_name(path) == "saved_model.pb") return read_saved_model(directory);
    const MappedFile mapped(path);
    const std::string_view bytes = mapped.bytes(), text = trim(bytes.substr(0, 64));
    if (bytes.starts_with("PK\3\4") || bytes.starts_with("PK\5\6")) return read_zip(bytes);
    if (bytes.starts_with("\x89HDF\r\n\x1a\n")) return read_keras_hdf5(bytes);
    if (is_safetensors(bytes)) return read_safetensors(bytes);
    if (text.starts_with("{")) return read_json(bytes, directory);
    if (bytes.front() == '\x80') return read_torch_pickle(bytes);
    if (bytes.front() == '\x08') return read_onnx(bytes, directory);  // ir_version, ModelProto's first field
    throw InputError(
        "it is no model of a format known here: .keras, .h5, Keras JSON, SavedModel, ONNX, PyTorch (.pt, .pth, .ckpt, "
        "TorchScript), safetensors");
}
