#include "rules/causes/log_installs.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "rules/causes/log_packages.hpp"
#include "rules/support/remedies.hpp"
#include "stack/builds.hpp"

namespace rnncheck::rules {

namespace {

/// "found version 11040" of PyTorch is the CUDA of the driver: the first driver with all features
/// of that CUDA means it.
std::optional<Version> driver_of_reported_cuda(const LogContext& log) {
    const auto number = log.version("torch_driver_too_old", "cuda");
    const auto cuda = number ? cuda_version_from_number(number->major()) : std::nullopt;
    if (!cuda)
        return std::nullopt;
    const auto row =
        stack::drivers_for(*cuda, log.has("os_windows") ? "windows" : "linux", log.matrix);
    return row ? std::optional(row->full_driver) : std::nullopt;
}

std::optional<Version> driver_known(const LogContext& log) {
    const auto driver = driver_in_log(log);
    return driver ? driver : driver_of_reported_cuda(log);
}

/// Boards with a processor of Arm's are known by the name of their GPU.
std::optional<std::string> gpu_name(const LogContext& log) {
    return log.hints.stack.gpus.empty() ? std::nullopt : log.hints.stack.gpus.front().name;
}

/// The machine that the log comes from, as far as it shows.
stack::Stack machine_of(const LogContext& log) {
    stack::Stack machine;
    machine.os = log.has("os_windows") ? "windows" : "linux";
    machine.wsl = log.has("os_wsl");
    machine.python = log.hints.stack.python;
    if (const auto python = log.version("python_in_path", "version"); python && !machine.python)
        machine.python = stack::known_python(*python);
    if (const auto driver = driver_known(log))
        machine.driver = stack::known_driver(*driver, log.matrix);
    if (const auto gpu = gpu_capability(log))
        machine.gpus = {
            {.name = gpu_name(log), .capability = stack::known_capability(*gpu, log.matrix)}};
    machine.arm = log.hints.stack.arm || log.has("processor_is_arm");
    return machine;
}

/// The builds that run there, in the order of the plan.
std::vector<PlannedBuild> builds_that_run(const std::string& framework, const stack::Stack& machine,
                                          const Matrix& matrix) {
    const Plan plan = make_plan(machine, framework, matrix);
    std::vector<PlannedBuild> builds;
    for (const FrameworkPlan& one : plan.frameworks) {
        if (one.newest)
            builds.push_back(*one.newest);
        append(builds, one.others);
    }
    return builds;
}

/// Where the driver is unknown: every driver since early 2023 runs CUDA 12, and its newest minor
/// version has code for the newest GPUs. https://docs.nvidia.com/deploy/cuda-compatibility/
bool is_usual_before(const PlannedBuild& a, const PlannedBuild& b) {
    constexpr int usual = 12;
    const bool a_is_usual = a.cuda->major() <= usual, b_is_usual = b.cuda->major() <= usual;
    if (a_is_usual != b_is_usual)
        return a_is_usual;
    return shortened(*a.last, 2) == shortened(*b.last, 2) && *a.cuda > *b.cuda;
}

/// Whether it finds no CUDA: it contains none, and the person's is of another major version.
bool lacks_its_cuda(const PlannedBuild& build, const std::optional<stack::Known>& given) {
    return build.libraries == "system" && given && build.cuda->major() != given->major();
}

/// The table's row has the command for any of its versions; a plan has it for the last one.
void install_version(PlannedBuild& build, const Version& version, const stack::Stack& machine,
                     const Matrix& matrix) {
    const bool arm = stack::on_arm(machine, matrix);
    for (const FrameworkBuild& row : stack::published_builds(arm, matrix))
        if (row.framework == build.framework && row.build == build.build && row.os == build.os &&
            row.first == build.first)
            build.install =
                install_command(of_version(row, version), stack::capability_of(machine), matrix);
}

bool is_of_other_kind(const LogContext& log) {
    return log.has("gpu_jetson") || log.has("gpu_amd") || log.has("os_macos") ||
           is_outside_python(log);
}

/// Two packages with the same files: while one of them is removed, the other must be, too.
/// https://github.com/microsoft/onnxruntime/issues/7748
std::string packages_to_remove(std::string_view framework) {
    constexpr std::pair<std::string_view, std::string_view> rows[] = {
        {"onnxruntime", "onnxruntime onnxruntime-gpu"},
        {"paddlepaddle", "paddlepaddle paddlepaddle-gpu"},
        {"mxnet", "mxnet"}};
    for (const auto& [name, packages] : rows)
        if (name == framework)
            return std::string(packages);
    return "";
}

/// torchvision and torchaudio belong to one version and one CUDA of PyTorch; torchaudio begins with
/// PyTorch 1.2 (https://pypi.org/project/torchaudio/0.3.0/). pip keeps a package without CUDA that
/// has the same version, unless it is forced.
void add_companions_of_torch(std::string& command, const Version& torch) {
    constexpr std::string_view start = "pip install ";
    const std::string companions =
        torch < make_version({1, 2}) ? " torchvision" : " torchvision torchaudio";
    command.insert(std::min(command.find(' ', start.size()), command.size()), companions);
    command.insert(start.size(), "--force-reinstall ");
}

}  // namespace

const stack::Framework* only_framework(const LogContext& log) {
    const auto& frameworks = log.hints.stack.frameworks;
    return frameworks.size() == 1 ? &frameworks.front() : nullptr;
}

std::optional<PlannedBuild> build_that_runs(const std::string& framework,
                                            const std::optional<Version>& version,
                                            const LogContext& log) {
    if (is_of_other_kind(log) || log.matrix.framework_builds(framework).empty())
        return std::nullopt;
    const stack::Stack machine = machine_of(log);
    std::vector<PlannedBuild> builds = builds_that_run(framework, machine, log.matrix);
    std::erase_if(builds, [&](const PlannedBuild& build) {
        const bool is_other = version && !covers(build.first, build.last, *version);
        return is_other || !build.install.starts_with("pip install ") ||
               lacks_its_cuda(build, log.hints.stack.cuda);
    });
    if (!machine.driver)
        std::ranges::stable_sort(builds, is_usual_before);
    if (const auto& given = log.hints.stack.cuda)
        std::ranges::stable_partition(builds, [&](const PlannedBuild& build) {
            return build.cuda->major() == given->major();
        });
    if (builds.empty())
        return std::nullopt;
    PlannedBuild chosen = builds.front();
    if (version)
        install_version(chosen, *version, machine, log.matrix);
    return chosen;
}

std::vector<std::string> commands_that_install(const std::string& framework,
                                               const PlannedBuild& build) {
    std::vector<std::string> commands;
    if (const std::string packages = packages_to_remove(framework); !packages.empty())
        commands.push_back("python -m pip uninstall -y " + packages);
    std::string install = build.install;
    if (framework == "pytorch")
        add_companions_of_torch(install, *build.last);
    commands.push_back("python -m " + install);
    return commands;
}

void name_build_that_runs(Remedy& remedy, const LogCause& cause, const LogContext& log) {
    constexpr std::string_view causes[] = {"driver_too_old", "gpu_arch_not_in_build",
                                           "gpu_too_old"};
    const stack::Framework* framework = only_framework(log);
    if (!includes(causes, cause.cause) || !framework || !(gpu_capability(log) || driver_known(log)))
        return;
    const bool is_a_plan =
        remedy.commands.size() == 1 && remedy.commands.front().starts_with("rnncheck matrix plan");
    if (!is_a_plan)
        return;
    // Another build of the same version keeps the program as it is.
    auto build = framework->version ? build_that_runs(framework->name, framework->version, log)
                                    : std::nullopt;
    if (!build)
        build = build_that_runs(framework->name, {}, log);
    if (!build)
        return;
    const std::string plan = remedy.commands.front();
    const bool reads_gpu = contains(plan, "$(");
    remedy.commands = commands_that_install(framework->name, *build);
    if (!reads_gpu)
        remedy.text += concat(". Other builds are listed by ", plan);
}

}  // namespace rnncheck::rules
