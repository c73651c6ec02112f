// Reads what system this is: distribution, kernel, C library, container, WSL, the variables that matter, the PCI bus.
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <algorithm>

#include "base/text.hpp"
#include "probe.hpp"
#include "support/environment.hpp"

namespace rnncheck::probes {

namespace {

constexpr std::size_t small_file = 64 << 10;
constexpr std::string_view nvidia_vendor = "0x10de";
constexpr std::string_view display_class = "0x03";  // PCI base class of VGA, 3D and other display controllers

std::optional<std::string> first_line(const Root& root, const std::string& path) {
    const auto content = root.read(path, small_file);
    if (!content) return std::nullopt;
    return std::string(trim(std::string_view(*content).substr(0, content->find('\n'))));
}

std::optional<std::string> distribution(const Root& root) {
    for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
        for (const auto& line : split(root.read(path, small_file).value_or(""), '\n')) {
            constexpr std::string_view key = "PRETTY_NAME=";
            if (!line.starts_with(key)) continue;
            std::string value = line.substr(key.size());
            std::erase(value, '"');
            return valid_utf8(trim(value));
        }
    }
    return std::nullopt;
}

/// Signs that the container tools leave; the first that fits.
std::optional<std::string> container_kind(const Root& root) {
    if (root.exists("/.dockerenv")) return "docker";
    if (root.exists("/run/.containerenv")) return "podman";
    if (!variable("KUBERNETES_SERVICE_HOST").empty()) return "kubernetes";
    if (auto kind = first_line(root, "/run/systemd/container"); kind && !kind->empty()) return kind;
    const std::string first_process = root.read("/proc/1/environ", small_file).value_or("");
    for (const auto& entry : split(first_process, '\0'))
        if (entry.starts_with("container=")) return entry.substr(10);
    const std::string groups = root.read("/proc/1/cgroup", small_file).value_or("");
    for (const auto& [part, kind] : {std::pair{"/docker", "docker"}, {"/kubepods", "kubernetes"}, {"/lxc", "lxc"}})
        if (contains(groups, part)) return kind;
    return std::nullopt;
}

bool is_wsl(const Root& root, const std::string& kernel) {
    return contains(kernel, "microsoft") || contains(kernel, "Microsoft") || root.exists("/proc/sys/fs/binfmt_misc/WSLInterop");
}

Host system_of(const Root& root) {
    Host host;
    utsname running{};
    uname(&running);
    host.os = distribution(root);
    host.kernel = first_line(root, "/proc/sys/kernel/osrelease").value_or(running.release);
    host.machine = running.machine;
    host.libc = std::string("glibc ") + gnu_get_libc_version();
    host.container = container_kind(root);
    host.wsl = is_wsl(root, *host.kernel);
    host.environment = variables_that_matter();
    return host;
}

std::optional<PciGpu> nvidia_gpu_at(const Root& root, const std::string& address) {
    const std::string folder = "/sys/bus/pci/devices/" + address;
    if (first_line(root, folder + "/vendor") != nvidia_vendor) return std::nullopt;
    const auto device_class = first_line(root, folder + "/class");
    if (!device_class || !device_class->starts_with(display_class)) return std::nullopt;
    PciGpu gpu{address, first_line(root, folder + "/device").value_or(""), {}};
    if (const auto driver = root.link(folder + "/driver")) gpu.kernel_driver = driver->substr(driver->rfind('/') + 1);
    return gpu;
}

Host pci_bus_of(const Root& root) {
    Host host;
    const auto addresses = root.names_in("/sys/bus/pci/devices");
    host.pci_listed = !addresses.empty();
    for (const auto& address : addresses)
        if (auto gpu = nvidia_gpu_at(root, address)) host.pci_gpus.push_back(std::move(*gpu));
    return host;
}

void run(const Job& job, Trace&, const Learn& learn) {
    Facts news;
    news.host = system_of(job.root);
    learn(news);
    news.host = pci_bus_of(job.root);
    learn(news);
}

}  // namespace

extern const Probe host_system{.title = "Reads what system this is and which variables are set",
                               .stage = Stage::look,
                               .limit = std::chrono::seconds(10),
                               .run = run};

}  // namespace rnncheck::probes
