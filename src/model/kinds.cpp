// Files that are no model which is read here: what each is, and what to do. One
// table of first bytes, one of structures.
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

/// The first bytes of a format, or those at a place behind them, and what a
/// person should do with such a file.
struct Magic {
    std::size_t at;
    std::string_view bytes, advice;
};
using namespace std::string_view_literals;

constexpr Magic magics[] = {
    {0,
     "version https://git-lfs"sv,
     "it is a pointer of Git LFS, not the model itself; run 'git lfs pull' in its repository, then "
     "give the file "
     "again"},
    {4,
     "TFL3"sv,
     "it is a TensorFlow Lite model, which cuDNN does not run; give the model that it was made "
     "from"},
    {4, "ORTM"sv, "it is an ONNX Runtime model (.ort); give the .onnx file that it was made from"},
    {4,
     "ET1"sv,
     "it is an ExecuTorch program (.pte), which cuDNN does not run; give the PyTorch model or the "
     ".pt2 that it was "
     "made from"},
    {0,
     "GGUF"sv,
     "it is a GGUF file, which cuDNN does not run; give the model that it was made from"},
    {0,
     "lmgg"sv,
     "it is a ggml file, which cuDNN does not run; give the model that it was converted from"},
    {0,
     "ggml"sv,
     "it is a ggml file, which cuDNN does not run; give the model that it was converted from"},
    {0,
     "tjgg"sv,
     "it is a ggml file, which cuDNN does not run; give the model that it was converted from"},
    {0,
     "fmgg"sv,
     "it is a ggml file, which cuDNN does not run; give the model that it was converted from"},
    {0,
     "7767517\n"sv,
     "it is an ncnn model, which cuDNN does not run; give the model that it was converted from "
     "(ONNX or PyTorch)"},
    {0,
     "\x12\x01\0\0\0\0\0\0"sv,
     "it is a file of MXNet weights (.params); MXNet's layers are in the -symbol.json file beside "
     "it or in the "
     "program: export it to ONNX with mxnet.onnx.export_model and give that file"},
    {0,
     "HDF5-based Julia Data Format"sv,
     "it is a JLD2 file of Julia, which is not read; write the weights with SafeTensors.jl or "
     "NPZ.jl and give that "
     "file"},
    {0,
     "ptrt"sv,
     "it is an engine of TensorRT, which has its own kernels; give the ONNX model that it was "
     "built from"},
    {0,
     "ftrt"sv,
     "it is an engine of TensorRT, which has its own kernels; give the ONNX model that it was "
     "built from"},
    {0, "lCRF"sv, "it is a conditional random field (CRFsuite), which has no recurrent layers"},
    {0, "\xba\x16\x4f\x2f"sv, "it is a fastText model, which has no recurrent layers"},
    {0, "tree\nversion="sv, "it is a LightGBM model, which has no recurrent layers"},
    {0, "binf"sv, "it is an XGBoost model, which has no recurrent layers"},
    {0,
     "rnnoise-nu model"sv,
     "it is an rnnoise model, which rnnoise computes on the CPU and never with cuDNN; give the "
     "Keras or PyTorch model "
     "that it was trained as"},
    {0,
     "DNNw"sv,
     "it is a weights file of rnnoise or Opus, which compute on the CPU and never with cuDNN; give "
     "the PyTorch model "
     "that it was trained as"},
    {0,
     "#Parameter#"sv,
     "it is a DyNet model, which DyNet computes with kernels of its own, never with cuDNN's "
     "recurrent networks; "
     "nothing is to be done"},
    {0,
     "#LookupParameter#"sv,
     "it is a DyNet model, which DyNet computes with kernels of its own, never with cuDNN's "
     "recurrent networks; "
     "nothing is to be done"},
    {0,
     "ML\xefR"sv,
     "it is a program of MLIR or StableHLO, which XLA compiles with kernels of its own, never with "
     "cuDNN's recurrent "
     "networks; nothing is to be done"},
    {0,
     "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x08\0\0\0\x08\x05\x10"sv,
     "it is a variable of an old Paddle program, a part of it; convert the directory with "
     "paddle2onnx and give the "
     ".onnx file"},
    {0,
     "\0BKALDI"sv,
     "it is a Kaldi file; Kaldi computes with kernels of its own, never with cuDNN; nothing is to "
     "be done"},
    {0,
     "<Nnet"sv,
     "it is a Kaldi network; Kaldi computes with kernels of its own, never with cuDNN; nothing is "
     "to be done"},
    {0,
     "<TransitionModel>"sv,
     "it is a Kaldi model; Kaldi computes with kernels of its own, never with cuDNN; nothing is to "
     "be done"},
    {0,
     "\0B<"sv,
     "it is a Kaldi file in binary form; Kaldi computes with kernels of its own, never with cuDNN; "
     "nothing is to be "
     "done"},
    {0,
     "\0B"sv,
     "it is a Kaldi file in binary form; Kaldi computes with kernels of its own, never with cuDNN; "
     "nothing is to be "
     "done"},
    {0,
     "B\0C\0N\0"sv,
     "it is a CNTK model; convert it to ONNX with CNTK (model.save(..., format=ModelFormat.ONNX)) "
     "and give that file"},
    {0,
     "\x04\0\0\0\x01\0\0\0\x03\0\0\0V 1"sv,
     "it is a Torch7 file (.t7) of Lua, which is not read; load it with torchfile and save the "
     "weights as safetensors"},
    {0,
     "MATLAB 5.0 MAT-file"sv,
     "it is a MATLAB data file; export the network with exportONNXNetwork and give that file"},
    {0,
     "[net]"sv,
     "it is a Darknet configuration, which cuDNN's recurrent networks do not run; give the model "
     "that it was converted "
     "to (ONNX or PyTorch)"},
    {0, "SQLite format 3"sv, "it is an SQLite database, not a model; give the file of the model"},
    {0, "PAR1"sv, "it is a Parquet table, not a model; give the file of the model"},
    {0, "ARROW1"sv, "it is an Arrow table, not a model; give the file of the model"},
    {0, "%PDF"sv, "it is a PDF document, not a model; give the file of the model"},
    {0, "\x89PNG"sv, "it is a picture, not a model; give the file of the model"},
    {0, "\xff\xd8\xff"sv, "it is a picture, not a model; give the file of the model"},
    {0, "RIFF"sv, "it is a sound or a picture, not a model; give the file of the model"},
    {0,
     "\x7f"
     "ELF"sv,
     "it is a program or library of Linux, not a model; 'rnncheck which FILE' shows which cuDNN it "
     "loads"},
    {0, "MZ"sv, "it is a program or library of Windows, not a model; give the file of the model"},
    {0,
     "7z\xbc\xaf\x27\x1c"sv,
     "it is a 7-Zip archive; unpack it (7z x FILE) and give the directory"},
    {0, "Rar!"sv, "it is a RAR archive; unpack it (unrar x FILE) and give the directory"},
    {0,
     "\xfd"
     "7zXZ"sv,
     "it is compressed with xz; unpack it (xz -dk FILE, of a .tar.xz tar xf FILE) and give what it "
     "contains"},
    {0,
     "BZh"sv,
     "it is compressed with bzip2; unpack it (bunzip2 -k FILE, of a .tar.bz2 tar xf FILE) and give "
     "what it contains"},
    {0,
     "\x28\xb5\x2f\xfd"sv,
     "it is compressed with zstd; unpack it (unzstd FILE) and give what it contains"},
    {0,
     "\x04\x22\x4d\x18"sv,
     "it is compressed with LZ4; unpack it (unlz4 FILE) and give what it contains"},
    {0,
     "\x78\x9c"sv,
     "it is compressed with zlib, as joblib does with pickles of Python data; give the file of the "
     "network beside it"},
    {0,
     "\x78\x01"sv,
     "it is compressed with zlib, as joblib does with pickles of Python data; give the file of the "
     "network beside it"},
    {0,
     "\x78\xda"sv,
     "it is compressed with zlib, as joblib does with pickles of Python data; give the file of the "
     "network beside it"},
};

