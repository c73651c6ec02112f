// Facts about the GPU libraries found on disk, what they answered, and which of several the loader gives to a program.
#pragma once

#include "facts/common.hpp"

namespace rnncheck {

enum class LibraryKind { cuda, nvml, cudart, cudnn, cudnn_part, cublas, cublaslt, nvrtc, nvrtc_builtins };
RNNCHECK_ENUM_NAMES(LibraryKind, "cuda", "nvml", "cudart", "cudnn", "cudnn_part", "cublas", "cublaslt", "nvrtc",
                    "nvrtc_builtins")

/// Where a file was found, in the order in which the loader and people look.
enum class FoundVia { ld_library_path, loader_cache, default_directory, toolkit, wheel, conda, wsl };
RNNCHECK_ENUM_NAMES(FoundVia, "ld_library_path", "loader_cache", "default_directory", "toolkit", "wheel", "conda",
                    "wsl")

/// What is wrong with a file, as a file.
enum class FileProblem {
    unreadable,
    not_elf,
    truncated,
    damaged,
    other_class,
    other_machine,
    dangling_link,
    link_circle,
    directory,
    named_pipe,
    socket,
    device,
};
RNNCHECK_ENUM_NAMES(FileProblem, "unreadable", "not_elf", "truncated", "damaged", "other_class", "other_machine",
                    "dangling_link", "link_circle", "directory", "named_pipe", "socket", "device")

/// One file with the name of a GPU library. Several names of one file are one entry (`path` the first one found).
struct Library {
    LibraryKind kind = LibraryKind::cuda;
    std::string path;
    std::optional<std::string> real_path;
    FoundVia found_via = FoundVia::default_directory;
    bool picked_by_loader = false;
    bool stub = false;
    bool compat = false;
    std::optional<std::string> soname;
    std::optional<std::string> machine;
    std::vector<std::string> needed;
    std::vector<std::string> run_path;
    std::optional<Version> version_in_name;
    std::vector<std::string> missing_needs;
    std::optional<FileProblem> problem;
    std::optional<std::string> problem_detail;

    static void fields(auto& self, auto&& visit) {
        visit("kind", self.kind, "which library it is by its name");
        visit("path", self.path, "where it was found first");
        visit("real_path", self.real_path, "the file behind all symbolic links");
        visit("found_via", self.found_via, "how it was found");
        visit("picked_by_loader", self.picked_by_loader, "whether dlopen of its soname gives this file");
        visit("stub", self.stub, "a toolkit's link-time stub, which cannot work");
        visit("compat", self.compat, "a forward-compatibility libcuda (cuda-compat package)");
        visit("soname", self.soname, "DT_SONAME");
        visit("machine", self.machine, "ELF class and machine, e.g. 64-bit x86-64");
        visit("needed", self.needed, "DT_NEEDED, in order");
        visit("run_path", self.run_path, "DT_RUNPATH or DT_RPATH entries, as written");
        visit("version_in_name", self.version_in_name, "version in the real file's name");
        visit("missing_needs", self.missing_needs, "needed libraries that the loader would not find");
        visit("problem", self.problem, "why this file cannot be a working library here");
        visit("problem_detail", self.problem_detail, "the same in words");
    }
};

struct Runtime {
    std::string library;
    std::optional<Version> version;
    std::optional<Version> driver_version_seen;
    std::optional<CallResult> failure;

    const std::string& key() const { return library; }

    static void fields(auto& self, auto&& visit) {
        visit("library", self.library, "path of the libcudart");
        visit("version", self.version, "its CUDA version");
        visit("driver_version_seen", self.driver_version_seen,
              "newest CUDA of the driver as this runtime sees it; unset when it sees no driver");
        visit("failure", self.failure, "the first call that failed, opening included");
    }
};

/// One cuDNN installation as it answered. The RNN API is checked without a GPU: version checks of the parts, then RNN
/// descriptors.
struct Cudnn {
    std::string library;
    std::optional<Version> version;
    std::optional<Version> built_for_cuda;
    std::optional<Version> newest_capability;
    std::vector<std::string> dialects;
    std::vector<std::string> parts_mapped;
    std::optional<bool> rnn_usable;
    std::optional<CallResult> failure;

    const std::string& key() const { return library; }

    static void fields(auto& self, auto&& visit) {
        visit("library", self.library, "path of the libcudnn");
        visit("version", self.version, "from cudnnGetVersion");
        visit("built_for_cuda", self.built_for_cuda, "from cudnnGetCudartVersion");
        visit("newest_capability", self.newest_capability,
              "newest compute capability it knows, cudnnGetMaxDeviceVersion");
        visit("dialects", self.dialects, "RNN interfaces it exports: legacy (cuDNN 7, 8), v8 (cuDNN 8, 9)");
        visit("parts_mapped", self.parts_mapped, "cuDNN files that were really mapped");
        visit("rnn_usable", self.rnn_usable, "whether its RNN API loads and works");
        visit("failure", self.failure,
              "the first call that failed, opening included, with the reason the library gave");
    }
};

struct Nvrtc {
    std::string library;
    std::optional<Version> version;
    std::optional<bool> compiles;
    std::optional<CallResult> failure;

    const std::string& key() const { return library; }

    static void fields(auto& self, auto&& visit) {
        visit("library", self.library, "path of the libnvrtc");
        visit("version", self.version, "its CUDA version");
        visit("compiles", self.compiles, "whether it compiled a test kernel");
        visit("failure", self.failure, "the first call that failed, opening included");
    }
};

/// By which rule of glibc's loader a file is found, in the order in which it tries them, and where else files lie.
enum class LoaderRule {
    already_loaded,     ///< a library of that name is there already
    path,               ///< the name holds a '/'
    ld_preload,         ///< LD_PRELOAD or /etc/ld.so.preload
    rpath,              ///< DT_RPATH of the library in need, of those that led to it, of the program
    ld_library_path,    ///< the environment variable
    runpath,            ///< DT_RUNPATH of the library in need
    cache,              ///< /etc/ld.so.cache
    default_directory,  ///< built into the loader
    mapped,             ///< seen in a running process
    elsewhere,          ///< in a toolkit, a wheel or conda, where the loader does not look by itself
};
RNNCHECK_ENUM_NAMES(LoaderRule, "already_loaded", "path", "ld_preload", "rpath", "ld_library_path", "runpath", "cache",
                    "default_directory", "mapped", "elsewhere")

/// Another file of that name, and why it is not the one.
struct LibraryCandidate {
    std::string path;
    LoaderRule rule = LoaderRule::default_directory;
    std::string why_not;

    static void fields(auto& self, auto&& visit) {
        visit("path", self.path, "the file");
        visit("rule", self.rule, "by which rule the loader would come to it");
        visit("why_not", self.why_not, "why it is not the one");
    }
};

struct LibraryChoice {
    std::string soname;
    std::optional<std::string> path;
    std::optional<LoaderRule> rule;
    std::optional<std::string> needed_by;
    bool by_dlopen = false;
    std::string why;
    std::vector<LibraryCandidate> candidates;

    static void fields(auto& self, auto&& visit) {
        visit("soname", self.soname, "the requested name");
        visit("path", self.path, "the file that the loader gives; null when it finds none that it can use");
        visit("rule", self.rule, "the rule by which it finds that; null without a file");
        visit("needed_by", self.needed_by, "the file that needs it; null if none is known");
        visit("by_dlopen", self.by_dlopen, "opened by name at runtime, not listed as needed");
        visit("why", self.why, "the rule in words");
        visit("candidates", self.candidates, "other files of that name");
    }
};

}  // namespace rnncheck
