// The driver's kernel side as files show it. Device nodes are looked at, never
// opened: opening one may load a module, and nothing here may change the machine.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "base/program.hpp"
#include "base/text.hpp"
#include "process/probe.hpp"

namespace rnncheck::probes::driver_files {

/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.247.01  ..." or, from
/// the open module, "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64
/// 560.35.03  Release Build  ..."
static void learn_from_proc(const std::string& content, Driver& driver) {
    for (const auto& line : split(content, '\n')) {
        if (!line.starts_with("NVRM version:"))
            continue;
        driver.kernel_version = find_version(line);
        driver.kernel_flavour = contains(line, "Open Kernel Module") ? "open" : "proprietary";
        return;
    }
}

/// Unknown, not false, where neither /proc nor /sys shows anything
/// at all, as in some containers.
static Driver learn_module(const Root& root) {
    Driver driver;
    const auto proc = root.read("/proc/driver/nvidia/version", 1 << 14);
    if (proc)
        learn_from_proc(*proc, driver);
    if (!driver.kernel_version)
        if (const auto version = root.read("/sys/module/nvidia/version", 256))
            driver.kernel_version = parse_version(trim(*version));
    const bool seen = proc || root.exists("/sys/module/nvidia");
    const bool could_look =
        !root.names_in("/proc", 1).empty() || !root.names_in("/sys/module", 1).empty();
    if (seen || could_look)
        driver.module_loaded = seen;
    return driver;
}

/// The nodes of a discrete GPU, of WSL (dxg) and of a Jetson (nvmap, nvhost-gpu).
static bool is_driver_node(std::string_view name) {
    constexpr std::string_view names[] = {
        "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "dxg", "nvmap", "nvhost-gpu"};
    constexpr std::string_view card = "nvidia";
    return includes(names, name) || (name.starts_with(card) && is_number(name.substr(card.size())));
}

/// For the effective user, as the kernel checks open(2); access(2)
/// alone would check the real one.
static std::optional<DeviceNode> look_at(const Root& root, const std::string& path) {
    const auto about = root.status(path);
    if (!about)
        return std::nullopt;
    char mode[64];
    std::snprintf(mode, sizeof mode, "%04o %u:%u", about->mode, about->owner, about->group);
    const std::string outside = root.outside(*root.real_path(path));
    const auto may = [&](int access) {
        return faccessat(AT_FDCWD, outside.c_str(), access, AT_EACCESS) == 0;
    };
    return DeviceNode{path, mode, may(R_OK), may(W_OK)};
}

static std::vector<DeviceNode> device_nodes(const Root& root) {
    std::vector<DeviceNode> nodes;
    for (const auto& name : root.names_in("/dev"))
        if (is_driver_node(name))
            if (auto node = look_at(root, "/dev/" + name))
                nodes.push_back(*node);
    // who may use which instance of MIG
    for (const auto& name : root.names_in("/dev/nvidia-caps"))
        if (auto node = look_at(root, "/dev/nvidia-caps/" + name))
            nodes.push_back(*node);
    return nodes;
}

/// libcuda starts this program, by this path, to make missing device nodes.
static bool has_modprobe_helper(const Root& root) {
    const auto about = root.status("/usr/bin/nvidia-modprobe");
    return about && about->is_regular() && (about->mode & S_ISUID) != 0;
}

/// https://docs.nvidia.com/deploy/mps/index.html: the control daemon and its
/// clients meet in this directory, which may outlive the daemon.
static std::optional<std::string> mps_pipe(const Root& root) {
    const std::string directory =
        directory_variable("CUDA_MPS_PIPE_DIRECTORY").value_or("/tmp/nvidia-mps");
    if (root.exists(directory + "/control"))
        return directory;
    return std::nullopt;
}

static void run(const Job& job, ProbeWriter& writer) {
    Facts module;
    module.driver = learn_module(job.root);
    writer.facts(module);
    Facts nodes;
    nodes.driver.device_nodes = device_nodes(job.root);
    nodes.driver.modprobe_helper = has_modprobe_helper(job.root);
    nodes.driver.mps_pipe = mps_pipe(job.root);
    writer.facts(nodes);
}

extern const Probe probe{
    .title = "Reads the driver's files: kernel module, version, device nodes",
    .stage = Stage::look,
    .limit = std::chrono::seconds(10),
    .run = run};

}  // namespace rnncheck::probes::driver_files
