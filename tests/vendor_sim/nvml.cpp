// The simulated libnvidia-ml. It lists every board, whatever CUDA_VISIBLE_DEVICES is.
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <sstream>

#include "abi.hpp"
#include "vendor/nvml_abi.hpp"

using namespace rnncheck::vendor;
using namespace sim;

#define EVERY_NVML_FUNCTION(X) RNNCHECK_NVML_FUNCTIONS(X) RNNCHECK_NVML_OLDER(X)
SIM_EXPORTS(EVERY_NVML_FUNCTION)
SIM_LOAD_AND_EXIT("libnvidia-ml")

namespace rnncheck::vendor {
struct OpaqueNvmlDevice {
    unsigned board = 0;
};
}  // namespace rnncheck::vendor

namespace {

enum NvmlError {
    uninitialized = 1,
    invalid_argument = 2,
    not_supported = 3,
    insufficient_size = 7
};

bool initialised = false;

Tags tags_of(NvmlDevice device) {
    Tags tags = {"libnvidia-ml"};
    if (device)
        tags.push_back("gpu" + std::to_string(device->board));
    return tags;
}

std::optional<int> entering(const char* function, NvmlDevice device = nullptr) {
    if (const auto forced = act(function, tags_of(device)).result)
        return static_cast<int>(*forced);
    if (!initialised)
        return uninitialized;
    return std::nullopt;
}

/// Error correction is on where SIM sets it, or names an error.
bool has_ecc(NvmlDevice device) {
    long long sum = number("nvml.ecc", 0, tags_of(device));
    for (const char* key :
         {"nvml.ecc_uncorrected",
          "nvml.ecc_uncorrected_lifetime",
          "nvml.remapped_rows",
          "nvml.remap_pending",
          "nvml.remap_failed",
          "nvml.retired_pages",
          "nvml.retire_pending"})
        sum += number(key, 0, tags_of(device));
    return sum > 0;
}

template <class Number>
int plain_number(
    const char* function, NvmlDevice device, const char* key, long long otherwise, Number* value) {
    if (const auto forced = entering(function, device))
        return *forced;
    *value = static_cast<Number>(number(key, otherwise, tags_of(device)));
    return 0;
}

int put(const std::string& text, char* to, unsigned size) {
    if (text.size() >= size)
        return insufficient_size;
    std::snprintf(to, size, "%s", text.c_str());
    return 0;
}

bool remaps_rows(NvmlDevice device) {
    return std::stoi(setting("cc", "8.6", tags_of(device))) >= 8;
}

/// "1234:20000,99:-" as process 1234 with 20000 MiB and process 99 with memory unknown.
std::vector<NvmlProcess> processes_of(NvmlDevice device) {
    std::vector<NvmlProcess> processes;
    std::istringstream list(setting("nvml.processes", "", tags_of(device)));
    for (std::string item; std::getline(list, item, ',');) {
        const auto colon = item.find(':');
        const std::string memory = item.substr(colon + 1);
        processes.push_back(
            {static_cast<unsigned>(std::stoul(item.substr(0, colon))),
             memory == "-" ? ~0ULL : std::stoull(memory) << 20,
             ~0U,
             ~0U});
    }
    return processes;
}

int list_processes(const char* function, NvmlDevice device, unsigned* count, NvmlProcess* infos) {
    if (const auto forced = entering(function, device))
        return *forced;
    const auto processes = processes_of(device);
    const unsigned room = *count;
    *count = static_cast<unsigned>(processes.size());
    if (processes.size() > room)
        return insufficient_size;
    for (std::size_t i = 0; i < processes.size(); ++i)
        infos[i] = processes[i];
    return 0;
}

}  // namespace

