// The driver answers and offers no GPU, and nothing better explains it.
#include "rules/rule.hpp"

namespace rnncheck::rules::no_gpu_visible {

static bool any_board(const Facts& facts, bool (*is_one)(const Board&)) {
    return std::ranges::any_of(facts.nvml_devices, is_one);
}

static bool split_by_mig(const Board& board) {
    return board.mig.value_or(false);
}

static bool is_vgpu(const Board& board) {
    return board.virtualization == "vgpu";
}

static bool serves_virtual_machines(const Board& board) {
    return board.virtualization == "host_vgpu" || board.virtualization == "host_vsga";
}

/// The open kernel module drives GPUs from Turing on alone.
static bool open_module_sees_no_board(const Facts& facts) {
    return facts.driver.kernel_flavour == "open" && facts.nvml_devices.empty() && !facts.host.pci_gpus.empty();
}

static Remedy remedy(std::string text, std::vector<std::string> commands, const char* link) {
    return {.action = Action::investigate,
            .text = std::move(text),
            .commands = std::move(commands),
            .verify = "nvidia-smi -L",
            .link = link};
}

static Remedy for_board(const Facts& facts) {
    if (any_board(facts, split_by_mig))
        return remedy(
            "Have an administrator create a MIG instance, or assign an existing one to this process: set "
            "NVIDIA_VISIBLE_DEVICES (in a container) or CUDA_VISIBLE_DEVICES (elsewhere) to the MIG-... name that "
            "nvidia-smi lists",
            {"nvidia-smi -L", "nvidia-smi mig -lgi"}, "https://docs.nvidia.com/datacenter/tesla/mig-user-guide/");
    if (any_board(facts, is_vgpu))
        return remedy(
            "Assign a compute vGPU type (C or Q series) and its license to this virtual machine: other types do not "
            "support CUDA",
            {"nvidia-smi -q"}, "https://docs.nvidia.com/vgpu/latest/grid-vgpu-user-guide/");
    if (any_board(facts, serves_virtual_machines))
        return remedy("This machine's driver shares the GPU among virtual machines: run CUDA programs in one of them",
                      {"nvidia-smi vgpu"}, "https://docs.nvidia.com/vgpu/latest/grid-vgpu-user-guide/");
    return remedy("Check whether nvidia-smi lists the GPU, and what the driver reports about it in the kernel log",
                  {"nvidia-smi -L", "sudo dmesg | grep NVRM"},
                  "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/");
}

static Remedy without_board(const Facts& facts) {
    if (open_module_sees_no_board(facts))
        return remedy(
            "The open kernel module supports only Turing and newer GPUs; an older GPU needs the proprietary module",
            {"sudo dmesg | grep NVRM", "lspci -d 10de:"}, "https://github.com/NVIDIA/open-gpu-kernel-modules");
    if (!facts.host.pci_gpus.empty())
        return remedy(
            "The driver rejected the GPU; the kernel log shows the reason. New drivers do not support old GPUs",
            {"sudo dmesg | grep NVRM", "lspci -d 10de:"},
            "https://docs.nvidia.com/datacenter/tesla/drivers/cuda-toolkit-driver-and-architecture-matrix.html");
    return check_machine(facts);
}

static std::vector<Remedy> remedies(const Facts& facts) {
    if (on_wsl(facts)) return {update_windows_driver()};
    if (facts.nvml_devices.empty() && bus_without_gpu(facts)) return {machine_without_gpu(facts)};
    std::vector<Remedy> remedies;
    if (!facts.nvml_devices.empty()) remedies.push_back(for_board(facts));
    if (!batch_system(facts).empty()) remedies.push_back(gpu_for_job(facts));
    if (in_container(facts)) remedies.push_back(gpu_for_container(facts));
    if (facts.nvml_devices.empty()) remedies.push_back(on_host(facts, without_board(facts)));
    return remedies;
}

static std::string message_for(const Facts& facts) {
    if (any_board(facts, split_by_mig))
        return "CUDA sees no GPU: the board is in MIG mode and no MIG instance is visible";
    if (any_board(facts, is_vgpu))
        return "CUDA sees no GPU: the type of this virtual machine's vGPU does not support CUDA";
    if (any_board(facts, serves_virtual_machines))
        return "CUDA sees no GPU: the driver shares the board among virtual machines";
    if (facts.nvml_devices.empty() && bus_without_gpu(facts))
        return "CUDA sees no GPU: none is on the PCI bus of this machine";
    if (const std::string job = batch_system(facts); !job.empty() && facts.nvml_devices.empty())
        return "CUDA sees no GPU in this " + job + " job";
    return "the driver works, but CUDA sees no GPU";
}

static std::string instances_in(const Facts& facts) {
    std::vector<std::string> nodes;
    for (const DeviceNode& node : facts.driver.device_nodes)
        if (node.path.starts_with("/dev/nvidia-caps/")) nodes.push_back(node.path);
    return nodes.empty() ? "none" : join_with_and(nodes);
}

static Finding no_gpu(const Facts& facts) {
    return {.subject = "GPU",
            .message = message_for(facts),
            .evidence = {{"GPUs that CUDA sees", "0", "cuda_devices"},
                         {"GPUs that NVML sees", std::to_string(facts.nvml_devices.size()), "nvml_devices"},
                         {"NVIDIA GPUs on the PCI bus", gpus_on_bus(facts), "host.pci_gpus"},
                         {"device nodes of MIG instances", any_board(facts, split_by_mig) ? instances_in(facts) : "",
                          "driver.device_nodes"},
                         {"kernel module", if_known(facts.driver.kernel_flavour), "driver.kernel_flavour"},
                         {"cuInit", if_known(facts.driver.init), "driver.init"}},
            .remedies = remedies(facts),
            .symptoms = {"cuda_devices"},
            .explains = {"driver.init"}};
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (!facts.cuda_devices.empty()) return pass("CUDA sees a GPU");
    if (nodes_made_on_demand(facts))
        return undecided("device nodes are missing until the first CUDA program creates them");
    if (const auto verdict = without_cuinit(facts)) return *verdict;
    if (!facts.driver.init->ok() && init_code(facts) != cuda_no_device)
        return not_applicable("the driver does not initialize");
    if (!probe_completed(facts, "driver_api") && driver_answers(facts))
        return undecided("querying the driver did not finish");
    return fault(no_gpu(facts));
}

extern const Rule rule{.title = "No GPU is visible to CUDA",
                       .layer = Layer::gpu,
                       .stage = Stage::ask,
                       .check = check,
                       .says_no_gpu = true,
                       .yields_to = {"gpu_fell_off_bus", "gpu_hidden_by_setting", "gpu_list_failed"}};

}  // namespace rnncheck::rules::no_gpu_visible
