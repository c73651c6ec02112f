#include <algorithm>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "rules/causes/log_installs.hpp"
#include "rules/causes/log_packages.hpp"
#include "rules/causes/log_places.hpp"
#include "rules/support/remedies.hpp"
#include "rules/support/repairs.hpp"
#include "stack/questions.hpp"

namespace rnncheck::rules {

namespace {

using stack::Stack;

/// https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html: the packages are in
/// NVIDIA's repository, where those of Ubuntu 24.04 begin with cuDNN 9.
constexpr const char* packages_of_apt =
    ". For apt, set up NVIDIA's repository first (package cuda-keyring): it has libcudnn8 up to "
    "Ubuntu 22.04, and only "
    "cuDNN 9 (libcudnn9-cuda-12) for later systems";

/// ". CUDA 12.6 needs driver 560.28.03 or later": an image wants a driver whose own CUDA is as new,
/// a build the oldest that runs it. "" where the log shows no CUDA, or the driver is new enough, or
/// drops the log's GPU.
std::string driver_wanted(const LogContext& log) {
    constexpr const char* of_image = "container_cli_requirement";
    if (const auto required = log.version(of_image, "driver"))
        return ". The image requires driver " + required->text + " or later";
    const auto of_its_cuda = log.version(of_image, "cuda");
    const auto cuda = of_its_cuda ? of_its_cuda : build_cuda(log);
    const bool on_windows = log.has("os_windows") || log.has("os_wsl");
    Answer<DriverForCuda> row;
    if (cuda)
        row = stack::drivers_for(*cuda, on_windows ? "windows" : "linux", log.matrix);
    if (!row)
        return "";
    const Version& driver = of_its_cuda ? row->full_driver : row->oldest_driver;
    const auto installed = driver_in_log(log), gpu = gpu_capability(log);
    if (installed && reaches(*installed, driver))
        return "";
    if (gpu && stack::driver_supports_gpu(driver, *gpu, log.matrix).fit == Fit::does_not_work)
        return "";
    return ". CUDA " + cuda->text + " needs driver " + driver.text + " or later";
}

/// What else the log shows: which library, which build, where the program runs.
void fit_to_log(Remedy& remedy, const LogCause& cause, const LogContext& log) {
    if (cause.cause == "cuda_library_not_installed")
        name_package_of_library(remedy, log);
    if (cause.cause == "cpu_only_build")
        name_build_with_cuda(remedy, log);
    name_build_that_runs(remedy, cause, log);
    refine_for_failure(remedy, cause, log);
    refine_for_builds(remedy, cause, log);
    if (cause.cause == "package_not_available" && log.has("installer_lacks_cuda"))
        remedy.text =
            "Choose a CUDA version that the installer has (torch in R: the variable CUDA), or a "
            "newer version of the "
            "package";
    fit_to_place(remedy, cause, log);
    if (is_outside_python(log))
        std::erase_if(remedy.commands, [](const std::string& command) {
            return contains(command, "python");
        });
    const bool installs = std::ranges::any_of(remedy.commands, [](const std::string& command) {
        return command.starts_with("python -m pip install");
    });
    const bool cudnn = contains(join(remedy.commands, " "), "nvidia-cudnn");
    if (cause.cause == "driver_too_old")
        remedy.text += driver_wanted(log);
    if (installs && cudnn && log.has("os_windows"))
        remedy.text += dlls_of_packages;
    if (installs && log.has("apt_cudnn_unknown"))
        remedy.text += packages_of_apt;
    if (cause.cause == "cudnn_installation_broken" &&
        log.has("cudnn_in_torch_lib"))  // PyTorch for Windows contains it
        remedy = rules::remedy("cudnn_installation_broken/torch_lib");
    fit_to_installer(remedy, cause, installs, log);
}

Remedy remedy_of(const LogCause& cause, const LogContext& log) {
    if (contains(cause.command, "{nvidia-cudnn") && is_outside_python(log))
        return cudnn_outside_python(cause, log);
    if (contains(cause.command, "{nvidia-cudnn"))
        return with_package_of_cudnn(cause, log);
    Remedy remedy = plain_remedy(cause);
    const std::string& command = for_shell(cause.command, cause.windows_command, log);
    Stack wanted;
    if (const auto cuda = wanted_cuda(log))
        wanted.cuda = stack::known_cuda(*cuda, log.matrix);
    if (const auto filled = filled_in(command, wanted, log))
        remedy.commands = commands_of(*filled, " && ");
    return remedy;
}

}  // namespace

bool is_for_unix(std::string_view command) {
    constexpr std::string_view words[] = {
        "apt ",     "apt-get", "dnf ", "yum ",    "$(",        "/dev/",  "/usr/",
        "LD_",      "cat /",   "dpkg", "env -u ", "export ",   "find /", "grep",
        "ldconfig", "ls -",    "rm -", "sudo ",   "systemctl", "unset ", "~/"};
    constexpr std::string_view programs[] = {
        "df ", "getenforce", "ldd ", "lspci", "podman", "sacct ", "ulimit", "uname"};
    if (command.starts_with("$env:"))
        return false;
    const std::string_view name =
        command.substr(0, command.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
    const bool sets_variable = !name.empty() && command.substr(name.size()).starts_with('=');
    bool quoted = false, joined = false;
    for (const char c : command) {
        quoted ^= c == '"';
        joined |= c == ';' && !quoted;
    }
    const auto begins = [&](std::string_view program) { return command.starts_with(program); };
    return sets_variable || joined || std::ranges::any_of(programs, begins) ||
           std::ranges::any_of(words, [&](auto word) { return contains(command, word); });
}

const std::string& for_shell(
    const std::string& command, const std::string& on_windows, const LogContext& log) {
    static const std::string none;
    if (!log.has("os_windows"))
        return command;
    if (on_windows.empty() && is_for_unix(command))
        return none;
    return on_windows.empty() ? command : on_windows;
}

std::vector<Remedy> remedies_for(const LogCause& cause, const LogContext& log) {
    std::vector<Remedy> remedies;
    const auto gpu = gpu_capability(log);
    // The image that is running is no way out of itself.
    if (cause.cause == "gpu_arch_not_in_build" && gpu && !log.has("in_container") &&
        !log.hints.mentions("nvcr.io"))
        for (const stack::Framework& framework : log.hints.stack.frameworks)
            append(
                remedies,
                image_instead(log.has("os_windows"), framework.name, *gpu, {}, log.matrix));
    remedies.push_back(remedy_of(cause, log));
    for (Remedy& remedy : remedies) {
        fit_to_log(remedy, cause, log);
        if (log.has("os_windows"))
            std::erase_if(remedy.commands, is_for_unix);
    }
    return remedies;
}

/// Of commands joined by "; " those that query no framework other than the log's, which may not
/// be installed.
static std::string for_framework(const std::string& chain, const LogContext& log) {
    static constexpr std::pair<std::string_view, std::string_view> queries[] = {
        {"import torch", "pytorch"}, {"import tensorflow", "tensorflow"}, {"import jax", "jax"}};
    std::string kept;
    for (const std::string& command : commands_of(chain, "; ")) {
        const bool queries_another = std::ranges::any_of(queries, [&](const auto& one) {
            return contains(command, one.first) && !log.hints.framework(one.second);
        });
        if (!kept.empty() && (log.hints.stack.frameworks.empty() || !queries_another))
            kept += "; ";
        if (log.hints.stack.frameworks.empty() || !queries_another)
            kept += command;
    }
    return kept;
}

/// What the names of its DLLs begin with: "cudart64_" for libcudart.
static std::string beginning_of_dlls(std::string library) {
    constexpr std::string_view without_number[] = {
        "nvinfer", "nvonnxparser", "nvjitlink", "cusparselt"};
    if (library.starts_with("lib"))
        library.erase(0, 3);
    const std::string name = lower(library);
    const bool has_none = std::ranges::any_of(
        without_number, [&](std::string_view one) { return name.starts_with(one); });
    return has_none ? library : library + "64_";
}

DecidingCheck check_for(const LogCause& cause, const LogContext& log) {
    if (auto own = check_of_what_failed(cause, log))
        return *std::move(own);
    std::string command =
        for_framework(for_shell(cause.check_command, cause.windows_check_command, log), log);
    std::string library = named_library(log);
    if (library.empty())
        library = "libcudart";
    replace_all(command, "{library}", log.has("os_windows") ? beginning_of_dlls(library) : library);
    if (log.has("os_windows") && is_for_unix(command))
        command.clear();
    return {cause.check, command, !cause.needs_no_check};
}

}  // namespace rnncheck::rules
