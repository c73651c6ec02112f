// What the bundled tables must hold beside what verify() checks: words that other modules give them.
#include <set>

#include "matrix/tables.hpp"
#include "matrix/verify.hpp"
#include "rnn/case.hpp"
#include "rules/rule.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

const Matrix::Tables& bundled() {
    static const Matrix::Tables tables(bundled_table_files());
    return tables;
}

}  // namespace

TEST_CASE("the bundled tables are without complaint") {
    for (const Complaint& complaint : verify(bundled_table_files())) {
        INFO(complaint.table << ", row " << complaint.row << ": " << complaint.text);
        CHECK(false);
    }
}

TEST_CASE("every cuDNN major has a front library") {
    for (const int major : {7, 8, 9}) {
        const std::string front = "libcudnn.so." + std::to_string(major);
        int found = 0;
        for (const auto& part : Matrix::bundled().cudnn_parts(major)) found += part.soname == front;
        CHECK(found == 1);
    }
}

TEST_CASE("a defect has one id and names a rule that reports it") {
    std::set<std::string> ids;
    for (const auto& row : bundled().rnn_defects.rows()) {
        CHECK(ids.insert(row.id).second);
        CHECK(find_named(all_rules(), row.cause));
    }
}

TEST_CASE("offers speak of cases that exist") {
    for (const auto& row : bundled().rnn_offers.rows()) {
        CHECK(from_name<Dtype>(row.dtype));
        CHECK(from_name<Algorithm>(row.algorithm));
    }
}

TEST_CASE("meanings and remedies are clauses") {
    const auto check_clause = [](const std::string& text) {
        INFO(text);
        CHECK_FALSE(text.ends_with('.'));
    };
    for (const auto& row : bundled().status_names.rows()) {
        INFO(row.name);
        CHECK((row.library == "cudnn" || !row.meaning.empty()));
        check_clause(row.meaning);
        check_clause(row.remedy);
    }
    for (const auto& row : bundled().xid.rows()) {
        check_clause(row.meaning);
        check_clause(row.remedy);
    }
}

TEST_CASE("a limit speaks of releases and GPUs from old to new") {
    for (const auto& row : bundled().rnn_limits.rows()) {
        INFO(row.feature);
        if (row.last) CHECK(row.first <= *row.last);
        if (row.capability_min && row.capability_max) CHECK(*row.capability_min <= *row.capability_max);
        CHECK_FALSE(row.rule.ends_with('.'));
    }
}

TEST_CASE("a compatibility package is newer than the drivers it runs over") {
    const Matrix matrix = Matrix::bundled();
    for (const auto& row : bundled().forward_compatibility.rows()) {
        const auto cuda = matrix.cuda_of_driver(make_version({row.branch}));
        REQUIRE(cuda);
        CHECK(cuda->cuda < row.cuda);
        CHECK(matrix.architecture(row.capability_min));
    }
}

TEST_CASE("a driver branch has a kind that NVIDIA names, and a month as its end") {
    for (const auto& row : bundled().driver_branches.rows()) {
        CHECK((row.kind.empty() || row.kind == "long-term support" || row.kind == "production" ||
               row.kind == "new feature"));
        if (row.supported_until.empty()) continue;
        CHECK(row.supported_until.size() == std::string("2028-06").size());
        CHECK(row.ended == (row.supported_until < row.source.seen.substr(0, row.supported_until.size())));
    }
    for (const auto& row : bundled().driver_branches.rows())
        if (row.last_release) CHECK(row.last_release->major() == row.branch);
}
