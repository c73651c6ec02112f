// Every repair is followed as it is printed, by what it changes and by the words of its command,
// and evaluated again.
#include <map>
#include <regex>

#include "judge.hpp"
#include "stack/builds.hpp"
#include "stack/given.hpp"
#include "stack/plan.hpp"
#include "support/catch.hpp"
#include "support/stacks.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

/// The framework, version and build that a pip or conda command installs, by its words alone; unset
/// for another one.
std::optional<GivenValue> installed_by(const std::string& command) {
    static const std::regex of_pip(
        R"re(pip install (?:-U )?"?([a-z0-9-]+)(?:\[([a-z0-9_,-]+)\])?==([0-9.]+?)(?:\.\*)?)re"
        R"re((?:\+([a-z0-9]+)|\.post([0-9]+))?"?(?: .*)?)re");
    static const std::regex of_conda(
        R"re(conda install -c conda-forge "([a-z]+)=([0-9.]+)=([a-z0-9]+)\*")re");
    static const std::regex index(
        R"re(/whl/(cu[0-9]+|cpu)\b|/stable/(cu[0-9]+)/|onnxruntime-(cuda-[0-9]+)/)re");
    static const std::map<std::string, std::string> frameworks = {
        {"torch", "pytorch"},
        {"tensorflow", "tensorflow"},
        {"tensorflow-gpu", "tensorflow"},
        {"jax", "jax"},
        {"ctranslate2", "ctranslate2"},
        {"onnxruntime-gpu", "onnxruntime"},
        {"paddlepaddle-gpu", "paddlepaddle"}};
    std::smatch words, place;
    if (std::regex_search(command, words, of_conda))
        return GivenValue{words[1], words[2].str() + "+conda-" + words[3].str()};
    const std::size_t at = command.find("pip install ");
    if (at == std::string::npos)
        return std::nullopt;
    const std::string from = command.substr(at);
    if (!std::regex_match(from, words, of_pip))
        return std::nullopt;
    const std::string package = words[1], version = words[3];
    std::string extra = words[2];
    if (package.starts_with("cupy-"))
        return GivenValue{
            "cupy", version + "+" + package.substr(5) + (extra.empty() ? "" : "-" + extra)};
    if (package.starts_with("mxnet-"))
        return GivenValue{"mxnet", version + "+" + package.substr(6)};
    const auto known = frameworks.find(package);
    if (known == frameworks.end())
        return std::nullopt;
    if (extra == "cuda,cudnn")
        extra = "cuda-cudnn";
    std::replace(extra.begin(), extra.end(), '_', '-');
    std::string build = extra;
    if (words[4].matched)
        build = words[4];
    if (words[5].matched)
        build = "cu" + words[5].str();
    if (std::regex_search(from, place, index)) {
        for (int group = 1; group <= 3; ++group)
            if (place[group].matched && build.empty())
                build = place[group];
        std::erase(build, '-');
    }
    return GivenValue{known->second, version + (build.empty() ? "" : "+" + build)};
}

/// What the remedy changes, with what its command installs in the place of the framework.
std::optional<GivenValues> by_words(const Remedy& remedy) {
    GivenValues changes = remedy.changes;
    bool any = false;
    for (const std::string& command : remedy.commands) {
        const auto installed = installed_by(command);
        if (!installed)
            continue;
        std::erase_if(changes, [&](const GivenValue& change) {
            return change.key == installed->key || installed->key.starts_with(change.key + "-");
        });
        changes.push_back(*installed);
        any = true;
    }
    return any ? std::optional(changes) : std::nullopt;
}

bool states_that_nothing_helps(const Finding& finding) {
    return std::ranges::any_of(finding.remedies, [](const Remedy& remedy) {
        return contains(remedy.text, "No combination in the compatibility data") ||
               contains(remedy.text, "Nothing repairs this") ||
               contains(remedy.text, "another GPU");
    });
}

