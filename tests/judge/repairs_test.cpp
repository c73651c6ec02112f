// A remedy with a version repairs: carried out on what was given, its fault is gone and no error
// has come. Over many combinations of driver, GPU, CUDA, cuDNN, framework build, Python and system.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "judge.hpp"
#include "stack/given.hpp"
#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"

using namespace rnncheck;
using test::bundled_matrix;

namespace {

using Values = std::vector<GivenValue>;

Report judge_given(const stack::Stack& given) {
    return judge(given, bundled_matrix(), {});
}

stack::Stack given_by(const Values& values) {
    stack::Given given = stack::read_given(values, bundled_matrix());
    REQUIRE(given.not_understood.empty());
    return std::move(given.stack);
}

std::string in_words(const Values& values) {
    std::string words;
    for (const GivenValue& value : values)
        words += value.key + "=" + value.value + ' ';
    return words;
}

/// "nvidia-cudnn-cu11==8.7.0.*" and "nvidia-cudnn-cu12>=8.9.2,<9" install that cuDNN: 8.7.0+cu11.
Values cudnn_installed_by(const Remedy& remedy) {
    Values changes;
    for (const std::string& command : remedy.commands) {
        const auto at = command.find("nvidia-cudnn-cu");
        const auto sign = command.find('=', at);
        if (at == std::string::npos || sign == std::string::npos)
            continue;
        const std::string cuda = command.substr(at + 15, 2);
        std::string version = command.substr(command.find_first_of("0123456789", sign));
        version = version.substr(0, version.find_first_of(",*\"' "));
        if (version.ends_with('.'))
            version.pop_back();
        changes.push_back({"cudnn", version + "+cu" + cuda});
    }
    return changes;
}

struct FaultKind {
    std::string rule, subject;
    auto operator<=>(const FaultKind&) const = default;
};

std::set<FaultKind> error_kinds(const Report& report) {
    std::set<FaultKind> errors;
    for (const Finding& finding : report.findings)
        if (finding.severity == Severity::error)
            errors.insert(
                {finding.rule,
                 finding.subject.substr(0, finding.subject.find_first_of("123456789("))});
    return errors;
}

struct RepairCounts {
    int combinations = 0, faults = 0, remedies = 0, without = 0;
    std::map<std::string, int> without_by_rule = {};
};

/// Every remedy of every fault.
void check_remedies(const stack::Stack& given, const Report& before, RepairCounts& counts) {
    for (const Finding& finding : before.findings) {
        if (finding.severity == Severity::note)
            continue;
        ++counts.faults;
        bool any = false;
        for (const Remedy& remedy : finding.remedies) {
            const Values changes =
                remedy.changes.empty() ? cudnn_installed_by(remedy) : remedy.changes;
            if (changes.empty())
                continue;
            any = true;
            ++counts.remedies;
            INFO(
                finding.rule << ": " << finding.message << "\n  " << remedy.text << " -> "
                             << in_words(changes));
            const Report after = judge_given(stack::with_changes(given, changes, bundled_matrix()));
            const auto still = std::ranges::find_if(after.findings, [&](const Finding& other) {
                return other.rule == finding.rule && other.message == finding.message;
            });
            CHECK(still == after.findings.end());
            std::set<FaultKind> known = error_kinds(before), come;
            std::ranges::set_difference(error_kinds(after), known, std::inserter(come, come.end()));
            for (const FaultKind& fault : come)
                UNSCOPED_INFO("has come: " << fault.rule << ' ' << fault.subject);
            CHECK(come.empty());
            // A command installs what the remedy names.
            for (const GivenValue& installed : cudnn_installed_by(remedy))
                if (const auto text = std::ranges::find(changes, "cudnn", &GivenValue::key);
                    text != changes.end())
                    CHECK(text->value == installed.value);
        }
        INFO(finding.rule << ": " << finding.message);
        CHECK_FALSE(finding.remedies.empty());  // that nothing repairs it is reported, too
        counts.without += !any;
        if (!any)
            ++counts.without_by_rule[finding.rule];
    }
}

class Combinations {
  public:
    stack::Stack next() {
        Values values;
        if (chance(70))
            values.push_back({"driver", one_of(drivers)});
        if (chance(85))
            values.push_back({"gpu", one_of(gpus)});
        if (chance(40))
            values.push_back({"cuda", one_of(cudas)});
        if (chance(40))
            values.push_back({"cudnn", one_of(cudnns)});
        if (chance(50))
            values.push_back({"python", one_of(pythons)});
        values.push_back({"os", one_of(systems)});
        if (chance(80)) {
            const FrameworkBuild& build =
                bundled_matrix()
                    .framework_builds()[number(bundled_matrix().framework_builds().size())];
            const std::string flavour = chance(70) && !build.build.empty() ? "+" + build.build : "";
            values.push_back({build.framework, build.last.value_or(build.first).text + flavour});
        }
        words = in_words(values);
        return given_by(values);
    }

    std::string words;

  private:
    using Words = std::vector<std::string>;
    const Words drivers{
        "390",
        "410.48",
        "418",
        "440.33",
        "450.80.02",
        "460",
        "470.256.02",
        "510",
        "525.60.13",
        "535.104.05",
        "545",
        "550.54.15",
        "560.28.03",
        "570.86.10",
        "575.51.03",
        "580.65.06",
        "590.44.01"};
    const Words gpus{
        "3.5",
        "3.7",
        "5.2",
        "6.1",
        "7.0",
        "7.5",
        "8.0",
        "8.6",
        "8.9",
        "9.0",
        "10.0",
        "12.0",
        "RTX 3090",
        "H100"};
    const Words cudas{
        "9.0",
        "10.0",
        "10.1",
        "10.2",
        "11.0",
        "11.2",
        "11.7",
        "11.8",
        "12.0",
        "12.1",
        "12.4",
        "12.6",
        "12.8",
        "12.9",
        "13.0"};
    const Words cudnns{
        "7.6.5",
        "8.0.5",
        "8.1.1",
        "8.4.1",
        "8.6.0",
        "8.7.0",
        "8.9.2",
        "8.9.7",
        "9.0.0",
        "9.1.0",
        "9.3.0",
        "9.8.0",
        "9.10.2",
        "9.11.0",
        "9.15.1"};
    const Words pythons{"3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13"};
    const Words systems{"linux", "linux", "windows", "wsl"};

    std::size_t number(std::size_t below) {
        return random_() % below;
    }
    bool chance(unsigned percent) {
        return random_() % 100 < percent;
    }
    const std::string& one_of(const Words& choices) {
        return choices[number(choices.size())];
    }

    std::mt19937 random_{19};
};

}  // namespace

TEST_CASE("a remedy with a version removes its fault and causes no new error") {
    Combinations combinations;
    RepairCounts counts;
    for (; counts.combinations < 2500; ++counts.combinations) {
        const stack::Stack given = combinations.next();
        INFO(combinations.words);
        check_remedies(given, judge_given(given), counts);
    }
    WARN(
        counts.combinations << " combinations, " << counts.faults << " faults, " << counts.remedies
                            << " remedies tried, " << counts.without << " faults without one");
    for (const auto& [rule, number] : counts.without_by_rule)
        WARN(number << " without: " << rule);
    CHECK(counts.remedies > 1000);
}
