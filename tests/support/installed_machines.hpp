// Machines with frameworks in their active Python environment: the starting points of the tests of
// rules about them.
#pragma once

#include "support/cudnn_machines.hpp"

namespace rnncheck::test {

inline const std::string environment_directory = "/srv/environment";
inline const std::string own_cudnn9 = wheel + "libcudnn.so.9";

inline PythonEnvironment& add_environment(
    Facts& f, const std::string& path = environment_directory, bool active = true) {
    f.host.platform = "linux";
    for (PythonEnvironment& python : f.pythons)
        if (python.path == path)
            return python;
    PythonEnvironment python;
    python.path = path;
    python.version = v("3.11.7");
    python.kind = "venv";
    python.found_by = active ? "VIRTUAL_ENV" : "/srv";
    python.active = active;
    python.interpreter = path + "/bin/python";
    return f.pythons.emplace_back(python);
}

inline FrameworkLibrary library_from(
    const std::string& path, const std::string& found_by, const std::string& version = "") {
    FrameworkLibrary library;
    library.soname = path.substr(path.rfind('/') + 1);
    library.path = path;
    library.found_by = found_by;
    if (!version.empty())
        library.version = v(version);
    return library;
}

/// PyTorch 2.4.1 for CUDA 12.1, with a whole cuDNN 9.19 as a Python package and the system's
/// cuBLAS.
inline Framework& add_torch(
    Facts& f, const std::string& environment = environment_directory, bool active = true) {
    add_environment(f, environment, active);
    if (active)
        add_wheel_cudnn9(f);
    Framework torch;
    torch.name = "pytorch";
    torch.environment = environment;
    torch.version = v("2.4.1");
    torch.build = "cu121";
    torch.package = "torch 2.4.1";
    torch.uses_cuda = true;
    torch.evidence = environment + "/torch/version.py";
    torch.core = environment + "/torch/lib/libtorch_cuda.so";
    torch.cuda = v("12.1");
    torch.cudnn = v("9.1.0");
    torch.cudnn_wanted = "nvidia-cudnn-cu12==9.1.0.70";
    torch.directories_before = {wheel.substr(0, wheel.size() - 1)};
    torch.libraries = {
        library_from(own_cudnn9, "rpath"), library_from(toolkit + "libcublas.so.12", "system")};
    return f.frameworks.emplace_back(torch);
}

/// TensorFlow 2.15 with the system's CUDA 12 and cuDNN 8.9.7.
inline Framework& add_tensorflow(Facts& f) {
    add_environment(f);
    Framework tensorflow;
    tensorflow.name = "tensorflow";
    tensorflow.environment = environment_directory;
    tensorflow.version = v("2.15.1");
    tensorflow.build = "cuda";
    tensorflow.package = "tensorflow 2.15.1";
    tensorflow.uses_cuda = true;
    tensorflow.evidence = environment_directory + "/tensorflow/python/platform/build_info.py";
    tensorflow.core = environment_directory + "/tensorflow/libtensorflow_cc.so.2";
    tensorflow.cuda = v("12.2");
    tensorflow.cudnn = v("8.9.4");
    tensorflow.cudnn_wanted = "nvidia-cudnn-cu12==8.9.4.25";
    tensorflow.targets = "sm_50 sm_60 sm_70 sm_75 sm_80 compute_80";
    tensorflow.libraries = {
        library_from(cudnn8, "system"), library_from(toolkit + "libcublas.so.12", "system")};
    return f.frameworks.emplace_back(tensorflow);
}

inline Framework& add_tensorflow_cpu(Facts& f) {
    Framework& tensorflow = add_tensorflow(f);
    tensorflow.package = "tensorflow-cpu 2.15.1";
    tensorflow.build = "cpu";
    tensorflow.uses_cuda = false;
    tensorflow.cuda.reset();
    tensorflow.cudnn.reset();
    tensorflow.cudnn_wanted.reset();
    tensorflow.targets.reset();
    tensorflow.libraries.clear();
    return tensorflow;
}

/// --for is about a version.
inline Framework& request(Facts& f, const std::string& name, const std::string& version) {
    add_environment(f);
    Framework requested;
    requested.name = name;
    requested.version = v(version);
    requested.requested = true;
    return f.frameworks.emplace_back(requested);
}

/// What the framework opens as cuDNN or cuBLAS is not found by the loader.
inline void loses(Framework& framework, const std::string& stem) {
    for (FrameworkLibrary& library : framework.libraries) {
        if (!library.soname.starts_with(stem))
            continue;
        library.path.reset();
        library.found_by.reset();
        library.version.reset();
    }
}

inline void no_machine(Facts& f) {
    f.host.pci_gpus.clear();
    f.driver = {};
    f.cuda_devices.clear();
    f.nvml_devices.clear();
}

/// The search for Python environments did not come to its end.
inline void packages_not_searched(Facts& f) {
    probe_run(f, "python_packages").end = ProbeEnd::crashed;
}

/// A cuDNN 9.0.0 in a directory of LD_LIBRARY_PATH.
inline void add_older_cudnn9(Facts& f) {
    f.host.environment["LD_LIBRARY_PATH"] = "/opt/old/lib";
    Library& old = add_library(
        f, LibraryKind::cudnn, "/opt/old/lib/libcudnn.so.9", "/opt/old/lib/libcudnn.so.9.0.0");
    old.found_via = FoundVia::ld_library_path;
}

/// Where every rule about installed frameworks is silent, with `more` of one rule's own.
inline Silent silent_about_frameworks(std::vector<RuleCase> more) {
    Silent silent{
        {{"healthy", a_healthy_machine(), ""},
         {"PyTorch with its own cuDNN", but([](Facts& f) { add_torch(f); }), ""},
         {"TensorFlow with the system's", but([](Facts& f) { add_tensorflow(f); }), ""},
         {"both, in one environment",
          but([](Facts& f) {
              add_torch(f);
              add_tensorflow(f);
          }),
          ""}}};
    std::move(more.begin(), more.end(), std::back_inserter(silent.cases));
    return silent;
}

inline WhenUndecided undecided_without_search() {
    return {{{"the search did not end", but(packages_not_searched), ""}}};
}

}  // namespace rnncheck::test
