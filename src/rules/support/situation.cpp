#include "rules/support/situation.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck::rules {

namespace {

constexpr const char* toolkit =
    "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html";

struct Runtime {
    std::string_view name;
    const char *text, *command, *link;
};

constexpr Runtime runtimes[] = {
    {"docker", "Install the NVIDIA Container Toolkit on the host and start the container with GPU access",
     "docker run --rm --gpus all ubuntu nvidia-smi", toolkit},
    {"podman",
     "Install the NVIDIA Container Toolkit on the host, generate its description of the GPUs (nvidia-ctk cdi generate "
     "--output=/etc/cdi/nvidia.yaml) and start the container with them",
     "podman run --rm --device nvidia.com/gpu=all ubuntu nvidia-smi",
     "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/cdi-support.html"},
    {"kubernetes",
     "Request a GPU in the pod's specification (resources: limits: nvidia.com/gpu: 1), on a cluster whose nodes run "
     "NVIDIA's device plugin",
     "kubectl describe nodes | grep nvidia.com/gpu", "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/"},
    {"apptainer", "Start the container with --nv, which mounts the host's driver",
     "apptainer exec --nv docker://ubuntu nvidia-smi", "https://apptainer.org/docs/user/latest/gpu.html"},
    {"enroot",
     "Start the container with NVIDIA_VISIBLE_DEVICES=all and NVIDIA_DRIVER_CAPABILITIES=compute,utility in its "
     "environment; under Slurm, also request a GPU",
     "srun --gpus=1 --container-image=ubuntu nvidia-smi",
     "https://github.com/NVIDIA/enroot/blob/master/doc/standard-hooks.md"},
    {"lxc",
     "Add the host's GPU to the container (lxc config device add NAME gpu gpu) and set nvidia.runtime=true for it",
     "lxc config show", "https://documentation.ubuntu.com/lxd/latest/reference/devices_gpu/"}};

struct Scheduler {
    const char *variable, *name, *command, *link;
};

constexpr Scheduler schedulers[] = {
    {"SLURM_JOB_ID", "Slurm", "srun --gpus=1 nvidia-smi -L", "https://slurm.schedmd.com/gres.html"},
    {"PBS_JOBID", "PBS", "qsub -I -l select=1:ngpus=1", "https://openpbs.org/"},
    {"LSB_JOBID", "LSF", "bsub -gpu num=1 -I nvidia-smi -L",
     "https://www.ibm.com/docs/en/spectrum-lsf/10.1.0?topic=o-gpu"}};

const Scheduler* scheduler(const Facts& facts) {
    for (const Scheduler& one : schedulers)
        if (environment(facts, one.variable)) return &one;
    return nullptr;
}

}  // namespace

Remedy gpu_for_container(const Facts& facts) {
    const std::string kind = facts.host.container.value_or("");
    for (const Runtime& runtime : runtimes)
        if (runtime.name == kind)
            return {.text = std::string(runtime.text) +
                            ". If nvidia-smi also fails on the host, install the driver there first",
                    .commands = {runtime.command},
                    .verify = "nvidia-smi",
                    .link = runtime.link};
    return {.text =
                "Start this container with its runtime's GPU option, which provides the host driver's device nodes and "
                "libraries. If nvidia-smi also fails on the host, install the driver there first",
            .commands = {},
            .verify = "nvidia-smi",
            .link = toolkit};
}

std::string batch_system(const Facts& facts) {
    const Scheduler* found = scheduler(facts);
    return found ? found->name : "";
}

Remedy gpu_for_job(const Facts& facts) {
    const Scheduler& found = *scheduler(facts);
    return {.text = std::string("Request a GPU from ") + found.name + ": a job sees only the GPUs assigned to it",
            .commands = {found.command},
            .verify = "nvidia-smi -L",
            .link = found.link};
}

Remedy on_host(const Facts& facts, Remedy remedy) {
    const std::string job = batch_system(facts);
    if (on_wsl(facts))
        remedy.text = "In Windows, not inside WSL: " + remedy.text;
    else if (in_container(facts))
        remedy.text = "On the host, not in this container: " + remedy.text;
    else if (!job.empty())
        remedy.text = "For the administrators of this " + job + " cluster: " + remedy.text;
    return remedy;
}

Remedy let_helper_make_nodes() {
    return {.text =
                "Create the device nodes with nvidia-modprobe now, as the first CUDA program would, and check the "
                "GPUs. nvidia-persistenced creates them at every boot",
            .commands = {"rnncheck doctor --make-nodes"},
            .verify = "ls -l /dev/nvidia*",
            .link = "https://github.com/NVIDIA/nvidia-modprobe"};
}

bool bus_without_gpu(const Facts& facts) {
    return facts.host.pci_listed.value_or(false) && facts.host.pci_gpus.empty();
}

std::string foreign_kernel_driver(const Facts& facts) {
    for (const PciGpu& gpu : facts.host.pci_gpus)
        if (gpu.kernel_driver && !gpu.kernel_driver->starts_with("nvidia")) return *gpu.kernel_driver;
    return "";
}

Remedy against_foreign_driver(const Facts& facts) {
    const std::string driver = foreign_kernel_driver(facts);
    constexpr const char* guide = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/";
    if (driver == "vfio-pci")
        return {.text =
                    "The GPU is reserved for a virtual machine (kernel driver vfio-pci): run rnncheck in that virtual "
                    "machine, or release the GPU to this one",
                .commands = {"lspci -k -d 10de:"},
                .verify = "lspci -k -d 10de:",
                .link = "https://docs.kernel.org/driver-api/vfio.html"};
    return {
        .text = "The kernel driver " + escaped(driver, 40) +
                " controls the GPU: prevent it from loading (a line 'blacklist " + escaped(driver, 40) +
                "' below /etc/modprobe.d, then rebuild the initial RAM disk), install the NVIDIA driver, and reboot",
        .commands = {"lspci -k -d 10de:"},
        .risk = Risk::disruptive,
        .verify = "lspci -k -d 10de:",
        .link = guide};
}

static std::optional<Version> capability_for(const Facts& facts, const std::string& subject) {
    std::optional<Version> first;
    for (const Gpu& gpu : facts.cuda_devices) {
        if (subject_of(gpu) == subject) return gpu.compute_capability;
        if (!first) first = gpu.compute_capability;
    }
    return first;
}

/// "rnncheck matrix plan gpu=8.6 driver=535.104.05" with the values of the GPU that the subject names, else the first
/// one's; "" when neither GPU nor driver is known.
static std::string plan_command(const Facts& facts, const std::string& subject) {
    const auto gpu = capability_for(facts, subject);
    const auto driver = driver_version(facts);
    if (!gpu && !driver) return "";
    return "rnncheck matrix plan" + (gpu ? " gpu=" + gpu->text : "") + (driver ? " driver=" + driver->text : "");
}

Verdict with_plan(Verdict verdict, const Facts& facts) {
    for (Finding& finding : verdict.findings) {
        const std::string command = plan_command(facts, finding.subject);
        if (command.empty()) continue;
        finding.remedies.push_back({.text = "List the versions of each framework that run with this GPU and driver",
                                    .commands = {command},
                                    .verify = "",
                                    .link = ""});
    }
    return verdict;
}

}  // namespace rnncheck::rules
