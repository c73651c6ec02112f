// cuInit failed, and none of the better-known reasons explains it.
#include <algorithm>
#include <array>

#include "rules/rule.hpp"
#include "rules/support/situation.hpp"

namespace rnncheck::rules::driver_init_failed {

/// A rule that looks at this code, or at this state of the machine, says more than this one could.
static bool told_elsewhere(const Facts& facts) {
    constexpr std::array codes{cuda_stub_library,        cuda_device_unavailable, cuda_no_device,
                               cuda_ecc_uncorrectable,   cuda_system_not_ready,   cuda_system_driver_mismatch,
                               cuda_compat_not_supported};
    if (std::find(codes.begin(), codes.end(), facts.driver.init->code) != codes.end()) return true;
    const Library* library = driver_library(facts);
    const bool board_lost = std::any_of(facts.nvml_devices.begin(), facts.nvml_devices.end(),
                                        [](const Board& board) { return board.unreachable; });
    const bool wrong_libcuda =
        (library && library->compat) || (on_wsl(facts) && library && libcuda_of_wsl(facts) != library);
    const bool nvml_says_mismatch = facts.driver.nvml_init && facts.driver.nvml_init->code == nvml_version_mismatch;
    return kernel_module_gone(facts) || releases_differ(facts) || nvml_says_mismatch || uvm_node_to_blame(facts) ||
           wrong_libcuda || board_lost;
}

/// CUDA_ERROR_MPS_CONNECTION_FAILED to CUDA_ERROR_MPS_CLIENT_TERMINATED.
static bool speaks_of_mps(const CallResult& init) {
    constexpr std::int64_t first = 805, last = 810;
    return init.code >= first && init.code <= last;
}

static Remedy repair_mps() {
    return {.text =
                "GPUs are shared through MPS, but MPS does not work: restart the MPS control daemon as the user who "
                "started it, or bypass MPS in your programs with CUDA_MPS_PIPE_DIRECTORY=/dev/null",
            .commands = {"echo quit | nvidia-cuda-mps-control", "nvidia-cuda-mps-control -d"},
            .risk = Risk::disruptive,
            .verify = "rnncheck doctor --only driver_init_failed",
            .link = "https://docs.nvidia.com/deploy/mps/index.html"};
}

static Remedy look_into_kernel_log(const Facts& facts) {
    return on_host(facts,
                   {.text = "Check the kernel log for NVRM messages, which show the reason. After a suspend, reload "
                            "the unified-memory module; otherwise reboot",
                    .commands = {"sudo dmesg | grep NVRM", "sudo modprobe -r nvidia-uvm", "sudo modprobe nvidia-uvm"},
                    .risk = Risk::disruptive,
                    .verify = "nvidia-smi",
                    .link = "https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html"});
}

static Finding init_failed(const Facts& facts, const Matrix& matrix) {
    const CallResult& init = *facts.driver.init;
    const auto status = matrix.status("cuda", 0, init.code);
    Finding finding;
    finding.subject = "NVIDIA driver";
    finding.message =
        "the NVIDIA driver failed to initialize: " + in_words(init) + (status ? ", " + status->meaning : "");
    finding.evidence = {{"failed call", in_words(init), "driver.init"}};
    if (status)
        finding.evidence.push_back(
            {"meaning of " + std::to_string(init.code), status->name + ": " + status->meaning, status->source.url});
    if (facts.driver.mps_pipe)
        finding.evidence.push_back({"pipes of the MPS control daemon", *facts.driver.mps_pipe, "driver.mps_pipe"});
    finding.remedies = {speaks_of_mps(init) ? repair_mps() : look_into_kernel_log(facts)};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (driver_answers(facts)) return pass("cuInit succeeded");
    if (const auto why = lower_cause(facts)) return not_applicable(*why);
    if (!facts.driver.init) return undecided("the result of cuInit is unknown");
    if (told_elsewhere(facts)) return not_applicable("another rule reports why cuInit failed");
    return fault(init_failed(facts, matrix));
}

extern const Rule rule{.title = "The NVIDIA driver fails to initialize (cuInit failed)",
                       .layer = Layer::driver,
                       .worst = Severity::error,
                       .needs = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::driver_init_failed
