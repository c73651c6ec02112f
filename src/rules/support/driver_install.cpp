// How a distribution installs an NVIDIA driver with the kernel modules that the GPUs take, and
// NVIDIA's repository.
#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "rules/support/remedies.hpp"

namespace rnncheck::rules {

namespace {

/// https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/kernel-modules.html: the open
/// modules are for Turing and later GPUs, and Blackwell takes no others.
enum class KernelModules { either, open, closed, none };

/// The modules that all GPUs take; either where CUDA lists none, none where one
/// needs the open and another the closed modules.
KernelModules modules_for(const Facts& facts) {
    KernelModules modules = KernelModules::either;
    for (const Gpu& gpu : facts.cuda_devices) {
        if (!gpu.compute_capability)
            continue;
        const bool open = *gpu.compute_capability >= make_version({7, 5});
        // Turing is 7.5. NVIDIA recommends the open modules where both would
        // do.
        const KernelModules own = open ? KernelModules::open : KernelModules::closed;
        modules = modules == KernelModules::either || modules == own ? own : KernelModules::none;
    }
    return modules;
}

/// Their last branch, 470, is no longer in every repository.
bool any_kepler(const Facts& facts) {
    return std::ranges::any_of(facts.cuda_devices, [](const Gpu& gpu) {
        return gpu.compute_capability && *gpu.compute_capability < make_version({5, 0});
    });
}

constexpr int long_term_branch =
    580;  // driver_branches: supported longest, and the last one for Maxwell to Volta

/// ubuntu-drivers chooses the package by the GPU on the PCI bus; a GPU that
/// CUDA lists has a driver already, so then the branch is named.
std::vector<std::string> ubuntu_driver(const Facts& facts, const std::optional<Version>& needed) {
    const KernelModules modules = modules_for(facts);
    if (modules == KernelModules::either)
        return {"sudo ubuntu-drivers install"};
    if (modules == KernelModules::none || any_kepler(facts))
        return {};
    int branch = long_term_branch;
    if (needed)
        branch = std::max(branch, needed->major());
    std::string package = "nvidia-driver-" + std::to_string(branch);
    if (modules == KernelModules::open)
        package += "-open";
    return {"sudo apt-get install " + package};
}

/// Debian's own package, or NVIDIA's repository for a later driver.
std::vector<std::string> debian_driver(const Facts& facts, const std::optional<Version>& needed) {
    struct Edition {
        const char* words;
        Version driver;
    };
    // https://packages.debian.org/search?keywords=nvidia-driver
    static const Edition editions[] = {
        {"12 (bookworm)", make_version({535, 261})}, {"13 (trixie)", make_version({550, 163})}};
    const std::vector<std::string> own_package = {"sudo apt-get install nvidia-driver"};
    const Edition* edition = find_where(editions, [&](const Edition& one) {
        return contains(facts.host.os.value_or(""), one.words);
    });
    if (!edition)
        return own_package;
    const KernelModules modules = modules_for(facts);
    if (modules == KernelModules::none || any_kepler(facts))
        return {};
    if (!needed || *needed <= edition->driver)
        return own_package;
    std::vector<std::string> commands = nvidia_repository_commands(facts);
    if (commands.empty())
        return {};
    const std::string branch = std::to_string(std::max(needed->major(), long_term_branch));
    // apt heeds the pins of a package only once it is installed:
    // https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/version-locking.html
    if (modules == KernelModules::closed)
        append(
            commands,
            {"sudo apt-get install nvidia-driver-pinning-" + branch,
             "sudo apt-get install cuda-drivers-" + branch});
    else
        commands.emplace_back("sudo apt-get install nvidia-open");
    return commands;
}

}  // namespace

std::vector<std::string> nvidia_repository_commands(const Facts& facts) {
    struct Repository {
        const char *words, *name;
    };
    // https://docs.nvidia.com/cuda/cuda-installation-guide-linux/ (network repositories)
    constexpr Repository repositories[] = {
        {"Debian GNU/Linux 12", "debian12"},
        {"Debian GNU/Linux 13", "debian13"},
        {"Ubuntu 20.04", "ubuntu2004"},
        {"Ubuntu 22.04", "ubuntu2204"},
        {"Ubuntu 24.04", "ubuntu2404"}};
    const Repository* repository = find_where(repositories, [&](const Repository& one) {
        return contains(facts.host.os.value_or(""), one.words);
    });
    if (!repository || facts.host.machine.value_or("x86_64") != "x86_64")
        return {};
    const std::string keyring = "cuda-keyring_1.1-1_all.deb";
    const std::string directory = "https://developer.download.nvidia.com/compute/cuda/repos/";
    return {
        "wget " + directory + repository->name + "/x86_64/" + keyring,
        "sudo dpkg -i " + keyring,
        "sudo apt-get update"};
}

std::vector<std::string> driver_install_commands(
    const Facts& facts, const std::optional<Version>& needed) {
    if (in_container(facts) || on_wsl(facts))
        return {};  // the driver belongs to the host
    const std::string os = facts.host.os.value_or("");
    if (contains(os, "Ubuntu"))
        return ubuntu_driver(facts, needed);
    if (!contains(os, "Debian"))
        return {};
    return debian_driver(facts, needed);
}

}  // namespace rnncheck::rules