int nvmlInit_v2() {
    if (const auto forced = act(__func__, tags_of(nullptr)).result)
        return static_cast<int>(*forced);
    constexpr int driver_not_loaded = 9;
    if (setting("nodes", "") == "by_helper" && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return driver_not_loaded;
    initialised = true;
    return 0;
}

const char* nvmlErrorString(int code) {
    if (act(__func__, tags_of(nullptr)).result)
        return nullptr;
    switch (code) {
        case 0:
            return "Success";
        case 1:
            return "Uninitialized";
        case 2:
            return "Invalid Argument";
        case 3:
            return "Not Supported";
        case 4:
            return "Insufficient Permissions";
        case 7:
            return "Insufficient Size";
        case 9:
            return "Driver Not Loaded";
        case 15:
            return "GPU is lost";
        case 18:
            return "Driver/library version mismatch";
        default:
            return "Unknown Error";
    }
}

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
    if (const auto forced = entering(__func__))
        return *forced;
    return put(setting("nvml.driver", setting("driver", "550.54.14")), text, size);
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
    if (const auto forced = entering(__func__))
        return *forced;
    const std::string text = setting("cuda", "12.4");
    const auto dot = text.find('.');
    *version = std::stoi(text.substr(0, dot)) * 1000 + std::stoi(text.substr(dot + 1)) * 10;
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
    if (const auto forced = entering(__func__))
        return *forced;
    *count = static_cast<unsigned>(number("gpus", 1));
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, NvmlDevice* device) {
    OpaqueNvmlDevice requested{index};
    if (const auto forced = entering(__func__, &requested))
        return *forced;
    if (index >= number("gpus", 1))
        return invalid_argument;
    start_gpus();
    *device = new OpaqueNvmlDevice{index};
    return 0;
}

int nvmlDeviceGetName(NvmlDevice device, char* name, unsigned size) {
    if (const auto forced = entering(__func__, device))
        return *forced;
    std::string text = setting("name", "Simulated_GPU", tags_of(device));
    for (char& letter : text)
        if (letter == '_')
            letter = ' ';
    return put(text, name, size);
}

int nvmlDeviceGetUUID(NvmlDevice device, char* text, unsigned size) {
    if (const auto forced = entering(__func__, device))
        return *forced;
    char uuid[64];
    std::snprintf(uuid, sizeof uuid, "GPU-51000000-0000-0000-0000-0000000000%02x", device->board);
    return put(uuid, text, size);
}

int nvmlDeviceGetPciInfo_v3(NvmlDevice device, NvmlPciInfo* info) {
    if (const auto forced = entering(__func__, device))
        return *forced;
    *info = {};
    info->bus = device->board + 1;
    info->pci_device_id = 0x220410DE;
    std::snprintf(info->bus_id, sizeof info->bus_id, "00000000:%02X:00.0", info->bus);
    std::snprintf(info->bus_id_legacy, sizeof info->bus_id_legacy, "0000:%02X:00.0", info->bus);
    return 0;
}

