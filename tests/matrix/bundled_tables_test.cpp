// What the bundled tables must hold beside what verify() checks: words that other modules give
// them.
#include <set>

#include "matrix/tables.hpp"
#include "rnn/case.hpp"
#include "rules/rule.hpp"
#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

TEST_CASE("the bundled tables are without issues") {
    for (const Issue& issue : verify(Tables(bundled_table_files()))) {
        INFO(issue.table << ", row " << issue.row << ": " << issue.text);
        CHECK(false);
    }
}

TEST_CASE("every cuDNN major has a front library") {
    for (const int major : {7, 8, 9}) {
        const std::string front = "libcudnn.so." + std::to_string(major);
        int found = 0;
        for (const auto& part : test::bundled_matrix().cudnn_parts(major))
            found += part.soname == front;
        CHECK(found == 1);
    }
}

TEST_CASE("a defect has one id and names a rule that reports it") {
    std::set<std::string> ids;
    for (const auto& row : test::bundled_matrix().rnn_defects()) {
        CHECK(ids.insert(row.id).second);
        CHECK(find_named(all_rules(), row.cause));
    }
}

TEST_CASE("required support is of cases that exist") {
    for (const auto& row : test::bundled_matrix().rnn_required_support()) {
        CHECK(from_name<Dtype>(row.dtype));
        CHECK(from_name<Algorithm>(row.algorithm));
    }
}
