// The real libraries given as arguments export the functions of our lists. Exit code 77: none could
// be opened.
#include <dlfcn.h>

#include <cstdio>
#include <string>
#include <vector>

#include "vendor/cuda_abi.hpp"
#include "vendor/cudnn_abi.hpp"
#include "vendor/nvml_abi.hpp"

namespace {

using Names = std::vector<const char*>;

#define NAME(name, result, parameters) #name,
const Names cuda = {RNNCHECK_CUDA_FUNCTIONS(NAME)};
const Names nvml = {RNNCHECK_NVML_FUNCTIONS(NAME)};
const Names cudart = {RNNCHECK_CUDART_FUNCTIONS(NAME)};
const Names nvrtc = {RNNCHECK_NVRTC_FUNCTIONS(NAME)};
const Names cudnn_7 = {RNNCHECK_CUDNN_EVERYWHERE(NAME) RNNCHECK_CUDNN_LEGACY(NAME)};
const Names cudnn_8 = {RNNCHECK_CUDNN_EVERYWHERE(NAME) RNNCHECK_CUDNN_LEGACY(NAME)
                           RNNCHECK_CUDNN_V8(NAME) RNNCHECK_CUDNN_CHECKS_8(NAME)};
const Names cudnn_9 = {RNNCHECK_CUDNN_EVERYWHERE(NAME) RNNCHECK_CUDNN_V8(NAME)
                           RNNCHECK_CUDNN_CHECKS_9(NAME) RNNCHECK_CUDNN_SINCE_8_6(NAME)};

/// Came with R510; before that the probe queries its sister _v2.
constexpr std::string_view newer_nvml = "nvmlDeviceGetComputeRunningProcesses_v3";

const Names* names_for(const std::string& file) {
    const auto is = [&](const char* name) {
        return file.find(std::string("/") + name) != std::string::npos;
    };
    if (is("libcuda.so"))
        return &cuda;
    if (is("libnvidia-ml.so"))
        return &nvml;
    if (is("libcudart.so"))
        return &cudart;
    if (is("libnvrtc.so"))
        return &nvrtc;
    if (is("libcudnn.so.7"))
        return &cudnn_7;
    if (is("libcudnn.so.8"))
        return &cudnn_8;
    return is("libcudnn.so.9") ? &cudnn_9 : nullptr;
}

}  // namespace

int main(int count, char** files) {
    int opened = 0, missing = 0;
    for (int i = 1; i < count; ++i) {
        const Names* const names = names_for(files[i]);
        void* const library = names ? dlopen(files[i], RTLD_LAZY | RTLD_LOCAL) : nullptr;
        if (!library)
            continue;
        ++opened;
        for (const char* name : *names)
            if (name != newer_nvml && !dlsym(library, name))
                std::printf("%s does not export %s\n", files[i], name), ++missing;
        std::printf("%s: %zu functions looked up\n", files[i], names->size());
    }
    if (opened == 0)
        return std::puts("SKIPPED: no real library"), 77;
    return missing > 0;
}
