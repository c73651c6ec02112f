// The functions of libcuda, libcudart and libnvrtc that we call, by their exact
// exported names (suffixed ones where the plain name is an old 32-bit form),
// with enumerations as int. tests/abi compares the lists with the real headers.
#pragma once

#include <cstddef>

#include "vendor/library.hpp"

namespace rnncheck::vendor {

/// Handles of the driver, never looked into.
using CudaContext = struct OpaqueCudaContext*;
using CudaModule = struct OpaqueCudaModule*;
using CudaFunction = struct OpaqueCudaFunction*;
using CudaStream = struct OpaqueCudaStream*;
using DevicePointer = unsigned long long;

/// CUuuid of cuda.h.
struct CudaUuid {
    char bytes[16];
};

#define RNNCHECK_CUDA_FUNCTIONS(X)                                                 \
    X(cuDriverGetVersion, int, (int*))                                             \
    X(cuInit, int, (unsigned))                                                     \
    X(cuGetErrorName, int, (int, const char**))                                    \
    X(cuGetErrorString, int, (int, const char**))                                  \
    X(cuDeviceGetCount, int, (int*))                                               \
    X(cuDeviceGet, int, (int*, int))                                               \
    X(cuDeviceGetName, int, (char*, int, int))                                     \
    X(cuDeviceGetUuid, int, (CudaUuid*, int))                                      \
    X(cuDeviceGetPCIBusId, int, (char*, int, int))                                 \
    X(cuDeviceGetAttribute, int, (int*, int, int))                                 \
    X(cuDeviceTotalMem_v2, int, (std::size_t*, int))                               \
    X(cuDevicePrimaryCtxRetain, int, (CudaContext*, int))                          \
    X(cuCtxSetCurrent, int, (CudaContext))                                         \
    X(cuCtxSynchronize, int, ())                                                   \
    X(cuMemGetInfo_v2, int, (std::size_t*, std::size_t*))                          \
    X(cuMemAlloc_v2, int, (DevicePointer*, std::size_t))                           \
    X(cuMemFree_v2, int, (DevicePointer))                                          \
    X(cuMemcpyHtoD_v2, int, (DevicePointer, const void*, std::size_t))             \
    X(cuMemcpyDtoH_v2, int, (void*, DevicePointer, std::size_t))                   \
    X(cuMemsetD8_v2, int, (DevicePointer, unsigned char, std::size_t))             \
    X(cuModuleLoadDataEx, int, (CudaModule*, const void*, unsigned, int*, void**)) \
    X(cuModuleGetFunction, int, (CudaFunction*, CudaModule, const char*))          \
    X(cuLaunchKernel,                                                              \
      int,                                                                         \
      (CudaFunction,                                                               \
       unsigned,                                                                   \
       unsigned,                                                                   \
       unsigned,                                                                   \
       unsigned,                                                                   \
       unsigned,                                                                   \
       unsigned,                                                                   \
       unsigned,                                                                   \
       CudaStream,                                                                 \
       void**,                                                                     \
       void**))

struct CudaApi : Library {
    RNNCHECK_CUDA_FUNCTIONS(RNNCHECK_SYMBOL)
};

/// CUdevice_attribute numbers; they never change meaning (cuda.h).
enum DeviceAttribute {
    /// kHz
    clock_rate = 13,
    multiprocessor_count = 16,
    /// 1: the system ends kernels that run for too long
    kernel_exec_timeout = 17,
    compute_mode = 20,
    /// kHz
    memory_clock_rate = 36,
    /// bits
    memory_bus_width = 37,
    capability_major = 75,
    capability_minor = 76
};

/// From cuGetErrorName and cuGetErrorString.
std::string status_text(ProbeWriter& writer, const CudaApi& api, int code);

// libcudart. No structure crosses: cudaDeviceProp has another size in every major.
#define RNNCHECK_CUDART_FUNCTIONS(X)      \
    X(cudaRuntimeGetVersion, int, (int*)) \
    X(cudaDriverGetVersion, int, (int*))  \
    X(cudaGetErrorString, const char*, (int))

struct CudartApi : Library {
    RNNCHECK_CUDART_FUNCTIONS(RNNCHECK_SYMBOL)
    static constexpr auto status_words = &CudartApi::cudaGetErrorString;
};

/// nvrtcProgram of nvrtc.h.
// libnvrtc.
using NvrtcProgram = struct OpaqueNvrtcProgram*;

// Compiling is enough to see that libnvrtc finds its builtins; no GPU is needed.
#define RNNCHECK_NVRTC_FUNCTIONS(X)                                                           \
    X(nvrtcVersion, int, (int*, int*))                                                        \
    X(nvrtcGetErrorString, const char*, (int))                                                \
    X(nvrtcCreateProgram,                                                                     \
      int,                                                                                    \
      (NvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*)) \
    X(nvrtcCompileProgram, int, (NvrtcProgram, int, const char* const*))                      \
    X(nvrtcGetPTXSize, int, (NvrtcProgram, std::size_t*))

struct NvrtcApi : Library {
    RNNCHECK_NVRTC_FUNCTIONS(RNNCHECK_SYMBOL)
    static constexpr auto status_words = &NvrtcApi::nvrtcGetErrorString;
};

}  // namespace rnncheck::vendor