constexpr std::string_view caffe_advice =
    "it is a Caffe model, which is not read; convert it to ONNX and give that file: Caffe's "
    "recurrent layers never use "
    "cuDNN";

/// Texts are compared in lower case.
std::string beginning(std::string_view bytes) {
    constexpr std::size_t most = 4096;
    return lower(std::string(bytes.substr(0, std::min(most, bytes.size()))));
}

/// Some formats have two files, of which only the other one shows what it is.
bool exists_beside(const std::string& path, const char* extension) {
    std::error_code error;
    return std::filesystem::exists(std::filesystem::path(path).replace_extension(extension), error);
}

/// Of a text, by its first words.
std::string advice_for_text(std::string_view bytes) {
    const std::string text(trim(beginning(bytes)));
    if (text.starts_with("<!doctype html") || text.starts_with("<html") ||
        (text.starts_with("<?xml") && contains(text, "<html")))
        return "it is a web page that was saved in place of the model; download the file itself "
               "(on GitHub with the "
               "button Download "
               "raw file, on Hugging Face with the link that has /resolve/ in it)";
    if (text.starts_with("<") && contains(text, "<net ") &&
        (contains(text, "version=\"1") || contains(text, "<layers")))
        return "it is an OpenVINO model, which does not run on NVIDIA GPUs; give the model that it "
               "was converted from "
               "(ONNX, "
               "PyTorch or Keras)";
    if (text.starts_with("ir_version") ||
        (text.starts_with("<") && contains(text.substr(0, 100), "ir_version")))
        return "it is an ONNX model as text; write it in binary form, with onnx.load(FILE, "
               "format=\"textproto\") or "
               "onnx.parser.parse_model and onnx.save, and give that file";
    if (text.starts_with("model_checkpoint_path"))
        return "it is the list of a directory of TensorFlow checkpoints; give the file that it "
               "names with .meta at the "
               "end; TensorFlow 2 writes none: save the whole model with "
               "model.save(\"model.keras\")";
    if (contains(text, "layer {") || contains(text, "layers {") || contains(text, "layer{"))
        return std::string(caffe_advice);
    if (contains(text, "stablehlo.") || contains(text, "module @jit") ||
        contains(text, "hlomodule "))
        return "it is a program of StableHLO or HLO, which XLA compiles with kernels of its own, "
               "never with cuDNN's "
               "recurrent networks; nothing is to be done";
    if (text.starts_with("ply\n") || text.starts_with("mnn"))
        return "";
    if (text.starts_with("meta_info_def") || text.starts_with("node {") ||
        text.starts_with("saved_model_schema_version"))
        return "it is a TensorFlow graph as text (.pbtxt); write it in binary form with "
               "tf.io.write_graph(..., "
               "as_text=False) and "
               "give that file";
    return "";
}

