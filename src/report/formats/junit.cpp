// A test case for each check, for CI servers: https://github.com/jenkinsci/xunit-plugin,
// junit-10.xsd.
#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/outline.hpp"

namespace rnncheck::formats::junit {

namespace {

/// A <testcase>; `layer` becomes its class.
struct TestCase {
    std::string name, layer, message, details;
    std::string_view end;  ///< failure, error, skipped; empty if it passed
};

/// The body of a failure: message, evidence and remedies, as plain lines.
std::string details_of(const Finding& finding) {
    std::string text = concat(finding.severity, ": ", message_of(finding));
    for (const Evidence& evidence : finding.evidence)
        text += "\n" + evidence.what + ": " + evidence.value;
    for (const Remedy& remedy : finding.remedies) {
        text += "\nFix: " + remedy.text;
        for (const std::string& command : remedy.commands)
            text += "\n  " + command;
    }
    return text;
}

/// A warning does not fail the check, nor does a rule that could only have warned and was not
/// decided.
TestCase test_case_of(const RuleVerdict& check, const Outline& outline) {
    const bool is_open = outline.verdict == OverallVerdict::problems ||
                         outline.verdict == OverallVerdict::undetermined;
    std::string_view undecided = "skipped";
    if (is_open)
        undecided = "error";
    const std::string_view ends[] = {"", "", "skipped", undecided};
    TestCase test{
        check.rule,
        std::string(name_of(check.layer)),
        check.reason,
        "",
        ends[static_cast<std::size_t>(check.outcome)]};
    if (includes(faults_without_finding(outline), &check))
        test.end = "failure";
    for (const Finding& finding : outline.findings) {
        if (finding.rule != check.rule)
            continue;
        if (!test.details.empty())
            test.details += "\n\n";
        test.details += details_of(finding);
        if (finding.severity == Severity::error && test.end != "failure") {
            test.end = "failure";
            test.message = message_of(finding);
        }
    }
    return test;
}

/// The whole, so that a failed gate never has a list of passed tests alone.
TestCase verdict_of(const Outline& outline) {
    constexpr std::string_view ends[] = {"", "", "failure", "error"};
    return {
        "verdict", "all", outline.sentence, "", ends[static_cast<std::size_t>(outline.verdict)]};
}

std::string attribute(const char* name, std::string_view value) {
    return concat(' ', name, "=\"", xml(value), '"');
}

/// Details of a test that passed, which are of its warnings, go to
/// <system-out>.
std::string element_of(const TestCase& test) {
    const std::string begin = "  <testcase" + attribute("classname", "rnncheck." + test.layer) +
                              attribute("name", test.name) + attribute("time", "0");
    const std::string details = xml_lines(test.details);
    if (test.end.empty() && test.details.empty())
        return begin + "/>\n";
    if (test.end.empty())
        return begin + "><system-out>" + details + "</system-out></testcase>\n";
    std::string attributes = attribute("message", test.message);
    if (test.end != "skipped")  // which has no type in the schema
        attributes += attribute("type", test.end);
    return concat(
        begin, "><", test.end, attributes, '>', details, "</", test.end, "></testcase>\n");
}

/// One <testsuite>, with the totals that CI servers show and the labels of the
/// run as properties.
std::string write(const Outline& outline, const Style&) {
    std::vector<TestCase> tests{verdict_of(outline)};
    for (const RuleVerdict& check : outline.checks)
        tests.push_back(test_case_of(check, outline));
    const auto count = [&](std::string_view end) {
        return std::to_string(std::ranges::count(tests, end, &TestCase::end));
    };
    const auto property = [&](const std::string& name, const std::string& value) {
        return "  <property" + attribute("name", name) + attribute("value", value) + "/>\n";
    };
    std::string seconds = std::to_string(outline.run.duration_ms / 1000);
    seconds.resize(seconds.size() - 3);  // the schema takes three decimals
    std::string out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite" +
        attribute("name", "rnncheck " + outline.run.command) +
        attribute("tests", std::to_string(tests.size())) + attribute("failures", count("failure")) +
        attribute("errors", count("error")) + attribute("skipped", count("skipped")) +
        attribute("time", seconds) +
        attribute("timestamp", outline.run.run_at.substr(0, outline.run.run_at.find('Z'))) +
        ">\n <properties>\n" + property("rnncheck.version", outline.tool.version) +
        property("rnncheck.matrix_date", outline.tool.matrix_date);
    for (const auto& [name, value] : outline.run.labels)
        out += property("label." + name, value);
    out += " </properties>\n";
    for (const TestCase& test : tests)
        out += element_of(test);
    return out + "</testsuite>\n";
}

}  // namespace

extern const Format format{
    .title = "JUnit XML for CI servers: a test case for each rule",
    .write = write,
};

}  // namespace rnncheck::formats::junit
