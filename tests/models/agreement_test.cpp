// Every file of the corpus, field by field, against what its framework decided (expected.jsonl),
// and what people see.
#include <cstdlib>
#include <fstream>

#include "base/json.hpp"
#include "report/outline.hpp"
#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::test;

const std::string place = std::string(TEST_DIRECTORY) + "/";

/// "" where all fields agree.
std::string difference(const Json& expected, const Json& found) {
    std::string text;
    for (const char* field :
         {"name", "kind", "input", "hidden", "layers", "directions", "dtype", "cudnn"}) {
        const Json wanted = expected.value(field, Json()), is = found.value(field, Json());
        if (wanted != is)
            text += std::string("  ") + field + ": " + is.dump() + " instead of " + wanted.dump() +
                    "\n";
    }
    return text;
}

std::string differences(const Json& row) {
    const std::string path = row["file"].get<std::string>();
    std::string text;
    try {
        const ModelFile file = read_model(place + path);
        const auto layers = judged_layers(file, {}, {}, bundled_matrix());
        if (file.format != row["format"])
            text += "  format: " + file.format + "\n";
        if (file.framework != row["framework"])
            text += "  framework: " + file.framework + "\n";
        const bool has_version =
            file.format == "keras" || file.format == "hdf5" || file.format == "saved_model";
        if ((has_version || file.version) && !row["version"].is_null() &&
            file.version.value_or("") != row["version"])
            text += "  version: " + file.version.value_or("none") + "\n";
        if (file.unclear.empty() == row.value("unclear", false))
            text += "  unclear: " + join(file.unclear, "; ") + "\n";
        if (layers.size() != row["layers"].size())
            text += "  " + std::to_string(layers.size()) + " layers\n";
        for (std::size_t i = 0; i < std::min(layers.size(), row["layers"].size()); ++i)
            text += difference(row["layers"][i], to_json(layers[i], valid_utf8));
    } catch (const InputError& error) {
        if (!row.contains("error"))
            text = std::string("  ") + error.what() + "\n";
    }
    return text.empty() ? "" : path + "\n" + text;
}

}  // namespace

TEST_CASE("models: every file of the corpus is read and judged as its framework decided") {
    std::ifstream table(place + "expected.jsonl");
    std::string all;
    std::size_t files = 0;
    for (std::string line; std::getline(table, line); ++files)
        all += differences(Json::parse(line));
    INFO(all);
    CHECK(all.empty());
    CHECK(files >= 180);
}

TEST_CASE(
    "models: a layer without cuDNN names the rule, and a change that would bring it onto cuDNN") {
    std::ifstream table(place + "expected.jsonl");
    for (std::string line; std::getline(table, line);) {
        const Json row = Json::parse(line);
        if (row.contains("error"))
            continue;
        INFO(row["file"]);
        const ModelFile file = read_model(place + row["file"].get<std::string>());
        for (const JudgedLayer& layer : judged_layers(file, {}, {}, bundled_matrix()))
            CHECK(layer.reasons.empty() == (layer.cudnn == CudnnUse::yes));
    }
}

TEST_CASE("models: versions and the backend that are given decide") {
    const struct {
        const char* file;
        GivenOfModel given;
        CudnnUse cudnn;
    } rows[] = {
        {"keras3/lstm_dropout.keras", {{"keras", "3.3"}}, CudnnUse::no},
        {"keras3/lstm_dropout.keras", {{"keras", "3.8"}}, CudnnUse::depends},
        {"keras3/lstm_dropout.keras", {{"keras", "3.9"}}, CudnnUse::yes},
        {"keras3/lstm_masking.keras", {{"keras", "3.1"}}, CudnnUse::no},
        {"keras3/lstm_masking.keras", {{"keras", "3.2"}}, CudnnUse::depends},
        {"keras3/lstm_masking.keras", {{"backend", "torch"}}, CudnnUse::no},
        {"keras3/lstm_masking.keras", {{"backend", "jax"}}, CudnnUse::no},
        {"keras3/lstm.keras", {{"backend", "torch"}, {"keras", "3.9"}}, CudnnUse::no},
        {"keras3/lstm.keras", {{"backend", "torch"}, {"keras", "3.10"}}, CudnnUse::no},
        {"keras3/lstm.keras", {{"backend", "torch"}, {"keras", "3.13.2"}}, CudnnUse::no},
        {"keras3/lstm.keras", {{"backend", "torch"}, {"keras", "3.14"}}, CudnnUse::yes},
        {"keras3/jit_compile.keras", {{"backend", "torch"}, {"keras", "3.14"}}, CudnnUse::yes},
        {"keras3/jit_compile.keras", {{"backend", "torch"}, {"keras", "3.15"}}, CudnnUse::no},
        {"keras3/lstm_float16.keras", {{"backend", "jax"}, {"keras", "3.15"}}, CudnnUse::no},
        {"keras3/lstm_mixed_bfloat16.keras", {{"backend", "jax"}, {"keras", "3.15"}}, CudnnUse::no},
        {"keras3/lstm_float64.keras", {{"backend", "jax"}, {"keras", "3.15"}}, CudnnUse::depends},
        {"keras3/lstm_bfloat16.keras", {{"backend", "torch"}, {"pytorch", "2.4"}}, CudnnUse::no},
        {"keras3/lstm_bfloat16.keras",
         {{"backend", "torch"}, {"pytorch", "2.15"}},
         CudnnUse::depends},
        {"keras3/gru.keras", {{"backend", "torch"}, {"keras", "3.13"}}, CudnnUse::no},
        {"keras3/gru.keras", {{"backend", "torch"}, {"keras", "3.14"}}, CudnnUse::yes},
        {"keras3/lstm.keras", {{"backend", "jax"}, {"keras", "3.13"}}, CudnnUse::no},
        {"keras3/lstm.keras", {{"backend", "jax"}, {"keras", "3.14"}}, CudnnUse::yes},
        {"keras3/gru.keras", {{"backend", "jax"}}, CudnnUse::no},
        {"keras2/lstm.h5", {{"tensorflow", "1.15"}}, CudnnUse::no},
        {"keras2/cudnn_lstm.h5", {{"tensorflow", "1.15"}}, CudnnUse::yes},
        {"onnx/gru_opset22.onnx", {{"onnxruntime", "1.24"}}, CudnnUse::no},
        {"onnx/gru_opset22.onnx", {{"onnxruntime", "1.25"}}, CudnnUse::yes},
        {"onnx/lstm_opset22.onnx", {{"onnxruntime", "1.26"}}, CudnnUse::no},
        {"onnx/lstm_opset22.onnx", {{"onnxruntime", "1.27"}}, CudnnUse::yes},
        {"torch/lstm_bfloat16.pt", {{"pytorch", "2.9"}}, CudnnUse::no},
        {"torch/lstm_bfloat16.pt", {{"pytorch", "2.10"}}, CudnnUse::depends}};
    for (const auto& [file, given, cudnn] : rows) {
        INFO(file << " with " << given.begin()->first << ' ' << given.rbegin()->second);
        const ModelFile model = read_model(place + "files/" + file);
        CHECK(judged_layers(model, given, {}, bundled_matrix()).front().cudnn == cudnn);
    }
}

