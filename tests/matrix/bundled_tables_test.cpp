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
