// The driver starts, but refuses to say which GPUs there are.
#include "rules/rule.hpp"
#include "rules/support/cudnn_support.hpp"
#include "rules/support/situation.hpp"

namespace rnncheck::rules::gpu_list_failed {

static Finding not_listed(const Facts& facts, const CallResult& call, const Matrix& matrix) {
    const auto status = matrix.status("cuda", 0, call.code);
    Finding finding;
    finding.subject = "NVIDIA driver";
    finding.message = "the NVIDIA driver initializes but cannot list its GPUs: " + told(call) +
                      (status && !status->meaning.empty() ? ", " + status->meaning : "");
    finding.evidence = {{"failed call", told(call), "probe_runs"}};
    if (status)
        finding.evidence.push_back({"meaning of " + std::to_string(call.code), status->name, status->source.url});
    finding.remedies = {
        on_host(facts, {.text = "Check the kernel log for NVRM messages, which show the reason, then reboot",
                        .commands = {"sudo dmesg | grep NVRM", "nvidia-smi -L"},
                        .risk = Risk::disruptive,
                        .verify = "nvidia-smi -L",
                        .link = "https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html"})};
    return finding;
}

/// Rules that look at every CUDA call tell these.
static bool has_own_rule(std::int64_t code) {
    return code == cuda_ecc_uncorrectable || code == cuda_system_not_ready;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!facts.cuda_devices.empty()) return pass("the driver lists its GPUs");
    if (const auto why = lower_cause(facts)) return not_applicable(*why);
    if (!facts.driver.init) return undecided("the result of cuInit is unknown");
    if (!facts.driver.init->ok()) return not_applicable("the driver does not initialize");
    if (const CallResult* call = gpu_list_failure(facts))
        return has_own_rule(call->code) ? not_applicable("another rule reports this error code")
                                        : fault(not_listed(facts, *call, matrix));
    if (!probe_completed(facts, "driver_api")) return undecided("querying the driver did not finish");
    return pass("the driver reported the number of GPUs");
}

extern const Rule rule{.title = "The driver initializes but cannot list its GPUs",
                       .layer = Layer::gpu,
                       .worst = Severity::error,
                       .needs = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::gpu_list_failed
