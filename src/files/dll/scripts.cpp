#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/dll/frameworks.hpp"

namespace rnncheck::dll {

namespace {

/// Each row was read in the framework's own source.
const std::vector<Script>& scripts() {
    static const std::vector<Script> rows = {
        // PyTorch 2.15: _load_dll_libraries. CUDA's directory only counts where no cudart is in the
        // others.
        {.framework = "pytorch",
         .user_directories = {"{site}\\torch\\lib", "{prefix}\\Library\\bin", "{prefix}\\bin"},
         .before_path = {},
         .loaded = {"{site}\\torch\\lib\\*.dll"},
         .loaded_by_core = {},
         .retries = true,
         .opened = {},
         .source = "https://github.com/pytorch/pytorch/blob/main/torch/__init__.py",
         .note = ""},
        // TensorFlow 2.10, the last with CUDA for Windows: a name alone makes the altered search
        // path an ordinary one.
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
        // ONNX Runtime 1.31: its provider is loaded by the core.
        {.framework = "onnxruntime",
         .user_directories = {},
         .before_path = {},
         .loaded = {"{site}\\onnxruntime\\capi\\onnxruntime_pybind11_state*.pyd"},
         .loaded_by_core = {"{site}\\onnxruntime\\capi\\onnxruntime_providers_shared.dll",
                            "{site}\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll"},
         .opened = {"cudnn64_{cudnn}.dll"},
         .source = "https://github.com/microsoft/onnxruntime/blob/main/onnxruntime/core/platform/"
                   "windows/env.cc",
         .note = "a program that calls onnxruntime.preload_dlls() first gets cuDNN and CUDA from "
                 "the environment instead"},
        // CTranslate2 4.8: ctypes.CDLL of every DLL of the package; cuBLAS by name at its first
        // use.
        {.framework = "ctranslate2",
         .user_directories = {"{site}\\ctranslate2"},
         .before_path = {},
         .loaded = {"{site}\\ctranslate2\\*.dll", "{site}\\ctranslate2\\_ext*.pyd"},
         .loaded_by_core = {},
         .opened = {"cublas64_{cuda}.dll"},
         .source =
             "https://github.com/OpenNMT/CTranslate2/blob/master/python/ctranslate2/__init__.py",
         .note = ""},
        {.framework = "paddlepaddle",
         .user_directories = {"{site}\\paddle\\libs"},
         .before_path = {"{site}\\paddle\\base", "{site}\\paddle\\libs"},
         .loaded = {"{site}\\paddle\\base\\libpaddle.pyd"},
         .loaded_by_core = {},
         .opened = {"cublas64_{cuda}.dll", "cudnn64_{cudnn}.dll"},
         .source = "https://github.com/PaddlePaddle/Paddle/blob/develop/python/paddle/base/core.py",
         .note = ""},
        {.framework = "cupy",
         .user_directories = {"{toolkit}\\bin", "{toolkit}\\bin\\x64", "{site}\\cupy\\.data\\lib",
                              "{prefix}\\Library\\bin"},
         .before_path = {},
         .loaded = {"{site}\\cupy_backends\\cuda\\libs\\cublas*.pyd",
                    "{site}\\cupy_backends\\cuda\\libs\\cudnn*.pyd"},
         .loaded_by_core = {},
         .opened = {},
         .source = "https://github.com/cupy/cupy/blob/main/cupy/_environment.py",
         .note = ""}};
    return rows;
}

}  // namespace

const Script* script_of(const std::string& framework) {
    return find_by(scripts(), &Script::framework, framework);
}

}  // namespace rnncheck::dll
