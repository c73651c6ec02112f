// What is read first of a diagnosis in a terminal of 80 columns.
#include <algorithm>
#include <fstream>
#include <set>

#include "base/text.hpp"
#include "judge.hpp"
#include "report/outline.hpp"
#include "support/catch.hpp"
#include "support/logs.hpp"

using namespace rnncheck;

namespace {

struct Diagnosis {
    Report report;
    std::vector<std::string> lines;  ///< of the text
};

Diagnosis screen_of(std::string_view log, std::vector<UserHint> hints = {}) {
    Facts facts;
    facts.tool.stages = {"log"};
    facts.log = test::log_read(log);
    facts.log->user_hints = std::move(hints);
    Diagnosis diagnosis{judge(std::move(facts), test::bundled_matrix(), {}), {}};
    const std::string text =
        (*find_named(all_formats(), "text"))->write(outline_of(diagnosis.report), {.width = 80});
    diagnosis.lines = split(text, '\n');
    while (!diagnosis.lines.empty() && diagnosis.lines.back().empty())
        diagnosis.lines.pop_back();
    return diagnosis;
}

/// Every message and public failure that the tests know.
std::vector<Diagnosis> all_diagnoses() {
    std::vector<Diagnosis> all;
    for (const test::Message& message : test::messages())
        all.push_back(screen_of(message.log, message.given));
    std::ifstream file(std::string(TEST_DIRECTORY) + "/public_failures.jsonl");
    for (std::string line; std::getline(file, line);)
        all.push_back(screen_of(nlohmann::json::parse(line)["log"].get<std::string>()));
    return all;
}

bool is_unsure(const Report& report) {
    return !report.findings.empty() && report.findings.front().confidence == Confidence::possible &&
           report.findings.front().decided_by;
}

std::size_t line_that_begins(const std::vector<std::string>& lines, std::string_view word) {
    const auto found = std::ranges::find_if(
        lines, [&](const std::string& line) { return line.starts_with(word); });
    return static_cast<std::size_t>(found - lines.begin());
}

}  // namespace

TEST_CASE(
    "a diagnosis fits the screen, quotes each line once and begins with a check where no cause is "
    "likely") {
    std::size_t with_five = 0;
    for (const Diagnosis& diagnosis : all_diagnoses()) {
        const std::vector<std::string>& lines = diagnosis.lines;
        const std::vector<Finding>& causes = diagnosis.report.findings;
        INFO(join(lines, "\n"));
        std::set<std::string> quoted;
        for (const std::string& line : lines)
            if (line.starts_with("  line "))
                CHECK(quoted.insert(line.substr(0, line.find(':'))).second);
        if (!is_unsure(diagnosis.report))
            continue;
        CHECK(line_that_begins(lines, "  Check ") < line_that_begins(lines, "  Fix "));
        if (causes.size() < 5)
            continue;
        CHECK(lines.size() <= 25);
        ++with_five;
    }
    CHECK(with_five >= 30);
}
