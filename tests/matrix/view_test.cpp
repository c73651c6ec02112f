// Any table as text, and the rows that a filter keeps.
#include <algorithm>

#include "base/program.hpp"
#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "matrix/table_view.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/matrix_copy.hpp"

using namespace rnncheck;
using rnncheck::test::v;

namespace {

/// The cells of the first column of the rows that the filters keep.
std::vector<std::string> kept(
    const std::string& table, std::initializer_list<const char*> filters) {
    TableView view = table_view(bundled_table_files(), table);
    for (const char* filter : filters)
        keep_matching(view, filter);
    std::vector<std::string> first;
    for (const TableRow& row : view.rows)
        first.push_back(row.values.at(view.columns[0].name));
    return first;
}

using Texts = std::vector<std::string>;

std::string complaint(const std::string& table, const char* filter) {
    try {
        kept(table, {filter});
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("every table can be viewed") {
    const auto outlines = table_outlines(bundled_table_files());
    for (const std::string& name : table_names()) {
        const TableView view = table_view(bundled_table_files(), name);
        INFO(name);
        CHECK_FALSE(view.about.empty());
        CHECK_FALSE(view.rows.empty());
        const auto outline = std::ranges::find(outlines, name, &TableOutline::name);
        REQUIRE(outline != outlines.end());
        CHECK(outline->about == view.about);
        CHECK(outline->rows == view.rows.size());
        CHECK(outline->newest_source >= "2026-01-01");
    }
}

TEST_CASE("a version filter matches the same version, and all that begin with it") {
    CHECK(kept("driver_for_cuda", {"cuda=12.4"}) == Texts{"12.4"});
    CHECK(kept("driver_for_cuda", {"cuda=12.4.1"}) == Texts{"12.4"});
    CHECK(kept("driver_for_cuda", {"cuda=9"}) == Texts{"9.0", "9.1", "9.2"});
    CHECK(kept("driver_for_cuda", {"cuda=12.7"}).empty());
}

TEST_CASE("a version in a range matches the rows that cover it") {
    CHECK(kept("cudnn_builds", {"cudnn=8.9.3", "cuda_major=12"}) == Texts{"8.9.2"});
    CHECK(kept("cudnn_builds", {"cudnn=8.2.3"}).empty());
    CHECK(kept("cudnn_builds", {"cudnn=8.9.7", "capability=3.5"}).empty());
    CHECK(
        kept("cudnn_builds", {"cudnn=8.7.0", "capability=3.5", "cuda_major=11"}) == Texts{"8.6.0"});
    CHECK(kept("cudnn_builds", {"cudnn=9.11", "cuda=12.4"}) == Texts{"9.11.0"});
    CHECK(kept("cuda_of_driver", {"branch=536"}) == Texts{"535"});
    CHECK(kept("rnn_defects", {"cudnn=8.9.1"}) == Texts{"masked_corruption"});
    CHECK(kept("rnn_defects", {"cudnn=8.9.2"}).empty());
    CHECK(kept("rnn_required_support", {"cudnn=9.12", "dtype=bf16"}).empty());
    CHECK(kept("rnn_required_support", {"cudnn=9.14", "dtype=bf16"}) == Texts{"bf16"});
}

TEST_CASE("a text matches as a whole, else in a part, in any case") {
    CHECK(kept("status_names", {"library=CUDA", "code=803"}) == Texts{"cuda"});
    CHECK(kept("cudnn_parts", {"soname=adv.so.9"}) == Texts{"9"});
    CHECK(kept("cudnn_parts", {"needed_to_train=yes"}) == Texts{"8", "8"});
    CHECK(kept("architectures", {"provenance=inferred"}) == Texts{"2.1", "10.7"});
    CHECK(kept("architectures", {"source=arch_matrix"}).empty());
    CHECK(kept("architectures", {"source=CUDA.jl comp", "capability=3.5"}) == Texts{"3.5"});
}

TEST_CASE("a filter that cannot be is reported in one sentence") {
    CHECK(contains(
        complaint("cudnn_builds", "cudn=8"),
        "has no column 'cudn'; it has cuda, capability, cudnn,"));
    CHECK(contains(complaint("cudnn_builds", "cudnn=new"), "'new' is not a number or version"));
    CHECK(contains(complaint("cudnn_parts", "needed_by_rnn=perhaps"), "write yes or no"));
    CHECK(contains(complaint("cudnn_parts", "soname"), "'soname' is not a filter"));
    CHECK(contains(complaint("cudnn_parts", "=x"), "is not a filter"));
}

TEST_CASE("a range is as exact as its end is written") {
    CHECK(covers(v("2.3"), v("2.4"), v("2.4.1")));
    CHECK_FALSE(covers(v("2.3"), v("2.4.0"), v("2.4.1")));
    CHECK(covers(v("2.4"), std::nullopt, v("2.4.1")));
    CHECK_FALSE(covers(v("2.4"), std::nullopt, v("2.5")));
    CHECK(agree(v("12"), v("12.4.1")));
    CHECK_FALSE(agree(v("12.5"), v("12.4.1")));
}

TEST_CASE("a directory's table is viewed as it is, and a broken one is reported") {
    const test::MatrixCopy copy;
    copy.replace("rnn_required_support.json", "\"dtype\": \"bf16\"", "\"dtype\": \"fp8\"");
    CHECK(
        table_view(table_files_of(copy.directory.string()), "rnn_required_support")
            .rows[0]
            .values.at("dtype") == "fp8");
    copy.write("rnn_required_support.json", "{");
    CHECK_THROWS_AS(
        table_view(table_files_of(copy.directory.string()), "rnn_required_support"), InputError);
}
