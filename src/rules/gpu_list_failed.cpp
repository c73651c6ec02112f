// The driver starts, but refuses to say which GPUs there are.
#include "rules/rule.hpp"

namespace rnncheck::rules::gpu_list_failed {

static Finding not_listed(const Facts& facts, const ProbeRun& run, const CallResult& call, const Matrix& matrix) {
    const auto status = matrix.status("cuda", 0, call.code);
    return {.subject = "NVIDIA driver",
            .message = "the NVIDIA driver initializes but cannot list its GPUs: " + in_words(call) +
                       (status && !status->meaning.empty() ? ", " + status->meaning : ""),
            .evidence = {{"failed call", in_words(call), "probe_runs"},
                         {"meaning of " + std::to_string(call.code), status ? status->name : "",
                          status ? status->source.url : "matrix"}},
            .remedies = {on_host(facts,
                                 {.action = Action::restart_node,
                                  .text = "Check the kernel log for NVRM messages, which show the reason, then reboot",
                                  .commands = {"sudo dmesg | grep NVRM", "nvidia-smi -L"},
                                  .risk = Risk::disruptive,
                                  .verify = "nvidia-smi -L",
                                  .link = "https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html"})},
            .symptoms = {place_of(facts, run)},
            .explains = {"cuda_devices"}};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!facts.cuda_devices.empty()) return pass("the driver lists its GPUs");
    if (const auto verdict = without_cuinit(facts)) return *verdict;
    if (!facts.driver.init->ok()) return not_applicable("the driver does not initialize");
    for (const ProbeRun* run : runs_of(facts, "driver_api"))
        for (const CallResult& call : run->failed_calls)
            if (call.call == "cuDeviceGetCount") return fault(not_listed(facts, *run, call, matrix));
    if (!probe_completed(facts, "driver_api")) return undecided("querying the driver did not finish");
    return pass("the driver reported the number of GPUs");
}

extern const Rule rule{.title = "The driver initializes but cannot list its GPUs",
                       .layer = Layer::gpu,
                       .stage = Stage::ask,
                       .check = check,
                       .yields_to = {"fabric_manager_not_running", "gpu_memory_ecc_error"}};

}  // namespace rnncheck::rules::gpu_list_failed
