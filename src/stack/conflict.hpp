// What the engine returns: which parts of a stack do not fit, how sure that is, why, and from which
// rows. Data only.
#pragma once

#include "facts/common.hpp"
#include "matrix/framework_rows.hpp"

namespace rnncheck {

/// From good to bad.
RNNCHECK_ENUM(
    Fit,
    works,           ///< machine code for the GPU, a driver that runs it, a cuDNN for both
    compiles_first,  ///< the driver compiles PTX code for the GPU at the first use
    unknown,         ///< not covered by the data
    does_not_work)

/// An error keeps recurrent networks from working, a warning may, a note
/// changes nothing about the verdict.
RNNCHECK_ENUM(Severity, error, warning, note)

/// How far the evidence goes: it decides, it points, it only allows.
RNNCHECK_ENUM(Confidence, certain, likely, possible)

enum class Outcome { pass, fault, not_applicable, undecided };
RNNCHECK_ENUM_NAMES(Outcome, "pass", "problem", "not_applicable", "undetermined")

/// What an undecided answer lacks: facts that are unknown, rows of the tables for facts that were,
/// or which of several published builds or versions is meant.
enum class MissingInput { facts, data, choice };

}  // namespace rnncheck

namespace rnncheck::stack {

/// What can be wrong with a stack. The rule of the same name puts it into words.
enum class ConflictKind {
    cpu_only_build,
    cuda_version_mismatch,
    cudnn_bug,
    cudnn_built_for_other_cuda,
    cudnn_masked_rnn_bug,
    cudnn_newer_than_framework_supports,
    cudnn_not_installed,
    cudnn_runtime_older_than_built,
    cudnn_varlen_rnn_bug,
    driver_too_old,
    framework_requirements_conflict,
    gpu_arch_not_in_build,
    gpu_too_old,
    keras_backend_not_supported,
    minor_version_compatibility,
    plugin_without_cudnn_rnn,
    python_not_supported,
    version_not_in_data,
    rnn_dtype_not_supported,
    tf_no_native_windows_gpu,
    cudnn_shadowed
};
RNNCHECK_ENUM_NAMES(
    ConflictKind,
    "cpu_only_build",
    "cuda_version_mismatch",
    "cudnn_bug",
    "cudnn_built_for_other_cuda",
    "cudnn_masked_rnn_bug",
    "cudnn_newer_than_framework_supports",
    "cudnn_not_installed",
    "cudnn_runtime_older_than_built",
    "cudnn_varlen_rnn_bug",
    "driver_too_old",
    "framework_requirements_conflict",
    "gpu_arch_not_in_build",
    "gpu_too_old",
    "keras_backend_not_supported",
    "minor_version_compatibility",
    "plugin_without_cudnn_rnn",
    "python_not_supported",
    "version_not_in_data",
    "rnn_dtype_not_supported",
    "tf_no_native_windows_gpu",
    "cudnn_shadowed")

/// What a conflict is between; `other` where no part of a stack is meant.
RNNCHECK_ENUM(PartKind, other, driver, gpu, cuda, cudnn, python, framework, image, network)

/// A part of a stack. `id` is the same whatever its version: the index of a GPU, the name of a
/// framework.
struct Part {
    PartKind kind = PartKind::other;
    std::string id = {};
    std::string text = {};         ///< "PyTorch 2.4", "GPU 0 (NVIDIA H200)"
    Fit fit = Fit::does_not_work;  ///< with the part at fault
};

/// Parts that do not fit, the one at fault first. `why` is a sentence as findings have them.
struct Conflict {
    ConflictKind kind = {};
    std::vector<Part> parts = {};
    Severity severity = Severity::error;
    Confidence confidence = Confidence::certain;
    std::string why = {};
    std::vector<Evidence> evidence = {};
    std::vector<std::string> symptoms = {};  ///< as Finding::symptoms
    std::vector<FrameworkBuild> builds =
        {};  ///< the published builds that it is about, if that matters for the remedy
};

/// Everything that is known about one kind of conflict in a stack. `conflicts` with `fault`;
/// `reason` always shows why in a few words; `evidence` is what a pass rests on. `missing` has a
/// meaning with `undecided` only, `still_unknown` with `fault` only: what is unknown beside it.
struct Judgement {
    Outcome outcome = Outcome::undecided;
    std::string reason = {};
    std::vector<Conflict> conflicts = {};
    std::vector<Evidence> evidence = {};
    MissingInput missing = MissingInput::facts;
    std::string still_unknown = {};
};

}  // namespace rnncheck::stack