TEST_CASE("models: sizes of no network have no memory and no gain") {
    ModelLayer huge{
        "huge",
        LayerKind::lstm,
        1 << 29,
        1 << 29,
        9999,
        2,
        "float64",
        {{"proj_size", "2147483647"}}};
    CHECK_FALSE(case_of(huge, {1 << 20, 65535}));
    const ModelLayer wide{"wide", LayerKind::lstm, 1 << 28, 1, 1, 1, "float64", {}};
    CHECK(
        judged_layers({"", "pytorch", {}, {wide}, {}}, {}, {1 << 20, 65535}, bundled_matrix())
            .front()
            .memory->data > 0);
}

namespace {

JudgedLayer judged(const std::string& framework, ModelLayer layer) {
    const ModelFile file{"", framework, {}, {std::move(layer)}, {}};
    return judged_layers(file, {}, {64, 200}, bundled_matrix()).front();
}

ModelLayer keras_lstm(const std::string& name, const char* activation, const char* mask) {
    return {
        name,
        LayerKind::lstm,
        128,
        256,
        1,
        1,
        "float32",
        {{"class", "LSTM"},
         {"activation", activation},
         {"recurrent_activation", "sigmoid"},
         {"use_bias", "True"},
         {"recurrent_dropout", "0"},
         {"unroll", "False"},
         {"mask", mask}}};
}

}  // namespace

TEST_CASE("models: a layer whose matrices have 2^31 numbers cannot use cuDNN") {
    const auto lstm = [](int input, int layers) {
        return ModelLayer{
            "lstm", LayerKind::lstm, input, 16384, layers, 1, "float32", {{"batch_first", "true"}}};
    };
    CHECK(judged("pytorch", lstm(16383, 1)).cudnn == CudnnUse::yes);
    const JudgedLayer large = judged("pytorch", lstm(16384, 1));
    CHECK(large.cudnn == CudnnUse::no);
    CHECK(contains(large.reasons.front(), "its weight matrices have 2147483648 numbers"));
    CHECK(large.changes.size() == 1);
    CHECK(large.sources.size() == 1);
    CHECK_FALSE(large.memory);
    CHECK(judged("pytorch", lstm(1 << 30, 1 << 20)).cudnn == CudnnUse::no);
    CHECK(judged("pytorch", lstm(8, 3)).cudnn == CudnnUse::no);

    const ModelLayer keras{
        "lstm",
        LayerKind::lstm,
        16384,
        16384,
        1,
        1,
        "float32",
        {{"class", "LSTM"}, {"activation", "relu"}}};
    const JudgedLayer two = judged("keras", keras);
    CHECK(two.reasons.size() >= 2);
    CHECK(two.changes.size() == 1);  // another activation alone would not help
    CHECK_FALSE(two.modeled_speedup);
}

TEST_CASE("models: the five rows, as people see them") {
    ModelDocument document;
    document.tool.matrix_date = "2026-11-23";
    document.file = "model.keras";
    document.format = document.framework = "keras";
    document.version = "3.15.1";
    document.layers = {
        judged("keras", keras_lstm("no", "relu", "none")),
        judged("keras", keras_lstm("yes", "tanh", "none")),
        judged("keras", keras_lstm("depends", "tanh", "from embedding")),
        judged("keras", {"unknown", LayerKind::lstm, 128, 256, 1, 1, {}, {{"class", "LSTM"}}}),
        judged(
            "onnx",
            {"cpu_only",
             LayerKind::lstm,
             128,
             256,
             1,
             2,
             "float32",
             {{"op", "LSTM"}, {"clip", "3"}, {"peepholes", "no"}}})};
    document.tool.version = "0.1.0";
    document.verdict = verdict_of(document);
    document.sentence = sentence_of(document);
    const std::string path = place + "approved/five_rows.txt";
    const std::string text = text_of(document, Style{.width = 100}) + "---- verbose\n" +
                             text_of(document, Style{.verbose = true, .width = 80});
    if (std::getenv("RNNCHECK_BLESS"))
        std::ofstream(path) << text;
    std::ifstream approved(path);
    CHECK(text == std::string{std::istreambuf_iterator<char>(approved), {}});
}
