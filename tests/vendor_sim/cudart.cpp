// The simulated libcudart of the major SIM_MAJOR.
#include <dlfcn.h>

#include "abi.hpp"
#include "vendor/cudart_abi.hpp"

using namespace rnncheck::vendor;
using namespace sim;

SIM_EXPORTS(RNNCHECK_CUDART_FUNCTIONS)
SIM_LOAD_AND_EXIT("libcudart")

namespace {
const Tags tags = {"libcudart", "libcudart" + std::to_string(SIM_MAJOR)};
}

int cudaRuntimeGetVersion(int* version) {
    if (const auto forced = act(__func__, tags).result) return static_cast<int>(*forced);
    const std::string text = setting("runtime", SIM_MAJOR == 12 ? "12.4" : "13.0", tags);
    const auto dot = text.find('.');
    *version = std::stoi(text.substr(0, dot)) * 1000 + std::stoi(text.substr(dot + 1)) * 10;
    return 0;
}

int cudaDriverGetVersion(int* version) {
    if (const auto forced = act(__func__, tags).result) return static_cast<int>(*forced);
    *version = 0;  // no driver library: success, and the version 0
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) return 0;
    return reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"))(version);
}

const char* cudaGetErrorString(int code) {
    switch (code) {
        case 0:
            return "no error";
        case 35:
            return "CUDA driver version is insufficient for CUDA runtime version";
        case 100:
            return "no CUDA-capable device is detected";
        default:
            return "unrecognized error code";
    }
}
