// Facts of a disk of Windows with one framework, by the DLLs that it loads.
#pragma once

#include "facts/facts.hpp"

namespace rnncheck::test {

inline const std::string windows_python = "C:\\Python310";

inline DllLoad dll_named(const std::string& name, DllEnding ending) {
    DllLoad load;
    load.framework = "tensorflow";
    load.environment = windows_python;
    load.name = name;
    load.ending = ending;
    return load;
}

inline DllLoad loaded_dll(
    const std::string& name, const std::string& path, const std::string& version = "") {
    DllLoad load = dll_named(name, DllEnding::loaded);
    load.path = path;
    load.rule = LoaderRule::path_variable;
    load.version = parse_version(version);
    return load;
}

inline DllLoad missing_dll(
    const std::string& name,
    const std::string& needed_by,
    const std::vector<std::string>& elsewhere = {}) {
    DllLoad load = dll_named(name, DllEnding::not_found);
    load.needed_by = needed_by;
    load.problem = "is not found";
    load.elsewhere = elsewhere;
    return load;
}

/// It needs a function that the other DLL does not have.
inline DllLoad lacking_dll(const std::string& name, const std::string& other) {
    DllLoad load = loaded_dll(name, "C:\\cudnn\\" + name);
    load.ending = DllEnding::lacks_function;
    load.lacking = other;
    load.problem = "needs aFunction from " + other + ", which does not have it";
    return load;
}

inline DllLoad unknown_dll(const std::string& name) {
    return dll_named(name, DllEnding::unknown);
}

/// The same load by a program of no known framework.
inline DllLoad by_a_program(DllLoad load) {
    load.framework.clear();
    load.environment = "C:\\cudnn";
    return load;
}

/// TensorFlow 2.10.1 in Python 3.10, and what it loads.
inline Facts with_dlls(const std::vector<DllLoad>& loads) {
    Facts facts;
    facts.host.platform = "windows";
    PythonEnvironment python = python_of(parse_version("3.10"));
    python.path = windows_python;
    python.active = true;
    facts.pythons = {python};
    Framework tensorflow;
    tensorflow.name = "tensorflow";
    tensorflow.environment = windows_python;
    tensorflow.version = parse_version("2.10.1");
    tensorflow.uses_cuda = true;
    tensorflow.cuda = parse_version("11.2");
    tensorflow.cudnn = parse_version("8");
    facts.frameworks = {tensorflow};
    facts.dll_loads = loads;
    return facts;
}

/// The cuDNN 8 that TensorFlow loads, of this version and for this CUDA.
inline Facts with_cudnn_8(const std::string& version, const std::string& cuda) {
    const std::string path = "C:\\cuda\\bin\\cudnn64_8.dll";
    Facts facts = with_dlls({loaded_dll("cudnn64_8.dll", path, version)});
    Cudnn cudnn;
    cudnn.library = "C:/cuda/bin/cudnn64_8.dll";
    cudnn.version = parse_version(version);
    cudnn.built_for_cuda = parse_version(cuda);
    facts.cudnns = {cudnn};
    return facts;
}

}  // namespace rnncheck::test