/// BSON: its length first, then elements, a zero at the end.
bool is_bson(std::string_view bytes) {
    return bytes.size() > 8 && bytes.size() < 0x7fffffff && little(bytes, 0, 4) == bytes.size() &&
           bytes.back() == '\0' && static_cast<unsigned char>(bytes[4]) >= 1 &&
           static_cast<unsigned char>(bytes[4]) <= 0x13;
}

/// The last bytes of an index of a TensorFlow checkpoint, a table of LevelDB.
bool is_checkpoint_index(std::string_view bytes) {
    return bytes.ends_with("\x57\xfb\x80\x8b\x24\x75\x47\xdb");
}

/// By names that other files of the same model have.
std::string advice_for_name(const std::string& path) {
    static const re2::RE2 checkpoint_data(R"(.*\.data-[0-9]{5}-of-[0-9]{5})"),
        tfjs(R"(.*group[0-9]+-shard[0-9]+of[0-9]+(?:\.bin)?)");
    const std::string name = file_name(path);
    const auto ends = [&](std::string_view end) { return name.ends_with(end); };
    if (contains("/" + path, "/variables/") || name == "keras_metadata.pb" ||
        name == "fingerprint.pb")
        return "it is a part of a SavedModel; give the directory that has saved_model.pb in it";
    if (re2::RE2::FullMatch(name, checkpoint_data) || ends(".index"))
        return "it is a part of a TensorFlow checkpoint, which has arrays without operators; give "
               "the .meta file "
               "beside it, or of "
               "TensorFlow 2 save the whole model with model.save(\"model.keras\")";
    if (re2::RE2::FullMatch(name, tfjs))
        return "it has weights of a TensorFlow.js model; give the model.json beside it";
    if (ends(".bin") && exists_beside(path, ".xml"))
        return "it has the weights of an OpenVINO model, which does not run on NVIDIA GPUs; give "
               "the model that it was "
               "converted "
               "from (ONNX, PyTorch or Keras)";
    if (ends(".bin") && exists_beside(path, ".param"))
        return "it has the weights of an ncnn model, which cuDNN does not run; give the model that "
               "it was converted "
               "from";
    if (ends(".blob"))
        return "it is a model compiled by OpenVINO or for a similar device; give the model that it "
               "was compiled from";
    if (ends(".pdiparams") || ends(".pdmodel"))
        return "it is a part of a Paddle program; give the .pdparams file of the training "
               "(paddle.save(layer.state_dict(), ...)), or "
               "convert it with paddle2onnx and give the .onnx file";
    if (ends(".caffemodel") || ends(".prototxt"))
        return std::string(caffe_advice);
    if (ends(".mnn") || ends(".tnn") || ends(".tnnproto") || ends(".tnnmodel") || ends(".rknn") ||
        ends(".dlc"))
        return "it is a model for phones and small devices, which cuDNN does not run; give the "
               "model that it was "
               "converted from";
    if (ends(".mlmodel") || ends(".mlpackage"))
        return "it is a Core ML model, which runs on Apple's devices only; give the PyTorch, Keras "
               "or ONNX model that "
               "it was made from";
    if (ends(".params"))
        return "it is a file of MXNet weights; export the model to ONNX with "
               "mxnet.onnx.export_model and give that "
               "file";
    if (ends(".nam") || ends(".aidax"))
        return "it is the model of an audio plug-in, which runs on the CPU; give the PyTorch model "
               "that it was trained "
               "as";
    if (ends(".onnx.data") || ends(".onnx_data"))
        return "it has the weights of an ONNX model; give the .onnx file beside it";
    if (ends(".npz") || ends(".npy"))
        return "it is a file of NumPy arrays, not a model; give the model's file";
    if (ends(".weights"))
        return "it has the weights of a Darknet network; give the model that it was converted to "
               "(ONNX or PyTorch)";
    if (ends(".cmm") || ends(".mdl") || ends(".raw"))
        return "it is a network of another program (Kaldi, nnet3 or such), which does not use "
               "cuDNN for it; nothing is "
               "to be done";
    return "";
}

}  // namespace

