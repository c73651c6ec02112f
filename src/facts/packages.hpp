// Facts about Python environments and the frameworks installed in them.
#pragma once

#include "facts/common.hpp"

namespace rnncheck {

/// An installed distribution that matters here: a framework, what extends it, or one of NVIDIA's wheels.
struct PythonPackage {
    std::string name;
    std::string version;
    std::string directory;
    std::vector<std::string> missing_files;
    std::vector<std::string> changed_files;

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "normalised name of the distribution: nvidia-cudnn-cu12");
        visit("version", self.version, "its version as written, e.g. 9.1.0.70 or 2.4.1+cu121");
        visit("directory", self.directory, "the directory it is installed in, e.g. site-packages");
        visit("missing_files", self.missing_files, "libraries that its list of files names and that are not there");
        visit("changed_files", self.changed_files, "libraries whose size is not the one in its list of files");
    }
};

struct PythonEnvironment {
    std::string path;
    std::optional<Version> version;
    std::string kind;
    std::string found_by;
    bool active = false;
    std::optional<std::string> interpreter;
    std::vector<std::string> package_directories;
    std::optional<int> distributions;
    std::vector<PythonPackage> packages;
    std::vector<std::string> left_out;

    const std::string& key() const { return path; }

    static void fields(auto& self, auto&& visit) {
        visit("path", self.path, "directory of the environment; empty when only its version is known");
        visit("version", self.version, "version of Python");
        visit("kind", self.kind,
              "venv, conda, pyenv, uv, pipx, system, prefix, or directory for a bare directory of packages");
        visit("found_by", self.found_by, "what led to it: --python, VIRTUAL_ENV, CONDA_PREFIX, PATH, or the place");
        visit("active", self.active, "whether frameworks are judged as this environment has them");
        visit("interpreter", self.interpreter, "its python, by the name that led to it");
        visit("package_directories", self.package_directories, "where it looks for packages, in its order");
        visit("distributions", self.distributions, "how many distributions are installed");
        visit("packages", self.packages, "those that matter here");
        visit("left_out", self.left_out, "what could not be read, or not to its end");
    }
};

/// One of the GPU libraries that a framework opens, and the file that the loader would give it.
struct FrameworkLibrary {
    std::string soname;
    std::optional<std::string> path;
    std::optional<std::string> found_by;
    std::optional<Version> version;
    std::optional<int> cuda_major;

    static void fields(auto& self, auto&& visit) {
        visit("soname", self.soname, "the name by which it is opened");
        visit("path", self.path, "the file predicted; absent when the loader finds none");
        visit("found_by", self.found_by,
              "rpath, LD_LIBRARY_PATH, runpath, beside (the framework's own directory) or system");
        visit("version", self.version, "its version by its file name or its package");
        visit("cuda_major", self.cuda_major, "the CUDA its package is for, by the package's name");
    }
};

/// One framework as installed, or as given by the user.
struct Framework {
    std::string name;
    std::string environment;
    std::optional<Version> version;
    std::optional<std::string> build;
    std::optional<std::string> package;
    std::vector<std::string> other_packages;
    std::vector<std::string> plugins;
    bool asked = false;
    std::optional<bool> uses_cuda;
    std::optional<std::string> shown_by;
    std::optional<std::string> core;
    std::optional<Version> cuda;
    std::optional<Version> cudnn;
    std::optional<std::string> cudnn_wanted;
    std::optional<std::string> targets;
    std::vector<FrameworkLibrary> libraries;
    std::vector<std::string> directories_before;
    std::vector<std::string> directories_after;

    std::string key() const { return name + " " + environment; }

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name,
              "tensorflow, keras, pytorch, jax, onnxruntime, paddlepaddle, ctranslate2, cupy, mxnet");
        visit("environment", self.environment, "directory of its Python environment; empty when not known");
        visit("version", self.version, "its version");
        visit("build", self.build, "flavour: cpu, cuda, cu121, directml, rocm, ...");
        visit("package", self.package, "the distribution that it comes from, with its version");
        visit("other_packages", self.other_packages, "distributions that put files into the same directory");
        visit("plugins", self.plugins, "distributions that extend it by a device");
        visit("asked", self.asked, "whether this version was specified with --for; it need not be installed");
        visit("uses_cuda", self.uses_cuda, "whether its own files show a build with CUDA");
        visit("shown_by", self.shown_by, "the file that shows it");
        visit("core", self.core, "the file of it that opens the GPU libraries");
        visit("cuda", self.cuda, "CUDA it was built with, by its own files");
        visit("cudnn", self.cudnn, "cuDNN it was built with, as exactly as its own files show");
        visit("cudnn_wanted", self.cudnn_wanted,
              "the cuDNN package that its metadata requires: nvidia-cudnn-cu12==9.1.0.70");
        visit("targets", self.targets, "GPUs it has code for, by its own files: sm_60 sm_70 compute_90");
        visit("libraries", self.libraries, "GPU libraries it opens, and the files the loader gives it");
        visit("directories_before", self.directories_before, "its own directories, searched before LD_LIBRARY_PATH");
        visit("directories_after", self.directories_after, "its own directories, searched after LD_LIBRARY_PATH");
    }
};

}  // namespace rnncheck
