#include <algorithm>
#include <set>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "compat/judge_build.hpp"

namespace rnncheck {

namespace {

/// A cuDNN that is not known rules out a GPU only where none for that CUDA has code for it.
Fit fit_on(const FrameworkBuild& build, const planning::AskedGpu& gpu, const Matrix& matrix) {
    const planning::GpuParts parts = planning::judge_gpu(build, gpu, std::nullopt, matrix);
    const bool cudnn_decides = build.cudnn || parts.cudnn.fit == Fit::does_not_work;
    return cudnn_decides ? std::max(parts.code.fit, parts.cudnn.fit) : parts.code.fit;
}

/// The command for the release asked for, not for the newest of the row.
std::string install_of(FrameworkBuild build, const Version& release, const Matrix& matrix) {
    build.first = release;
    build.last = release;
    return planning::install_command(build, std::nullopt, matrix);
}

NeededBuild needed(const FrameworkBuild& build, const Version& release, const NeedsQuestion& asked,
                   const Matrix& matrix) {
    PlanQuestion question;
    question.driver_os = asked.driver_os;
    question.python = asked.python;
    NeededBuild needed{planning::judge_build(build, question, {}, matrix), {}, {}};
    needed.build.install = install_of(build, release, matrix);
    for (const Architecture& architecture : matrix.architectures()) {
        if (architecture.integrated) continue;
        const planning::AskedGpu gpu{architecture.capability, {Coverage::known, architecture}};
        const Fit fit = fit_on(build, gpu, matrix);
        if (fit == Fit::works) needed.gpus.push_back(gpu.capability);
        if (fit == Fit::compiles_first) needed.gpus_compiling_first.push_back(gpu.capability);
    }
    return needed;
}

std::vector<std::string> systems_without_cuda(const std::set<std::string>& systems,
                                              const std::set<std::string>& with_cuda, const std::string& asked_os) {
    if (systems.empty()) return {};
    std::vector<std::string> without;
    for (const std::string& os : asked_os.empty() ? systems : std::set{asked_os})
        if (!with_cuda.contains(os)) without.push_back(os);
    return without;
}

}  // namespace

Needs needs_of(const std::string& framework, const Version& version, const Matrix& matrix, const NeedsQuestion& asked) {
    planning::require_framework(framework, matrix);
    Needs needs{framework, version, {}, {}, {}};
    std::set<std::string> with_cuda, systems, builds;
    std::optional<Version> newest;
    for (const FrameworkBuild& build : matrix.framework_builds(framework)) {
        const Version& last = build.last ? *build.last : build.first;
        if (!newest || last > *newest) newest = last;
        if (!covers(build.first, build.last, version) && !agree(version, last) && !agree(version, build.first))
            continue;
        builds.insert(build.build);
        systems.insert(build.os);
        if (!build.cuda || (!asked.build.empty() && asked.build != build.build)) continue;
        with_cuda.insert(build.os);
        if (asked.os.empty() || asked.os == build.os) needs.builds.push_back(needed(build, version, asked, matrix));
    }
    if (!asked.build.empty() && !builds.empty() && !builds.contains(asked.build))
        throw UsageError("there is no build '" + asked.build + "' of " + framework + " " + version.text +
                         " in the data; there are " + listing({builds.begin(), builds.end()}));
    needs.without_cuda = systems_without_cuda(systems, with_cuda, asked.os);
    if (newest && systems.empty() && version > *newest) needs.newest_known = newest;
    return needs;
}

}  // namespace rnncheck
