// cuInit failed, and none of the better-known reasons explains it.
#include <array>

#include "rules/rule.hpp"

namespace rnncheck::rules::driver_init_failed {

/// CUDA_ERROR_MPS_CONNECTION_FAILED to CUDA_ERROR_MPS_CLIENT_TERMINATED.
static bool speaks_of_mps(const CallResult& init) {
    constexpr std::int64_t first = 805, last = 810;
    return init.code >= first && init.code <= last;
}

static Remedy repair_mps() {
    return {.action = Action::configure_driver,
            .text =
                "GPUs are shared through MPS, but MPS does not work: restart the MPS control daemon as the user who "
                "started it, or bypass MPS in your programs with CUDA_MPS_PIPE_DIRECTORY=/dev/null",
            .commands = {"echo quit | nvidia-cuda-mps-control", "nvidia-cuda-mps-control -d"},
            .risk = Risk::disruptive,
            .link = "https://docs.nvidia.com/deploy/mps/index.html"};
}

static Remedy look_into_kernel_log(const Facts& facts) {
    return on_host(facts,
                   {.action = Action::restart_node,
                    .text = "Check the kernel log for NVRM messages, which show the reason. After a suspend, reload "
                            "the unified-memory module; otherwise reboot",
                    .commands = {"sudo dmesg | grep NVRM", "sudo modprobe -r nvidia-uvm", "sudo modprobe nvidia-uvm"},
                    .risk = Risk::disruptive,
                    .verify = "nvidia-smi",
                    .link = "https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html"});
}

static Finding init_failed(const Facts& facts, const Matrix& matrix) {
    const CallResult& init = *facts.driver.init;
    const auto status = matrix.status("cuda", 0, init.code);
    return {
        .subject = "NVIDIA driver",
        .message = "the NVIDIA driver failed to initialize: " + in_words(init) + (status ? ", " + status->meaning : ""),
        .evidence = {{"failed call", in_words(init), "driver.init"},
                     {"meaning of " + std::to_string(init.code), status ? status->name + ": " + status->meaning : "",
                      status ? status->source.url : "matrix"},
                     {"pipes of the MPS control daemon", if_known(facts.driver.mps_pipe), "driver.mps_pipe"}},
        .remedies = {speaks_of_mps(init) ? repair_mps() : look_into_kernel_log(facts)},
        .symptoms = {"driver.init"}};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (driver_answers(facts)) return pass("cuInit succeeded");
    if (const auto verdict = without_cuinit(facts)) return *verdict;
    return fault(init_failed(facts, matrix));
}

extern const Rule rule{
    .title = "The NVIDIA driver fails to initialize (cuInit failed)",
    .layer = Layer::driver,
    .stage = Stage::ask,
    .check = check,
    .yields_to = {"container_cuda_newer_than_driver", "driver_installed_inside_container",
                  "driver_userland_kernel_mismatch", "fabric_manager_not_running", "gpu_exclusive_mode_busy",
                  "gpu_fell_off_bus", "gpu_hidden_by_setting", "gpu_memory_ecc_error", "kernel_module_missing",
                  "no_gpu_visible", "stub_driver_library_in_path", "uvm_device_node_missing", "wsl_libcuda_not_found"}};

}  // namespace rnncheck::rules::driver_init_failed
