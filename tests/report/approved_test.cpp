// What people and scripts see, compared with approved files. `cmake --build build/dev --target
// bless` rewrites them; the difference is then to be read.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/text.hpp"
#include "report/outline.hpp"
#include "sample_reports.hpp"
#include "support/catch.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::test;

std::string printed(const std::string& format, Report report, const Style& style) {
    report.sentence = sentence_of(report);
    const auto* found = find_named(all_formats(), format);
    REQUIRE(found);
    return (*found)->write(outline_of(report), style);
}

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void check_approved(const std::string& name, const std::string& text) {
    const std::string path = std::string(TEST_DIRECTORY) + "/approved/" + name;
    if (std::getenv("RNNCHECK_BLESS"))
        std::ofstream(path, std::ios::binary) << text;
    const auto expected = split(read(path), '\n');
    const auto found = split(text, '\n');
    INFO(path);
    for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
        INFO("line " << i + 1);
        REQUIRE(found[i] == expected[i]);
    }
    CHECK(found.size() == expected.size());
}

}  // namespace

TEST_CASE("approved: each kind of report at the widths of terminals") {
    const std::pair<const char*, Report> reports[] = {
        {"no_driver", report_without_driver()},
        {"healthy", healthy_report()},
        {"eight_gpus", report_of_eight_gpus()},
        {"sweep", report_of_a_sweep()},
        {"diagnosis", diagnosis_of_a_log()}};
    for (const auto& [name, report] : reports) {
        std::string all;
        for (const std::size_t width : {60, 80, 100})
            all += "---- " + std::to_string(width) + " columns\n" +
                   printed("text", report, {.width = width});
        all += "---- ASCII, 80 columns\n" + printed("text", report, {.ascii = true, .width = 80});
        all += "---- verbose\n" + printed("text", report, {.verbose = true});
        all += "---- quiet\n" + printed("text", report, {.quiet = true});
        check_approved(std::string(name) + ".txt", all);
        CHECK(printed("text", report, {.width = 200}) == printed("text", report, {.width = 100}));
    }
}

TEST_CASE("approved: many findings, hostile texts") {
    check_approved("many_findings.txt", printed("text", report_with_many_findings(), {}));
    check_approved(
        "many_findings.color.txt", printed("text", report_with_many_findings(), {.color = true}));
    check_approved(
        "many_findings.verbose.txt",
        printed("text", report_with_many_findings(), {.verbose = true}));
    for (const auto& format : all_formats())
        if (const std::string name(format.name); name != "text")
            check_approved("many_findings." + name, printed(name, report_with_many_findings(), {}));
}

TEST_CASE("approved: nothing is known") {
    Report report = sample_report(OverallVerdict::undetermined, {});
    report.verdicts = {
        {"driver_missing",
         Outcome::undecided,
         "the library directories could not be searched",
         {},
         {},
         Layer::driver}};
    report.counts = {0, 0, 1, 0};
    check_approved("nothing_known.txt", printed("text", report, {}));
}
