// What is compatible has one answer, whoever requests it: a machine's rules, rules about specified
// versions alone, and the plan.
#include <algorithm>
#include <map>
#include <set>

#include "judge.hpp"
#include "rules/rule.hpp"
#include "rules/support/versions.hpp"
#include "stack/conflicts.hpp"
#include "stack/given.hpp"
#include "stack/plan.hpp"
#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"
#include "support/given_machine.hpp"
#include "support/machine_of_stack.hpp"
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

Facts specified_machine() {
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
    for (const CudaOfDriver& row : bundled_matrix().cuda_of_driver())
        all.insert(make_version({row.branch}));
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

/// What is reported of the GPU: "too old", "too new", "compiles" where it may run after that,
/// "fits" or "open".
std::string code_words(const Facts& facts) {
    const Verdict too_old = verdict_of("gpu_too_old", facts),
                  too_new = verdict_of("gpu_arch_not_in_build", facts);
    for (const Verdict* verdict : {&too_old, &too_new})
        for (const Finding& finding : verdict->findings)
            if (finding.severity == Severity::error)
                return verdict == &too_old ? "too old" : "too new";
    if (!too_old.findings.empty() || !too_new.findings.empty())
        return "compiles";
    return too_old.outcome == Outcome::pass ? "fits" : "open";
}

}  // namespace

TEST_CASE("whether a driver runs a CUDA: a machine, versions alone and the plan agree") {
    for (const DriverForCuda& toolkit : bundled_matrix().driver_for_cuda())
        for (const Version& driver : named_drivers()) {
            INFO("driver " << driver.text << ", CUDA " << toolkit.cuda.text);
            Facts given = specified_machine(), here = machine();
            given.driver.library_version = here.driver.library_version = driver;
            here.driver.cuda_version = bundled_matrix().cuda_of_driver(driver)->cuda;
            for (Facts* facts : {&given, &here})
                facts->runtimes.emplace_back().version = toolkit.cuda;
            stack::Stack question;
            question.driver = stack::known_driver(driver, bundled_matrix());
            const PlannedBuild planned =
                plan_build(any_build(toolkit.cuda), question, bundled_matrix());
            CHECK(
                (outcome_of("driver_too_old", given) == Outcome::fault) ==
                (planned.fit == Fit::does_not_work));
            CHECK(
                (outcome_of("minor_version_compatibility", given) == Outcome::fault) ==
                planned.minor_version_only);
            const Outcome live = outcome_of("driver_too_old", here);
            REQUIRE((live == Outcome::fault || live == Outcome::pass));
            CHECK((live == Outcome::fault) == (planned.fit == Fit::does_not_work));
        }
}

TEST_CASE("whether a GPU and a driver are compatible: versions alone and the plan agree") {
    for (const Architecture& gpu : bundled_matrix().architectures())
        for (const Version& driver : named_drivers()) {
            if (gpu.integrated || gpu.name == "Fermi")
                continue;  // cuDNN, not the driver, rules Fermi out
            INFO("driver " << driver.text << ", GPU " << gpu.capability.text);
            Facts given = specified_machine();
            given.driver.library_version = driver;
            given.cuda_devices.emplace_back().compute_capability = gpu.capability;
            stack::Stack question;
            question.driver = stack::known_driver(driver, bundled_matrix());
            question.gpus.push_back(
                {.capability = stack::known_capability(gpu.capability, bundled_matrix())});
            const bool obstacle = !make_plan(question, "mxnet", bundled_matrix()).obstacles.empty();
            CHECK(
                (outcome_of("driver_too_old", given) == Outcome::fault ||
                 outcome_of("gpu_too_old", given) == Outcome::fault) == obstacle);
        }
}

