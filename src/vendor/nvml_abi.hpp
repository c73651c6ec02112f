// The functions of libnvidia-ml that we call, by exact exported name.
// Structures here are frozen by NVIDIA: their layout belongs to the suffix in
// the function's name. tests/abi compares them with nvml.h.
#pragma once

#include "vendor/library.hpp"

namespace rnncheck::vendor {

using NvmlDevice = struct OpaqueNvmlDevice*;

/// nvmlMemory_t, as nvmlDeviceGetMemoryInfo fills it.
struct NvmlMemory {
    unsigned long long total, free, used;  // bytes
};

struct NvmlPciInfo {  // nvmlDeviceGetPciInfo_v3
    char bus_id_legacy[16];
    unsigned domain, bus, device, pci_device_id, pci_sub_system_id;
    char bus_id[32];
};

struct NvmlProcess {  // nvmlDeviceGetComputeRunningProcesses_v2 and _v3
    unsigned pid;
    unsigned long long used_memory;  // bytes, all ones when unknown
    unsigned gpu_instance, compute_instance;
};

struct NvmlUtilization {
    unsigned gpu, memory;  // percent of the last sample period
};

#define RNNCHECK_NVML_FUNCTIONS(X)                                                              \
    X(nvmlInit_v2, int, ())                                                                     \
    X(nvmlErrorString, const char*, (int))                                                      \
    X(nvmlSystemGetDriverVersion, int, (char*, unsigned))                                       \
    X(nvmlSystemGetCudaDriverVersion_v2, int, (int*))                                           \
    X(nvmlDeviceGetCount_v2, int, (unsigned*))                                                  \
    X(nvmlDeviceGetHandleByIndex_v2, int, (unsigned, NvmlDevice*))                              \
    X(nvmlDeviceGetName, int, (NvmlDevice, char*, unsigned))                                    \
    X(nvmlDeviceGetUUID, int, (NvmlDevice, char*, unsigned))                                    \
    X(nvmlDeviceGetPciInfo_v3, int, (NvmlDevice, NvmlPciInfo*))                                 \
    X(nvmlDeviceGetMemoryInfo, int, (NvmlDevice, NvmlMemory*))                                  \
    X(nvmlDeviceGetEccMode, int, (NvmlDevice, int*, int*))                                      \
    X(nvmlDeviceGetTotalEccErrors, int, (NvmlDevice, int, int, unsigned long long*))            \
    X(nvmlDeviceGetRetiredPages, int, (NvmlDevice, int, unsigned*, unsigned long long*))        \
    X(nvmlDeviceGetRetiredPagesPendingStatus, int, (NvmlDevice, int*))                          \
    X(nvmlDeviceGetRemappedRows, int, (NvmlDevice, unsigned*, unsigned*, unsigned*, unsigned*)) \
    X(nvmlDeviceGetUtilizationRates, int, (NvmlDevice, NvmlUtilization*))                       \
    X(nvmlDeviceGetComputeMode, int, (NvmlDevice, int*))                                        \
    X(nvmlDeviceGetMigMode, int, (NvmlDevice, unsigned*, unsigned*))                            \
    X(nvmlDeviceGetPersistenceMode, int, (NvmlDevice, int*))                                    \
    X(nvmlDeviceGetCurrentClocksThrottleReasons, int, (NvmlDevice, unsigned long long*))        \
    X(nvmlDeviceGetVirtualizationMode, int, (NvmlDevice, int*))                                 \
    X(nvmlDeviceGetDisplayActive, int, (NvmlDevice, int*))                                      \
    X(nvmlDeviceGetDriverModel, int, (NvmlDevice, int*, int*))                                  \
    X(nvmlDeviceGetComputeRunningProcesses_v3, int, (NvmlDevice, unsigned*, NvmlProcess*))

/// Exported by every NVML since R455, but no longer in the newest header.
#define RNNCHECK_NVML_OLDER(X) \
    X(nvmlDeviceGetComputeRunningProcesses_v2, int, (NvmlDevice, unsigned*, NvmlProcess*))

struct NvmlApi : Library {
    RNNCHECK_NVML_FUNCTIONS(RNNCHECK_SYMBOL)
    RNNCHECK_NVML_OLDER(RNNCHECK_SYMBOL)
    static constexpr auto status_words = &NvmlApi::nvmlErrorString;
};

}  // namespace rnncheck::vendor
