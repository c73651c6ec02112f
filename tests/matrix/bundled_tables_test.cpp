// Properties that every row of every bundled table must have; a new row needs no new test.
#include <algorithm>
#include <set>
#include <tuple>

#include "matrix/tables.hpp"
#include "rnn/case.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

const Matrix::Tables& bundled() {
    static const Matrix::Tables tables(bundled_table_files());
    return tables;
}

auto key(const DriverForCuda& row) {
    return row.cuda;
}
auto key(const CudaOfDriver& row) {
    return row.branch;
}
auto key(const Architecture& row) {
    return row.capability;
}
auto key(const CudnnBuild& row) {
    return std::tuple(row.cudnn, row.cuda_major);
}
auto key(const CudnnPart& row) {
    return std::tuple(row.major, row.soname);
}
auto key(const StatusName& row) {
    return std::tuple(row.library, row.major, row.code);
}
auto key(const RnnDefect& row) {
    return std::tuple(row.first, row.id);
}
auto key(const RnnOffer& row) {
    return std::tuple(row.dtype, row.algorithm, row.first);
}
auto key(const GpuProduct& row) {
    return row.name;
}
auto key(const FrameworkBuild& row) {
    return std::tuple(row.framework, row.first, row.os, row.build);
}
auto key(const KerasBackend& row) {
    return std::tuple(row.first, row.backend);
}

auto key(const LogSignature& row) {
    return row.id;
}
auto key(const LogPointer& row) {
    return std::tuple(row.cause, row.when);
}
auto key(const LogCause& row) {
    return row.cause;
}
auto key(const FrameworkCuda& row) {
    return std::tuple(row.framework, row.first);
}

std::size_t lines_with_a_row(std::string_view text) {
    std::size_t count = 0;
    for (auto at = text.find("\n    {\""); at != std::string_view::npos; at = text.find("\n    {\"", at + 1)) ++count;
    return count;
}

void check_source(const Source& source) {
    CHECK_FALSE(source.title.empty());
    CHECK(source.url.starts_with("https://"));
    CHECK(source.seen.size() == 10);
    CHECK(source.seen >= "2026-01-01");
}

}  // namespace

TEST_CASE("every table has rows, and every row a source with a link and a date") {
    bundled().each([](const auto& table) {
        CHECK_FALSE(table.rows().empty());
        for (const auto& row : table.rows()) check_source(row.source);
    });
    for (const auto& row : bundled().driver_for_cuda.rows()) check_source(row.oldest_source);
}

TEST_CASE("rows are sorted and none is there twice") {
    bundled().each([](const auto& table) {
        const auto& rows = table.rows();
        CHECK(std::adjacent_find(rows.begin(), rows.end(),
                                 [](const auto& a, const auto& b) { return key(a) >= key(b); }) == rows.end());
    });
}

TEST_CASE("every row has a line of its own") {
    std::size_t rows = 0, lines = 0;
    bundled().each([&rows](const auto& table) { rows += table.rows().size(); });
    for (const auto& [stem, text] : bundled().files.content) lines += lines_with_a_row(text);
    CHECK(lines == rows);
}

TEST_CASE("an unconfirmed row says why") {
    bundled().each([](const auto& table) {
        for (const auto& row : table.rows())
            if (row.known == Known::unconfirmed) CHECK_FALSE(row.note.empty());
    });
}

TEST_CASE("the oldest driver of a CUDA release is never newer than the full one") {
    for (const auto& row : bundled().driver_for_cuda.rows()) CHECK(row.oldest_driver <= row.full_driver);
}

TEST_CASE("drivers and CUDA grow together, in both tables alike") {
    const auto& rows = bundled().cuda_of_driver.rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i].branch <= rows[i].last_branch);
        if (i == 0) continue;
        CHECK(rows[i].branch > rows[i - 1].last_branch);
        CHECK(rows[i].cuda >= rows[i - 1].cuda);
    }
    const Matrix matrix = Matrix::bundled();
    for (const auto& row : bundled().driver_for_cuda.rows()) {
        const auto cuda = matrix.cuda_of_driver(row.full_driver);
        REQUIRE(cuda);
        CHECK(cuda->cuda == row.cuda);
    }
}

TEST_CASE("an architecture lives from its first toolkit to its last") {
    for (const auto& row : bundled().architectures.rows())
        if (row.last_cuda) CHECK(row.first_cuda <= *row.last_cuda);
}

TEST_CASE("ranges of cuDNN builds for one CUDA major do not overlap") {
    std::map<int, Version> last;
    for (const auto& row : bundled().cudnn_builds.rows()) {
        const auto before = last.find(row.cuda_major);
        if (before != last.end()) CHECK(row.cudnn > before->second);
        last[row.cuda_major] = row.cudnn_last.value_or(row.cudnn);
        CHECK(row.cudnn <= last[row.cuda_major]);
    }
}

TEST_CASE("a cuDNN build names toolkits of its own major and GPUs from old to new") {
    for (const auto& row : bundled().cudnn_builds.rows()) {
        CHECK(row.capability_min <= row.capability_max);
        if (row.cuda_min) CHECK(row.cuda_min->major() == row.cuda_major);
        if (row.cuda_max) CHECK(row.cuda_max->major() == row.cuda_major);
        if (row.cuda_min && row.cuda_max) CHECK(*row.cuda_min <= *row.cuda_max);
    }
}

TEST_CASE("every cuDNN major has a front library, and its parts carry the major's name") {
    for (const int major : {7, 8, 9}) {
        const std::string front = "libcudnn.so." + std::to_string(major);
        const auto parts = Matrix::bundled().cudnn_parts(major);
        CHECK(std::count_if(parts.begin(), parts.end(), [&](const auto& part) { return part.soname == front; }) == 1);
        for (const auto& part : parts) {
            CHECK(part.soname.ends_with(".so." + std::to_string(major)));
            CHECK(part.since.major() == major);
        }
    }
}

TEST_CASE("a defect ends after it began and names a rule that can report it") {
    std::set<std::string> ids;
    for (const auto& row : bundled().rnn_defects.rows()) {
        CHECK(ids.insert(row.id).second);
        CHECK((row.cause == "cudnn_bug" || row.cause == "cudnn_masked_rnn_bug" || row.cause == "cudnn_varlen_rnn_bug"));
        if (row.fixed) CHECK(row.first < *row.fixed);
        CHECK((row.os.empty() || row.os == "linux" || row.os == "windows"));
        CHECK_FALSE(row.symptom.ends_with('.'));
        CHECK(row.workaround.ends_with('.'));
    }
}

TEST_CASE("offers speak of cases that exist") {
    for (const auto& row : bundled().rnn_offers.rows()) {
        CHECK(from_name<Dtype>(row.dtype));
        CHECK(from_name<Algorithm>(row.algorithm));
        if (row.last) CHECK(row.first <= *row.last);
    }
}