TEST_CASE("whether a cuDNN has code for a GPU: a machine, versions alone and the plan agree") {
    for (const CudnnBuild& row : bundled_matrix().cudnn_builds())
        for (const Architecture& gpu : bundled_matrix().architectures()) {
            INFO(
                "cuDNN " << row.cudnn.text << " for CUDA " << row.cuda_major << ", GPU "
                         << gpu.capability.text);
            Cudnn cudnn;
            cudnn.library = "libcudnn.so." + std::to_string(row.cudnn.major());
            cudnn.version = row.cudnn;
            cudnn.built_for_cuda = make_version({row.cuda_major, 0});
            Facts given = specified_machine(), here = machine();
            given.cudnns = {cudnn};
            if (row.cudnn >= make_version({8, 6}))
                cudnn.newest_capability = row.capability_max;
            here.cudnns = {cudnn};
            for (Facts* facts : {&given, &here})
                facts->cuda_devices.emplace_back().compute_capability = gpu.capability;
            const std::string words = code_words(given), live = code_words(here);
            CHECK(
                (live == "open" ? "fits" : live) ==
                words);  // nothing ran there: never more than open
            FrameworkBuild build = any_build(make_version({row.cuda_major, 0}));
            build.without_cudnn = false;
            build.cudnn = row.cudnn;
            const Fit planned =
                stack::cudnn_of_build_on_gpu(build, gpu.capability, bundled_matrix()).fit;
            CHECK((words == "fits") == (planned == Fit::works));
            CHECK((words == "compiles") == (planned == Fit::compiles_first));
        }
}

TEST_CASE(
    "whether a published build runs on a GPU: a machine, versions alone and the plan never "
    "disagree") {
    for (const FrameworkBuild& build : bundled_matrix().framework_builds())
        for (const Architecture& gpu : bundled_matrix().architectures()) {
            if (gpu.integrated || !build.cuda)
                continue;
            INFO(
                build.framework << ' ' << build.first.text << ' ' << build.build << ' ' << build.os
                                << ", GPU " << gpu.capability.text);
            stack::Stack question;
            question.gpus.push_back(
                {.capability = stack::known_capability(gpu.capability, bundled_matrix())});
            Facts given = specified_machine();
            given.host.platform = build.os;
            Framework framework;
            framework.name = build.framework;
            framework.version = build.first;
            framework.build = build.build;
            given.frameworks = {framework};
            given.cuda_devices.emplace_back().compute_capability = gpu.capability;
            bool any_runs = false, all_fail = true;
            for (const FrameworkBuild& one :
                 rules::builds_of(given, bundled_matrix(), framework).with_cuda) {
                const PlannedBuild planned = plan_build(one, question, bundled_matrix());
                any_runs |= runs(planned);
                all_fail &= planned.fit == Fit::does_not_work;
            }
            const std::string words = code_words(given);
            if (any_runs)
                CHECK((words == "fits" || words == "compiles" || words == "open"));
            if (all_fail)
                CHECK((words == "too old" || words == "too new" || words == "open"));
            if (build.targets.empty())
                continue;
            Facts here = machine();
            framework.requested = true;
            framework.targets = build.targets;
            framework.cuda = build.cuda;
            here.frameworks = {framework};
            here.cuda_devices = given.cuda_devices;
            const std::string live = code_words(here);
            const Fit planned = plan_build(build, question, bundled_matrix()).fit;
            if (live == "too old" || live == "too new")
                CHECK(planned == Fit::does_not_work);
            if (live == "compiles")
                CHECK(planned != Fit::works);
        }
}

// --- Every command, over drawn stacks and those at the borders of the tables
// ----------------------------------------

namespace {

using test::GivenValues;

/// Of a rule about versions, with the versions in its first fix.
struct Problem {
    std::string rule, fix;
    Confidence confidence = Confidence::certain;
};

/// What a command answers about versions: the errors in the order of the report, and what is
/// undetermined or passes.
struct Judged {
    std::vector<Problem> problems;
    std::set<std::string> undetermined, passed;
};

Judged judged(const Report& report) {
    Judged judged;
    const auto is_about_versions = [](const std::string& rule) {
        const auto* known = find_named(all_rules(), rule);
        return known && (*known)->conflict;
    };
    for (const Finding& finding : report.findings) {
        if (finding.severity != Severity::error || !is_about_versions(finding.rule))
            continue;
        const auto& remedies = finding.remedies;
        const std::string fix =
            remedies.empty() ? "" : test::words_of_stack(remedies.front().changes);
        judged.problems.push_back({finding.rule, fix, finding.confidence});
    }
    for (const RuleVerdict& verdict : report.verdicts) {
        if (verdict.outcome == Outcome::undecided)
            judged.undetermined.insert(verdict.rule);
        if (verdict.outcome == Outcome::pass)
            judged.passed.insert(verdict.rule);
    }
    return judged;
}

/// All of them, and under the sanitizers, which take ten times as long, a sample.
#ifdef __SANITIZE_ADDRESS__
constexpr int one_in = 20;
#else
constexpr int one_in = 1;
#endif

/// By kind, how many there are and the first.
struct Differences {
    std::map<std::string, std::pair<int, std::string>> by_kind;
    std::map<std::string, int> compared;
    std::string stack = {};

