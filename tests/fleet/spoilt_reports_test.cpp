// Spoilt reports: each is compared or counted as unreadable; nothing else happens. With
// RNNCHECK_MUTATIONS=1000000 in the environment under the sanitizers, the long form.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fleet/fleet.hpp"
#include "report/documents.hpp"
#include "report/outline.hpp"
#include "report/sample_reports.hpp"
#include "support/catch.hpp"
#include "support/text_mutator.hpp"

using namespace rnncheck;

namespace {

namespace fs = std::filesystem;
constexpr int reports_in_a_file = 50;

const std::vector<std::string> pieces = {
    "[[[[[[[[",
    "]}",
    "{\"",
    "\"\\u0000\\ud800\"",
    "9e999",
    "-",
    "null",
    std::string(3, '\0'),
    "\n",
    "\"labels\":{\"node\":\"gpu[1-3],\"},",
    "\"count\":4294967295,",
    "\"gpus\":[0,-7,2147483648],",
    "\"severity\":\"error\",\"rule\":\"x\","};

std::vector<std::string> sound_reports() {
    Report report = test::healthy_report();
    const std::string whole = json_text(report, JsonLines::one);
    report.findings = test::sample_findings();
    report.labels = {{"node", "gpu2"}};
    report.facts.libraries.clear();
    report.facts.pythons.clear();
    const std::string small = json_text(report, JsonLines::one);
    return {
        whole,
        small,
        R"({"schema":4,"facts":{"schema":4,"rnn_runs":[],"probe_runs":[]},"verdict":"healthy"})",
        R"({"schema":3,"facts":{"schema":3,"rnn_cases":[{"case_id":1}],"rnn_runs":[{"case_id":1,)"
        R"("count":2,"gpus":[0],"indexes":[0]}],"probe_runs":[]},"verdict":"healthy"})"};
}

/// Everything that the three commands do with them.
std::size_t compare_all(const std::string& file, const std::string& earlier) {
    Collection collection = read_reports({file});
    const std::size_t reports = collection.nodes.size();
    for (const bool by_expected : {false, true}) {
        FleetQuestion question{.nodes = "gpu[1-3]"};
        if (by_expected && reports > 0)
            question.expected = collection.nodes.front();
        const Fleet fleet = compare_nodes(collection, question);
        CHECK(!json_text(fleet).empty());
        CHECK(!outline_of(fleet).text({}).empty());
    }
    if (reports > 0)
        compare_nodes(collection, {.only = collection.nodes.back().name});
    const FleetDiff diff = changes_between(read_reports({earlier}), collection);
    CHECK(!json_text(diff).empty());
    return reports;
}

}  // namespace

TEST_CASE("fleet: spoilt reports are compared or counted as unreadable") {
    const char* const wanted = std::getenv("RNNCHECK_MUTATIONS");
    const int count = wanted ? std::atoi(wanted) : 1000;
    const std::vector<std::string> sound = sound_reports();
    const fs::path place =
        fs::temp_directory_path() / ("rnncheck-fleet-" + std::to_string(getpid()));
    fs::create_directories(place);
    const std::string spoilt = place / "spoilt.ndjson", earlier = place / "earlier.ndjson";
    for (const std::string& report : sound)
        std::ofstream(earlier, std::ios::app) << report << '\n';
    CHECK(compare_all(earlier, earlier) == sound.size());
    test::TextMutator mutator(sound, pieces, wanted ? static_cast<std::uint64_t>(count) : 1);
    std::size_t read = 0;
    for (int i = 0; i < count; i += reports_in_a_file) {
        std::ofstream file(spoilt, std::ios::binary);
        for (int n = 0; n < reports_in_a_file; ++n)
            file << mutator.next() << '\n';
        file.close();
        read += compare_all(spoilt, earlier);
    }
    fs::remove_all(place);
    CHECK(read > static_cast<std::size_t>(count) / 10);
    if (wanted)
        WARN(read << " of " << count << " were read");
}
