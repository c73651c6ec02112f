// The simulated libcudart of the major SIM_MAJOR.
#include <dlfcn.h>

#include "abi.hpp"
#include "vendor/cuda_abi.hpp"

using namespace rnncheck::vendor;
using namespace sim;

// What a program that uses the runtime calls besides: rnncheck itself does not.
#define SIM_CUDART_OF_PROGRAMS(X)                              \
    X(cudaSetDevice, int, (int))                               \
    X(cudaMalloc, int, (void**, std::size_t))                  \
    X(cudaMemset, int, (void*, int, std::size_t))              \
    X(cudaMemcpy, int, (void*, const void*, std::size_t, int)) \
    X(cudaDeviceSynchronize, int, ())
#define EVERY_CUDART_FUNCTION(X) RNNCHECK_CUDART_FUNCTIONS(X) SIM_CUDART_OF_PROGRAMS(X)
SIM_EXPORTS(EVERY_CUDART_FUNCTION)
SIM_LOAD_AND_EXIT("libcudart")

namespace {

const Tags tags = {"libcudart", "libcudart" + std::to_string(SIM_MAJOR)};

/// A function of the driver library; the runtime opens it when it is first needed.
template <class... Parameters>
int driver_call(const char* name, Parameters... parameters) {
    constexpr int insufficient_driver = 35;
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return insufficient_driver;
    return reinterpret_cast<int (*)(Parameters...)>(dlsym(library, name))(parameters...);
}

/// Initialises the driver and makes the primary context of a device current.
int use_device(int device) {
    void* context = nullptr;
    if (const int error = driver_call("cuInit", 0u))
        return error;
    if (const int error = driver_call("cuDevicePrimaryCtxRetain", &context, device))
        return error;
    return driver_call("cuCtxSetCurrent", context);
}

unsigned long long on_device(const void* memory) {
    return reinterpret_cast<unsigned long long>(memory);
}

}  // namespace

int cudaSetDevice(int device) {
    return use_device(device);
}
int cudaMalloc(void** memory, std::size_t bytes) {
    *memory = nullptr;
    return bytes == 0 ? 0 : driver_call("cuMemAlloc_v2", memory, bytes);
}
int cudaMemset(void* memory, int value, std::size_t bytes) {
    return bytes == 0
               ? 0
               : driver_call(
                     "cuMemsetD8_v2", on_device(memory), static_cast<unsigned char>(value), bytes);
}
int cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
    constexpr int host_to_device = 1;
    if (bytes == 0)
        return 0;
    return kind == host_to_device ? driver_call("cuMemcpyHtoD_v2", on_device(to), from, bytes)
                                  : driver_call("cuMemcpyDtoH_v2", to, on_device(from), bytes);
}
int cudaDeviceSynchronize() {
    return driver_call("cuCtxSynchronize");
}

int cudaRuntimeGetVersion(int* version) {
    if (const auto forced = act(__func__, tags).result)
        return static_cast<int>(*forced);
    const std::string text = setting("runtime", SIM_MAJOR == 12 ? "12.4" : "13.0", tags);
    const auto dot = text.find('.');
    *version = std::stoi(text.substr(0, dot)) * 1000 + std::stoi(text.substr(dot + 1)) * 10;
    return 0;
}

int cudaDriverGetVersion(int* version) {
    if (const auto forced = act(__func__, tags).result)
        return static_cast<int>(*forced);
    *version = 0;  // no driver library: success, and the version 0
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return 0;
    return reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"))(version);
}

const char* cudaGetErrorString(int code) {
    if (act(__func__, tags).result)
        return nullptr;
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
