// Opens libnvidia-ml.so.1, the library under nvidia-smi, and queries the state
// of every board.
#include <limits>

#include "base/text.hpp"
#include "facts/queries.hpp"
#include "process/probe.hpp"
#include "support/gpu.hpp"
#include "vendor/nvml_abi.hpp"

namespace rnncheck::probes::nvml_devices {

using vendor::NvmlDevice;
using Nvml = vendor::Opened<vendor::NvmlApi>;

/// nvmlMemoryErrorType_t
constexpr int uncorrected = 1;
/// nvmlEccCounterType_t
constexpr int since_boot = 0, lifetime = 1;
/// nvmlPageRetirementCause_t
constexpr int double_bit = 1;
/// NVML_ERROR_NO_PERMISSION
constexpr int no_permission = 4;
/// NVML returns nothing at all into a buffer that is too small
constexpr unsigned most_processes = 1024;

/// One board being queried: what it does not support stays unset.
struct BoardQuery {
    const Nvml& nvml;
    NvmlDevice device;
    Board& board;
    bool on_windows = false;

    template <class... Parameters, class... Arguments>
    bool ok(const vendor::Symbol<int(NvmlDevice, Parameters...)>& symbol, Arguments... arguments)
        const {
        // an older NVML
        if (!symbol)
            return false;
        const CallResult result = nvml.check(symbol, device, arguments...);
        if (result.code == nvml_gpu_is_lost)
            board.unreachable = result;
        return result.ok();
    }
};

/// What joins a board with CUDA's GPU: NVML's index is another than CUDA's.
static void query_identity(const BoardQuery& query) {
    char text[96] = {};
    if (query.ok(query.nvml.nvmlDeviceGetName, text, unsigned{sizeof text}))
        query.board.name = valid_utf8(text_in(text));
    if (query.ok(query.nvml.nvmlDeviceGetUUID, text, unsigned{sizeof text}))
        query.board.uuid = valid_utf8(text_in(text));
    vendor::NvmlPciInfo pci{};
    if (query.ok(query.nvml.nvmlDeviceGetPciInfo_v3, &pci))
        query.board.pci = pci_address(valid_utf8(text_in(pci.bus_id)));
}

static void query_memory(const BoardQuery& query) {
    vendor::NvmlMemory memory{};
    if (query.ok(query.nvml.nvmlDeviceGetMemoryInfo, &memory)) {
        query.board.memory_total_mib = static_cast<std::int64_t>(memory.total >> 20);
        query.board.memory_free_mib = static_cast<std::int64_t>(memory.free >> 20);
    }
    // _v2 first: some drivers of the 535 branch fill larger elements through _v3.
    unsigned count = most_processes;
    std::vector<vendor::NvmlProcess> processes(count);
    if (!query.ok(query.nvml.nvmlDeviceGetComputeRunningProcesses_v2, &count, processes.data())) {
        count = most_processes;
        if (!query.ok(query.nvml.nvmlDeviceGetComputeRunningProcesses_v3, &count, processes.data()))
            return;
    }
    for (unsigned i = 0; i < std::min(count, most_processes); ++i) {
        GpuProcess& process = query.board.processes.emplace_back();
        process.pid = processes[i].pid;
        if (processes[i].used_memory != ~0ull)
            process.memory_mib = static_cast<std::int64_t>(processes[i].used_memory >> 20);
    }
}

/// Nothing for a count that cannot be.
static std::optional<std::int64_t> as_count(unsigned long long number) {
    if (number > std::numeric_limits<std::int64_t>::max())
        return std::nullopt;
    return static_cast<std::int64_t>(number);
}

/// What a board counts and repairs by itself: errors since the driver loaded
/// and over its life, rows or pages taken out of use.
static void query_memory_faults(const BoardQuery& query) {
    int now = 0, after_reboot = 0;
    // a board without error correction
    if (!query.ok(query.nvml.nvmlDeviceGetEccMode, &now, &after_reboot))
        return;
    query.board.ecc_enabled = now == 1;
    unsigned long long errors = 0;
    if (query.ok(query.nvml.nvmlDeviceGetTotalEccErrors, uncorrected, since_boot, &errors))
        query.board.ecc_uncorrected_since_boot = as_count(errors);
    if (query.ok(query.nvml.nvmlDeviceGetTotalEccErrors, uncorrected, lifetime, &errors))
        query.board.ecc_uncorrected_lifetime = as_count(errors);
    unsigned corrected_rows = 0, uncorrected_rows = 0, pending = 0, failed = 0;
    if (query.ok(
            query.nvml.nvmlDeviceGetRemappedRows,
            &corrected_rows,
            &uncorrected_rows,
            &pending,
            &failed)) {
        query.board.remapped_rows = static_cast<int>(uncorrected_rows);
        query.board.remapping_pending = pending != 0;
        query.board.remapping_failed = failed != 0;
        // boards that remap rows do not retire pages
        return;
    }
    unsigned pages = 64;
    std::vector<unsigned long long> addresses(pages);
    if (query.ok(query.nvml.nvmlDeviceGetRetiredPages, double_bit, &pages, addresses.data()))
        query.board.retired_pages = static_cast<int>(pages);
    int waiting = 0;
    if (query.ok(query.nvml.nvmlDeviceGetRetiredPagesPendingStatus, &waiting))
        query.board.retirement_pending = waiting == 1;
}

/// Each mode by itself: what one board supports another does not.
static void query_state(const BoardQuery& query) {
    int mode = 0;
    if (query.ok(query.nvml.nvmlDeviceGetComputeMode, &mode))
        query.board.compute_mode = compute_mode_name(mode);
    if (query.ok(query.nvml.nvmlDeviceGetPersistenceMode, &mode))
        query.board.persistence = mode == 1;
    if (query.ok(query.nvml.nvmlDeviceGetDisplayActive, &mode))
        query.board.display_active = mode == 1;
    static constexpr std::string_view kinds[] = {
        "none", "passthrough", "vgpu", "host_vgpu", "host_vsga"};
    // nvmlGpuVirtualizationMode_t
    if (query.ok(query.nvml.nvmlDeviceGetVirtualizationMode, &mode) && mode >= 0 &&
        mode < int{std::size(kinds)})
        query.board.virtualization = kinds[mode];
    // nvmlDriverModel_t
    static constexpr std::string_view models[] = {"wddm", "tcc", "mcdm"};
    int model = 0, model_after_reboot = 0;
    if (query.on_windows &&
        query.ok(query.nvml.nvmlDeviceGetDriverModel, &model, &model_after_reboot) && model >= 0 &&
        model < int{std::size(models)})
        query.board.driver_model = models[model];
    unsigned mig = 0, mig_after_reset = 0;
    if (query.ok(query.nvml.nvmlDeviceGetMigMode, &mig, &mig_after_reset))
        query.board.mig = mig == 1;
    unsigned long long reasons = 0;
    // stays 0, no reason at all, where the board does not support the query
    query.ok(query.nvml.nvmlDeviceGetCurrentClocksThrottleReasons, &reasons);
    // by bit, nvml.h
    static constexpr std::string_view names[] = {
        "gpu_idle",
        "applications_clocks_setting",
        "sw_power_cap",
        "hw_slowdown",
        "sync_boost",
        "sw_thermal_slowdown",
        "hw_thermal_slowdown",
        "hw_power_brake",
        "display_clocks"};
    for (std::size_t bit = 0; bit < std::size(names); ++bit)
        if (reasons >> bit & 1)
            query.board.throttle_reasons.emplace_back(names[bit]);
}

/// Nothing for a board that is closed to this process, as on shared nodes.
static std::optional<Board> query_board(const Nvml& nvml, unsigned index, bool on_windows) {
    Board board;
    board.index = static_cast<int>(index);
    NvmlDevice device = nullptr;
    const CallResult handle = nvml.check(nvml.nvmlDeviceGetHandleByIndex_v2, index, &device);
    if (handle.code == no_permission)
        return std::nullopt;
    if (handle.code == nvml_gpu_is_lost)
        board.unreachable = handle;
    if (!handle.ok())
        return board;
    const BoardQuery query{nvml, device, board, on_windows};
    query_identity(query);
    query_memory(query);
    query_memory_faults(query);
    query_state(query);
    return board;
}

/// NVML has the driver's version where libcuda has none in its name: under WSL
/// and on Windows.
static Facts query_versions(const Nvml& nvml) {
    Facts news;
    char text[96] = {};
    if (nvml.check(nvml.nvmlSystemGetDriverVersion, text, unsigned{sizeof text}).ok())
        news.driver.nvml_version = parse_version(text_in(text));
    int cuda = 0;
    if (nvml.nvmlSystemGetCudaDriverVersion_v2 &&
        nvml.check(nvml.nvmlSystemGetCudaDriverVersion_v2, &cuda).ok())
        news.driver.nvml_cuda_version = cuda_version_from_number(cuda);
    return news;
}

/// nvmlInit_v2 initializes no board (nvml.h): that one is lost shows in the
/// calls about it.
static void run(const Job& job, ProbeWriter& writer) {
    const auto nvml = vendor::open_as<vendor::NvmlApi>(writer, vendor::nvml_library);
    if (!nvml.handle)
        return;
    Facts init;
    init.driver.nvml_init = nvml.check(nvml.nvmlInit_v2);
    writer.facts(init);
    unsigned count = 0;
    if (!init.driver.nvml_init->ok())
        return;
    writer.facts(query_versions(nvml));
    if (!nvml.check(nvml.nvmlDeviceGetCount_v2, &count).ok())
        return;
    const int boards = believable_count(writer, nvml.nvmlDeviceGetCount_v2.name, count).value_or(0);
    for (int index = 0; index < boards; ++index) {
        Facts news;
        if (auto board = query_board(nvml, static_cast<unsigned>(index), on_windows(job.facts)))
            news.nvml_devices.push_back(std::move(*board));
        writer.facts(news);
    }
}

extern const Probe probe{
    .title = "Queries NVML for the state of every GPU: memory, errors, modes, processes",
    .stage = Stage::query,
    .limit = std::chrono::seconds(45),
    .run = run,
    .start_limit = [](const Facts& found, std::chrono::milliseconds took) {
        return limit_of_other_start(found.nvml_devices.size(), took);
    }};

}  // namespace rnncheck::probes::nvml_devices
