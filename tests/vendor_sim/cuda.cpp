// The simulated libcuda: devices and contexts. Memory and kernels are in cuda_memory.cpp.
#include <sys/prctl.h>

#include <cstdio>
#include <cstring>

#include "cuda_state.hpp"

using namespace rnncheck::vendor;
using namespace sim;

SIM_EXPORTS(RNNCHECK_CUDA_FUNCTIONS)
#define SIM_CUDA_OF_CUDNN(X) \
    X(cuCtxGetDevice, int, (int*))  // the simulated cuDNN queries the driver as the real one does
SIM_EXPORTS(SIM_CUDA_OF_CUDNN)
SIM_LOAD_AND_EXIT("libcuda")

namespace {

/// Board of a CUDA ordinal, or -1.
int board_of(int device) {
    const auto boards = visible_boards();
    return device >= 0 && device < static_cast<int>(boards.size())
               ? boards[static_cast<std::size_t>(device)]
               : -1;
}

std::optional<int> entering_device(const char* function, int device) {
    const int board = board_of(device);
    if (const auto forced = entering(function, board))
        return forced;
    if (!driver().initialised)
        return cuda_not_initialized;
    if (board < 0)
        return cuda_invalid_device;
    return std::nullopt;
}

struct Word {
    int code;
    const char* name;
    const char* text;
};

constexpr Word words[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209,
     "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {222,
     "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized"},
    {803,
     "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {804,
     "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "forward compatibility was attempted on non supported HW"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

int look_up(int code, const char* Word::*column, const char** text) {
    *text = nullptr;
    for (const Word& word : words)
        if (word.code == code)
            *text = word.*column;
    return *text ? 0 : cuda_invalid_value;
}

int coded_version(const std::string& version) {
    const auto dot = version.find('.');
    return std::stoi(version.substr(0, dot)) * 1000 + std::stoi(version.substr(dot + 1)) * 10;
}

}  // namespace

int cuDriverGetVersion(int* version) {
    if (const auto forced = entering(__func__))
        return *forced;
    *version = coded_version(setting("cuda", "12.4"));
    return 0;
}

int cuInit(unsigned) {
    if (const auto forced = entering(__func__))
        return *forced;
    // nvidia-modprobe, set-user-id, would make the device nodes; a process without new privileges
    // cannot start it.
    constexpr int cuda_unknown = 999;
    if (setting("nodes", "") == "by_helper" && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return cuda_unknown;
    if (visible_boards().empty())
        return cuda_no_device;
    start_gpus();
    driver().initialised = true;
    return 0;
}

int cuGetErrorName(int code, const char** text) {
    if (const auto forced = act(__func__, {"libcuda"}).result)
        return static_cast<int>(*forced);
    return look_up(code, &Word::name, text);
}
int cuGetErrorString(int code, const char** text) {
    if (const auto forced = act(__func__, {"libcuda"}).result)
        return static_cast<int>(*forced);
    return look_up(code, &Word::text, text);
}

int cuDeviceGetCount(int* count) {
    if (const auto forced = entering(__func__))
        return *forced;
    if (!driver().initialised)
        return cuda_not_initialized;
    *count = static_cast<int>(visible_boards().size());
    return 0;
}

int cuDeviceGet(int* device, int ordinal) {
    if (const auto forced = entering_device(__func__, ordinal))
        return *forced;
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char* name, int size, int device) {
    if (const auto forced = entering_device(__func__, device))
        return *forced;
    std::string text = setting("name", "Simulated_GPU", board_tags(board_of(device)));
    for (char& letter : text)
        if (letter == '_')
            letter = ' ';
    std::snprintf(name, static_cast<std::size_t>(size), "%s", text.c_str());
    return 0;
}

int cuDeviceGetUuid(CudaUuid* uuid, int device) {
    if (const auto forced = entering_device(__func__, device))
        return *forced;
    std::memset(uuid->bytes, 0, sizeof uuid->bytes);
    uuid->bytes[0] = 0x51;
    uuid->bytes[15] = static_cast<char>(board_of(device));
    return 0;
}

int cuDeviceGetPCIBusId(char* text, int size, int device) {
    if (const auto forced = entering_device(__func__, device))
        return *forced;
    std::snprintf(text, static_cast<std::size_t>(size), "0000:%02X:00.0", board_of(device) + 1);
    return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
    constexpr int pci_bus = 33;
    if (const auto forced = entering_device(__func__, device))
        return *forced;
    const int board = board_of(device);
    switch (attribute) {
        case multiprocessor_count:
            *value = static_cast<int>(number("multiprocessors", 82, board_tags(board)));
            return 0;
        case clock_rate:
            *value = 1000 * static_cast<int>(number("clock_mhz", 1695, board_tags(board)));
            return 0;
        case kernel_exec_timeout:
            *value = static_cast<int>(number("kernel_timeout", 0, board_tags(board)));
            return 0;
        case memory_clock_rate:
            *value = 1000 * static_cast<int>(number("memory_clock_mhz", 9751, board_tags(board)));
            return 0;
        case memory_bus_width:
            *value = static_cast<int>(number("memory_bus_bits", 384, board_tags(board)));
            return 0;
        case compute_mode:
            *value = static_cast<int>(number("nvml.compute_mode", 0, board_tags(board)));
            return 0;
        case capability_major:
            *value = capability_of(board) / 10;
            return 0;
        case capability_minor:
            *value = capability_of(board) % 10;
            return 0;
        case pci_bus:
            *value = board + 1;
            return 0;
        default:
            return cuda_invalid_value;
    }
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
    if (const auto forced = entering_device(__func__, device))
        return *forced;
    *bytes = static_cast<std::size_t>(number("mem_total", 24'576, board_tags(board_of(device))))
             << 20;
    return 0;
}

int cuDevicePrimaryCtxRetain(CudaContext* context, int device) {
    constexpr long long prohibited = 2, exclusive_process = 3;
    if (const auto forced = entering_device(__func__, device))
        return *forced;
    const Tags tags = board_tags(board_of(device));
    const long long mode = number("nvml.compute_mode", 0, tags);
    const bool shared = setting("mps", "") == "1";
    if (mode == prohibited ||
        (mode == exclusive_process && !shared && !setting("nvml.processes", "", tags).empty()))
        return cuda_device_unavailable;
    *context = new OpaqueCudaContext{board_of(device)};
    return 0;
}

int cuCtxSetCurrent(CudaContext context) {
    if (const auto forced = entering(__func__))
        return *forced;
    driver().current = context ? context->board : -1;
    return 0;
}

int cuCtxGetDevice(int* device) {
    if (const auto forced = entering_context(__func__))
        return *forced;
    const auto boards = visible_boards();
    for (std::size_t ordinal = 0; ordinal < boards.size(); ++ordinal)
        if (boards[ordinal] == driver().current)
            *device = static_cast<int>(ordinal);
    return 0;
}

int cuCtxSynchronize() {
    return entering_context(__func__).value_or(0);
}
