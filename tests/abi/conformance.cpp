// Our lists against real headers. A header's macros rename functions (nvmlInit is nvmlInit_v2,
// cuMemAlloc is cuMemAlloc_v2); our lists hold exported names, so the macros must not touch them:
// each is compared after expansion.
#include "conformance.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nvrtc.h>
#if __has_include(<nvml.h>)
#include <nvml.h>
#define RNNCHECK_HAS_NVML
#endif
#if __has_include(<cudnn.h>)
#include <cudnn.h>
#define RNNCHECK_HAS_CUDNN
#endif

#include <cstddef>
#include <cstdio>

#include "vendor/cuda_abi.hpp"
#include "vendor/cudnn_abi.hpp"
#include "vendor/nvml_abi.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::vendor;

int compared = 0;

#define COMPARE(name, result, parameters)                                                  \
    static_assert(                                                                         \
        abi::Conforms<result parameters, std::remove_pointer_t<decltype(&::name)>>::value, \
        #name " is declared in another way in NVIDIA's header");                           \
    ++compared;

template <class Block>
void section(const char* library, int version, Block compare) {
    compared = 0;
    compare();
    std::printf("%s (header %d): %d functions conform\n", library, version, compared);
}

static_assert(sizeof(CudaUuid) == sizeof(CUuuid));
#ifdef RNNCHECK_HAS_NVML
static_assert(sizeof(NvmlMemory) == sizeof(nvmlMemory_t));
static_assert(offsetof(NvmlMemory, free) == offsetof(nvmlMemory_t, free));
static_assert(sizeof(NvmlPciInfo) == sizeof(nvmlPciInfo_t));
static_assert(offsetof(NvmlPciInfo, bus_id) == offsetof(nvmlPciInfo_t, busId));
static_assert(sizeof(NvmlUtilization) == sizeof(nvmlUtilization_t));
static_assert(sizeof(NvmlProcess) == sizeof(nvmlProcessInfo_v2_t));
static_assert(offsetof(NvmlProcess, used_memory) == offsetof(nvmlProcessInfo_v2_t, usedGpuMemory));
#endif
static_assert(int{multiprocessor_count} == int{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT});
static_assert(int{compute_mode} == int{CU_DEVICE_ATTRIBUTE_COMPUTE_MODE});
static_assert(int{capability_major} == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR});
static_assert(int{capability_minor} == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR});

}  // namespace

int main() {
    section("libcuda", CUDA_VERSION, [] { RNNCHECK_CUDA_FUNCTIONS(COMPARE) });
    section("libcudart", CUDART_VERSION, [] { RNNCHECK_CUDART_FUNCTIONS(COMPARE) });
    section("libnvrtc", CUDA_VERSION, [] { RNNCHECK_NVRTC_FUNCTIONS(COMPARE) });
#ifdef RNNCHECK_HAS_NVML
    section("libnvidia-ml", NVML_API_VERSION, [] { RNNCHECK_NVML_FUNCTIONS(COMPARE) });
#else
    std::puts("libnvidia-ml: no header beside the toolkit, not compared");
#endif
#ifdef RNNCHECK_HAS_CUDNN
    section("libcudnn", CUDNN_VERSION, [] {
        RNNCHECK_CUDNN_EVERYWHERE(COMPARE)
#if CUDNN_MAJOR <= 8
        RNNCHECK_CUDNN_LEGACY(COMPARE)
#endif
#if CUDNN_MAJOR >= 8
        RNNCHECK_CUDNN_V8(COMPARE)
#endif
#if CUDNN_MAJOR == 8
        RNNCHECK_CUDNN_CHECKS_8(COMPARE)
#endif
#if CUDNN_MAJOR >= 9
        RNNCHECK_CUDNN_CHECKS_9(COMPARE)
        RNNCHECK_CUDNN_SINCE_8_6(COMPARE)
#endif
    });
#else
    std::puts("libcudnn: no header beside the toolkit, not compared");
#endif
}