/// Frameworks that take different CUDA versions from the system are no environment's: that is what
/// helps.
bool needs_own_environments(const Finding& finding) {
    return std::ranges::any_of(finding.remedies, [](const Remedy& remedy) {
        return contains(remedy.text, "use an environment for each framework");
    });
}

/// The first error, or the first warning that nothing helps against; null where all is well.
const Finding* trouble_in(const Report& report) {
    for (const Finding& finding : report.findings) {
        if (finding.severity == Severity::error)
            return &finding;
        if (finding.severity == Severity::warning && states_that_nothing_helps(finding))
            return &finding;
    }
    return nullptr;
}

const Remedy* first_repair(const Finding& finding) {
    return find_where(
        finding.remedies, [](const Remedy& remedy) { return !remedy.changes.empty(); });
}

Report judge_stack(const stack::Stack& given) {
    return judge(given, bundled_matrix(), {});
}

std::string kind(const Finding& finding) {
    return finding.rule + " of " +
           finding.subject.substr(0, finding.subject.find_first_of("0123456789("));
}

struct Followed {
    int stacks = 0, findings = 0, followed = 0, by_words = 0, again = 0, apart = 0, without = 0;
    std::map<std::string, int> without_by_rule = {};
};

/// What a report declares not repairable, by kind.
std::set<std::string> without_repair_in(const Report& report) {
    std::set<std::string> kinds;
    for (const Finding& finding : report.findings)
        if (finding.severity != Severity::note && !first_repair(finding))
            kinds.insert(kind(finding));
    return kinds;
}

/// Follows the first repair of what is still wrong, until all is well or what is left had no repair
/// before.
void follow(
    stack::Stack given,
    GivenValues changes,
    const std::set<std::string>& without_repair,
    Followed& counts) {
    constexpr int most_steps = 4;
    std::string way;
    for (int step = 0; step < most_steps; ++step) {
        way += "-> " + words_of_stack(changes);
        given = stack::with_changes(std::move(given), changes, bundled_matrix());
        const Report report = judge_stack(given);
        const Finding* trouble = trouble_in(report);
        if (!trouble || without_repair.contains(kind(*trouble)))
            return;
        if (needs_own_environments(*trouble))
            return void(++counts.apart);
        INFO(way << "\n  then " << trouble->rule << ": " << trouble->message);
        const Remedy* repair = first_repair(*trouble);
        CHECK(repair);
        CHECK_FALSE(states_that_nothing_helps(*trouble));
        if (!repair)
            return;
        changes = repair->changes;
        ++counts.again;
    }
    INFO(way);
    CHECK(trouble_in(judge_stack(given)) == nullptr);
}

/// An older CUDA on the system where a build of the same version of the framework at fault would
/// bring its own, and nothing is wrong with the CUDA itself.
bool goes_back_needlessly(const stack::Stack& given, const Finding& finding, const Remedy& remedy) {
    stack::Stack without = given;
    without.frameworks.clear();
    if (trouble_in(judge_stack(without)))
        return false;
    const GivenValue* cuda = find_by(remedy.changes, &GivenValue::key, "cuda");
    if (!cuda || !given.cuda || *parse_version(cuda->value) >= *given.cuda)
        return false;
    return std::ranges::any_of(given.frameworks, [&](stack::Framework framework) {
        const bool is_another =
            remedy.changes.size() > 1 && !find_by(remedy.changes, &GivenValue::key, framework.name);
        const bool is_well =
            finding.part.kind == stack::PartKind::framework && finding.part.id != framework.name;
        if (is_another || is_well)
            return false;
        framework.build.reset();
        const auto builds = stack::builds_of(given, framework, bundled_matrix()).with_cuda;
        return std::ranges::any_of(builds, [&](const FrameworkBuild& build) {
            const PlannedBuild planned = plan_build(build, given, bundled_matrix());
            return stack::bundles_libraries(build) && planned.fit == Fit::works &&
                   !planned.install.empty();
        });
    });
}

