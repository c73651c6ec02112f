// Metrics for the textfile collector of Prometheus' node_exporter:
// https://prometheus.io/docs/instrumenting/exposition_formats/. No paths in labels, no timestamps.
#include <ctime>
#include <iomanip>
#include <sstream>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/outline.hpp"

namespace rnncheck::formats::prometheus {

namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

void begin(std::string& out, const std::string& name, const std::string& help) {
    out += "# HELP " + name + " " + help + "\n# TYPE " + name + " gauge\n";
}

void add(std::string& out, const std::string& name, const Labels& labels, const std::string& value) {
    std::vector<std::string> parts;
    for (const auto& [label, text] : labels)
        parts.push_back(std::string(label) + "=\"" + with_entities(text, {{'"', "\\\""}, {'\\', "\\\\"}}) + "\"");
    out += name + (parts.empty() ? "" : "{" + join(parts, ",") + "}") + " " + value + "\n";
}

std::string seconds_since_1970(const std::string& time) {
    std::tm parts{};
    std::istringstream text(time);
    text >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%SZ");
    return text.fail() ? "0" : std::to_string(::timegm(&parts));
}

void add_findings(std::string& out, const Outline& outline) {
    std::map<std::vector<std::string>, int> findings;
    for (const Finding& finding : outline.findings)
        ++findings[{finding.rule, std::string(name_of(finding.severity)), gpu_of(finding)}];
    for (const RuleVerdict* check : faults_without_finding(outline))
        ++findings[{check->rule, std::string(name_of(Severity::warning)), ""}];
    begin(out, "rnncheck_finding", "Findings of a rule; gpu is empty where a finding is not about one GPU.");
    for (const auto& [names, count] : findings)
        add(out, "rnncheck_finding", {{"rule", names[0]}, {"severity", names[1]}, {"gpu", names[2]}},
            std::to_string(count));
}

void add_tests(std::string& out, const Outline& outline) {
    begin(out, "rnncheck_rnn_cases", "Recurrent-network tests by GPU and result.");
    for (const auto& [gpu, ends] : outline.tests)
        for (std::size_t i = 0; i < names_of(RunEnd{}).size(); ++i) {
            const auto end = static_cast<RunEnd>(i);
            const auto* count = look_up(ends, end);
            add(out, "rnncheck_rnn_cases", {{"gpu", std::to_string(gpu)}, {"end", std::string(name_of(end))}},
                std::to_string(count ? *count : 0));
        }
}

std::string write(const Outline& outline, const Style&) {
    std::string out;
    begin(out, "rnncheck_info", "Version of rnncheck and of its compatibility data.");
    add(out, "rnncheck_info",
        {{"version", outline.tool.version},
         {"matrix_date", outline.tool.matrix_date},
         {"command", outline.run.command}},
        "1");
    begin(out, "rnncheck_verdict", "The verdict: 1 for the one that holds, 0 for the others.");
    for (std::size_t i = 0; i < names_of(OverallVerdict{}).size(); ++i) {
        const auto verdict = static_cast<OverallVerdict>(i);
        add(out, "rnncheck_verdict", {{"verdict", std::string(name_of(verdict))}},
            outline.verdict == verdict ? "1" : "0");
    }
    add_findings(out, outline);
    add_tests(out, outline);
    begin(out, "rnncheck_last_run_timestamp_seconds", "When the check was started, in seconds since 1970.");
    add(out, "rnncheck_last_run_timestamp_seconds", {}, seconds_since_1970(outline.run.run_at));
    begin(out, "rnncheck_last_run_duration_seconds", "How long the check took, in seconds.");
    add(out, "rnncheck_last_run_duration_seconds", {}, short_number(outline.run.duration_ms / 1000));
    return out;
}

}  // namespace

extern const Format format{.title = "Metrics for the textfile collector of Prometheus", .write = write};

}  // namespace rnncheck::formats::prometheus
