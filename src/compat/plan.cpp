#include "compat/plan.hpp"

#include <algorithm>

#include "matrix/ranges.hpp"
#include "compat/judge_build.hpp"

namespace rnncheck {

namespace {

using planning::judge_build;

bool runs(const PlannedBuild& build) {
    return build.fit == Fit::works || build.fit == Fit::compiles_first;
}

/// Of one release: machine code before PTX; CUDA as near to the driver's as can be, from below, else from above; the
/// build that brings its libraries.
bool is_better_flavour(const PlannedBuild& a, const PlannedBuild& b, bool driver_given) {
    if (a.fit != b.fit) return a.fit < b.fit;
    if (a.limited != b.limited) return b.limited;
    if (a.cuda != b.cuda) return driver_given && !a.limited ? *a.cuda > *b.cuda : *a.cuda < *b.cuda;
    return a.libraries != "system" && b.libraries == "system";
}

bool is_before(const PlannedBuild& a, const PlannedBuild& b, bool driver_given) {
    const Version a_release = make_version({a.last.parts[0], a.last.parts[1]});
    const Version b_release = make_version({b.last.parts[0], b.last.parts[1]});
    if (a_release != b_release) return a_release > b_release;
    if (runs(a) != runs(b)) return runs(a);
    if (a.fit != b.fit || a.cuda != b.cuda || a.libraries != b.libraries) return is_better_flavour(a, b, driver_given);
    return a.last > b.last;
}

std::vector<PlannedBuild> judged_builds(const std::string& framework, const PlanQuestion& question,
                                        const std::optional<planning::AskedGpu>& gpu, const Matrix& matrix) {
    std::vector<PlannedBuild> builds;
    for (const FrameworkBuild& build : matrix.framework_builds())
        if (build.framework == framework && build.cuda && build.os == question.os)
            builds.push_back(judge_build(build, question, gpu, matrix));
    std::stable_sort(builds.begin(), builds.end(), [&](const PlannedBuild& a, const PlannedBuild& b) {
        return is_before(a, b, question.driver.has_value());
    });
    return builds;
}

struct Releases {
    Version first, last;
};

/// Some build begins after `last` and before `next`: a release of which none was chosen lies between.
bool is_gap(const std::vector<PlannedBuild>& builds, const Version& last, const Version& next) {
    return std::any_of(builds.begin(), builds.end(), [&](const PlannedBuild& build) {
        return build.first > last && !within(build.first, last) && build.first < next;
    });
}

/// 2.4 is every 2.4.x, and so later than 2.4.1.
const Version& later(const Version& a, const Version& b) {
    if (agree(a, b)) return parts_written(a) <= parts_written(b) ? a : b;
    return a > b ? a : b;
}

/// Runs of releases, in order, some build of which is chosen.
template <class Choose>
std::vector<std::string> ranges_of(const std::vector<PlannedBuild>& builds, Choose&& chosen) {
    std::vector<Releases> all;
    for (const PlannedBuild& build : builds)
        if (chosen(build)) all.push_back({build.first, build.last});
    std::sort(all.begin(), all.end(), [](const Releases& a, const Releases& b) { return a.first < b.first; });
    std::vector<Releases> ranges;
    for (const Releases& next : all)
        if (ranges.empty() || is_gap(builds, ranges.back().last, next.first))
            ranges.push_back(next);
        else
            ranges.back().last = later(ranges.back().last, next.last);
    std::vector<std::string> words;
    for (const auto& [first, last] : ranges)
        words.push_back(first == last ? last.text : first.text + " to " + last.text);
    return words;
}

/// Releases that may run for all the data tell, but of which no build is known to.
void find_undecided(FrameworkPlan& plan, const std::vector<PlannedBuild>& builds) {
    const auto is_undecided = [&](const PlannedBuild& build) {
        return build.fit == Fit::unknown && std::none_of(builds.begin(), builds.end(), [&](const PlannedBuild& other) {
                   return runs(other) && other.first <= build.first && within(build.last, other.last);
               });
    };
    plan.undecided = ranges_of(builds, is_undecided);
    const auto newest = std::find_if(builds.begin(), builds.end(), is_undecided);
    if (newest != builds.end()) plan.undecided_because = newest->because;
}

FrameworkPlan plan_for(const std::string& framework, const PlanQuestion& question,
                       const std::optional<planning::AskedGpu>& gpu, const Matrix& matrix) {
    FrameworkPlan plan;
    plan.framework = framework;
    const std::vector<PlannedBuild> builds = judged_builds(framework, question, gpu, matrix);
    const auto with = [&](Fit fit) {
        return std::find_if(builds.begin(), builds.end(),
                            [fit](const PlannedBuild& build) { return build.fit == fit; });
    };
    auto chosen = with(Fit::works);
    if (chosen == builds.end()) chosen = with(Fit::compiles_first);
    if (chosen != builds.end()) plan.newest = *chosen;
    for (auto build = builds.begin(); build != builds.end(); ++build)
        if (build != chosen && runs(*build)) plan.others.push_back(*build);
    plan.releases = ranges_of(builds, runs);
    find_undecided(plan, builds);
    if (chosen == builds.end()) chosen = with(Fit::unknown);
    if (!plan.newest && chosen != builds.end()) plan.perhaps = *chosen;
    if (!builds.empty() && (chosen == builds.end() || chosen->last < builds.front().last)) plan.newer = builds.front();
    return plan;
}

void look_at_gpu(Plan& plan, const Matrix& matrix) {
    const Version& gpu = *plan.asked.gpu;
    const auto architecture = matrix.architecture(gpu);
    if (!architecture) return;
    if (architecture->integrated)
        plan.obstacles.push_back(
            "compute capability " + gpu.text +
            " is of a Jetson board: its driver, CUDA, cuDNN and framework builds come with NVIDIA's "
            "JetPack; the published builds planned here are for x86-64 and do not run on it");
    const auto& driver = plan.asked.driver;
    if (!driver) return;
    const auto of_driver = matrix.cuda_of_driver(*driver);
    if (architecture->last_driver_branch && driver->major() > *architecture->last_driver_branch)
        plan.obstacles.push_back("driver " + driver->text + " does not drive " + architecture->name + " (" + gpu.text +
                                 ") any more; " + std::to_string(*architecture->last_driver_branch) +
                                 " was the last branch that did");
    else if (of_driver && of_driver->cuda < architecture->first_cuda)
        plan.obstacles.push_back("driver " + driver->text + " (CUDA " + of_driver->cuda.text + ") is older than " +
                                 architecture->name + " (" + gpu.text + "), which begins with CUDA " +
                                 architecture->first_cuda.text);
}

/// What the table notes of a GPU asked for by name, such as that its board is no x86-64.
void look_at_product(Plan& plan, const Matrix& matrix) {
    const auto product = matrix.gpu_product(plan.asked.gpu_name);
    if (product && !product->note.empty()) plan.remarks.push_back(product->name + ": " + product->note);
}

void look_at_driver(Plan& plan, const Matrix& matrix) {
    const Version& driver = *plan.asked.driver;
    const auto of_driver = matrix.cuda_of_driver(driver);
    if (of_driver)
        plan.remarks.push_back("driver " + driver.text + " supports CUDA up to " + of_driver->cuda.text);
    else if (of_driver.coverage == Coverage::newer_than_data)
        plan.remarks.push_back("driver " + driver.text + " is newer than the data of " + matrix.date());
    else
        plan.remarks.push_back("driver " + driver.text + " is not in the data of " + matrix.date());
}

}  // namespace

std::string release_in_words(const Version& release) {
    return parts_written(release) == 1 ? release.text + ".x" : release.text;
}

bool offers_something(const Plan& plan) {
    return std::any_of(plan.frameworks.begin(), plan.frameworks.end(),
                       [](const FrameworkPlan& framework) { return framework.newest.has_value(); });
}

bool leaves_open(const Plan& plan) {
    return !offers_something(plan) && std::any_of(plan.frameworks.begin(), plan.frameworks.end(),
                                                  [](const auto& framework) { return framework.perhaps.has_value(); });
}

Plan make_plan(const PlanQuestion& question, const Matrix& matrix) {
    if (!question.framework.empty()) planning::require_framework(question.framework, matrix);
    Plan plan{question, {}, {}, {}};
    if (question.gpu) look_at_gpu(plan, matrix);
    if (!question.gpu_name.empty()) look_at_product(plan, matrix);
    if (question.driver) look_at_driver(plan, matrix);
    if (!plan.obstacles.empty()) return plan;
    const auto gpu = planning::ask_for_gpu(question.gpu, matrix);
    for (const std::string& framework : matrix.frameworks())
        if (question.framework.empty() || question.framework == framework)
            plan.frameworks.push_back(plan_for(framework, question, gpu, matrix));
    return plan;
}

}  // namespace rnncheck
