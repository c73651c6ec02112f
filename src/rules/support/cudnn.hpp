// Every cuDNN installation: its file, what it answered, its parts. Pure.
#pragma once

#include "compat/questions.hpp"
#include "rules/support/verdict_builder.hpp"
#include "rules/support/words.hpp"

namespace rnncheck::rules {

/// A copy of cuDNN: its file with what it answered. One of the two may be missing.
struct CudnnCopy {
    std::string path;
    const Library* file = nullptr;
    const Cudnn* answer = nullptr;
    bool first_choice = true;
    int major = 0;                   ///< 0 when unknown
    std::optional<Version> version;  ///< as it answered; when it was not asked, as its name tells
};

/// Every copy that a program could open, in the order found.
std::vector<CudnnCopy> cudnn_copies(const Facts& facts);
CudnnCopy cudnn_copy(const Facts& facts, const std::string& path);

/// Another file beside it has the name that programs ask for (a libcudnn.so.8.1.0 left behind beside libcudnn.so.8), so
/// nobody opens this one.
bool is_shadowed(const Facts& facts, const std::string& path);

/// The loader gives this file, or gives none of its kind, so that only frameworks bring their own.
bool is_first_choice(const Facts& facts, LibraryKind kind, const std::string& path);

/// "cuDNN 8.9.7 at /usr/lib/libcudnn.so.8".
std::string name_of(const CudnnCopy& copy);

/// Error for a copy of first choice, else warning.
Severity severity_of(const CudnnCopy& copy);

/// The copy told nothing but why it failed: cudnn_unusable has it.
bool never_answered(const CudnnCopy& copy);

/// We did not open it, because the loader would have waited at a pipe or device: library_file_damaged tells that one.
bool was_not_opened(const CallResult& failure);
inline constexpr const char* leads_to_a_pipe = "the loader would wait forever at a named pipe in its search path";

using JudgeCopy = std::function<void(const CudnnCopy&, VerdictBuilder&)>;
/// One verdict about all copies; why there is none to judge.
Verdict over_copies(const Facts& facts, const JudgeCopy& judge);

/// Why there is no copy of cuDNN to judge.
Verdict without_cudnn(const Facts& facts);

/// A runtime, NVRTC or cuDNN on disk that was asked, or had to be, and told neither a version nor a failure; empty when
/// there is none. A survey does not ask copies beyond the first few: those do not count.
std::string silent_copy(const Facts& facts, LibraryKind kind);

/// A note that several versions of something are installed, each with its place; `given` are those that the loader
/// finds, `source` holds the versions, `advice` says when that is a problem. Unset when there is at most one version.
std::optional<Finding> note_several(const std::string& what,
                                    const std::vector<std::pair<std::string, Version>>& installed,
                                    const std::vector<std::string>& given, const std::string& source, Remedy advice);

/// The number that a library's name ends with first: "libcublasLt.so.12" gives 12, "libcudnn.so" nothing.
std::optional<int> major_in_name(const std::string& path);
/// The same of a file, by its name, its soname or its real name.
std::optional<int> major_of_file(const Library& library);
/// Release of a file as its name tells in full ("9.19.0"); the files of wheels name the major only.
std::optional<Version> full_version_in_name(const Library& library);

/// Whether files of several directories answered for it: its version and CUDA may then be those of another copy's
/// parts, which cudnn_mixed_sublibraries tells.
bool borrows_parts(const Cudnn* answer);

/// The file that a copy would load for a part's soname: from LD_LIBRARY_PATH, from beside it, or what the loader gives.
/// Null when there is none.
const Library* part_of(const Facts& facts, const CudnnCopy& copy, const std::string& soname);
/// The parts that a recurrent network needs of this copy, the front library apart.
std::vector<CudnnPart> parts_needed(const CudnnCopy& copy, const Matrix& matrix);

/// The answer says that parts of cuDNN are of different releases (numbers differ between majors, 0 is unknown).
bool is_version_mismatch(int cudnn_major, const CallResult& result);

}  // namespace rnncheck::rules
