// Metrics for the textfile collector of Prometheus' node_exporter:
// https://prometheus.io/docs/instrumenting/exposition_formats/. No paths in labels, no timestamps.
#include <ctime>
#include <iomanip>
#include <sstream>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/outline.hpp"

namespace rnncheck::formats::prometheus {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// One metric after the other.
class Metrics {
  public:
    /// All samples of a metric follow its head, as the format requires.
    void begin(const std::string& name, const std::string& help) {
        name_ = "rnncheck_" + name;
        text_ += "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " gauge\n";
    }

    /// A sample of the metric begun last.
    void add(const Labels& labels, const auto& value) {
        std::vector<std::string> parts;
        for (const auto& [label, text] : labels)
            parts.push_back(
                concat(label, "=\"", with_entities(text, {{'"', "\\\""}, {'\\', "\\\\"}}), '"'));
        text_ += concat(name_, if_any("{", join(parts, ","), "}"), ' ', value, '\n');
    }

    const std::string& text() const {
        return text_;
    }

  private:
    std::string text_, name_;
};

/// Of "2026-11-23T13:04:09Z"; "0" for another form, e.g. of an edited report.
static std::string seconds_since_1970(const std::string& time) {
    std::tm parts{};
    std::istringstream text(time);
    text >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%SZ");
    if (text.fail())
        return "0";
    return std::to_string(::timegm(&parts));
}

/// Series that can be 0 are written as 0, so that an alert sees them end.
static std::string write(const Outline& outline, const Style&) {
    Metrics metrics;
    metrics.begin("info", "Version of rnncheck and of its compatibility data.");
    metrics.add(
        {{"version", outline.tool.version},
         {"matrix_date", outline.tool.matrix_date},
         {"command", outline.run.command}},
        "1");
    metrics.begin("verdict", "The verdict: 1 for the one that holds, 0 for the others.");
    for (const std::string_view verdict : names_of(OverallVerdict{})) {
        const bool holds = verdict == name_of(outline.verdict);
        metrics.add({{"verdict", std::string(verdict)}}, static_cast<int>(holds));
    }
    metrics.begin(
        "finding", "Findings of a rule; gpu is empty where a finding is not about one GPU.");
    // A series must occur once: findings with the same labels are counted.
    std::map<Labels, int> findings;
    for (const Finding& finding : outline.findings)
        ++findings[{
            {"rule", finding.rule},
            {"severity", concat(finding.severity)},
            {"gpu", if_any("", finding.gpu)}}];
    for (const RuleVerdict* check : faults_without_finding(outline))
        ++findings[{{"rule", check->rule}, {"severity", "warning"}, {"gpu", ""}}];
    for (const auto& [labels, count] : findings)
        metrics.add(labels, count);
    metrics.begin("rnn_cases", "Recurrent-network tests by GPU and result.");
    for (const auto& [gpu, ends] : outline.tests)
        for (std::size_t i = 0; i < names_of(RunEnd{}).size(); ++i) {
            const auto end = static_cast<RunEnd>(i);
            int tests = 0;
            if (const auto* count = look_up(ends, end))
                tests = *count;
            metrics.add({{"gpu", concat(gpu)}, {"end", concat(end)}}, tests);
        }
    metrics.begin(
        "last_run_timestamp_seconds", "When the check was started, in seconds since 1970.");
    metrics.add({}, seconds_since_1970(outline.run.run_at));
    metrics.begin("last_run_duration_seconds", "How long the check took, in seconds.");
    metrics.add({}, short_number(outline.run.duration_ms / 1000));
    return metrics.text();
}

extern const Format format{
    .title = "Metrics for the textfile collector of Prometheus",
    .write = write,
};

}  // namespace rnncheck::formats::prometheus
