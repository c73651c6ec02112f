// What goes together has one answer, whoever asks: a machine's rules, rules asked about versions alone, and the plan.
#include <algorithm>
#include <random>
#include <set>

#include "judge.hpp"
#include "rules/rule.hpp"
#include "rules/support/versions.hpp"
#include "stack/given.hpp"
#include "stack/plan.hpp"
#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"
#include "support/given_machine.hpp"
#include "support/stacks.hpp"

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
            stack::Stack question;
            question.driver = stack::known_driver(driver, bundled_matrix());
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
            stack::Stack question;
            question.driver = stack::known_driver(driver, bundled_matrix());
            question.gpus.push_back({.capability = stack::known_capability(gpu.capability, bundled_matrix())});
            const bool obstacle = !make_plan(question, "mxnet", bundled_matrix()).obstacles.empty();
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
            const Fit planned = stack::cudnn_of_build_on_gpu(build, gpu.capability, bundled_matrix()).fit;
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
            stack::Stack question;
            question.gpus.push_back({.capability = stack::known_capability(gpu.capability, bundled_matrix())});
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

// --- Every command, over stacks drawn at random ---------------------------------------------------------------------

namespace {

/// A driver, a GPU, a Python and a framework, as people name them: a build of the tables, with or without its flavour.
class Stacks {
  public:
    std::vector<GivenValue> next() {
        const std::vector<FrameworkBuild>& builds = bundled_matrix().framework_builds();
        build = builds[number(builds.size())];
        const bool named = chance(60) && !build.build.empty();
        std::vector<GivenValue> values = {
            {"os", build.os == "macos" ? "linux" : build.os},
            {build.framework, build.last.value_or(build.first).text + (named ? "+" + build.build : "")}};
        if (chance(80)) values.push_back({"driver", one_of(drivers)});
        if (chance(80)) values.push_back({"gpu", one_of(gpus)});
        if (chance(40)) values.push_back({"python", one_of(pythons)});
        return values;
    }

    FrameworkBuild build;

  private:
    using Words = std::vector<std::string>;
    const Words drivers{"390.48",     "450.80",    "450.80.02", "470",       "525.60",    "525.60.13",
                        "535.104.05", "550.54.15", "570.86.10", "580.65.06", "620.70.06", "640.10.01"};
    const Words gpus{"3.5", "5.2", "6.1", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"};
    const Words pythons{"3.7", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"};

    std::size_t number(std::size_t below) { return random_() % below; }
    bool chance(unsigned percent) { return random_() % 100 < percent; }
    const std::string& one_of(const Words& choices) { return choices[number(choices.size())]; }

    std::mt19937 random_{33};
};

struct Problem {
    std::string rule, message, fix;
    auto operator<=>(const Problem&) const = default;
};

/// The errors that are certain, or at least as sure as that, in the order of the report.
std::vector<Problem> problems_of(const Report& report, Confidence least = Confidence::certain) {
    std::vector<Problem> problems;
    for (const Finding& finding : report.findings)
        if (finding.severity == Severity::error && finding.confidence <= least)
            problems.push_back(
                {finding.rule, finding.message, finding.remedies.empty() ? "" : finding.remedies.front().text});
    return problems;
}

/// What a log shows that names no cause, with what the person knows.
Facts log_with(const std::vector<GivenValue>& values) {
    Facts facts;
    facts.tool.stages = {"log"};
    Log& log = facts.log.emplace();
    log.files = {"train.log"};
    log.lines = 1;
    log.first_error_line = 1;
    log.first_error = "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED";
    LogEvent& event = log.events.emplace_back();
    event.signature = "cudnn_status";
    event.kind = LogKind::error;
    event.line = 1;
    event.text = *log.first_error;
    for (const GivenValue& value : values) log.user_hints.push_back({value.key, value.value, {}});
    return facts;
}

/// A machine of these versions, and the framework as --for names it.
Facts machine_with(const Facts& given) {
    Facts here = machine();
    here.host = given.host;
    here.driver.library_version = given.driver.library_version;
    here.cuda_devices = given.cuda_devices;
    here.frameworks = given.frameworks;
    for (Framework& framework : here.frameworks) framework.asked = true;
    PythonEnvironment& python = here.pythons.emplace_back();
    python.active = true;
    if (!given.pythons.empty()) python.version = given.pythons.front().version;
    return here;
}

}  // namespace

TEST_CASE("one stack has one answer: matrix check, diagnose --given, --for and the plan") {
    Stacks stacks;
    int errors = 0;
    for (int i = 0; i < 300; ++i) {
        const std::vector<GivenValue> values = stacks.next();
        INFO(words_of_stack(values));
        const stack::Stack stack = stack::read_given(values, bundled_matrix()).stack;
        const Facts given = stack::document_of(stack);
        const Report checked = judge(given, bundled_matrix(), {});
        const auto problems = problems_of(checked);
        errors += !problems.empty();

        // Beside a log, what rests on an inferred row is only likely, and comes after what is certain.
        const auto in_log = problems_of(judge(log_with(values), bundled_matrix(), {}), Confidence::likely);
        if (!problems.empty()) {
            REQUIRE_FALSE(in_log.empty());
            CHECK(std::ranges::find(problems, in_log.front()) != problems.end());
            CHECK(std::ranges::find(in_log, problems.front()) != in_log.end());
        }

        // A machine on which the driver shows the GPU is no such machine.
        Facts without = given;
        without.frameworks.clear();
        if (!problems_of(judge(without, bundled_matrix(), {})).empty()) continue;
        const Report named = judge(machine_with(given), bundled_matrix(), {});
        std::set<std::string> rules_named;
        for (const Finding& finding : named.findings)
            if (finding.severity == Severity::error) rules_named.insert(finding.rule);
        for (const Problem& problem : problems) {
            INFO(problem.rule << ": " << problem.message);
            CHECK(rules_named.contains(problem.rule));
        }

        const stack::Framework& framework = stack.frameworks.front();
        const auto builds = stack::builds_of(stack, framework, bundled_matrix()).with_cuda;
        if (builds.size() != 1 || !framework.build) continue;
        const Fit planned = plan_build(builds.front(), stack, bundled_matrix()).fit;
        if (planned == Fit::works) CHECK(problems.empty());
        if (planned == Fit::does_not_work) CHECK_FALSE(problems.empty());
    }
    WARN("300 stacks, " << errors << " with a certain problem");
    CHECK(errors > 50);
}
