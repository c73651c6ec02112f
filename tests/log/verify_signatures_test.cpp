// A signature that cannot do what its row declares is reported when the tables are verified.
#include "base/text.hpp"
#include "log/read_log.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

/// The complaint about the bundled table after `from` was replaced; "" for none.
std::string complaint_after(const std::string& from, const std::string& to) {
    TableFiles files = bundled_table_files();
    std::string text(files.content.at("log_signatures"));
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    files.content.at("log_signatures") = text;
    const auto complaints = verify_signatures(Tables(files));
    REQUIRE(complaints.size() < 2);
    return complaints.empty() ? "" : complaints.front().table + ": " + complaints.front().text;
}

}  // namespace

TEST_CASE("nothing is wrong with the bundled signatures") {
    for (const Issue& complaint : verify_signatures(Tables(bundled_table_files())))
        FAIL_CHECK(complaint.text);
}

TEST_CASE("what is wrong with a signature is named") {
    CHECK(contains(
        complaint_after(R"((?:DataParallel|)", R"((?:*DataParallel|)"),
        "log_signatures: signature 'stack_data_parallel': "));
    CHECK(contains(
        complaint_after(
            R"("id": "absl_before_init", "kind": "harmless")",
            R"("id": "absl_before_init", "kind": "odd")"),
        "there is no kind 'odd'"));
    CHECK(contains(complaint_after("{0,60}", "{60,2}"), "log_signatures: signature '"));
}
