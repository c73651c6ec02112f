// Reads what the kernel shows of the driver: module, version, flavour, device nodes. Opens no node and makes none.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.hpp"
#include "probe.hpp"

namespace rnncheck::probes {

namespace {

/// nvidiactl, nvidia0, nvidia-uvm, dxg; on Tegra nvmap and nvhost-gpu. Not nvidia-modeset and caps: compute does without.
bool is_driver_node(std::string_view name) {
    static constexpr std::string_view fixed[] = {"nvidiactl", "nvidia-uvm", "dxg", "nvmap", "nvhost-gpu"};
    if (std::find(std::begin(fixed), std::end(fixed), name) != std::end(fixed)) return true;
    constexpr std::string_view stem = "nvidia";
    return name.starts_with(stem) && name.size() > stem.size() && name.find_first_not_of("0123456789", stem.size()) == std::string_view::npos;
}

std::string octal(unsigned mode) {
    std::string text = "0";
    for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mode >> shift & 7));
    return text;
}

std::optional<DeviceNode> node_at(const Root& root, const std::string& path) {
    struct stat about{};
    const std::string outside = root.outside(path);
    if (stat(outside.c_str(), &about) != 0) return std::nullopt;
    return DeviceNode{path, octal(about.st_mode & 0777) + " " + std::to_string(about.st_uid) + ":" + std::to_string(about.st_gid),
                      faccessat(AT_FDCWD, outside.c_str(), R_OK, AT_EACCESS) == 0,
                      faccessat(AT_FDCWD, outside.c_str(), W_OK, AT_EACCESS) == 0};
}

void learn_nodes(const Root& root, Driver& driver) {
    for (const auto& name : root.names_in("/dev"))
        if (is_driver_node(name))
            if (auto node = node_at(root, "/dev/" + name)) driver.device_nodes.push_back(std::move(*node));
}

/// The line differs by release: "NVIDIA UNIX x86_64 Kernel Module  535.104.05 ..." or "NVIDIA UNIX Open Kernel Module
/// for x86_64  550.54.14 ...".
void learn_module(const Root& root, Driver& driver) {
    const auto text = root.read("/proc/driver/nvidia/version");
    const auto version_file = root.read("/sys/module/nvidia/version");
    if (!text && !version_file && !root.exists("/proc/self") && !root.exists("/sys/module") && !root.exists("/proc/sys")) return;
    driver.module_loaded = text || version_file || root.exists("/sys/module/nvidia");
    if (text) {
        const std::string_view line = std::string_view(*text).substr(0, text->find('\n'));
        driver.kernel_version = find_version(line);
        driver.kernel_flavour = contains(line, "Open Kernel Module") ? "open" : "proprietary";
    } else if (version_file) driver.kernel_version = find_version(*version_file);
}

/// Installed set-user-id: it makes missing nodes for any user on the first CUDA call.
bool has_modprobe_helper(const Root& root) {
    struct stat about{};
    return stat(root.outside("/usr/bin/nvidia-modprobe").c_str(), &about) == 0 && (about.st_mode & S_ISUID) && about.st_uid == 0;
}

void run(const Job& job, Trace&, const Learn& learn) {
    Facts news;
    learn_module(job.root, news.driver);
    learn_nodes(job.root, news.driver);
    news.driver.modprobe_helper = has_modprobe_helper(job.root);
    learn(news);
}

}  // namespace

extern const Probe driver_files{.title = "Reads what the kernel shows of the driver: module, version, device nodes",
                                .stage = Stage::look,
                                .limit = std::chrono::seconds(10),
                                .run = run};

}  // namespace rnncheck::probes
