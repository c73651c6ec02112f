#include "rules/support/packages.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rules/support/installed.hpp"
#include "rules/support/versions.hpp"

namespace rnncheck::rules {

namespace {

constexpr int oldest_packages = 11, newest_packages = 13;  // https://pypi.org/search/?q=nvidia-cudnn-cu

void replace_all(std::string& text, std::string_view from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

struct PackageManager {
    const char *install, *reinstall;
};
constexpr PackageManager apt{"sudo apt-get install ", "sudo apt-get install --reinstall "};
constexpr PackageManager dnf{"sudo dnf install ", "sudo dnf reinstall "};
constexpr PackageManager zypper{"sudo zypper install ", "sudo zypper install --force "};

/// By the name in os-release; null where we know none.
const PackageManager* package_manager(const Facts& facts) {
    static constexpr std::pair<std::string_view, const PackageManager*> managers[] = {
        {"Ubuntu", &apt}, {"Debian", &apt},       {"Mint", &apt},   {"Pop!_OS", &apt},
        {"Fedora", &dnf}, {"Red Hat", &dnf},      {"Rocky", &dnf},  {"AlmaLinux", &dnf},
        {"CentOS", &dnf}, {"Amazon Linux", &dnf}, {"SUSE", &zypper}};
    for (const auto& [distribution, manager] : managers)
        if (contains(facts.host.os.value_or(""), distribution)) return manager;
    return nullptr;
}

Remedy with_commands(Remedy remedy, std::vector<std::string> commands) {
    remedy.commands = std::move(commands);
    const bool as_root =
        std::ranges::any_of(remedy.commands, [](const auto& line) { return line.starts_with("sudo "); });
    remedy.risk = as_root ? Risk::needs_root : Risk::safe;
    return remedy;
}

/// The environment among whose packages the file lies; null when there is none.
const PythonEnvironment* environment_with(const Facts& facts, const std::string& path) {
    for (const PythonEnvironment& environment : facts.pythons)
        for (const std::string& directory : environment.package_directories)
            if (path.starts_with(directory + '/')) return &environment;
    return nullptr;
}

bool is_python_package(const std::string& path) {
    return contains(path, "/site-packages/") || contains(path, "/dist-packages/");
}

bool is_of_system(const std::string& path) {
    return path.starts_with("/usr/lib") || path.starts_with("/lib");
}

/// "nvidia-cudnn-cu12==9.1.0.70" where the environment has it in that version.
std::string wheel_again(const PythonEnvironment* environment) {
    if (environment)
        for (const PythonPackage& package : environment->packages)
            if (package.name.starts_with("nvidia-cudnn-cu")) return shell_quoted(package.name + "==" + package.version);
    return "nvidia-cudnn-cu12";
}

/// https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html: since 9 the names tell the CUDA.
std::string library_package(int major) {
    return "libcudnn" + std::to_string(major) + (major >= 9 ? "-cuda-12" : "");
}

}  // namespace

Remedy reinstalling_cudnn(const Facts& facts, const CudnnCopy& copy, Remedy remedy) {
    const PackageManager* manager = package_manager(facts);
    std::vector<std::string> commands;
    if (is_python_package(copy.path)) {
        const PythonEnvironment* environment = environment_with(facts, copy.path);
        commands = {pip(environment, "install --force-reinstall --no-deps " + wheel_again(environment))};
    } else if (is_of_system(copy.path) && manager && copy.major > 0) {
        commands = {manager->reinstall + library_package(copy.major)};
    }
    return with_commands(std::move(remedy), std::move(commands));
}

Remedy installing_cudnn(const Facts& facts, const CudnnCopy* copy, Remedy remedy) {
    const PackageManager* manager = package_manager(facts);
    const PythonEnvironment* environment = copy ? environment_with(facts, copy->path) : active_environment(facts);
    const std::string wheel =
        copy && copy->major > 0 ? "'nvidia-cudnn-cu12==" + std::to_string(copy->major) + ".*'" : "nvidia-cudnn-cu12";
    const bool into_python = copy ? is_python_package(copy->path) : environment && !facts.frameworks.empty();
    std::vector<std::string> commands;
    if (into_python || !manager)
        commands = {pip(environment, "install " + wheel)};
    else if (!copy || (is_of_system(copy->path) && copy->major == 9))
        commands = {std::string(manager->install) + "cudnn9-cuda-12"};
    return with_commands(std::move(remedy), std::move(commands));
}

std::vector<std::string> system_install_commands(const Facts& facts, const std::string& deb, const std::string& rpm,
                                                 const std::string& suse) {
    const PackageManager* manager = package_manager(facts);
    if (!manager) return {};
    return {manager->install + (manager == &apt ? deb : manager == &dnf ? rpm : suse)};
}

std::vector<Remedy> for_cuda_major(int major, std::vector<Remedy> remedies) {
    for (auto& remedy : remedies) {
        for (auto& command : remedy.commands) {
            replace_all(command, "-cu12", "-cu" + std::to_string(major));
            replace_all(command, "-cuda-12", "-cuda-" + std::to_string(major));
        }
    }
    return remedies;
}

std::vector<Remedy> for_cuda_here(const Facts& facts, std::vector<Remedy> remedies) {
    int major = facts.driver.cuda_version ? facts.driver.cuda_version->major() : 0;
    for (const Runtime& runtime : facts.runtimes)
        if (!facts.driver.cuda_version && runtime.version) major = std::max(major, runtime.version->major());
    if (major < oldest_packages) return remedies;
    return for_cuda_major(std::min(major, newest_packages), std::move(remedies));
}

std::vector<Remedy> for_cuda_of(const CudnnCopy& copy, std::vector<Remedy> remedies) {
    if (!copy.answer || !copy.answer->built_for_cuda) return remedies;
    return for_cuda_major(copy.answer->built_for_cuda->major(), std::move(remedies));
}

std::vector<Remedy> for_cuda_given(const Facts& facts, const Matrix& matrix, std::vector<Remedy> remedies) {
    const auto builds = cudnn_builds_of(*given_cudnn(facts), matrix);
    const int newest = builds.empty() ? 0 : builds.back().cuda_major;
    const int major = given_cuda(facts) ? given_cuda(facts)->major() : newest;
    return major < oldest_packages ? remedies : for_cuda_major(major, std::move(remedies));
}

std::vector<std::string> driver_install_commands(const Facts& facts) {
    if (facts.host.container || facts.host.wsl.value_or(false)) return {};  // the driver belongs to the host
    const std::string os = facts.host.os.value_or("");
    if (contains(os, "Ubuntu")) return {"sudo ubuntu-drivers install"};
    if (contains(os, "Debian")) return {"sudo apt-get install nvidia-driver"};
    return {};
}

}  // namespace rnncheck::rules
