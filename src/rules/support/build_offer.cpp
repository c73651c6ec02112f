#include "rules/support/build_offer.hpp"

#include <algorithm>
#include <tuple>

#include "compat/judge_build.hpp"
#include "rules/support/driver_support.hpp"
#include "rules/support/plan_remedy.hpp"

namespace rnncheck::rules {

namespace {

PlanQuestion question_of(const Facts& facts, const Matrix& matrix, const Framework& framework) {
    PlanQuestion question;
    question.framework = framework.name;
    question.driver = release_of_driver(facts);
    question.os = facts.host.platform.value_or("linux");
    if (on_wsl(facts)) question.driver_os = "windows";
    const PythonEnvironment* environment = environment_of(facts, framework);
    if (environment && environment->version) question.python = environment->version;
    if (facts.gpus.empty()) return question;
    question.gpu = facts.gpus.front().compute_capability;
    question.gpu_name = facts.gpus.front().name.value_or("");
    if (const auto product = matrix.gpu_product(question.gpu_name)) question.data_center = product->data_center;
    return question;
}

bool runs(const PlannedBuild& build) {
    return build.fit == Fit::works || build.fit == Fit::compiles_first;
}

bool has_cublas(const Facts& facts, int cuda_major) {
    return std::any_of(facts.libraries.begin(), facts.libraries.end(), [&](const Library& library) {
        return library.kind == LibraryKind::cublas && !library.problem && major_of_file(library) == cuda_major;
    });
}

/// The less of it, the less there is to do besides.
int wants_from_system(const Facts& facts, const PlannedBuild& build) {
    if (build.libraries != "system") return 0;
    return has_cublas(facts, build.cuda->major()) ? 1 : 2;
}

bool is_better(const Facts& facts, const PlannedBuild& a, const PlannedBuild& b) {
    const auto rank = [&](const PlannedBuild& build) {
        return std::tuple(build.fit, build.limited, wants_from_system(facts, build));
    };
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return a.limited ? *a.cuda < *b.cuda : *a.cuda > *b.cuda;  // as near to the driver's as can be
}

}  // namespace

std::optional<PlannedBuild> best_build_here(const Facts& facts, const Matrix& matrix, Framework framework) {
    if (!framework.version) return std::nullopt;
    framework.build.reset();
    const PlanQuestion question = question_of(facts, matrix, framework);
    if (!question.gpu || !question.driver) return std::nullopt;
    const auto gpu = planning::ask_for_gpu(question.gpu, matrix);
    std::optional<PlannedBuild> best;
    for (FrameworkBuild build : builds_of(facts, matrix, framework).with_cuda) {
        build.first = *framework.version;
        build.last = framework.version;
        const PlannedBuild planned = planning::judge_build(build, question, gpu, matrix);
        if (!runs(planned) || planned.install.empty()) continue;
        if (!best || is_better(facts, planned, *best)) best = planned;
    }
    return best;
}

}  // namespace rnncheck::rules