int nvmlDeviceGetMemoryInfo(NvmlDevice device, NvmlMemory* memory) {
    if (const auto forced = entering(__func__, device))
        return *forced;
    memory->total = static_cast<unsigned long long>(number("mem_total", 24'576, tags_of(device)))
                    << 20;
    memory->free = static_cast<unsigned long long>(number("mem_free", 23'900, tags_of(device)))
                   << 20;
    memory->used = memory->total - memory->free;
    return 0;
}

int nvmlDeviceGetEccMode(NvmlDevice device, int* current, int* pending) {
    if (const auto forced = entering(__func__, device))
        return *forced;
    if (!has_ecc(device))
        return not_supported;
    *current = *pending = 1;
    return 0;
}

int nvmlDeviceGetTotalEccErrors(
    NvmlDevice device, int kind, int counter, unsigned long long* count) {
    if (!has_ecc(device))
        return entering(__func__, device).value_or(not_supported);
    if (kind == 0)
        return plain_number(__func__, device, "nvml.ecc_corrected", 0, count);
    if (counter == 0)
        return plain_number(__func__, device, "nvml.ecc_uncorrected", 0, count);
    return plain_number(
        __func__,
        device,
        "nvml.ecc_uncorrected_lifetime",
        number("nvml.ecc_uncorrected", 0, tags_of(device)),
        count);
}

int nvmlDeviceGetRetiredPages(
    NvmlDevice device, int cause, unsigned* count, unsigned long long* addresses) {
    if (const auto forced = entering(__func__, device))
        return *forced;
    if (remaps_rows(device))
        return not_supported;
    const unsigned room = addresses ? *count : 0;
    *count = static_cast<unsigned>(
        number(cause == 0 ? "nvml.retired_single" : "nvml.retired_pages", 0, tags_of(device)));
    if (*count > room)
        return insufficient_size;
    for (unsigned page = 0; page < *count; ++page)
        addresses[page] = 0x1000ULL * page;
    return 0;
}

int nvmlDeviceGetRetiredPagesPendingStatus(NvmlDevice device, int* pending) {
    if (remaps_rows(device))
        return entering(__func__, device).value_or(not_supported);
    return plain_number(__func__, device, "nvml.retire_pending", 0, pending);
}

int nvmlDeviceGetRemappedRows(
    NvmlDevice device,
    unsigned* correctable,
    unsigned* uncorrectable,
    unsigned* pending,
    unsigned* failed) {
    if (const auto forced = entering(__func__, device))
        return *forced;
    if (!remaps_rows(device))
        return not_supported;
    const auto value = [&](const char* key) {
        return static_cast<unsigned>(number(key, 0, tags_of(device)));
    };
    *correctable = value("nvml.remapped_correctable");
    *uncorrectable = value("nvml.remapped_rows");
    *pending = value("nvml.remap_pending");
    *failed = value("nvml.remap_failed");
    return 0;
}

int nvmlDeviceGetUtilizationRates(NvmlDevice device, NvmlUtilization* utilization) {
    utilization->memory = 0;
    return plain_number(__func__, device, "nvml.busy", 0, &utilization->gpu);
}

int nvmlDeviceGetComputeMode(NvmlDevice device, int* mode) {
    return plain_number(__func__, device, "nvml.compute_mode", 0, mode);
}

int nvmlDeviceGetMigMode(NvmlDevice device, unsigned* current, unsigned* pending) {
    if (const auto forced = entering(__func__, device))
        return *forced;
    const long long mode = number("nvml.mig", -1, tags_of(device));
    if (mode < 0)
        return not_supported;
    *current = *pending = static_cast<unsigned>(mode);
    return 0;
}

int nvmlDeviceGetPersistenceMode(NvmlDevice device, int* mode) {
    return plain_number(__func__, device, "nvml.persistence", 1, mode);
}

int nvmlDeviceGetVirtualizationMode(NvmlDevice device, int* mode) {
    return plain_number(__func__, device, "nvml.virtualization", 0, mode);
}

int nvmlDeviceGetDisplayActive(NvmlDevice device, int* active) {
    return plain_number(__func__, device, "nvml.display", 0, active);
}

int nvmlDeviceGetDriverModel(NvmlDevice device, int* now, int* after_reboot) {
    const int forced = plain_number(__func__, device, "nvml.driver_model", -1, now);
    *after_reboot = *now;
    return forced != 0 || *now >= 0 ? forced : int{not_supported};  // Linux has none
}

int nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice device, unsigned long long* reasons) {
    constexpr unsigned long long idle = 1;
    const std::string load = setting("nvml.throttle_under", "");
    if (!load.empty() && access(load.c_str(), F_OK) != 0) {
        *reasons = idle;
        return entering(__func__, device).value_or(0);
    }
    return plain_number(__func__, device, "nvml.throttle", idle, reasons);
}

int nvmlDeviceGetComputeRunningProcesses_v3(
    NvmlDevice device, unsigned* count, NvmlProcess* infos) {
    return list_processes(__func__, device, count, infos);
}

int nvmlDeviceGetComputeRunningProcesses_v2(
    NvmlDevice device, unsigned* count, NvmlProcess* infos) {
    return list_processes(__func__, device, count, infos);
}
