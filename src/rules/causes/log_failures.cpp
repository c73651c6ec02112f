// What to do about failures that a line of the log names more exactly than its cause does.
#include "base/text.hpp"
#include "rules/causes/log_packages.hpp"
#include "rules/causes/log_resolvers.hpp"

namespace rnncheck::rules {

namespace {

/// Of the framework whose two packages share files:
/// https://github.com/microsoft/onnxruntime/issues/7748
void name_packages_that_share_files(Remedy& remedy, const LogContext& log) {
    if (log.hints.framework("onnxruntime") && !log.hints.framework("tensorflow"))
        remedy.commands = {
            "python -m pip uninstall -y onnxruntime onnxruntime-gpu",
            "python -m pip install onnxruntime-gpu"};
}

/// The row's command is for PyTorch 1.8.0.
void leave_out_other_version(Remedy& remedy, const LogContext& log) {
    if (!log.holds("pytorch==1.8.0"))
        remedy.commands.clear();
}

/// Packages of NCCL for two versions of CUDA contain the same file:
/// https://github.com/pytorch/pytorch/issues/186591
void name_other_nccl(Remedy& remedy, const LogContext& log) {
    const auto symbol = log.field("undefined_cuda_symbol", "symbol");
    if (!symbol || !symbol->starts_with("nccl"))
        return;
    remedy.text =
        "An NCCL that is older than the one PyTorch was built with is found first: remove its "
        "directory from "
        "{search_path}, or, where pip lists two packages (nvidia-nccl-cu12 and nvidia-nccl-cu13 "
        "share files) or an "
        "older one than torch requires, uninstall them and install torch again";
    remedy.commands = {"python -m pip list | grep -i nccl"};
}

/// https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/troubleshooting.html
void open_nodes_in_container(Remedy& remedy, const LogContext& log) {
    if (!log.has("smi_insufficient_permissions") || !log.has("in_container"))
        return;
    remedy.text =
        "Under SELinux, start the container with --security-opt=label=disable, or let containers "
        "use the nodes. "
        "Without SELinux, the user of the container needs the permissions of the nodes on the "
        "host: a rootless container has those of the user who starts it, whose groups Podman "
        "passes on with --group-add keep-groups";
    remedy.commands = {"getenforce"};
}

/// TensorRT is no part of CUDA:
/// https://onnxruntime.ai/docs/execution-providers/TensorRT-ExecutionProvider.html
void name_tensorrt(Remedy& remedy, const LogContext& log) {
    auto name = missing_library(log, "ort_tensorrt_requested");
    if (!name)
        name = missing_library(log, "missing_cuda_companion");
    if (!name || !contains(*name, "nvinfer"))
        return;
    const int major = major_in_file_name(*name).value_or(0);
    remedy.text = concat(
        *name,
        " is TensorRT",
        major > 0 ? concat(" ", major) : std::string(),
        ", which no CUDA installation contains. Its Python package puts the libraries into "
        "site-packages/tensorrt_libs: add that directory to {search_path}. Without TensorRT, leave "
        "TensorrtExecutionProvider out of the providers: CUDA alone is used then");
    constexpr int oldest_by_cuda = 10;  // https://pypi.org/project/tensorrt-cu12/
    remedy.commands.clear();
    if (major >= oldest_by_cuda)
        remedy.commands = {concat("python -m pip install \"tensorrt-cu12==", major, ".*\"")};
}

/// On a Jetson the nodes are /dev/nvmap and /dev/nvhost-*, which have no module option:
/// https://github.com/JuliaGPU/CUDA.jl/issues/2435
void open_nodes_of_jetson(Remedy& remedy, const LogContext& log) {
    const LogEvent* line = find_by(log.parsed.events, &LogEvent::signature, "device_node_denied");
    if (!log.has("gpu_jetson") && !(line && contains(line->text, "NvRm")))
        return;
    remedy.text =
        "Add the user to the groups video and render, which own /dev/nvmap and the other nodes of "
        "a Jetson, and log "
        "in again; start a container with --runtime nvidia, and with --group-add video for a user "
        "other than root";
    remedy.commands = {"sudo usermod -aG video,render $USER"};
}

void speak_as_the_line(Remedy& remedy, const LogCause& cause, const LogContext& log) {
    for (const LogRemedy& row : log.matrix.log_remedies()) {
        if (!includes(split(row.causes, ' '), cause.cause) || !log.all_hold(row.when))
            continue;
        remedy.text = row.remedy;
        remedy.commands.clear();
        const std::string& command = for_shell(row.command, row.windows_command, log);
        if (!command.empty())
            remedy.commands = commands_of(command, " && ");
        return;
    }
}

}  // namespace

void refine_for_failure(Remedy& remedy, const LogCause& cause, const LogContext& log) {
    if (cause.cause == "framework_version_defective")
        leave_out_other_version(remedy, log);
    if (cause.cause == "package_not_available")
        name_pythons_of_requested(remedy, log);
    speak_as_the_line(remedy, cause, log);
    if (cause.cause == "cpu_and_gpu_packages_both_installed")
        name_packages_that_share_files(remedy, log);
    if (cause.cause == "cuda_library_shadowed")
        name_other_nccl(remedy, log);
    if (cause.cause == "device_nodes_unreadable") {
        open_nodes_of_jetson(remedy, log);
        open_nodes_in_container(remedy, log);
    }
    if (cause.cause == "cuda_library_not_installed" || cause.cause == "cuda_lib_not_on_loader_path")
        name_tensorrt(remedy, log);
}

/// A check of another place than the cause's own.
std::optional<DecidingCheck> check_of_what_failed(const LogCause& cause, const LogContext& log) {
    if (cause.cause != "container_no_gpu_runtime" ||
        !(log.has("in_kubernetes") || log.has("device_plugin_no_devices")))
        return std::nullopt;
    // https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/
    return DecidingCheck{
        "List what the nodes report: if none has nvidia.com/gpu, the runtime of the nodes gives "
        "containers no GPU; if "
        "one has, check that the pod requests it under resources.limits",
        "kubectl describe nodes | grep -E \"^Name:|nvidia.com/gpu\""};
}

}  // namespace rnncheck::rules
