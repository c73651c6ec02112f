// Queried while the process of another probe is silent for long: how busy the
// GPUs are, and which faults the driver wrote into the kernel log. Together
// they separate a kernel that never ends from a driver that waits.
#include <algorithm>

#include "base/text.hpp"
#include "process/probe.hpp"
#include "support/gpu.hpp"
#include "support/kernel_log.hpp"
#include "vendor/nvml_abi.hpp"

namespace rnncheck::probes::hang_diagnostic {

/// A GPU that has failed writes the same fault again and again: the newest ones count.
constexpr std::size_t most_xids = 20;

/// "4,1234,98765432,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off
/// the bus." The third number is the age of the system then, in microseconds.
static std::optional<XidEvent> xid_in(std::string_view record) {
    const auto message = record.find(';');
    const auto start = record.find("NVRM: Xid");
    if (message == record.npos || start == record.npos)
        return std::nullopt;
    const std::string_view text = record.substr(start);
    const auto number = text.find("): ");
    if (number == text.npos)
        return std::nullopt;
    const auto code = leading_number(text.substr(number + 3));
    if (!code)
        return std::nullopt;
    XidEvent event{*code, {}, {}, valid_utf8(std::string(text.substr(0, 300)))};
    if (const auto pci = text.find("PCI:"); pci < number) {
        const std::string_view address = text.substr(pci + 4, number - pci - 4);
        // a MIG instance may follow
        event.pci = lower(std::string(address.substr(0, address.find(' '))));
    }
    const auto head = split(record.substr(0, message), ',');
    if (head.size() >= 3)
        if (const auto microseconds = leading_number<long long>(head[2])) {
            // CLOCK_MONOTONIC
            const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
            event.seconds_ago = std::chrono::duration<double>(since_boot).count() -
                                static_cast<double>(*microseconds) / 1e6;
        }
    return event;
}

static Driver read_kernel_log(const Root& root) {
    Driver driver;
    const auto log = kernel_log(root);
    driver.kernel_log_read = log.has_value();
    for (const auto& record : split(log.value_or(""), '\n'))
        if (auto event = xid_in(record))
            driver.xids.push_back(std::move(*event));
    if (driver.xids.size() > most_xids)
        driver.xids.erase(
            driver.xids.begin(), driver.xids.end() - static_cast<std::ptrdiff_t>(most_xids));
    return driver;
}

/// Of the boards that are known already; the others could not be distinguished.
static void query_utilization(const Facts& known, ProbeWriter& writer) {
    const auto nvml = vendor::open_as<vendor::NvmlApi>(writer, vendor::nvml_library);
    if (!nvml.handle || known.nvml_devices.empty() || !nvml.check(nvml.nvmlInit_v2).ok())
        return;
    for (const Board& board : known.nvml_devices) {
        vendor::NvmlDevice device = nullptr;
        vendor::NvmlUtilization utilization{};
        vendor::Calls calls;
        calls(
            nvml, nvml.nvmlDeviceGetHandleByIndex_v2, static_cast<unsigned>(board.index), &device);
        if (!calls(nvml, nvml.nvmlDeviceGetUtilizationRates, device, &utilization))
            continue;
        Facts news;
        Board& busy = news.nvml_devices.emplace_back();
        busy.index = board.index;
        busy.busy_percent = static_cast<int>(std::min(utilization.gpu, 100u));
        writer.facts(news);
    }
}

static void run(const Job& job, ProbeWriter& writer) {
    Facts news;
    news.driver = read_kernel_log(job.root);
    writer.facts(news);
    query_utilization(job.facts, writer);
}

extern const Probe probe{
    .title =
        "Determines why another probe does not respond: GPU utilization, errors in the kernel log",
    .stage = Stage::run,
    .limit = std::chrono::seconds(8),
    .run = run,
    .hang_diagnostic = true};

}  // namespace rnncheck::probes::hang_diagnostic