    void add(const std::string& kind, const std::string& detail) {
        auto& [number, first] = by_kind[kind];
        if (number++ == 0)
            first = stack + ": " + detail;
    }

    void compare_problems(const std::string& column, const Judged& expected, const Judged& other) {
        ++compared[column];
        const auto first = [](const Judged& one) {
            return one.problems.empty() ? Problem{} : one.problems.front();
        };
        const Problem one = first(expected), another = first(other);
        if (one.rule != another.rule)
            add(column + ": first rule", one.rule + " / " + another.rule);
        else if (one.fix != another.fix)
            add(column + ": fix of " + one.rule, one.fix + "/ " + another.fix);
    }

    void compare(const std::string& column, const Judged& expected, const Judged& other) {
        compare_problems(column, expected, other);
        for (const std::string& rule : expected.undetermined)
            if (!other.undetermined.contains(rule) &&
                !find_by(other.problems, &Problem::rule, rule))
                add(column + ": silent, but undetermined: " + rule, "");
        for (const std::string& rule : expected.passed)
            if (find_by(other.problems, &Problem::rule, rule))
                add(column + ": passes elsewhere: " + rule, "");
    }
};

/// What a log shows that names no cause.
Log log_without_cause() {
    Log log;
    log.files = {"train.log"};
    log.lines = 1;
    log.first_error_line = 1;
    log.first_error = "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED";
    LogEvent& event = log.events.emplace_back();
    event.signature = "cudnn_status";
    event.kind = LogKind::error;
    event.line = 1;
    event.text = *log.first_error;
    return log;
}

Facts log_with(const GivenValues& values) {
    Facts facts;
    facts.tool.stages = {"log"};
    facts.log = log_without_cause();
    for (const GivenValue& value : values)
        facts.log->user_hints.push_back({value.key, value.value, {}});
    return facts;
}

Judged judgement_of(const Facts& facts) {
    return judged(judge(facts, bundled_matrix(), {}));
}

bool has(const Judged& answer, const char* rule) {
    return find_by(answer.problems, &Problem::rule, std::string(rule));
}

/// One framework on Linux, with GPUs that the driver, one of Linux, knows. Only what it takes from
/// the system is used.
bool may_be_a_machine(stack::Stack stack) {
    if (stack.frameworks.size() != 1 || stack.os != "linux")
        return false;
    if (stack.driver && parts_written(*stack.driver) < 3)
        return false;
    const auto builds =
        stack::builds_of(stack, stack.frameworks.front(), bundled_matrix()).with_cuda;
    const bool from_system =
        !builds.empty() && std::ranges::all_of(builds, stack::takes_system_libraries);
    if ((stack.cuda || stack.cudnn) && !from_system)
        return false;
    if (stack.cudnn && find_by(builds, &FrameworkBuild::without_cudnn, true))
        return false;
    stack.frameworks.clear();
    return std::ranges::none_of(
        stack::conflicts(stack, bundled_matrix()),
        [](const stack::Conflict& conflict) { return conflict.severity == Severity::error; });
}

/// The one build that the stack's framework can be, if it bundles its CUDA and cuDNN.
std::optional<FrameworkBuild> self_contained(const stack::Stack& stack) {
    const stack::Framework& framework = stack.frameworks.front();
    const auto builds = stack::builds_of(stack, framework, bundled_matrix()).with_cuda;
    const bool is_one =
        framework.build && builds.size() == 1 && stack::bundles_libraries(builds.front());
    return is_one ? std::optional(builds.front()) : std::nullopt;
}

void compare_on_machine(
    const stack::Stack& stack, const Judged& checked, Differences& differences) {
    if (!may_be_a_machine(stack))
        return;
    const stack::Framework& framework = stack.frameworks.front();
    test::MachineOfStack machine(stack);
    differences.compare("doctor --for", checked, judgement_of(machine.naming(framework)));
    const auto build = self_contained(stack);
    // What has no package for this Python is not installed for it.
    if (!build || has(checked, "python_not_supported"))
        return;
    Facts here = machine.with_installed(framework, *build);
    differences.compare("machine", checked, judgement_of(here));
    here.log = log_without_cause();
    differences.compare("doctor --log", checked, judgement_of(here));
}

/// Beside a log, specified versions are installed ones: where that means another build, the
/// question is another one. What rests on an inferred row is only likely there, and comes after
/// what is certain.
void compare_with_log(
    const GivenValues& values,
    const stack::Stack& stack,
    Judged checked,
    Differences& differences) {
    const stack::Stack installed = rules::as_installed(stack, bundled_matrix());
    const auto build = &stack::Framework::build;
    if (!std::ranges::equal(installed.frameworks, stack.frameworks, {}, build, build))
        return;
    const Judged in_log = judgement_of(log_with(values));
    std::ranges::stable_sort(checked.problems, {}, [&](const Problem& problem) {
        const Problem* same = find_where(in_log.problems, [&](const Problem& other) {
            return other.rule == problem.rule && other.fix == problem.fix;
        });
        return same ? same->confidence : Confidence::certain;
    });
    differences.compare_problems("diagnose --given", checked, in_log);
}

/// The plan of the one build that is meant; and each framework that the first fix installs runs by
/// the plan, too.
void compare_with_plan(
    const stack::Stack& stack,
    const Report& report,
    const Judged& checked,
    Differences& differences) {
    if (stack.frameworks.size() != 1 || stack.cuda || stack.cudnn)
        return;  // which a plan chooses
    const stack::Framework& framework = stack.frameworks.front();
    const auto builds = stack::builds_of(stack, framework, bundled_matrix()).with_cuda;
    if (builds.size() != 1 || !framework.build)
        return;
    ++differences.compared["matrix plan"];
    const Fit planned = plan_build(builds.front(), stack, bundled_matrix()).fit;
    const auto has_obstacle = [&] {
        return !make_plan(stack, framework.name, bundled_matrix()).obstacles.empty();
    };
    if (planned == Fit::works && !checked.problems.empty() && !has_obstacle())
        differences.add("matrix plan: works, but a problem: " + checked.problems.front().rule, "");
    if (planned == Fit::does_not_work && checked.problems.empty())
        differences.add("matrix plan: does not work, but no problem", "");
    for (const Finding& finding : report.findings) {
        if (finding.severity != Severity::error || finding.remedies.empty())
            continue;
        const auto& changes = finding.remedies.front().changes;
        if (!find_by(changes, &GivenValue::key, framework.name))
            continue;
        const stack::Stack after = stack::with_changes(stack, changes, bundled_matrix());
        const auto fixed =
            stack::builds_of(after, after.frameworks.back(), bundled_matrix()).with_cuda;
        const bool is_planned = std::ranges::any_of(fixed, [&](const FrameworkBuild& build) {
            return runs(plan_build(build, after, bundled_matrix()));
        });
        if (!is_planned)
            differences.add("matrix plan: fix of " + finding.rule, test::words_of_stack(changes));
        return;
    }
}

}  // namespace

