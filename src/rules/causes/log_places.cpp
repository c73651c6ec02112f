#include "rules/causes/log_places.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rules/support/remedies.hpp"

namespace rnncheck::rules {

namespace {

/// Google Colab, Kaggle: https://github.com/googlecolab/colabtools/issues/1685
bool on_hosted_notebook(const LogContext& log) {
    return log.has("on_colab") || log.has("kaggle") || log.hints.mentions("kaggle");
}

/// A cell begins a command of the shell with "!".
void speak_to_notebook(Remedy& remedy, const LogCause& cause) {
    if (cause.layer == "driver") {
        remedy = rules::remedy("driver_too_old/hosted", {remedy.link});
        return;
    }
    for (std::string& command : remedy.commands)
        if (command.starts_with("python -m pip"))
            command.insert(0, "!");
    remedy.text +=
        ". Then restart the session; the versions in the images of Google Colab and Kaggle change "
        "without "
        "notice, so name the versions that the notebook needs in its first cell";
}

void speak_to_conda(Remedy& remedy, const LogContext& log) {
    if (const auto name = log.field("conda_in_path", "environment"))
        remedy.commands.insert(remedy.commands.begin(), "conda activate " + *name);
    remedy.text +=
        ". Run it in the program's conda environment; packages that 'conda list' shows from "
        "another channel "
        "than pypi are conda's: change those with conda install (cuDNN: conda install -c "
        "conda-forge cudnn)";
}

void speak_to_cluster(Remedy& remedy, const LogCause& cause, const LogContext& log) {
    if (cause.cause == "gpu_hidden_by_setting" && log.has("in_slurm"))
        remedy.commands.clear();
    if (cause.cause != "container_no_gpu_runtime")
        return;
    const auto take = [&](std::string_view runtime) {
        remedy = rules::remedy(concat("container_no_gpu_runtime/", runtime));
    };
    if (log.has("cdi_unresolvable") && log.has("in_kubernetes")) {
        // https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/cdi.html
        remedy.text =
            "The node has no current description (CDI) of the GPU that the pod was given: restart "
            "the pods of the "
            "container toolkit and of the device plugin on that node (GPU Operator), or generate "
            "it there: sudo "
            "nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml";
        remedy.commands = {"kubectl get pods --all-namespaces -o wide | grep -i nvidia"};
    } else if (log.has("in_kubernetes"))
        take("kubernetes");
    else if (log.has("cdi_unresolvable"))
        take("podman");
    else if (
        log.hints.mentions("singularity") || log.hints.mentions("apptainer") ||
        log.has("apptainer_in_log"))
        take("apptainer");
}

/// What the image contains of the driver hides what the toolkit mounts; a reboot changes neither.
void speak_to_image(Remedy& remedy, const LogCause& cause, const LogContext& log) {
    // These lines are the host's: nvidia-container-cli runs there.
    if (!log.has("in_container") || log.has("container_cli_mismatch"))
        return;
    if (cause.cause != "driver_userland_kernel_mismatch")
        return;
    remedy.text =
        "If nvidia-smi fails on the host as well, reboot the host. Otherwise remove what the image "
        "contains of the "
        "driver (packages nvidia-driver, nvidia-utils, libnvidia-compute or cuda-compat, and the "
        "directory "
        "/usr/local/cuda/compat from {search_path}), and start a new container: the container "
        "toolkit mounts the "
        "host's libraries. The command lists the libraries of the image";
    remedy.commands = {"find / -xdev \\( -name \"libcuda.so*\" -o -name \"libnvidia-ml.so*\" \\)"};
}

/// Modules, nodes and services are the host's.
void speak_to_host(Remedy& remedy, const LogContext& log) {
    const auto is_of_host = [](const std::string& command) {
        constexpr std::string_view starts[] = {
            "sudo reboot",
            "sudo rmmod",
            "sudo modprobe",
            "sudo nvidia-modprobe",
            "sudo systemctl",
            "sudo nvidia-smi"};
        return std::ranges::any_of(starts, [&](auto start) { return command.starts_with(start); });
    };
    if (log.has("in_container") && std::ranges::any_of(remedy.commands, is_of_host))
        remedy.text += ". Run the command on the host, not in the container";
}

/// https://www.kaggle.com/docs/notebooks: its P100 is older than the PyTorch of its image supports
/// (https://github.com/Kaggle/kaggle-cli/issues/1151).
void name_other_gpu_of_service(Remedy& remedy, const LogCause& cause, const LogContext& log) {
    if (!on_hosted_notebook(log))
        return;
    if (cause.cause == "gpu_too_old" || cause.cause == "gpu_arch_not_in_build")
        remedy.text =
            "Choose another accelerator in the settings of the notebook (T4 or L4 instead of "
            "P100). Otherwise: " +
            remedy.text;
}

/// The variable with the directories that the loader of the reader's system searches.
void speak_to_system(Remedy& remedy, const LogContext& log) {
    replace_all(remedy.text, "{search_path}", log.has("os_windows") ? "PATH" : "LD_LIBRARY_PATH");
}

}  // namespace

void fit_to_place(Remedy& remedy, const LogCause& cause, const LogContext& log) {
    speak_to_cluster(remedy, cause, log);
    speak_to_image(remedy, cause, log);
    speak_to_host(remedy, log);
    name_other_gpu_of_service(remedy, cause, log);
    speak_to_system(remedy, log);
}

void fit_to_installer(Remedy& remedy, const LogCause& cause, bool installs, const LogContext& log) {
    if (on_hosted_notebook(log) && (installs || cause.layer == "driver"))
        speak_to_notebook(remedy, cause);
    else if (installs && log.has("conda_in_path"))
        speak_to_conda(remedy, log);
}

}  // namespace rnncheck::rules
