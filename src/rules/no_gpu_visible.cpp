// The driver answers and offers no GPU, and nothing better explains it.
#include <algorithm>

#include "rules/rule.hpp"
#include "rules/support/driver_support.hpp"

namespace rnncheck::rules {

static Finding no_gpu(const Facts& facts) {
    const bool mig = std::any_of(facts.boards.begin(), facts.boards.end(),
                                 [](const Board& board) { return board.mig.value_or(false); });
    Finding finding;
    finding.subject = "GPU";
    finding.message = mig ? "the driver offers no GPU to CUDA: the board is in MIG mode and no MIG instance is visible"
                          : "the driver works but offers no GPU to CUDA";
    finding.evidence = {{"GPUs that CUDA sees", "0", "gpus"},
                        {"GPUs that NVML sees", std::to_string(facts.boards.size()), "boards"},
                        {"NVIDIA devices on the PCI bus", std::to_string(facts.host.pci_gpus.size()), "host.pci_gpus"}};
    if (facts.driver.init) finding.evidence.push_back({"cuInit", in_words(*facts.driver.init), "driver.init"});
    finding.remedies = {
        {.text = "See whether the driver lists the GPU at all: newer drivers leave out old GPUs, a virtual machine "
                 "must be given "
                 "one, and MIG mode needs instances",
         .commands = {"nvidia-smi -L", "lspci -d 10de:"},
         .verify = "nvidia-smi -L",
         .link = "https://docs.nvidia.com/datacenter/tesla/drivers/cuda-toolkit-driver-and-architecture-matrix.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (!facts.gpus.empty()) return pass("CUDA sees a GPU");
    if (const auto why = lower_cause(facts)) return not_applicable(*why);
    if (!facts.driver.init) return undecided("cuInit did not answer");
    if (!facts.driver.init->ok() && init_code(facts) != cuda_no_device)
        return not_applicable("the driver does not start");
    if (gpu_list_failure(facts)) return not_applicable("the driver did not list its GPUs, which gpu_list_failed tells");
    if (!probe_completed(facts, "driver_api") && driver_answers(facts))
        return undecided("the driver was not asked to the end");
    if (environment(facts, "CUDA_VISIBLE_DEVICES")) return not_applicable("CUDA_VISIBLE_DEVICES is set");
    if (container_hides_gpus(facts)) return not_applicable("NVIDIA_VISIBLE_DEVICES asks for no GPU");
    const bool lost =
        std::any_of(facts.boards.begin(), facts.boards.end(), [](const Board& board) { return board.unreachable; });
    if (lost) return not_applicable("a GPU is lost to the driver");
    return fault(no_gpu(facts));
}

extern const Rule no_gpu_visible{.title = "The driver offers no GPU to CUDA",
                                 .layer = Layer::gpu,
                                 .worst = Severity::error,
                                 .needs = Stage::ask,
                                 .check = check};

}  // namespace rnncheck::rules
