// The system around: distribution, kernel, container, the variables that
// matter, NVIDIA devices on the PCI bus.
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "base/program.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "process/limits.hpp"
#include "process/probe.hpp"
#include "process/this_process.hpp"
#include "support/environment.hpp"

namespace rnncheck::probes::host_system {

/// Values of os-release(5) may be quoted as in a shell.
static std::string unquoted(std::string_view value) {
    value = trim(value);
    const bool quoted = value.size() >= 2 && value.front() == value.back() &&
                        (value.front() == '"' || value.front() == '\'');
    if (quoted)
        value = value.substr(1, value.size() - 2);
    return std::string(value);
}

static std::optional<std::string> distribution(const Root& root) {
    constexpr std::string_view key = "PRETTY_NAME=";
    for (const char* path : {"/etc/os-release", "/usr/lib/os-release"})
        for (const auto& line : split(root.read(path, 1 << 16).value_or(""), '\n'))
            if (line.starts_with(key))
                return unquoted(std::string_view(line).substr(key.size()));
    return std::nullopt;
}

static std::optional<std::string> first_line(const Root& root, const std::string& path) {
    const auto content = root.read(path, 4096);
    if (!content || trim(*content).empty())
        return std::nullopt;
    return std::string(trim(content->substr(0, content->find('\n'))));
}

/// The boot id is hashed: it only has to be comparable, and a report is not
/// to contain the machine's own.
static Host learn_system(const Root& root) {
    Host host;
    host.platform = "linux";
    host.os = distribution(root);
    host.kernel = first_line(root, "/proc/sys/kernel/osrelease");
    utsname names{};
    if (uname(&names) == 0) {
        host.machine = names.machine;
        if (!host.kernel && root.prefix().empty())
            host.kernel = names.release;
    }
    if (const auto boot = first_line(root, "/proc/sys/kernel/random/boot_id"))
        host.boot_id_hash = sha256_hex(*boot).substr(0, 16);
    host.libc = std::string("glibc ") + gnu_get_libc_version();
    return host;
}

/// WSL 1 has "Microsoft" in the kernel's version, WSL 2 "microsoft".
static std::optional<bool> is_wsl(const Root& root, const std::optional<std::string>& kernel) {
    if (environment_variable("WSL_INTEROP") || root.exists("/proc/sys/fs/binfmt_misc/WSLInterop"))
        return true;
    if (!kernel)
        return std::nullopt;
    return contains(*kernel, "microsoft") || contains(*kernel, "Microsoft");
}

/// A manager of containers leaves container=its name in the
/// environment of the first process.
static std::optional<std::string> named_by_first_process(const Root& root) {
    constexpr std::string_view key = "container=";
    for (const auto& entry : split(root.read("/proc/1/environ", 1 << 16).value_or(""), '\0'))
        if (entry.starts_with(key) && entry.size() > key.size())
            return entry.substr(key.size(), 64);
    return std::nullopt;
}

using Hint = std::pair<std::string_view, std::string_view>;

static std::optional<std::string> named_in(
    std::string_view text, std::initializer_list<Hint> hints) {
    for (const auto& [hint, name] : hints)
        if (contains(text, hint))
            return std::string(name);
    return std::nullopt;
}

/// Groups are named after their manager:
/// "/docker/4711", "/kubepods/besteffort/...".
static std::optional<std::string> named_by_cgroup(const Root& root) {
    return named_in(
        root.read("/proc/1/cgroup", 1 << 16).value_or(""),
        {{"kubepods", "kubernetes"},
         {"/docker", "docker"},
         {"libpod", "podman"},
         {"/lxc", "lxc"},
         {"containerd", "containerd"}});
}

/// With cgroups of its own a container sees "/" alone; where its root file
/// system is kept still names its manager.
static std::optional<std::string> named_by_root_mount(const Root& root) {
    for (const auto& line : split(root.read("/proc/self/mountinfo", 1 << 16).value_or(""), '\n')) {
        const auto fields = split(line, ' ');
        if (fields.size() < 5 || fields[4] != "/")
            continue;
        if (auto name = named_in(
                line,
                {{"containers/storage", "podman"},
                 {"/docker/", "docker"},
                 {"containerd", "containerd"},
                 {"enroot", "enroot"}}))
            return name;
    }
    return std::nullopt;
}

/// What managers leave: variables, and files of which all are there.
static std::optional<std::string> named_by_marks(const Root& root) {
    constexpr std::pair<const char*, const char*> marks[] = {
        {"kubernetes", "$KUBERNETES_SERVICE_HOST"},
        {"kubernetes", "/run/secrets/kubernetes.io"},
        {"kubernetes", "/var/run/secrets/kubernetes.io"},
        {"apptainer", "$APPTAINER_CONTAINER"},
        {"apptainer", "$SINGULARITY_CONTAINER"},
        {"apptainer", "/.singularity.d"},
        {"charliecloud", "$CH_RUNNING"},
        {"shifter", "$SHIFTER_RUNTIME"},
        // https://github.com/NVIDIA/enroot, src/runtime.sh
        {"enroot", "/.lock /etc/rc /etc/fstab"},
        {"docker", "/.dockerenv"},
        {"podman", "/run/.containerenv"},
        {"lxc", "/dev/lxd/sock"},
        {"lxc", "/dev/incus/sock"},
        {"lxc", "/dev/.lxc-boot-id"}};
    const auto is_there = [&](const std::string& mark) {
        if (mark[0] == '$')
            return environment_variable(mark.c_str() + 1).has_value();
        return root.exists(mark);
    };
    const auto* const found = find_where(marks, [&](const auto& mark) {
        return std::ranges::all_of(split(mark.second, ' '), is_there);
    });
    if (!found)
        return std::nullopt;
    return found->first;
}

/// The marks inside first: they do not depend on what the kernel shows to this process.
static std::optional<std::string> container(const Root& root) {
    if (auto name = named_by_marks(root))
        return name;
    if (auto name = first_line(root, "/run/systemd/container"))
        return name->substr(0, 64);
    if (auto name = named_by_first_process(root))
        return name;
    if (auto name = named_by_cgroup(root))
        return name;
    return named_by_root_mount(root);
}

static std::optional<PciGpu> pci_gpu(const Root& root, const std::string& address) {
    const std::string directory = "/sys/bus/pci/devices/" + address;
    if (first_line(root, directory + "/vendor") != "0x10de")
        return std::nullopt;
    // Class 0x03 are display controllers: the same card's sound
    // device and bridges do not count.
    if (!first_line(root, directory + "/class").value_or("").starts_with("0x03"))
        return std::nullopt;
    PciGpu gpu{lower(address), first_line(root, directory + "/device").value_or(""), {}};
    if (const auto driver = root.link(directory + "/driver"))
        gpu.kernel_driver = driver->substr(driver->rfind('/') + 1);
    return gpu;
}

/// An empty bus and one that is hidden are two things, so access(2)
/// shows whether it could be read.
static Host learn_pci(const Root& root) {
    constexpr const char* bus = "/sys/bus/pci/devices";
    Host host;
    host.pci_listed = access(root.outside(bus).c_str(), R_OK | X_OK) == 0;
    for (const auto& address : root.names_in(bus, 4096))
        if (auto gpu = pci_gpu(root, address))
            host.pci_gpus.push_back(*gpu);
    return host;
}

static void run(const Job& job, ProbeWriter& writer) {
    Facts facts;
    facts.host = learn_system(job.root);
    facts.host.environment = variables_that_matter();
    facts.host.wsl = is_wsl(job.root, facts.host.kernel);
    facts.host.container = container(job.root);
    facts.host.limits = process::resource_limits();
    writer.facts(facts);
    Facts devices;
    devices.host = learn_pci(job.root);
    for (const std::string& directory : process::directories_of_kernel())
        if (job.root.names_in(directory, 1).empty())
            devices.host.hidden_directories.push_back(directory);
    writer.facts(devices);
}

extern const Probe probe{
    .title = "Reads the operating system, container and environment variables",
    .stage = Stage::look,
    .limit = std::chrono::seconds(10),
    .run = run};

}  // namespace rnncheck::probes::host_system
