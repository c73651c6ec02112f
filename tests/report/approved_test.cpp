// What people and scripts see, compared with approved files. `cmake --build build/dev --target bless` rewrites them;
// the difference is then to be read.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/text.hpp"
#include "report/format.hpp"
#include "sample_reports.hpp"
#include "support/catch.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::test;

std::string printed(const char* format, Report report, const Style& style) {
    report.sentence = sentence_of(report);
    std::ostringstream out;
    const auto* found = find_named(all_formats(), format);
    REQUIRE(found);
    (*found)->write(report, out, style);
    return out.str();
}

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void check_approved(const std::string& name, const std::string& text) {
    const std::string path = std::string(TEST_DIRECTORY) + "/approved/" + name;
    if (std::getenv("RNNCHECK_BLESS")) std::ofstream(path, std::ios::binary) << text;
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

TEST_CASE("approved: a healthy machine") {
    check_approved("healthy.txt", printed("text", healthy_report(), {}));
    check_approved("healthy.verbose.txt", printed("text", healthy_report(), {.verbose = true}));
    check_approved("healthy.quiet.txt", printed("text", healthy_report(), {.quiet = true}));
    check_approved("healthy.json", printed("json", healthy_report(), {}));
}

TEST_CASE("approved: many findings, hostile texts") {
    check_approved("many_findings.txt", printed("text", report_with_many_findings(), {}));
    check_approved("many_findings.color.txt", printed("text", report_with_many_findings(), {.color = true}));
    check_approved("many_findings.verbose.txt", printed("text", report_with_many_findings(), {.verbose = true}));
    check_approved("many_findings.quiet.txt", printed("text", report_with_many_findings(), {.quiet = true}));
    check_approved("many_findings.json", printed("json", report_with_many_findings(), {}));
}

TEST_CASE("approved: eight GPUs, one wrong and one crashed") {
    check_approved("eight_gpus.txt", printed("text", report_of_eight_gpus(), {}));
    check_approved("eight_gpus.quiet.txt", printed("text", report_of_eight_gpus(), {.quiet = true}));
    check_approved("eight_gpus.json", printed("json", report_of_eight_gpus(), {}));
}

TEST_CASE("approved: nothing learnt") {
    Report report = sample_report(Health::undetermined, {});
    report.verdicts = {{"driver_missing", Outcome::undecided, "the library directories could not be searched"}};
    report.counts = {0, 0, 1, 0};
    check_approved("nothing_learnt.txt", printed("text", report, {}));
    check_approved("nothing_learnt.json", printed("json", report, {}));
}