TEST_CASE("one stack has one answer, whichever command is run") {
    std::vector<GivenValues> all = test::BorderStacks().all();
    test::DrawnStacks drawn(33);
    while (all.size() < 20'300)
        all.push_back(drawn.next());
    Differences differences;
    int stacks = 0, errors = 0;
    for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(one_in)) {
        differences.stack = test::words_of_stack(all[i]);
        const stack::Given read = stack::read_given(all[i], bundled_matrix());
        REQUIRE(read.not_understood.empty());
        const Report report = judge(read.stack, bundled_matrix(), {});
        const Judged checked = judged(report);
        ++stacks;
        errors += !checked.problems.empty();
        compare_with_log(all[i], read.stack, checked, differences);
        compare_with_plan(read.stack, report, checked, differences);
        compare_on_machine(read.stack, checked, differences);
    }
    WARN(stacks << " stacks, " << errors << " with a certain problem");
    for (const auto& [column, number] : differences.compared)
        WARN(number << " compared: " << column);
    for (const auto& [kind, found] : differences.by_kind)
        WARN(found.first << " " << kind << ": " << found.second);
    CHECK(differences.by_kind.empty());
    CHECK(errors * one_in > 5'000);
    for (const auto& [column, least] :
         {std::pair("diagnose --given", 20'000),
          std::pair("doctor --for", 7'000),
          std::pair("doctor --log", 1'500),
          std::pair("machine", 1'500),
          std::pair("matrix plan", 7'000)}) {
        INFO(column);
        CHECK(differences.compared[column] * one_in > least);
    }
}
