// Whether the framework computes each layer with cuDNN, by the table of its rules. Pure.
#pragma once

#include "matrix/matrix.hpp"
#include "model/model.hpp"
#include "rnn/sweep.hpp"

namespace rnncheck {

/// `depends`: on the data or versions at run time. `unknown`: the file
/// does not contain what decides.
RNNCHECK_ENUM(CudnnUse, yes, depends, unknown, no)

/// Bytes by the formulas of docs/speed.md.
struct ModelMemory {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::int64_t, weights, "weights") = 0;
    RNNCHECK_FIELD(std::int64_t, data, "inputs, outputs and states") = 0;
    RNNCHECK_FIELD(std::int64_t, workspace, "workspace of cuDNN, estimated") = 0;
    RNNCHECK_FIELD(std::int64_t, reserve, "reserve space of cuDNN for training, estimated") = 0;
    RNNCHECK_FIELDS_END
};

/// A layer with the answer about it.
struct JudgedLayer : ModelLayer {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(CudnnUse, cudnn, "whether the framework computes it with cuDNN on a GPU") =
        CudnnUse::unknown;
    RNNCHECK_FIELD(bool, cpu_only, "the framework computes it on the CPU, even with a GPU") = false;
    RNNCHECK_FIELD(
        std::vector<std::string>, reasons, "why not, on what it depends, or what is unknown") = {};
    RNNCHECK_FIELD(
        std::vector<std::string>,
        changes,
        "changes of the model that would make the framework use cuDNN") = {};
    /// of each of `changes`, whether it is typed as it is; not printed
    std::vector<bool> changes_are_code = {};
    RNNCHECK_FIELD(std::vector<std::string>, sources, "where the reasons come from") = {};
    RNNCHECK_FIELD(
        std::optional<double>,
        modeled_speedup,
        "factor of time by the model of docs/speed.md, with such changes") = {};
    RNNCHECK_FIELD(
        std::vector<std::string>,
        on_this_machine,
        "doctor --model: what the tables show of it with each cuDNN on each GPU, without a run") =
        {};
    RNNCHECK_FIELD(std::optional<ModelMemory>, memory, "bytes for --batch and --length") = {};
    RNNCHECK_FIELDS_END_AFTER(ModelLayer)

    /// Each once.
    void add_change(const std::string& change, bool is_code);
};

/// What a model's file holds, judged.
struct JudgedModel {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, file, "as it was named");
    RNNCHECK_FIELD(
        std::string,
        format,
        "keras, keras_json, keras_weights, hdf5, saved_model, onnx, torch_zip, "
        "torch_legacy, torchscript or "
        "safetensors");
    RNNCHECK_FIELD(std::string, framework, "the framework that the file is for");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        version,
        "of the framework; missing if the file does not contain it");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        notes,
        "what holds for the whole file, and what could not be read");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        unclear,
        "why it may have recurrent layers that are not listed; empty if it was read whole");
    RNNCHECK_FIELD(std::vector<JudgedLayer>, layers, "its recurrent layers, in the file's order");
    RNNCHECK_FIELDS_END
};

/// What the user states with --given, by key: keras, tensorflow, pytorch,
/// onnxruntime (versions) and backend.
using GivenOfModel = TextMap;

/// Batch and length for time and memory; the time is modeled for 32 sequences
/// of 100 steps unless they are given.
struct ModelSizes {
    std::optional<int> batch, length;
};

/// All of it, and its layers alone. UsageError where a given value is none.
JudgedModel judged_model(
    const std::string& path,
    const ModelFile& file,
    const GivenOfModel& given,
    const ModelSizes& sizes,
    const Matrix& matrix);
std::vector<JudgedLayer> judged_layers(
    const ModelFile& file,
    const GivenOfModel& given,
    const ModelSizes& sizes,
    const Matrix& matrix);

/// Why cuDNN cannot compute a layer of this size; nothing where it can or sizes
/// are unknown.
std::optional<std::string> too_large_for_cudnn(const ModelLayer& layer);

/// The layer as a case of cuDNN; nothing where sizes are unknown or cuDNN has
/// no such network.
std::optional<RnnCase> case_of(const ModelLayer& layer, const ModelSizes& sizes);

/// What the framework of the file requests from cuDNN for the case there;
/// nothing where that is not known.
std::optional<FrameworkChoice> choice_of(
    const std::string& framework, RnnCase network, const RnnPlace& place);

/// How many numbers cuDNN's weights of the case are.
std::int64_t weights_in(const RnnCase& network);

}  // namespace rnncheck
