#include <algorithm>

#include "files/dll/frameworks.hpp"

namespace rnncheck::dll {

namespace {

/// Each name where `python -m cupyx.tools.install_library` puts it, then as
/// ctypes finds it; CuPy goes on without.
std::vector<std::string> of_cupys_installer(std::vector<std::string> names) {
    for (std::string& name : names)
        name = "C:\\Users\\*\\.cupy\\cuda_lib\\{cuda}.x\\cudnn\\*\\bin\\" + name + ";" + name + ";";
    return names;
}

/// The order of cuda-pathfinder: wheels of CUDA 13 and 12, conda,
/// the usual search, CUDA_PATH.
std::string pathfinders(const std::string& name) {
    return "{site}\\nvidia\\cu{cuda}\\bin\\x86_64\\" + name + ";{site}\\nvidia\\cublas\\bin\\" +
           name + ";{prefix}\\Library\\bin\\" + name + ";" + name + ";{toolkit}\\bin\\x64\\" +
           name + ";{toolkit}\\bin\\" + name;
}

/// Each row was read in the framework's own source. Of several rows of a
/// framework the later ones are for later versions.
const std::vector<Script>& scripts() {
    static const std::vector<Script> rows = {
        // PyTorch 2.15: _load_dll_libraries. CUDA's directory only counts
        // where no cudart is in the others.
        {.framework = "pytorch",
         .user_directories = {"{site}\\torch\\lib", "{prefix}\\Library\\bin", "{prefix}\\bin"},
         .before_path = {},
         .loaded = {"{site}\\torch\\lib\\*.dll"},
         .loaded_by_core = {},
         .retries = true,
         .opened = {},
         .source = "https://github.com/pytorch/pytorch/blob/main/torch/__init__.py",
         .note = ""},
        // TensorFlow 2.10, the last with CUDA for Windows: a name alone makes
        // the altered search path an ordinary one.
        {.framework = "tensorflow",
         .user_directories = {},
         .before_path = {},
         .loaded = {"{site}\\tensorflow\\python\\_pywrap_tensorflow_internal.pyd"},
         .loaded_by_core = {},
         .opened = {"cudart64_{cudart}.dll", "cublas64_{cuda}.dll", "cudnn64_{cudnn}.dll"},
         .open_flags = altered_search_path,
         .source = "https://github.com/tensorflow/tensorflow/blob/v2.10.1/tensorflow/core/platform/"
                   "windows/load_library.cc",
         .note = ""},
        // From 2.5 on those of CUDA 11.2, all of which it opens before it uses a GPU:
        // order and names by tensorflow/stream_executor/platform/default/dlopen_checker.cc,
        // the numbers by the text of 2.10's DLL. Python loads the runtime first: self_check.py.
        {.framework = "tensorflow",
         .from = "2.5",
         .user_directories = {},
         .before_path = {},
         .loaded =
             {"msvcp140.dll",
              "msvcp140_1.dll",
              "{site}\\tensorflow\\python\\_pywrap_tensorflow_internal.pyd"},
         .loaded_by_core = {},
         .opened =
             {"cudart64_{cudart}.dll",
              "cublas64_{cuda}.dll",
              "cublasLt64_{cuda}.dll",
              "cufft64_10.dll",
              "curand64_10.dll",
              "cusolver64_{cuda}.dll",
              "cusparse64_{cuda}.dll",
              "cudnn64_{cudnn}.dll"},
         .open_flags = altered_search_path,
         .source = "https://github.com/tensorflow/tensorflow/blob/v2.10.1/tensorflow/core/platform/"
                   "windows/load_library.cc",
         .note = ""},
        // ONNX Runtime 1.31: its provider is loaded by the core.
        {.framework = "onnxruntime",
         .user_directories = {},
         .before_path = {},
         .loaded = {"{site}\\onnxruntime\\capi\\onnxruntime_pybind11_state*.pyd"},
         .loaded_by_core =
             {"{site}\\onnxruntime\\capi\\onnxruntime_providers_shared.dll",
              "{site}\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll"},
         .opened = {"cudnn64_{cudnn}.dll"},
         .source = "https://github.com/microsoft/onnxruntime/blob/main/onnxruntime/core/platform/"
                   "windows/env.cc",
         .note = "a program that calls onnxruntime.preload_dlls() first gets cuDNN and CUDA from "
                 "the environment instead"},
        // CTranslate2 4.8: ctypes.CDLL of every DLL of the package;
        // cuBLAS by name at its first use.
        {.framework = "ctranslate2",
         .user_directories = {"{site}\\ctranslate2"},
         .before_path = {},
         .loaded = {"{site}\\ctranslate2\\*.dll", "{site}\\ctranslate2\\_ext*.pyd"},
         .loaded_by_core = {},
         .opened = {"cublas64_{cuda}.dll"},
         .source =
             "https://github.com/OpenNMT/CTranslate2/blob/master/python/ctranslate2/__init__.py",
         .note = ""},
        // PaddlePaddle 2: by name, then in the directory of the toolkit that it was
        // built with, which is a text in libpaddle.pyd: dynload/dynamic_loader.cc.
        {.framework = "paddlepaddle",
         .user_directories = {"{site}\\paddle\\libs"},
         .before_path = {"{site}\\paddle\\base", "{site}\\paddle\\libs"},
         .loaded = {"{site}\\paddle\\base\\libpaddle.pyd"},
         .loaded_by_core = {},
         .opened =
             {"cublas64_{cuda}.dll;{own_toolkit}\\bin\\cublas64_{cuda}.dll",
              "cudnn64_{cudnn}.dll;{own_toolkit}\\bin\\cudnn64_{cudnn}.dll"},
         .source = "https://github.com/PaddlePaddle/Paddle/blob/v2.6.2/paddle/phi/backends/dynload/"
                   "dynamic_loader.cc",
         .note = "a program that sets FLAGS_cudnn_dir or FLAGS_cuda_dir first gets cuDNN or CUDA "
                 "from that directory"},
        // PaddlePaddle 3: what the wheels of NVIDIA have is loaded when it is imported.
        {.framework = "paddlepaddle",
         .from = "3",
         .user_directories =
             {"{site}\\paddle\\libs",
              "{prefix}\\Library\\bin",
              "{site}\\nvidia\\cublas\\bin",
              "{site}\\nvidia\\cudnn\\bin"},
         .before_path = {"{site}\\paddle\\base", "{site}\\paddle\\libs"},
         .loaded =
             {"{site}\\paddle\\base\\libpaddle.pyd",
              "{site}\\paddle\\libs\\*.dll",
              "{site}\\nvidia\\cublas\\bin\\*.dll",
              "{site}\\nvidia\\cuda_nvrtc\\bin\\*.dll",
              "{site}\\nvidia\\cuda_runtime\\bin\\*.dll",
              "{site}\\nvidia\\cudnn\\bin\\*.dll"},
         .loaded_by_core = {},
         .retries = true,
         .opened =
             {"cublas64_{cuda}.dll;{own_toolkit}\\bin\\cublas64_{cuda}.dll",
              "cudnn64_{cudnn}.dll;{own_toolkit}\\bin\\cudnn64_{cudnn}.dll"},
         .source = "https://github.com/PaddlePaddle/Paddle/blob/develop/python/paddle/__init__.py",
         .note = "PaddlePaddle 3 is known by its source alone, not by a wheel"},
        // CuPy with cuDNN, until 13: `import cupy.cuda.cudnn` first loads
        // what its installer put in the user's directory, then searches
        // by name, and goes on without.
        {.framework = "cupy",
         .user_directories =
             {"{toolkit}\\bin",
              "{toolkit}\\bin\\x64",
              "{site}\\cupy\\.data\\lib",
              "{prefix}\\Library\\bin"},
         .before_path = {},
         .loaded =
             {"{site}\\cupy_backends\\cuda\\libs\\cublas*.pyd",
              "{site}\\cupy_backends\\cuda\\libs\\cudnn*.pyd"},
         .loaded_by_core = {},
         .opened = of_cupys_installer(
             {"cudnn64_{cudnn}.dll",
              "cudnn_ops_infer64_{cudnn}.dll",
              "cudnn_ops_train64_{cudnn}.dll",
              "cudnn_cnn_infer64_{cudnn}.dll",
              "cudnn_cnn_train64_{cudnn}.dll",
              "cudnn_adv_infer64_{cudnn}.dll",
              "cudnn_adv_train64_{cudnn}.dll"}),
         .open_flags = search_default,
         .path_flags = python_flags,
         .opens_first = true,
         .source = "https://github.com/cupy/cupy/blob/v13.6.0/cupy/_environment.py",
         .note = ""},
        // Since 14 without cuDNN. NVIDIA's cuda-pathfinder loads cuBLAS from a
        // wheel, by name, or from CUDA_PATH:
        // cupy_backends/cuda/libs/__init__.py.
        {.framework = "cupy",
         .from = "14",
         .user_directories = {"{toolkit}\\bin", "{toolkit}\\bin\\x64"},
         .before_path = {},
         .loaded = {"{site}\\cupy_backends\\cuda\\libs\\cublas*.pyd"},
         .loaded_by_core = {},
         .opened = {pathfinders("cublasLt64_{cuda}.dll"), pathfinders("cublas64_{cuda}.dll")},
         .path_flags = python_flags,
         .opens_first = true,
         .source =
             "https://github.com/NVIDIA/cuda-python/blob/main/cuda_pathfinder/cuda/pathfinder/"
             "_dynamic_libs/load_nvidia_dynamic_lib.py",
         .note = ""}};
    return rows;
}

}  // namespace

const Script* script_of(const Framework& framework) {
    const Script* best = nullptr;
    for (const Script& script : scripts()) {
        if (script.framework != framework.name)
            continue;
        const auto from = parse_version(script.from);
        if (!from || (framework.version && *framework.version >= *from))
            best = &script;
    }
    return best;
}

}  // namespace rnncheck::dll
