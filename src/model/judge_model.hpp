// Whether the framework computes each layer with cuDNN, by the table of its rules. Pure.
#pragma once

#include "matrix/matrix.hpp"
#include "model/model.hpp"
#include "rnn/framework_choice.hpp"

namespace rnncheck {

/// `depends`: on the data or versions at run time. `unknown`: the file does not contain what decides.
enum class CudnnUse { yes, depends, unknown, no };
RNNCHECK_ENUM_NAMES(CudnnUse, "yes", "depends", "unknown", "no")

/// Bytes by the formulas of docs/speed.md.
struct ModelMemory {
    std::int64_t weights = 0, data = 0, workspace = 0, reserve = 0;

    static void fields(auto& self, auto&& visit) {
        visit("weights", self.weights, "weights");
        visit("data", self.data, "inputs, outputs and states");
        visit("workspace", self.workspace, "workspace of cuDNN, estimated");
        visit("reserve", self.reserve, "reserve space of cuDNN for training, estimated");
    }
};

struct JudgedLayer : ModelLayer {
    CudnnUse cudnn = CudnnUse::unknown;
    bool cpu_only = false;
    std::vector<std::string> reasons = {}, changes = {}, sources = {};
    std::optional<double> modeled_speedup = {};
    std::vector<std::string> here = {};
    std::optional<ModelMemory> memory = {};

    static void fields(auto& self, auto&& visit) {
        ModelLayer::fields(self, visit);
        visit("cudnn", self.cudnn, "whether the framework computes it with cuDNN on a GPU");
        visit("cpu_only", self.cpu_only, "the framework computes it on the CPU, even with a GPU");
        visit("reasons", self.reasons, "why not, on what it depends, or what is unknown");
        visit("changes", self.changes, "changes of the model that would make the framework use cuDNN");
        visit("sources", self.sources, "where the reasons come from");
        visit("modeled_speedup", self.modeled_speedup,
              "factor of time by the model of docs/speed.md, with such changes");
        visit("here", self.here,
              "doctor --model: what the tables show of it with each cuDNN on each GPU, without a run");
        visit("memory", self.memory, "bytes for --batch and --length");
    }
};

/// What a model's file holds, judged.
struct JudgedModel {
    std::string file, format, framework;
    std::optional<std::string> version;
    std::vector<std::string> notes;
    std::vector<JudgedLayer> layers;

    static void fields(auto& self, auto&& visit) {
        visit("file", self.file, "as it was named");
        visit("format", self.format,
              "keras, keras_json, keras_weights, hdf5, saved_model, onnx, torch_zip, torch_legacy, torchscript or "
              "safetensors");
        visit("framework", self.framework, "the framework that the file is for");
        visit("version", self.version, "of the framework; missing where the file does not hold it");
        visit("notes", self.notes, "what holds for the whole file, and what could not be read");
        visit("layers", self.layers, "its recurrent layers, in the file's order");
    }
};

/// What the user states with --given, by key: keras, tensorflow, pytorch, onnxruntime (versions) and backend.
using GivenOfModel = TextMap;

/// Batch and length for time and memory; the time is modeled for 32 sequences of 100 steps unless they are given.
struct ModelSizes {
    std::optional<int> batch, length;
};

/// All of it, and its layers alone. UsageError where a given value is none.
JudgedModel judged_model(const std::string& path, const ModelFile& file, const GivenOfModel& given,
                         const ModelSizes& sizes, const Matrix& matrix);
std::vector<JudgedLayer> judged_layers(const ModelFile& file, const GivenOfModel& given, const ModelSizes& sizes,
                                       const Matrix& matrix);

/// The layer as a case of cuDNN; nothing where sizes are unknown or cuDNN has no such network.
std::optional<RnnCase> case_of(const ModelLayer& layer, const ModelSizes& sizes);

/// What the framework of the file requests from cuDNN for the case there; nothing where that is not known.
std::optional<FrameworkChoice> choice_of(const std::string& framework, RnnCase network, const RnnPlace& place);

/// How many numbers cuDNN's weights of the case are.
std::int64_t weights_in(const RnnCase& network);

}  // namespace rnncheck
