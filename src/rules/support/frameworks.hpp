// The frameworks installed on a machine, and the one that --for names: what they were built for,
// and which GPU libraries they get. Pure.
#pragma once

#include <functional>

#include "rules/support/cudnn.hpp"
#include "rules/support/versions.hpp"

namespace rnncheck::rules {

/// The framework that --for names, else those of the active environment. What their files do not
/// show about their build is taken from the tables.
std::vector<Framework> judged_frameworks(const Facts& facts, const Matrix& matrix);

/// Why there is none to evaluate; unset if there is one.
std::optional<Verdict> without_frameworks(const Facts& facts);

/// Why there is no active environment in which to look for `what`. Call it only if there is none.
Verdict without_environment(const Facts& facts, const std::string& what);

/// A framework with which recurrent networks are trained. The others are often tools that need no
/// GPU, and their documentation shows how they find its libraries.
bool is_for_training(const Framework& framework);

/// The first of possibly_active(); null when there is none.
const PythonEnvironment* active_environment(const Facts& facts);
const PythonEnvironment* environment_of(const Facts& facts, const Framework& framework);

/// Whether it is a build with CUDA that opens GPU libraries; if unknown, that is added to
/// `answers`.
bool opens_gpu_libraries(const Framework& framework, VerdictBuilder& result);

/// The framework's own directories, which it searches for libraries before and after the loader
/// does.
std::vector<std::string> directories_of(const Framework& framework);

/// The library whose name begins with `stem` ("libcudnn"); null if the framework opens none.
const FrameworkLibrary* opened(const Framework& framework, std::string_view stem);

/// Its libraries come from several directories, which cudnn_mixed_sublibraries reports.
bool has_mixed_sublibraries(const Facts& facts, const FrameworkLibrary& cudnn);

/// Version of the cuDNN whose files the framework gets: the one that it returned (ignored if its
/// libraries are mixed), else from names and packages.
std::optional<Version> version_of(const Facts& facts, const FrameworkLibrary& cudnn);

/// The CUDA major version that this cuDNN was built for, in the same way.
std::optional<int> cuda_of(const Facts& facts, const FrameworkLibrary& cudnn);

/// One verdict about all these frameworks; it passes with `good` if there is no fault.
Verdict over_frameworks(
    const Facts& facts,
    const Matrix& matrix,
    const std::string& good,
    const std::function<void(const Framework&, VerdictBuilder&)>& judge);

/// The same about the library whose name begins with `stem`, of those that open one.
Verdict over_opened(
    const Facts& facts,
    const Matrix& matrix,
    std::string_view stem,
    const std::string& good,
    const std::function<void(const Framework&, const FrameworkLibrary&, VerdictBuilder&)>& judge);

/// Those of these frameworks that get this cuDNN.
std::vector<Framework> frameworks_that_get(
    const Facts& facts, const Matrix& matrix, const CudnnInstallation& installation);

/// The words that show where a fact of a framework comes from, as evidence.
Evidence built_for(const Framework& framework, const std::string& value);

}  // namespace rnncheck::rules
