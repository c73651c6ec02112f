// What goes together has one answer, whoever asks: a machine's rules, rules asked about versions alone, and the plan.
#include <algorithm>
#include <set>

#include "compat/plan.hpp"
#include "rules/rule.hpp"
#include "rules/support/versions.hpp"
#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"
#include "support/given_machine.hpp"

using namespace rnncheck;
using test::bundled_matrix;

namespace {

Verdict verdict_of(const char* rule, const Facts& facts) {
    return (*find_named(all_rules(), rule))->check(facts, bundled_matrix());
}

Outcome outcome_of(const char* rule, const Facts& facts) {
    return verdict_of(rule, facts).outcome;
}

Facts told() {
    Facts facts;
    facts.tool.stages = {"given"};
    facts.host.platform = "linux";
    return facts;
}

Facts machine() {
    Facts facts;
    facts.host.platform = "linux";
    facts.probe_runs.emplace_back();
    return facts;
}

/// Every branch, and every version that a table names.
std::vector<Version> named_drivers() {
    std::set<Version> all;
    for (const CudaOfDriver& row : bundled_matrix().cuda_of_driver()) all.insert(make_version({row.branch}));
    for (const DriverForCuda& row : bundled_matrix().driver_for_cuda()) {
        all.insert(row.oldest_driver);
        all.insert(row.full_driver);
    }
    return {all.begin(), all.end()};
}

FrameworkBuild any_build(const Version& cuda) {
    FrameworkBuild build;
    build.first = make_version({1, 0});
    build.os = "linux";
    build.cuda = cuda;
    build.libraries = "inside";
    build.without_cudnn = true;
    return build;
}

/// What is said of the GPU: "too old", "too new", "compiles" where it may run after that, "fits" or "open".
std::string code_words(const Facts& facts) {
    const Verdict too_old = verdict_of("gpu_too_old", facts), too_new = verdict_of("gpu_arch_not_in_build", facts);
    for (const Verdict* verdict : {&too_old, &too_new})
        for (const Finding& finding : verdict->findings)
            if (finding.severity == Severity::error) return verdict == &too_old ? "too old" : "too new";
    if (!too_old.findings.empty() || !too_new.findings.empty()) return "compiles";
    return too_old.outcome == Outcome::pass ? "fits" : "open";
}

}  // namespace

TEST_CASE("whether a driver runs a CUDA: a machine, versions alone and the plan agree") {
    for (const DriverForCuda& toolkit : bundled_matrix().driver_for_cuda())
        for (const Version& driver : named_drivers()) {
            INFO("driver " << driver.text << ", CUDA " << toolkit.cuda.text);
            Facts given = told(), here = machine();
            given.driver.library_version = here.driver.library_version = driver;
            here.driver.cuda_version = bundled_matrix().cuda_of_driver(driver)->cuda;
            for (Facts* facts : {&given, &here}) facts->runtimes.emplace_back().version = toolkit.cuda;
            PlanQuestion question;
            question.driver = driver;
            const PlannedBuild planned = plan_build(any_build(toolkit.cuda), question, bundled_matrix());
            CHECK((outcome_of("driver_too_old", given) == Outcome::fault) == (planned.fit == Fit::does_not_work));
            CHECK((outcome_of("minor_version_compatibility", given) == Outcome::fault) == planned.limited);
            const Outcome live = outcome_of("driver_too_old", here);
            REQUIRE((live == Outcome::fault || live == Outcome::pass));
            CHECK((live == Outcome::fault) == (planned.fit == Fit::does_not_work));
        }
}

