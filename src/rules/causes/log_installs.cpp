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

std::optional<Version> driver_or_its_cuda(const LogContext& log) {
    const auto driver = driver_in_log(log);
    return driver ? driver : driver_of_reported_cuda(log);
}

/// Boards with a processor of Arm's are known by the name of their GPU.
std::optional<std::string> gpu_name(const LogContext& log) {
    return log.hints.stack.gpus.empty() ? std::nullopt : log.hints.stack.gpus.front().name;
}

/// The machine that the log comes from, as far as it shows; with builds for this system.
stack::Stack machine_of(const LogContext& log, const std::string& os) {
    stack::Stack machine;
    machine.os = os;
    machine.wsl = log.has("os_wsl");
    if (const auto python = python_known(log))
        machine.python = stack::known_python(*python);
    if (const auto driver = driver_or_its_cuda(log))
        machine.driver = stack::known_driver(*driver, log.matrix);
    if (const auto gpu = gpu_capability(log))
        machine.gpus = {
            {.name = gpu_name(log), .capability = stack::known_capability(*gpu, log.matrix)}};
    machine.arm = log.hints.stack.arm || log.has("processor_is_arm");
    return machine;
}

/// The builds that run there, in the order of the plan.
std::vector<PlannedBuild> builds_that_run(
    const std::string& framework, const stack::Stack& machine, const Matrix& matrix) {
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

/// Whether it finds no CUDA: it contains none, and the person's is another one. Before CUDA 11 the
/// libraries of each minor version had names of their own.
bool lacks_its_cuda(const PlannedBuild& build, const std::optional<stack::Known>& given) {
    constexpr int first_with_names_by_major = 11;
    if (build.libraries != "system" || !given)
        return false;
    if (build.cuda->major() != given->major())
        return true;
    return given->major() < first_with_names_by_major && parts_written(*given) > 1 &&
           build.cuda->minor() != given->minor();
}

/// "1.6.*.post0" is no version: the newest one of the row stays.
bool has_suffix_after_part(const FrameworkBuild& row, const Version& version) {
    constexpr std::size_t complete = 3;
    return parts_written(version) < complete && contains(row.install, "{version}.post");
}

/// The table's row has the command for any of its versions; a plan has it for the last one.
void install_version(
    PlannedBuild& build,
    const Version& version,
    const stack::Stack& machine,
    const Matrix& matrix) {
    const bool arm = stack::on_arm(machine, matrix);
    const auto is_its_row = [&](const FrameworkBuild& row) {
        return row.framework == build.framework && row.build == build.build && row.os == build.os &&
               row.first == build.first;
    };
    const FrameworkBuild* row = find_where(stack::published_builds(arm, matrix), is_its_row);
    if (!row || has_suffix_after_part(*row, version))
        return;
    build.install =
        install_command(of_version(*row, version), stack::capability_of(machine), matrix);
    build.last = version;
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

/// " torchvision \"torchaudio==2.5.*\"": torchvision requires its PyTorch. torchaudio does not from
/// 2.11 on (https://pypi.org/project/torchaudio/2.11.0/), and has the versions 0.4 to 0.13 and 2.0
/// to 2.11 for PyTorch 1.4 to 1.13 and 2.0 to 2.11.
std::string companions_of_torch(const Version& torch) {
    std::string companions = " torchvision";
    const Version minor = shortened(torch, 2);
    if (minor < make_version({1, 4}) || minor > make_version({2, 11}))
        return companions;
    const int major = torch.major() == 1 ? 0 : torch.major();
    return companions + concat(" \"torchaudio==", major, ".", minor.minor(), ".*\"");
}

/// pip keeps a package without CUDA that has the same version, unless it is forced.
void add_companions_of_torch(std::string& command, const Version& torch) {
    constexpr std::string_view start = "pip install ";
    command.insert(
        std::min(command.find(' ', start.size()), command.size()), companions_of_torch(torch));
    command.insert(start.size(), "--force-reinstall ");
}

/// The systems whose builds are considered, in this order. Where the log does not show which it is,
/// those of PyTorch for Windows come first: their commands name PyTorch's index, which has the
/// builds for Linux, too, while the one on PyPI has no CUDA on Windows.
std::vector<std::string> systems_of(const LogContext& log, const std::string& framework) {
    if (log.has("os_windows"))
        return {"windows"};
    if (log.has("os_linux") || log.has("os_wsl") || framework != "pytorch")
        return {"linux"};
    return {"windows", "linux"};
}

}  // namespace

const stack::Framework* only_framework(const LogContext& log) {
    const auto& frameworks = log.hints.stack.frameworks;
    return frameworks.size() == 1 ? &frameworks.front() : nullptr;
}

std::optional<Version> python_known(const LogContext& log) {
    if (const auto& python = log.hints.stack.python)
        return *python;
    if (const UserHint* hint = find_by(log.parsed.user_hints, &UserHint::key, "python"))
        return parse_version(hint->value);
    return log.version("python_in_path", "version");
}

static std::optional<PlannedBuild> build_for(
    const std::string& os,
    const std::string& framework,
    const std::optional<Version>& version,
    const LogContext& log) {
    const stack::Stack machine = machine_of(log, os);
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

std::optional<PlannedBuild> build_that_runs(
    const std::string& framework, const std::optional<Version>& version, const LogContext& log) {
    if (is_of_other_kind(log) || log.matrix.framework_builds(framework).empty())
        return std::nullopt;
    for (const std::string& os : systems_of(log, framework))
        if (auto build = build_for(os, framework, version, log))
            return build;
    return std::nullopt;
}

std::string pythons_of_build(const PlannedBuild& build, const LogContext& log) {
    constexpr int newest_old_minor = 10;  // systems of the last years have a later Python 3
    if (python_known(log) || !build.python_last || build.python_last->minor() > newest_old_minor)
        return "";
    return concat(". It has packages for Python up to ", build.python_last->text, " only");
}

std::vector<std::string> commands_for_flavour(
    const stack::Framework& framework, const LogContext& log) {
    for (const std::string& os : systems_of(log, framework.name))
        for (const FrameworkBuild& row : log.matrix.framework_builds(framework.name)) {
            if (row.os != os || row.build != framework.build ||
                !covers(row.first, row.last, *framework.version))
                continue;
            PlannedBuild build;
            static_cast<FrameworkBuild&>(build) = of_version(row, *framework.version);
            build.install = install_command(build, {}, log.matrix);
            return commands_that_install(framework.name, build);
        }
    return {};
}

std::vector<std::string> commands_that_install(
    const std::string& framework, const PlannedBuild& build) {
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
    constexpr std::string_view causes[] = {
        "driver_too_old", "gpu_arch_not_in_build", "gpu_too_old"};
    const stack::Framework* framework = only_framework(log);
    if (!includes(causes, cause.cause) || !framework ||
        !(gpu_capability(log) || driver_or_its_cuda(log)))
        return;
    // On Windows no command reads the name of the GPU for the plan.
    const bool is_a_plan = remedy.commands.size() == 1 &&
                           (remedy.commands.front() == "rnncheck doctor" ||
                            remedy.commands.front().starts_with("rnncheck matrix plan"));
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
    const bool reads_gpu = contains(plan, "$(") || !contains(plan, "plan");
    remedy.commands = commands_that_install(framework->name, *build);
    remedy.text += pythons_of_build(*build, log);
    if (!reads_gpu)
        remedy.text += concat(". The command ", plan, " lists other builds");
}

}  // namespace rnncheck::rules
