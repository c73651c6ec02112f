#include <algorithm>
#include <set>

#include "matrix/ranges.hpp"
#include "plan/judge_build.hpp"

namespace rnncheck {

namespace {

NeededBuild needed(const FrameworkBuild& build, const Matrix& matrix) {
    NeededBuild needed{planning::judge_build(build, {}, matrix), {}, {}};
    for (const Architecture& architecture : matrix.architectures()) {
        if (architecture.integrated) continue;
        const Version& gpu = architecture.capability;
        const Fit fit = std::max(planning::judge_code(build, gpu, std::nullopt, matrix).fit,
                                 planning::judge_cudnn(build, gpu, matrix).fit);
        if (fit == Fit::works) needed.gpus.push_back(gpu);
        if (fit == Fit::compiles_first) needed.gpus_compiling_first.push_back(gpu);
    }
    return needed;
}

}  // namespace

Needs needs_of(const std::string& framework, const Version& version, const Matrix& matrix) {
    planning::require_framework(framework, matrix);
    Needs needs{framework, version, {}, {}, {}};
    std::set<std::string> with_cuda, systems;
    std::optional<Version> newest;
    for (const FrameworkBuild& build : matrix.framework_builds(framework)) {
        const Version& last = build.last ? *build.last : build.first;
        if (!newest || last > *newest) newest = last;
        if (!covers(build.first, build.last, version) && !agree(version, last) && !agree(version, build.first))
            continue;
        systems.insert(build.os);
        if (!build.cuda) continue;
        with_cuda.insert(build.os);
        needs.builds.push_back(needed(build, matrix));
    }
    std::set_difference(systems.begin(), systems.end(), with_cuda.begin(), with_cuda.end(),
                        std::back_inserter(needs.without_cuda));
    if (newest && systems.empty() && version > *newest) needs.newest_known = newest;
    return needs;
}

}  // namespace rnncheck
