// Reports full of hostile texts in every format, for formats_test.py, which parses each by the
// format's own parser.
#include <cstdlib>
#include <fstream>
#include <random>

#include "report/outline.hpp"
#include "sample_reports.hpp"
#include "support/catch.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::test;

/// What a parser, a browser, a terminal or a CI server would obey.
class HostileTexts {
  public:
    explicit HostileTexts(unsigned seed) : random_(seed) {
    }

    std::size_t below(std::size_t end) {
        return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
    }

    std::string text() {
        static const std::vector<std::string> parts = {
            "<script>alert(1)</script>",
            "</pre></details><img src=x onerror=alert(1)>",
            "]]>",
            "<![CDATA[",
            "<!--",
            "-->",
            "&amp;&#0;&bogus;",
            "\"'/>",
            "::error title=x::stolen",
            "##[error]stolen",
            "\n::add-mask::x\n",
            "%0A::error::x",
            "```\n# heading\n```",
            "````",
            "`",
            "~~~",
            std::string(300, '`'),
            "| a | b |",
            "|",
            "@octocat",
            "#1",
            "[x](javascript:alert(1))",
            "![x](https://example.org/x.png)",
            "<https://example.org>",
            "**bold**",
            "_",
            "\\",
            "- item",
            "1. item",
            "# title",
            std::string("\0\x01\x1b[31m\x7f", 8),
            "\xff\xfe",
            "\xc3",
            "\xed\xa0\x80",
            "\xe2\x80\xae",
            "\xe2\x80\xa8",
            "\xef\xbf\xbe",
            "\xef\xbf\xbf",
            "\xc2\x9b",
            "\r\n",
            "\t",
            "{}",
            "{gpu=\"0\"} 1",
            "\"} 1\nrnncheck_up 1",
            "x=1;2;3",
            "GPU 0",
            "GPU -1",
            "GPU 99999999999",
            "$x^2$",
            "caf\xc3\xa9",
            "\xf0\x9f\x98\x80",
            "    code",
            "=====",
            "plain"};
        std::string all;
        for (std::size_t i = below(4) + 1; i > 0; --i)
            all += parts[below(parts.size())];
        if (below(4000) == 0)
            all += std::string(1 << 20, "`<|x"[below(4)]);
        return all;
    }

    template <class E>
    E any() {
        return static_cast<E>(below(names_of(E{}).size()));
    }

  private:
    std::mt19937 random_;
};

Finding finding_of(HostileTexts& hostile, int number) {
    Finding finding{
        .rule = "rule_" + std::to_string(number),
        .title = hostile.text(),
        .layer = hostile.any<Layer>(),
        .severity = hostile.any<Severity>(),
        .subject = hostile.text(),
        .message = hostile.text()};
    for (std::size_t i = hostile.below(3); i > 0; --i)
        finding.evidence.push_back({hostile.text(), hostile.text(), hostile.text()});
    for (std::size_t i = hostile.below(3); i > 0; --i)
        finding.remedies.push_back(
            {.action = hostile.any<Action>(),
             .text = hostile.text(),
             .commands = {hostile.text(), hostile.text()},
             .risk = hostile.any<Risk>(),
             .verify = hostile.text(),
             .link = hostile.text()});
    if (hostile.below(4) == 0)
        finding.decided_by = DecidingCheck{hostile.text(), hostile.text()};
    return finding;
}

Facts hostile_facts(HostileTexts& hostile) {
    Facts facts = a_healthy_machine();
    facts.host.os = hostile.text();
    facts.cuda_devices.at(0).name = hostile.text();
    facts.frameworks.emplace_back().name = hostile.text();
    facts.cudnns.at(0).library = hostile.text();
    facts.rnn_runs.resize(std::min<std::size_t>(facts.rnn_runs.size(), 3));
    for (RnnRun& run : facts.rnn_runs) {
        run.library = facts.cudnns[0].library;
        run.end = hostile.any<RunEnd>();
        run.result = CallResult{hostile.text(), 1, hostile.text()};
        run.where = hostile.text();
    }
    return facts;
}

Report hostile_report(HostileTexts& hostile) {
    Report report = sample_report(hostile.any<OverallVerdict>(), hostile_facts(hostile));
    report.tool.version = hostile.text();
    report.run_at = "2026-11-23T13:04:09Z";
    report.duration_ms = 812;
    report.command = "doctor";
    report.options = {hostile.text(), hostile.text()};
    report.labels = {{"node", hostile.text()}};
    report.sentence = hostile.text();
    const int findings = static_cast<int>(hostile.below(hostile.below(50) == 0 ? 200 : 5));
    for (int i = 0; i < findings; ++i)
        report.findings.push_back(finding_of(hostile, i));
    for (int i = 0; i < findings + 3; ++i)
        report.verdicts.push_back(
            {.rule = "rule_" + std::to_string(i),
             .outcome = i < findings ? Outcome::fault : hostile.any<Outcome>(),
             .reason = hostile.text()});
    return report;
}

}  // namespace

TEST_CASE("formats: hostile reports for formats_test.py", "[.]") {
    const auto number = [](const char* name) {
        return static_cast<unsigned>(std::strtoul(std::getenv(name), nullptr, 10));
    };
    std::ofstream file(std::getenv("RNNCHECK_FUZZ_FILE"), std::ios::binary);
    const auto* format = find_named(all_formats(), std::getenv("RNNCHECK_FUZZ_FORMAT"));
    REQUIRE(format);
    HostileTexts hostile(number("RNNCHECK_FUZZ_SEED"));
    for (unsigned i = 0; i < number("RNNCHECK_FUZZ_COUNT"); ++i) {
        const Report report = hostile_report(hostile);
        const Outline outline = outline_of(report);
        const std::string text = (*format)->write(outline, Style{.json_lines = JsonLines::one});
        const bool shows_all_faults = format->name == "github" || format->name == "prometheus";
        const auto others = shows_all_faults ? faults_without_finding(outline).size() : 0;
        file << text.size() << ' ' << report.findings.size() + others << ' '
             << report.verdicts.size() << '\n'
             << text;
    }
    CHECK(file.good());
}

TEST_CASE("no format takes longer than 5 ms for eight GPUs", "[.]") {
    const Report report = report_of_eight_gpus();
    for (const auto& format : all_formats()) {
        const auto start = std::chrono::steady_clock::now();
        const std::size_t size = format->write(outline_of(report), {}).size();
        const std::chrono::duration<double, std::milli> elapsed =
            std::chrono::steady_clock::now() - start;
        WARN(format.name << ": " << size << " bytes in " << elapsed.count() << " ms");
    }
}