/// The form of a JSON document shows which program wrote it: its names at the top level.
std::string advice_for_json(const Json& json) {
    const auto has = [&](const char* name) { return json.is_object() && json.contains(name); };
    const Json& architectures = member(json, "architectures");
    if ((has("irVersion") || has("ir_version")) && has("graph"))
        return "it is an ONNX model as JSON; write it in binary form, onnx.save(onnx.load(FILE, "
               "format=\"json\"), "
               "\"model.onnx\"), and "
               "give that file";
    if (has("nodes") && has("arg_nodes"))
        return "it is an MXNet symbol; export the model to ONNX with mxnet.onnx.export_model and "
               "give that file";
    if (has("in_shape") && has("layers"))
        return "it is the model of an audio plug-in (RTNeural), which runs on the CPU; give the "
               "Keras or PyTorch model "
               "that it was made "
               "from";
    if (has("model_data") && has("state_dict"))
        return "it is the model of an audio plug-in (GuitarML), which runs on the CPU; give the "
               "PyTorch model that it "
               "was trained as";
    if (has("architecture") && has("config"))
        return "it is the model of an audio plug-in (Neural Amp Modeler), which runs on the CPU; "
               "give the PyTorch "
               "checkpoint that it was "
               "trained as (.ckpt)";
    if (has("learner"))
        return "it is an XGBoost model, which has no recurrent layers";
    if (has("model_type") || has("transformers_version") || architectures.is_array())
        return "it is the configuration of a model for transformers; give the weights beside it "
               "(model.safetensors or "
               "pytorch_model.bin)";
    if (json.is_array() && !json.empty() && json.front().is_object() &&
        json.front().contains("filename") && json.front().contains("shape"))
        return "it is a list of deeplearn.js weights; TensorFlow.js' forerunner never uses cuDNN; "
               "nothing is to be "
               "done";
    if (json.is_object() && !json.empty() && json.begin()->is_object() &&
        json.begin()->contains("filename") && json.begin()->contains("shape"))
        return "it is a list of deeplearn.js weights, which never use cuDNN; nothing is to be done";
    const auto torch_name = [](const auto& item) { return contains(item.key(), "weight_ih_l0"); };
    for (auto item = json.begin(); json.is_object() && item != json.end(); ++item)
        if (torch_name(item))
            return "it has weights of a PyTorch layer as JSON, as audio plug-ins read them "
                   "(RTNeural); give the "
                   "PyTorch "
                   "model that it was written from";
    return "the JSON is neither a Keras model nor the index of a checkpoint: it may be the "
           "configuration of a "
           "training; give the file "
           "that contains the model or its weights";
}