TEST_CASE("whether a GPU and a driver go together: versions alone and the plan agree") {
    for (const Architecture& gpu : bundled_matrix().architectures())
        for (const Version& driver : named_drivers()) {
            if (gpu.integrated || gpu.name == "Fermi") continue;  // cuDNN, not the driver, rules Fermi out
            INFO("driver " << driver.text << ", GPU " << gpu.capability.text);
            Facts given = told();
            given.driver.library_version = driver;
            given.cuda_devices.emplace_back().compute_capability = gpu.capability;
            PlanQuestion question;
            question.driver = driver;
            question.gpu = gpu.capability;
            question.framework = "mxnet";
            const bool obstacle = !make_plan(question, bundled_matrix()).obstacles.empty();
            CHECK((outcome_of("driver_too_old", given) == Outcome::fault ||
                   outcome_of("gpu_too_old", given) == Outcome::fault) == obstacle);
        }
}

TEST_CASE("whether a cuDNN has code for a GPU: a machine, versions alone and the plan agree") {
    for (const CudnnBuild& row : bundled_matrix().cudnn_builds())
        for (const Architecture& gpu : bundled_matrix().architectures()) {
            INFO("cuDNN " << row.cudnn.text << " for CUDA " << row.cuda_major << ", GPU " << gpu.capability.text);
            Cudnn cudnn;
            cudnn.library = "libcudnn.so." + std::to_string(row.cudnn.major());
            cudnn.version = row.cudnn;
            cudnn.built_for_cuda = make_version({row.cuda_major, 0});
            Facts given = told(), here = machine();
            given.cudnns = {cudnn};
            if (row.cudnn >= make_version({8, 6})) cudnn.newest_capability = row.capability_max;
            here.cudnns = {cudnn};
            for (Facts* facts : {&given, &here}) facts->cuda_devices.emplace_back().compute_capability = gpu.capability;
            const std::string words = code_words(given), live = code_words(here);
            CHECK((live == "open" ? "fits" : live) == words);  // nothing ran there: never more than open
            FrameworkBuild build = any_build(make_version({row.cuda_major, 0}));
            build.without_cudnn = false;
            build.cudnn = row.cudnn;
            const Fit planned = compat::cudnn_of_build_on_gpu(build, gpu.capability, bundled_matrix()).fit;
            CHECK((words == "fits") == (planned == Fit::works));
            CHECK((words == "compiles") == (planned == Fit::compiles_first));
        }
}

TEST_CASE("whether a published build runs on a GPU: a machine, versions alone and the plan never disagree") {
    for (const FrameworkBuild& build : bundled_matrix().framework_builds())
        for (const Architecture& gpu : bundled_matrix().architectures()) {
            if (gpu.integrated || !build.cuda) continue;
            INFO(build.framework << ' ' << build.first.text << ' ' << build.build << ' ' << build.os << ", GPU "
                                 << gpu.capability.text);
            PlanQuestion question;
            question.gpu = gpu.capability;
            Facts given = told();
            given.host.platform = build.os;
            Framework framework;
            framework.name = build.framework;
            framework.version = build.first;
            framework.build = build.build;
            given.frameworks = {framework};
            given.cuda_devices.emplace_back().compute_capability = gpu.capability;
            bool any_runs = false, all_fail = true;
            for (const FrameworkBuild& one : rules::builds_of(given, bundled_matrix(), framework).with_cuda) {
                const PlannedBuild planned = plan_build(one, question, bundled_matrix());
                any_runs |= runs(planned);
                all_fail &= planned.fit == Fit::does_not_work;
            }
            const std::string words = code_words(given);
            if (any_runs) CHECK((words == "fits" || words == "compiles" || words == "open"));
            if (all_fail) CHECK((words == "too old" || words == "too new" || words == "open"));
            if (build.targets.empty()) continue;
            Facts here = machine();
            framework.asked = true;
            framework.targets = build.targets;
            framework.cuda = build.cuda;
            here.frameworks = {framework};
            here.cuda_devices = given.cuda_devices;
            const std::string live = code_words(here);
            const Fit planned = plan_build(build, question, bundled_matrix()).fit;
            if (live == "too old" || live == "too new") CHECK(planned == Fit::does_not_work);
            if (live == "compiles") CHECK(planned != Fit::works);
        }
}
