// Facts about the GPU libraries found on disk, what they returned, and which of
// several the loader gives to a program.
#pragma once

#include "facts/common.hpp"

namespace rnncheck {

/// By the file's name alone: libcudnn is `cudnn`, what it opens itself
/// (libcudnn_ops) `cudnn_part`.
RNNCHECK_ENUM(
    LibraryKind, cuda, nvml, cudart, cudnn, cudnn_part, cublas, cublaslt, nvrtc, nvrtc_builtins)

/// Where a file was found, in the order in which the loader and people look.
RNNCHECK_ENUM(
    FoundVia,
    ld_library_path,
    loader_cache,
    default_directory,
    toolkit,
    wheel,
    conda,
    wsl,
    path_variable)

/// What is wrong with a file, as a file.
RNNCHECK_ENUM(
    FileProblem,
    unreadable,
    not_elf,
    not_pe,
    truncated,
    damaged,
    other_class,
    other_machine,
    dangling_link,
    link_circle,
    directory,
    named_pipe,
    socket,
    device)

/// One file with the name of a GPU library. Several names of one file are one
/// entry (`path` the first one found).
struct Library {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(LibraryKind, kind, "which library it is by its name") = LibraryKind::cuda;
    RNNCHECK_FIELD(std::string, path, "where it was found first");
    RNNCHECK_FIELD(std::optional<std::string>, real_path, "the file behind all symbolic links");
    RNNCHECK_FIELD(FoundVia, found_via, "how it was found") = FoundVia::default_directory;
    RNNCHECK_FIELD(bool, picked_by_loader, "whether dlopen of its soname gives this file") = false;
    RNNCHECK_FIELD(bool, stub, "a toolkit's link-time stub, which cannot work") = false;
    RNNCHECK_FIELD(bool, compat, "a forward-compatibility libcuda (cuda-compat package)") = false;
    RNNCHECK_FIELD(std::optional<std::string>, soname, "DT_SONAME");
    RNNCHECK_FIELD(
        std::optional<std::string>, machine, "ELF class and machine, e.g. 64-bit x86-64");
    RNNCHECK_FIELD(std::vector<std::string>, needed, "DT_NEEDED, in order");
    RNNCHECK_FIELD(
        std::vector<std::string>, run_path, "DT_RUNPATH or DT_RPATH entries, as written");
    RNNCHECK_FIELD(std::optional<Version>, version_in_name, "version in the real file's name");
    RNNCHECK_FIELD(
        std::vector<std::string>, missing_needs, "needed libraries that the loader would not find");
    RNNCHECK_FIELD(
        std::optional<FileProblem>, problem, "why this file cannot be a working library here");
    RNNCHECK_FIELD(std::optional<std::string>, problem_detail, "the same in words");
    RNNCHECK_FIELDS_END
};

/// What one libcudart returned; its calls need no GPU.
struct Runtime {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, library, "path of the libcudart");
    RNNCHECK_FIELD(std::optional<Version>, version, "its CUDA version");
    RNNCHECK_FIELD(
        std::optional<Version>,
        driver_version_seen,
        "newest CUDA of the driver as this runtime sees it; unset when it sees no driver");
    RNNCHECK_FIELD(
        std::optional<CallResult>, failure, "the first call that failed, opening included");
    RNNCHECK_FIELDS_END

    const std::string& key() const {
        return library;
    }
};

/// What a cuDNN file shows of how it was built, which no function returns.
struct CudnnFile {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, path, "the file, as it was mapped");
    RNNCHECK_FIELD(
        std::optional<Version>,
        version,
        "of libcudnn itself: the version of the libraries that it opens");
    RNNCHECK_FIELD(
        std::optional<int>,
        cuda_major,
        "CUDA version of the compiler of its GPU code; for libcudnn, that of "
        "libcudnn_ops beside it");
    RNNCHECK_FIELDS_END
};

/// What a process got that called a function for RNNs first, as JAX does, and
/// not one for dropout or tensors.
struct CudnnRnnFirst {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::vector<std::string>, parts_mapped, "cuDNN files that were then mapped");
    RNNCHECK_FIELD(std::optional<CallResult>, failure, "the first call that failed then");
    RNNCHECK_FIELDS_END
};

/// What one cuDNN installation returned. The RNN API is checked without a GPU:
/// version checks of the parts, then RNN descriptors.
struct Cudnn {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, library, "path of the libcudnn");
    RNNCHECK_FIELD(std::optional<Version>, version, "from cudnnGetVersion");
    RNNCHECK_FIELD(std::optional<Version>, built_for_cuda, "from cudnnGetCudartVersion");
    RNNCHECK_FIELD(
        std::optional<Version>,
        newest_capability,
        "newest compute capability it knows, cudnnGetMaxDeviceVersion");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        rnn_apis,
        "RNN interfaces it exports: legacy (cuDNN 7, 8), v8 (cuDNN 8, 9)");
    RNNCHECK_FIELD(std::vector<std::string>, parts_mapped, "cuDNN files that were really mapped");
    RNNCHECK_FIELD(
        std::vector<CudnnFile>, files, "those of the mapped files that show how they were built");
    RNNCHECK_FIELD(std::optional<bool>, rnn_usable, "whether its RNN API loads and works");
    RNNCHECK_FIELD(
        std::optional<CallResult>,
        failure,
        "the first call that failed, opening included, with the reason the library gave");
    RNNCHECK_FIELD(
        std::optional<CudnnRnnFirst>,
        rnn_first,
        "the same where a function for RNNs is the first; only determined if it may differ");
    RNNCHECK_FIELDS_END

    const std::string& key() const {
        return library;
    }
};

