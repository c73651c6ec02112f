#include "stack/plan.hpp"

#include <algorithm>
#include <set>

#include "base/program.hpp"
#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "stack/builds.hpp"

namespace rnncheck {

namespace {

/// Newer minor versions first; of one, what runs; then machine code before PTX; CUDA as near to the
/// driver's as can be, from below, else from above; the build that bundles its libraries. Of builds
/// alike in all this, the later one. Of one minor version, that of conda-forge comes after the
/// project's own.
bool is_before(const PlannedBuild& a, const PlannedBuild& b, bool driver_given) {
    const auto minor = [](const PlannedBuild& build) { return shortened(*build.last, 2); };
    if (minor(a) != minor(b))
        return minor(a) > minor(b);
    if (runs(a) != runs(b))
        return runs(a);
    if (a.fit == b.fit && a.cuda == b.cuda && a.libraries == b.libraries)
        return a.last > b.last;
    if (a.fit != b.fit)
        return a.fit < b.fit;
    if (stack::is_of_conda(a) != stack::is_of_conda(b))
        return stack::is_of_conda(b);
    if (a.minor_version_only != b.minor_version_only)
        return b.minor_version_only;
    const bool newest_first = driver_given && !a.minor_version_only;
    if (a.cuda != b.cuda)
        return newest_first ? *a.cuda > *b.cuda : *a.cuda < *b.cuda;
    return a.libraries != "system" && b.libraries == "system";
}

/// All builds with CUDA of a framework for the stack's system, the best first.
std::vector<PlannedBuild> judged_builds(
    const std::string& framework, const stack::Stack& stack, const Matrix& matrix) {
    std::vector<PlannedBuild> builds;
    for (const FrameworkBuild& build :
         stack::published_builds(stack::on_arm(stack, matrix), matrix))
        if (build.framework == framework && build.cuda && build.os == stack.os.value_or("linux"))
            builds.push_back(plan_build(build, stack, matrix));
    std::ranges::stable_sort(builds, [&](const PlannedBuild& a, const PlannedBuild& b) {
        return is_before(a, b, stack.driver.has_value());
    });
    return builds;
}

/// Some build begins after `last` and before `next`: a version of which none was chosen is between.
bool is_gap(const std::vector<PlannedBuild>& builds, const Version& last, const Version& next) {
    return std::ranges::any_of(builds, [&](const PlannedBuild& build) {
        return build.first > last && !within(build.first, last) && build.first < next;
    });
}

/// 2.4 is every 2.4.x, and so later than 2.4.1.
const Version& later(const Version& a, const Version& b) {
    bool is_a = a > b;
    if (agree(a, b))
        is_a = parts_written(a) <= parts_written(b);
    return is_a ? a : b;
}

/// Runs of versions, in order, some build of which is chosen.
template <class Choose>
std::vector<std::string> ranges_of(const std::vector<PlannedBuild>& builds, Choose&& chosen) {
    std::vector<std::pair<Version, Version>> all, ranges;
    for (const PlannedBuild& build : builds)
        if (chosen(build))
            all.emplace_back(build.first, *build.last);
    std::ranges::sort(all, {}, &std::pair<Version, Version>::first);
    for (const auto& [first, last] : all)
        if (ranges.empty() || is_gap(builds, ranges.back().second, first))
            ranges.emplace_back(first, last);
        else
            ranges.back().second = later(ranges.back().second, last);
    return mapped(ranges, [](const auto& range) {
        const auto& [first, last] = range;
        if (first == last)
            return last.text;
        return first.text + " to " + last.text;
    });
}

/// Releases that may run by the data, but of which no build is known to.
void find_undecided(FrameworkPlan& plan, const std::vector<PlannedBuild>& builds) {
    const auto is_undecided = [&](const PlannedBuild& build) {
        return build.fit == Fit::unknown &&
               std::ranges::none_of(builds, [&](const PlannedBuild& other) {
                   return runs(other) && other.first <= build.first &&
                          within(*build.last, *other.last);
               });
    };
    plan.undecided = ranges_of(builds, is_undecided);
    if (const PlannedBuild* const newest = find_where(builds, is_undecided))
        plan.undecided_reasons = newest->reasons;
}

/// The project's own builds before those of conda-forge, whatever compiles
/// first.
FrameworkPlan plan_for(
    const std::string& framework, const stack::Stack& stack, const Matrix& matrix) {
    FrameworkPlan plan;
    plan.framework = framework;
    const std::vector<PlannedBuild> builds = judged_builds(framework, stack, matrix);
    const auto with = [&](Fit fit) { return find_by(builds, &PlannedBuild::fit, fit); };
    const auto of_project = [&](Fit fit) {
        return find_where(builds, [&](const PlannedBuild& one) {
            return one.fit == fit && !stack::is_of_conda(one);
        });
    };
    const PlannedBuild* chosen = nullptr;
    for (const Fit fit : {Fit::works, Fit::compiles_first})
        if (!chosen)
            chosen = of_project(fit);
    for (const Fit fit : {Fit::works, Fit::compiles_first})
        if (!chosen)
            chosen = with(fit);
    if (chosen)
        plan.newest = *chosen;
    for (const PlannedBuild& build : builds)
        if (&build != chosen && runs(build))
            plan.others.push_back(build);
    plan.versions = ranges_of(builds, runs);
    find_undecided(plan, builds);
    if (!chosen)
        chosen = with(Fit::unknown);
    if (!plan.newest && chosen)
        plan.possible = *chosen;
    if (!builds.empty() && (!chosen || chosen->last < builds.front().last))
        plan.newer = builds.front();
    return plan;
}

/// What no build of any framework can change: boards with software of their
/// own, GPUs too old for any cuDNN, drivers that do not know the GPU.
void look_at_gpu(Plan& plan, const stack::Stack& stack, const Matrix& matrix) {
    const Version gpu = *stack::capability_of(stack);
    const auto architecture = matrix.architecture(gpu);
    if (!architecture)
        return;
    if (const std::string why = stack::no_board_of_builds(gpu, matrix); !why.empty())
        plan.obstacles.push_back(why);
    if (std::ranges::none_of(matrix.cudnn_builds(), [&](const CudnnBuild& row) {
            return row.capability_min <= gpu;
        }))
        plan.obstacles.push_back(
            "no version of cuDNN in the data has code for " + architecture->name + " (" + gpu.text +
            "), and no published build of a framework supports it: use a GPU of compute "
            "capability 7.5 or later, which today's builds support, or the CPU");
    if (!stack.driver)
        return;
    const auto ignored = stack::driver_supports_gpu(*stack.driver, gpu, matrix);
    if (ignored.fit == Fit::does_not_work)
        return plan.obstacles.push_back(ignored.why);
    const auto known = stack::driver_knows(*stack.driver, gpu, matrix);
    if (known.fit != Fit::does_not_work)
        return;
    const auto drivers =
        stack::drivers_for(architecture->first_cuda, stack::driver_of(stack).os, matrix);
    std::string obstacle = known.why;
    if (drivers)
        obstacle += ": install driver " + drivers->full_driver.text + " or later";
    plan.obstacles.push_back(obstacle);
}

/// A remark, since frameworks differ in what they need of it.
void look_at_driver(Plan& plan, const Version& driver, const Matrix& matrix) {
    const auto of_driver = matrix.cuda_of_driver(driver);
    if (of_driver)
        plan.remarks.push_back(
            "driver " + driver.text + " supports CUDA up to " + of_driver->cuda.text);
    else
        plan.remarks.push_back(
            stack::outside_data("driver " + driver.text, of_driver.coverage, matrix));
}

std::string use_of_image(
    const std::string& framework, const ContainerImage& image, bool on_windows, bool arm) {
    const std::string name =
        "NVIDIA's container image " + stack::name_of(image) + " (CUDA " + image.cuda.text + ")";
    if (arm)
        return "no published build of " + framework + " for Linux on Arm runs on this GPU; " +
               name +
               " has code for it, and `docker manifest inspect` shows whether there is one for "
               "arm64";
    std::string how;
    if (on_windows)
        how = ", in WSL 2";
    return "no published build of " + framework + " runs on this GPU; " + name + " does" + how;
}

/// The image is for those frameworks alone of which nothing else runs on the GPU.
void look_at_images(Plan& plan, const stack::Stack& stack, const Matrix& matrix) {
    const bool arm = stack::on_arm(stack, matrix);
    for (const FrameworkPlan& framework : plan.frameworks) {
        if (framework.newest || framework.possible)
            continue;
        const ContainerImage* image = stack::image_instead(
            framework.framework,
            *stack::capability_of(stack),
            stack::driver_of(stack),
            matrix,
            arm);
        if (image)
            plan.remarks.push_back(
                use_of_image(framework.framework, *image, stack.os == "windows", arm));
    }
}

void require_framework(const std::string& framework, const Matrix& matrix) {
    const auto names = matrix.frameworks();
    if (!includes(names, framework))
        throw UsageError(
            "unknown framework '" + framework + "'; the data contain " + join_with_and(names));
}

/// One build against every architecture of the tables, but not against Jetsons.
NeededBuild needed(
    const FrameworkBuild& build,
    const Version& version,
    const stack::Stack& stack,
    const Matrix& matrix) {
    NeededBuild needed{plan_build(build, stack, matrix), {}, {}};
    needed.build.install = install_command(of_version(build, version), std::nullopt, matrix);
    for (const Architecture& architecture : matrix.architectures()) {
        if (architecture.integrated)
            continue;
        Fit fit = stack::build_and_cudnn_on_gpu(build, architecture.capability, {}, matrix).fit;
        if (fit == Fit::unknown)
            fit = stack::build_on_gpu(build, architecture.capability, {}, matrix).fit;
        if (fit == Fit::works)
            needed.gpus.push_back(architecture.capability);
        if (fit == Fit::compiles_first)
            needed.gpus_compiling_first.push_back(architecture.capability);
    }
    return needed;
}

/// Of every system with a build, or of the requested one alone.
std::vector<std::string> systems_without_cuda(
    const std::set<std::string>& systems,
    const std::set<std::string>& with_cuda,
    const std::string& requested_os) {
    if (systems.empty())
        return {};
    std::vector<std::string> without;
    for (const std::string& os : requested_os.empty() ? systems : std::set{requested_os})
        if (!with_cuda.contains(os))
            without.push_back(os);
    return without;
}

}  // namespace

/// Linux where no system was specified.
PlannedFor planned_for(
    const stack::Stack& stack, const std::string& framework, const Matrix& matrix) {
    PlannedFor document;
    if (stack.driver)
        document.driver = *stack.driver;
    if (stack.python)
        document.python = *stack.python;
    document.os = stack.os.value_or("linux");
    if (stack.wsl)
        document.driver_os = "windows";
    document.framework = framework;
    if (stack.gpus.empty())
        return document;
    document.gpu = stack::capability_of(stack);
    document.gpu_name = stack.gpus.front().name.value_or("");
    if (const auto product = matrix.gpu_product(document.gpu_name))
        document.data_center = product->data_center;
    return document;
}

bool has_builds(const Plan& plan) {
    return std::ranges::any_of(plan.frameworks, [](const FrameworkPlan& framework) {
        return framework.newest.has_value();
    });
}

bool leaves_open(const Plan& plan) {
    return !has_builds(plan) && std::ranges::any_of(plan.frameworks, [](const auto& framework) {
        return framework.possible.has_value();
    });
}

/// With an obstacle no framework is listed: none would run.
Plan make_plan(const stack::Stack& stack, const std::string& framework, const Matrix& matrix) {
    if (!framework.empty())
        require_framework(framework, matrix);
    Plan plan{planned_for(stack, framework, matrix), {}, {}, {}};
    const bool has_gpu = stack::gpu_of(stack) != nullptr;
    if (has_gpu)
        look_at_gpu(plan, stack, matrix);
    // What the table notes of a GPU specified by name, such as that its board is no x86-64.
    std::string gpu_name;
    if (!stack.gpus.empty())
        gpu_name = stack.gpus.front().name.value_or("");
    if (const auto product = matrix.gpu_product(gpu_name); product && !product->note.empty())
        plan.remarks.push_back(product->name + ": " + product->note);
    if (stack.driver)
        look_at_driver(plan, *stack.driver, matrix);
    if (!plan.obstacles.empty())
        return plan;
    for (const std::string& name : matrix.frameworks())
        if (framework.empty() || framework == name)
            plan.frameworks.push_back(plan_for(name, stack, matrix));
    if (has_gpu)
        look_at_images(plan, stack, matrix);
    return plan;
}

/// Rows whose range contains the version, or of which it names a part.
Needs needs_of(const stack::Framework& framework, const Matrix& matrix, const stack::Stack& stack) {
    require_framework(framework.name, matrix);
    const Version& version = *framework.version;
    const std::string os = stack.os.value_or(""), flavour = framework.build.value_or("");
    Needs needs{framework.name, version, {}, {}, {}};
    std::set<std::string> with_cuda, systems, builds;
    bool any_called = false;
    std::optional<Version> newest;
    for (const FrameworkBuild& build :
         stack::published_builds(stack::on_arm(stack, matrix), matrix)) {
        if (build.framework != framework.name)
            continue;
        const Version& last = build.last ? *build.last : build.first;
        if (!newest || last > *newest)
            newest = last;
        if (!covers(build.first, build.last, version) && !agree(version, last) &&
            !agree(version, build.first))
            continue;
        const bool called = flavour.empty() || stack::is_called(build, flavour);
        builds.insert(build.build);
        any_called |= called;
        systems.insert(build.os);
        if (!build.cuda || !called)
            continue;
        with_cuda.insert(build.os);
        if (os.empty() || os == build.os)
            needs.builds.push_back(needed(build, version, stack, matrix));
    }
    if (!any_called && !builds.empty())
        throw UsageError(
            "there is no build '" + flavour + "' of " + framework.name + " " + version.text +
            " in the data; there are " + join_with_and({builds.begin(), builds.end()}));
    needs.without_cuda = systems_without_cuda(systems, with_cuda, os);
    if (newest && systems.empty() && version > *newest)
        needs.newest_known = newest;
    return needs;
}

}  // namespace rnncheck
