// Every cuDNN installation: its file, what it returned, its libraries. Pure.
#pragma once

#include "rules/support/verdict_builder.hpp"
#include "rules/support/words.hpp"
#include "stack/questions.hpp"

namespace rnncheck::rules {

/// A cuDNN installation: its file and what it returned. One of the two may be missing.
struct CudnnInstallation {
    std::string path;
    const Library* file = nullptr;
    const Cudnn* answer = nullptr;
    bool first_choice = true;
    int major = 0;  ///< 0 when unknown
    std::optional<Version>
        version;  ///< that it returned; if it was not queried, from the file's name
};

/// Every installation that a program could open, in the order found.
std::vector<CudnnInstallation> cudnn_installations(const Facts& facts);
CudnnInstallation cudnn_installation(const Facts& facts, const std::string& path);

/// Another file beside it has the name that programs open (libcudnn.so.8 beside a libcudnn.so.8.1.0
/// that was left behind), so no program opens this one.
bool is_shadowed(const Facts& facts, const std::string& path);

/// The loader finds this file, or none of its kind, so that only frameworks use one.
bool is_first_choice(const Facts& facts, LibraryKind kind, const std::string& path);

/// "cuDNN 8.9.7 at /usr/lib/libcudnn.so.8".
std::string name_of(const CudnnInstallation& installation);

/// An error for an installation of first choice, else a warning.
Severity severity_of(const CudnnInstallation& installation);

/// Only the reason for its failure is known: cudnn_unusable reports it.
bool only_failed(const CudnnInstallation& installation);

/// The library was not opened, because the loader would have waited at a pipe or device:
/// library_file_damaged reports that.
bool was_not_opened(const CallResult& failure);
inline constexpr const char* leads_to_a_pipe =
    "the loader would wait forever at a named pipe in its search path";

using JudgeInstallation = std::function<void(const CudnnInstallation&, VerdictBuilder&)>;
/// One verdict about all installations, or why there is none to evaluate.
Verdict over_installations(const Facts& facts, const JudgeInstallation& judge);

/// Why there is no cuDNN to evaluate.
Verdict without_cudnn(const Facts& facts);

/// The path of a runtime, NVRTC or cuDNN that was or should have been queried, but for which
/// neither a version nor a failure is known; empty if there is none. A survey queries only the
/// first few installations; the others do not count.
std::string unresponsive_library(const Facts& facts, LibraryKind kind);

/// A note that several versions of something are installed, each with its place; `given` are those
/// that the loader finds, `source` is the place of the versions, `advice` states when that is a
/// problem. Unset if there is at most one version.
std::optional<Finding> note_several(
    const std::string& what,
    const std::vector<std::pair<std::string, Version>>& installed,
    const std::vector<std::string>& given,
    const std::string& source,
    Remedy advice);

/// The number that a library's name ends with first: "libcublasLt.so.12" gives 12, "libcudnn.so"
/// nothing.
std::optional<int> major_in_name(const std::string& path);
/// The same for a file, from its name, its soname or its real name.
std::optional<int> major_of_file(const Library& library);
/// The full version in a file's name ("9.19.0"); names in wheels have only the major version.
std::optional<Version> full_version_in_name(const Library& library);

/// What cuDNN's own checks do not compare: libcudnn is of another version than the libraries that
/// it loads, or its libraries are for different CUDA versions.
std::vector<Evidence> differing_versions(const Cudnn* answer);
std::vector<Evidence> differing_cuda(const Cudnn* answer);

/// Whether it loaded libraries of several directories that are not known to be built alike: its
/// version and CUDA may then be those of another installation, which cudnn_mixed_sublibraries
/// reports.
bool loads_other_directories(const Cudnn* answer);

/// The file that an installation would load for the soname of one of its libraries: in
/// LD_LIBRARY_PATH, beside it, or where the loader finds it. Null if there is none.
const Library* part_of(
    const Facts& facts, const CudnnInstallation& installation, const std::string& soname);
/// The libraries of this installation that recurrent networks need, other than libcudnn itself.
std::vector<CudnnPart> parts_needed(const CudnnInstallation& installation, const Matrix& matrix);

/// The result reports cuDNN libraries of different versions (the code differs between major
/// versions; 0 is unknown).
bool is_version_mismatch(int cudnn_major, const CallResult& result);

}  // namespace rnncheck::rules
