// Facts about Python environments and the frameworks installed in them.
#pragma once

#include "facts/common.hpp"

namespace rnncheck {

/// An installed distribution that matters here: a framework, what extends
/// it, or one of NVIDIA's wheels.
struct PythonPackage {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, name, "normalised name of the distribution: nvidia-cudnn-cu12");
    RNNCHECK_FIELD(std::string, version, "its version as written, e.g. 9.1.0.70 or 2.4.1+cu121");
    RNNCHECK_FIELD(std::string, directory, "the directory it is installed in, e.g. site-packages");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        missing_files,
        "libraries that its list of files names and that are not there");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        changed_files,
        "libraries whose size is not the one in its list of files");
    RNNCHECK_FIELDS_END
};

/// A Python installation or a virtual environment, read from its files without starting it.
struct PythonEnvironment {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::string, path, "directory of the environment; empty when only its version is known");
    RNNCHECK_FIELD(std::optional<Version>, version, "version of Python");
    RNNCHECK_FIELD(
        std::string,
        kind,
        "venv, conda, pyenv, asdf, mise, uv, pipx, system, prefix, store for that of the "
        "Microsoft Store, or directory for a bare directory of packages");
    RNNCHECK_FIELD(
        std::string,
        found_by,
        "what led to it: --python, python -m rnncheck, VIRTUAL_ENV, CONDA_PREFIX, PATH, "
        "or the place");
    RNNCHECK_FIELD(
        std::optional<bool>, active, "whether frameworks are judged as this environment has them");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        passed_over,
        "why it was not examined although a variable names it or it is first on PATH");
    RNNCHECK_FIELD(
        std::optional<std::string>, interpreter, "its python, by the name that led to it");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        missing_interpreter,
        "the file that its python leads to, if that does not exist");
    RNNCHECK_FIELD(
        std::vector<std::string>, package_directories, "where it looks for packages, in its order");
    RNNCHECK_FIELD(std::optional<int>, distributions, "how many distributions are installed");
    RNNCHECK_FIELD(std::vector<PythonPackage>, packages, "those that matter here");
    RNNCHECK_FIELD(std::vector<std::string>, skipped, "what could not be read, or not to its end");
    RNNCHECK_FIELDS_END

    const std::string& key() const {
        return path;
    }
};

/// One of which the version is all that is known.
inline PythonEnvironment python_of(const std::optional<Version>& version) {
    PythonEnvironment python;
    python.version = version;
    python.active = false;
    return python;
}

/// One of the GPU libraries that a framework opens, and the file
/// that the loader would give it.
struct FrameworkLibrary {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, soname, "the name by which it is opened");
    RNNCHECK_FIELD(
        std::optional<std::string>, path, "the file predicted; absent when the loader finds none");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        found_by,
        "rpath, LD_LIBRARY_PATH, runpath, beside (the framework's own directory) or system");
    RNNCHECK_FIELD(std::optional<Version>, version, "its version by its file name or its package");
    RNNCHECK_FIELD(
        std::optional<int>, cuda_major, "the CUDA its package is for, by the package's name");
    RNNCHECK_FIELDS_END
};

/// One framework as installed, or as given by the user.
struct Framework {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::string,
        name,
        "tensorflow, keras, pytorch, jax, onnxruntime, paddlepaddle, ctranslate2, cupy, mxnet");
    RNNCHECK_FIELD(
        std::string, environment, "directory of its Python environment; empty when not known");
    RNNCHECK_FIELD(std::optional<Version>, version, "its version");
    RNNCHECK_FIELD(
        std::optional<std::string>, build, "flavour: cpu, cuda, cu121, directml, rocm, ...");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        package,
        "the distribution that it comes from, with its version");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        other_packages,
        "distributions that put files into the same directory");
    RNNCHECK_FIELD(std::vector<std::string>, plugins, "distributions that extend it by a device");
    RNNCHECK_FIELD(
        bool,
        requested,
        "whether this version was specified with --for; it need not be installed") = false;
    RNNCHECK_FIELD(std::optional<bool>, uses_cuda, "whether its own files show a build with CUDA");
    RNNCHECK_FIELD(std::optional<std::string>, evidence, "the file that shows it");
    RNNCHECK_FIELD(std::optional<std::string>, core, "the file of it that opens the GPU libraries");
    RNNCHECK_FIELD(
        std::optional<bool>,
        uses_cudnn,
        "whether it opens cuDNN, by its own files: false for CuPy 14; absent when they "
        "do not show it");
    RNNCHECK_FIELD(std::optional<Version>, cuda, "CUDA it was built with, by its own files");
    RNNCHECK_FIELD(
        std::optional<Version>, cudnn, "cuDNN it was built with, as exactly as its own files show");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        cudnn_wanted,
        "the cuDNN package that its metadata requires: nvidia-cudnn-cu12==9.1.0.70");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        targets,
        "GPUs it has code for, by its own files: sm_60 sm_70 compute_90");
    RNNCHECK_FIELD(
        std::vector<FrameworkLibrary>,
        libraries,
        "GPU libraries it opens, and the files the loader gives it");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        directories_before,
        "its own directories, searched before LD_LIBRARY_PATH");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        directories_after,
        "its own directories, searched after LD_LIBRARY_PATH");
    RNNCHECK_FIELDS_END

    std::string key() const {
        return name + " " + environment;
    }
};

/// Two frameworks of one environment in one process, imported in this order and
/// then used: which cuDNN each calls.
struct ImportOrder {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, environment, "directory of the Python environment");
    RNNCHECK_FIELD(
        std::string, first, "the framework that is imported first, as in frameworks[].name");
    RNNCHECK_FIELD(std::string, second, "the one that is imported after it");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        first_cudnn,
        "the cuDNN file that the first one calls; absent when it finds none");
    RNNCHECK_FIELD(
        std::optional<std::string>, second_cudnn, "the cuDNN file that the second one calls");
    RNNCHECK_FIELDS_END

    std::string key() const {
        return environment + " " + first + " " + second;
    }
};

}  // namespace rnncheck