bool same_error(const Finding& one, const Finding& other) {
    return one.severity == Severity::error && one.rule == other.rule &&
           one.part.kind == other.part.kind && one.part.id == other.part.id;
}

/// What it repairs is gone, and no error is there that was none.
void check_helped(const Report& before, const Finding& repaired, const stack::Stack& after) {
    for (const Finding& finding : judge_stack(after).findings) {
        INFO("still " << finding.rule << ": " << finding.message);
        CHECK_FALSE((repaired.severity == Severity::error && same_error(finding, repaired)));
        const auto was_there = [&](const Finding& other) {
            return finding.severity != Severity::error || same_error(other, finding);
        };
        CHECK(std::ranges::any_of(before.findings, was_there));
    }
}

/// By what it changes, and by the words of its command.
void follow_remedy(
    const stack::Stack& given,
    const Report& report,
    const Finding& finding,
    const Remedy& remedy,
    Followed& counts) {
    INFO("remedy: " << remedy.text << " | " << join(remedy.commands, " && "));
    CHECK_FALSE(goes_back_needlessly(given, finding, remedy));
    const auto without_repair = without_repair_in(report);
    const auto words = by_words(remedy);
    ++counts.followed;
    counts.by_words += words.has_value();
    for (const auto& changes : {std::optional(remedy.changes), words}) {
        if (!changes)
            continue;
        INFO("by " << words_of_stack(*changes));
        CHECK(stack::read_given(*changes, bundled_matrix()).not_understood.empty());
        check_helped(report, finding, stack::with_changes(given, *changes, bundled_matrix()));
        follow(given, *changes, without_repair, counts);
    }
}

}  // namespace

TEST_CASE("every repair, followed as it is printed, works when it is evaluated again") {
    DrawnStacks drawn(27);
    Followed counts;
    for (; counts.stacks < 5'000; ++counts.stacks) {
        const GivenValues values = drawn.next();
        INFO(words_of_stack(values));
        const stack::Stack given = stack::read_given(values, bundled_matrix()).stack;
        const Report report = judge_stack(given);
        for (const Finding& finding : report.findings) {
            if (finding.severity == Severity::note)
                continue;
            ++counts.findings;
            INFO(finding.rule << ": " << finding.message);
            CHECK_FALSE(finding.remedies.empty());  // that nothing repairs it is reported, too
            if (!first_repair(finding))
                ++counts.without, ++counts.without_by_rule[finding.rule];
            for (const Remedy& remedy : finding.remedies)
                if (!remedy.changes.empty())
                    follow_remedy(given, report, finding, remedy, counts);
        }
    }
    WARN(
        counts.stacks << " stacks, " << counts.findings << " findings, " << counts.followed
                      << " repairs followed, " << counts.by_words
                      << " of them by the words of the command, " << counts.again
                      << " more for what was still wrong, " << counts.apart
                      << " that end in an environment for each, " << counts.without
                      << " findings without one");
    for (const auto& [rule, number] : counts.without_by_rule)
        WARN(number << " without: " << rule);
    CHECK(counts.followed > 5'000);
    CHECK(counts.by_words > 2'000);
}

/// One package, of which the CUDA of the system decides what it has code for.
TEST_CASE("the CuPy that a repair installs is healthy beside the CUDA that was specified") {
    for (const char* gpu : {"RTX 5080", "RTX 5090", "B200", "RTX PRO 6000"}) {
        INFO(gpu);
        const GivenValues values = {
            {"cupy", "13.3.0+cuda12x"}, {"cuda", "12.8"}, {"gpu", gpu}, {"os", "linux"}};
        const stack::Stack given = stack::read_given(values, bundled_matrix()).stack;
        const Report report = judge_stack(given);
        REQUIRE(trouble_in(report));
        const auto words = by_words(*first_repair(*trouble_in(report)));
        REQUIRE(words);
        CHECK(
            judge_stack(stack::with_changes(given, *words, bundled_matrix())).verdict ==
            OverallVerdict::healthy);
    }
}
