// The frameworks installed on a machine, and the release that --for asks about: what they were built for, and which
// copies of the GPU libraries they get. Pure.
#pragma once

#include <functional>

#include "rules/support/cudnn.hpp"
#include "rules/support/versions.hpp"

namespace rnncheck::rules {

/// The release that was asked about, else the frameworks of the active environment. Where their own files do not tell
/// what they were built for, the tables do.
std::vector<Framework> judged_frameworks(const Facts& facts, const Matrix& matrix);

/// Why there is none to judge; unset when there is one.
std::optional<Verdict> without_frameworks(const Facts& facts);

/// Why there is no active environment to judge, where `what` would have been looked for; only asked when there is none.
Verdict without_environment(const Facts& facts, const std::string& what);

/// People train recurrent networks with it; the others are as often tools that need no GPU, and have documents that
/// show how they find its libraries.
bool is_for_training(const Framework& framework);

/// Null when there is none.
const PythonEnvironment* active_environment(const Facts& facts);
const PythonEnvironment* environment_of(const Facts& facts, const Framework& framework);

/// A build with CUDA that opens GPU libraries; where that is unknown, the answers say so.
bool opens_gpu_libraries(const Framework& framework, VerdictBuilder& answers);

/// Its own, where it looks for libraries before and after the loader does.
std::vector<std::string> directories_of(const Framework& framework);

/// The library whose name begins so ("libcudnn"); null when the framework opens none.
const FrameworkLibrary* opened(const Framework& framework, std::string_view stem);

/// Files of several directories answered for it, as cudnn_mixed_sublibraries tells.
bool gets_mixed_parts(const Facts& facts, const FrameworkLibrary& cudnn);

/// Version of the cuDNN whose files are there: as it answered, else as names and packages tell. The answer of mixed
/// parts is not believed.
std::optional<Version> version_of(const Facts& facts, const FrameworkLibrary& cudnn);

/// The CUDA major that the cuDNN there was built for, in the same way.
std::optional<int> cuda_of(const Facts& facts, const FrameworkLibrary& cudnn);

/// One verdict about all judged frameworks; `good` when nothing speaks against one.
Verdict over_frameworks(const Facts& facts, const Matrix& matrix, const std::string& good,
                        const std::function<void(const Framework&, VerdictBuilder&)>& judge);

/// The same about the library whose name begins with `stem`, of those that open one.
Verdict over_opened(const Facts& facts, const Matrix& matrix, std::string_view stem, const std::string& good,
                    const std::function<void(const Framework&, const FrameworkLibrary&, VerdictBuilder&)>& judge);

/// The judged frameworks that get this copy of cuDNN.
std::vector<Framework> frameworks_that_get(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy);

/// The words that show where a fact of a framework comes from, as evidence.
Evidence built_for(const Framework& framework, const std::string& value);

}  // namespace rnncheck::rules