/// What one libnvrtc returned; compiling needs no GPU.
struct Nvrtc {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, library, "path of the libnvrtc");
    RNNCHECK_FIELD(std::optional<Version>, version, "its CUDA version");
    RNNCHECK_FIELD(std::optional<bool>, compiles, "whether it compiled a test kernel");
    RNNCHECK_FIELD(
        std::optional<CallResult>, failure, "the first call that failed, opening included");
    RNNCHECK_FIELDS_END

    const std::string& key() const {
        return library;
    }
};

/// By which rule of the loader a file is found, glibc's or Windows', in the
/// order in which it tries them, and where else files lie.
RNNCHECK_ENUM(
    LoaderRule,
    /// a library of that name is there already
    already_loaded,
    /// the name holds a '/'
    path,
    /// LD_PRELOAD or /etc/ld.so.preload
    ld_preload,
    /// DT_RPATH of the library in need, of those that led to it, of the program
    rpath,
    /// the environment variable
    ld_library_path,
    /// DT_RUNPATH of the library in need
    runpath,
    /// /etc/ld.so.cache
    cache,
    /// built into the loader
    default_directory,
    /// seen in a running process
    mapped,
    elsewhere,  ///< in a toolkit, a wheel or conda, where the loader does not look by itself
    // Of Windows, by
    // https://learn.microsoft.com/en-us/windows/win32/dlls/dynamic-link-library-search-order
    load_directory,         ///< of the file that was loaded by its path
    application_directory,  ///< of the program
    user_directory,         ///< AddDllDirectory, os.add_dll_directory
    system_directory,       ///< System32, Windows
    current_directory,      ///< of the process
    path_variable           ///< PATH
)

/// How loading a DLL ends, with the error of LoadLibrary that a program sees.
RNNCHECK_ENUM(
    DllEnding,
    /// with all that it needs
    loaded,
    /// error 126: no such file, or one that it needs is not found
    not_found,
    /// error 193: what is found is no DLL for this machine
    unusable,
    /// error 127: it needs a function that another DLL does not have
    lacks_function,
    /// not found so far, and PATH is not known completely
    unknown)

/// One DLL that a framework on a disk of Windows loads, predicted
/// from files. Paths are Windows'.
struct DllLoad {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::string,
        framework,
        "the framework that loads it, as in frameworks[].name; empty: any other program "
        "that loads cuDNN");
    RNNCHECK_FIELD(
        std::string,
        environment,
        "directory of its Python environment; of any other program that of cuDNN");
    RNNCHECK_FIELD(std::string, name, "the requested name: cudnn_ops64_9.dll");
    RNNCHECK_FIELD(DllEnding, ending, "how loading it ends") = DllEnding::unknown;
    RNNCHECK_FIELD(
        std::optional<std::string>, path, "the file that the search comes to, usable or not");
    RNNCHECK_FIELD(std::optional<LoaderRule>, rule, "the rule by which it comes to that");
    RNNCHECK_FIELD(std::optional<std::string>, needed_by, "the DLL that needs or opens it");
    RNNCHECK_FIELD(std::optional<std::string>, problem, "why it is not loaded, in words");
    RNNCHECK_FIELD(
        std::optional<std::string>, absent, "of those that it needs the one that is not found");
    RNNCHECK_FIELD(
        std::optional<std::string>, lacking, "the DLL that does not have functions that it needs");
    RNNCHECK_FIELD(
        std::optional<Version>, version, "of the file, by its version resource or a text inside");
    RNNCHECK_FIELD(
        std::optional<int>,
        cuda_major,
        "of a cuDNN library: CUDA version of its GPU code, NVRTC or cuBLAS");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        own,
        "the file of that name which the framework's package contains");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        elsewhere,
        "files of that name, or of another major version, that are not searched");
    RNNCHECK_FIELDS_END

    std::string key() const {
        return framework + " " + environment + " " + name;
    }
};

/// Another file of that name, and why it is not the one.
struct LibraryCandidate {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, path, "the file");
    RNNCHECK_FIELD(LoaderRule, rule, "by which rule the loader would come to it") =
        LoaderRule::default_directory;
    RNNCHECK_FIELD(std::string, why_not, "why it is not the one");
    RNNCHECK_FIELDS_END
};

/// Which file the loader gives for one name, and by which rule, as `rnncheck
/// which` prints it.
struct LibraryChoice {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, soname, "the requested name");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        path,
        "the file that the loader gives; null when it finds none that it can use");
    RNNCHECK_FIELD(
        std::optional<LoaderRule>, rule, "the rule by which it finds that; null without a file");
    RNNCHECK_FIELD(
        std::optional<std::string>, needed_by, "the file that needs it; null if none is known");
    RNNCHECK_FIELD(bool, by_dlopen, "opened by name at runtime, not listed as needed") = false;
    RNNCHECK_FIELD(std::string, why, "the rule in words");
    RNNCHECK_FIELD(std::vector<LibraryCandidate>, candidates, "other files of that name");
    RNNCHECK_FIELDS_END

    bool is_open = false;  ///< what is not known decides, such as PATH; no part of the document
};

}  // namespace rnncheck