/// joblib writes arrays between the codes of its pickle, which end the reading of it.
void reject_joblib(std::string_view bytes) {
    const std::string start(bytes.substr(0, 1 << 16));
    if (!contains(start, "joblib.numpy_pickle") && !contains(start, "joblib\nnumpy_pickle"))
        return;
    if (contains(start, "sklearn") && !contains(start, "keras") && !contains(start, "torch"))
        throw InputError(
            "it is a file of joblib with objects of scikit-learn, which has no recurrent layers; "
            "give the file of the "
            "network beside it");
    throw InputError(
        "it is a file of joblib, which is not read; load it where it was written, and save the "
        "network with "
        "model.save(\"model.keras\"), torch.save(model.state_dict(), ...) or as safetensors");
}

/// First by content, then by the name; each advice is one sentence.
void reject_kind(std::string_view bytes, const std::string& path) {
    for (const auto& [at, magic, advice] : magics)
        if (bytes.size() > at && bytes.substr(at).starts_with(magic))
            throw InputError(std::string(advice));
    if (const std::string advice = advice_for_text(bytes); !advice.empty())
        throw InputError(advice);
    if (const std::string advice = advice_for_name(path); !advice.empty())
        throw InputError(advice);
    if (is_checkpoint_index(bytes))
        throw InputError(advice_for_name("x.index"));
    if (contains(std::string(bytes.substr(0, 1 << 16)), "StableHLO_v"))
        throw InputError(
            "it is a function that jax.export serialized: XLA compiles it with kernels of its own; "
            "cuDNN's LSTM is in "
            "it "
            "only where the program calls jax.experimental.rnn; give the program, or the "
            "parameters as safetensors");
    if (is_bson(bytes))
        throw InputError(
            "it is a BSON file, as Julia's Flux writes it, which is not read; export the model to "
            "ONNX, or write its "
            "weights with "
            "SafeTensors.jl, and give that file");
    constexpr std::string_view old_pickles[] = {
        "(dp", "(lp", "ccopy_reg\n", "cnumpy", "(i", "c__builtin__", "]q\0"sv, "}q\0"sv};
    for (const std::string_view start : old_pickles)
        if (bytes.starts_with(start))
            throw InputError(
                "it is a Python pickle of protocol 0 or 1, which is not read; where it was "
                "written, write it again "
                "with "
                "pickle.dump(..., protocol=4), or save the weights with torch.save or numpy.savez");
    throw InputError(
        "it is not a model of a known format: .keras, .h5, Keras JSON, SavedModel (its directory), "
        "TensorFlow graph, "
        "ONNX, PyTorch "
        "(.pt, .pth, .bin, .ckpt, .pt2, TorchScript), safetensors, Flax, a program (.py, .ipynb), "
        "an archive or a "
        "directory of "
        "these; save or export the model in one of these");
}

}  // namespace rnncheck::model
