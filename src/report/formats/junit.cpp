// A test case for each check, for CI servers: https://github.com/jenkinsci/xunit-plugin, junit-10.xsd.
#include <algorithm>

#include "base/text.hpp"
#include "report/outline.hpp"

namespace rnncheck::formats::junit {

namespace {

enum class End { passed, failure, error, skipped };

struct TestCase {
    std::string name, layer, message, details;
    End end = End::passed;
};

std::string details_of(const Finding& finding) {
    std::string text = std::string(name_of(finding.severity)) + ": " + message_of(finding);
    for (const Evidence& evidence : finding.evidence) text += "\n" + evidence.what + ": " + evidence.value;
    for (const Remedy& remedy : finding.remedies) {
        text += "\nFix: " + remedy.text;
        for (const std::string& command : remedy.commands) text += "\n  " + command;
    }
    return text;
}

/// A warning does not fail the check, nor does a rule that could only have warned and was not decided.
TestCase test_case_of(const RuleVerdict& check, const Outline& outline) {
    TestCase test{check.rule, std::string(name_of(check.layer)), check.reason, "", End::passed};
    if (check.outcome == Outcome::not_applicable) test.end = End::skipped;
    if (check.outcome == Outcome::undecided)
        test.end = outline.verdict == OverallVerdict::problems || outline.verdict == OverallVerdict::undetermined
                       ? End::error
                       : End::skipped;
    if (check.outcome == Outcome::fault && !find_by(outline.findings, &Finding::rule, check.rule))
        test.end = End::failure;
    for (const Finding& finding : outline.findings) {
        if (finding.rule != check.rule) continue;
        test.details += (test.details.empty() ? "" : "\n\n") + details_of(finding);
        if (finding.severity == Severity::error && test.end != End::failure) {
            test.end = End::failure;
            test.message = message_of(finding);
        }
    }
    return test;
}

/// The whole, so that a failed gate never has a list of passed tests alone.
TestCase verdict_of(const Outline& outline) {
    constexpr End ends[] = {End::passed, End::passed, End::failure, End::error};
    return {"verdict", "all", outline.sentence, "", ends[static_cast<std::size_t>(outline.verdict)]};
}

void write_test_case(std::string& out, const TestCase& test) {
    constexpr const char* elements[] = {"", "failure", "error", "skipped"};
    out += "  <testcase classname=\"rnncheck." + xml(test.layer) + "\" name=\"" + xml(test.name) + "\" time=\"0\"";
    const std::string element = elements[static_cast<std::size_t>(test.end)];
    if (element.empty() && test.details.empty()) {
        out += "/>\n";
        return;
    }
    out += ">";
    if (element.empty())
        out += "<system-out>" + xml_lines(test.details) + "</system-out>";
    else
        out += "<" + element + " message=\"" + xml(test.message) + "\"" +
               (test.end == End::skipped ? "" : " type=\"" + element + "\"") + ">" + xml_lines(test.details) + "</" +
               element + ">";
    out += "</testcase>\n";
}

std::string write(const Outline& outline, const Style&) {
    std::vector<TestCase> tests{verdict_of(outline)};
    for (const RuleVerdict& check : outline.checks) tests.push_back(test_case_of(check, outline));
    const auto count = [&](End end) { return std::to_string(std::ranges::count(tests, end, &TestCase::end)); };
    std::string seconds = std::to_string(outline.run.duration_ms / 1000);
    seconds.resize(seconds.size() - 3);  // the schema takes three decimals
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"rnncheck " +
                      xml(outline.run.command) + "\" tests=\"" + std::to_string(tests.size()) + "\" failures=\"" +
                      count(End::failure) + "\" errors=\"" + count(End::error) + "\" skipped=\"" + count(End::skipped) +
                      "\" time=\"" + seconds + "\" timestamp=\"" +
                      xml(outline.run.run_at.substr(0, outline.run.run_at.find('Z'))) + "\">\n";
    out += " <properties>\n";
    const auto property = [&](const std::string& name, const std::string& value) {
        out += "  <property name=\"" + xml(name) + "\" value=\"" + xml(value) + "\"/>\n";
    };
    property("rnncheck.version", outline.tool.version);
    property("rnncheck.matrix_date", outline.tool.matrix_date);
    for (const auto& [name, value] : outline.run.labels) property("label." + name, value);
    out += " </properties>\n";
    for (const TestCase& test : tests) write_test_case(out, test);
    return out + "</testsuite>\n";
}

}  // namespace

extern const Format format{.title = "JUnit XML for CI servers: a test case for each rule", .write = write};

}  // namespace rnncheck::formats::junit
