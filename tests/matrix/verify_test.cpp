// Each kind of fault, planted in copied tables, is named with its table, its row and what to
// do.
#include "base/program.hpp"
#include "base/text.hpp"
#include "matrix/tables.hpp"
#include "support/catch.hpp"
#include "support/matrix_copy.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

std::vector<Issue> issues_of(const MatrixCopy& copy) {
    return verify(Tables(table_files_of(copy.directory.string())));
}

std::string text_of(const std::vector<Issue>& issues) {
    std::string text;
    for (const Issue& issue : issues)
        text += issue.table + " " + std::to_string(issue.row) + ": " + issue.text + "\n";
    return text;
}

bool has(
    const std::vector<Issue>& issues,
    const std::string& table,
    std::size_t row,
    const std::string& part) {
    for (const Issue& issue : issues)
        if (issue.table == table && issue.row == row && contains(issue.text, part))
            return true;
    return false;
}

/// A small table of a few rows instead of the bundled one, so that a test does not depend on what
/// that holds.
void put(const MatrixCopy& copy, const std::string& table, const std::vector<std::string>& rows) {
    std::string text =
        R"({"about": "x", "columns": {}, )"
        R"("sources": {"s": {"title": "t", "url": "https://example.org/", "seen": "2026-11-21"}}, "rows": [)";
    for (std::size_t i = 0; i < rows.size(); ++i)
        text += std::string(i > 0 ? "," : "") + "\n    {" + rows[i] +
                R"(, "source": "s", "provenance": "documented"})";
    copy.write(table + ".json", text + "\n  ]\n}\n");
}

std::vector<Issue> after(
    const std::string& file, const std::string& old_text, const std::string& new_text) {
    const MatrixCopy copy;
    copy.replace(file, old_text, new_text);
    return issues_of(copy);
}

std::string build(
    const std::string& first_to_last,
    const std::string& more,
    const std::string& framework = "pytorch") {
    return R"("framework": ")" + framework + R"(", )" + first_to_last +
           R"(, "os": "linux", "build": "cu", "libraries": "wheels", "package": "p", )" + more;
}

/// What verify reports of framework_builds when it holds these rows.
std::vector<Issue> of_builds(const std::vector<std::string>& rows) {
    const MatrixCopy copy;
    put(copy, "keras_backends", {});
    put(copy, "framework_builds", rows);
    auto issues = issues_of(copy);
    std::erase_if(issues, [](const Issue& c) { return c.table != "framework_builds"; });
    return issues;
}

}  // namespace

TEST_CASE("tables without a fault raise no issue") {
    const MatrixCopy copy;
    CHECK(text_of(issues_of(copy)).empty());
}

TEST_CASE("all issues come at once, with table and row") {
    const MatrixCopy copy;
    copy.replace(
        "driver_for_cuda.json", R"("cuda": "9.2", "full_driver": "396.26")", R"("cuda": "9.x")");
    copy.replace("architectures.json", R"("source": "cuda_jl", )", "");
    copy.write("rnn_required_support.json", "{");
    std::filesystem::remove(copy.directory / "gpu_products.json");
    const auto issues = issues_of(copy);
    INFO(text_of(issues));
    CHECK(has(issues, "driver_for_cuda", 3, "column 'cuda': '9.x' is not a version"));
    CHECK(has(issues, "driver_for_cuda", 3, "column 'full_driver': missing"));
    CHECK(has(issues, "architectures", 3, "column 'source': missing"));
    CHECK(has(issues, "rnn_required_support", 0, "invalid JSON"));
    CHECK(has(issues, "gpu_products", 0, "this table is missing"));
    CHECK(issues.size() == 5);
}

TEST_CASE("a source that is not listed, or lacks its link, is one issue for each place") {
    const auto unknown =
        after("architectures.json", R"("source": "cuda_jl")", R"("source": "hearsay")");
    CHECK(has(unknown, "architectures", 3, "'hearsay' is not in the table's list of sources"));
    CHECK(unknown.size() == 1);
    const auto linkless = after("architectures.json", R"("url": "https)", R"("url": "ftp)");
    CHECK(has(
        linkless, "architectures", 0, "source 'arch_matrix': 'url' does not begin with https://"));
    CHECK(linkless.size() == 1);
}

TEST_CASE("rows out of order, or twice") {
    const MatrixCopy copy;
    put(copy,
        "gpu_products",
        {R"("name": "B", "capability": "8.6")",
         R"("name": "A", "capability": "8.6")",
         R"("name": "A", "capability": "8.6")"});
    const auto issues = issues_of(copy);
    INFO(text_of(issues));
    CHECK(has(issues, "gpu_products", 2, "belongs before row 1"));
    CHECK(has(issues, "gpu_products", 3, "duplicates row 2"));
    CHECK(issues.size() == 2);
}

TEST_CASE("a table that nothing reads, or without rows") {
    const MatrixCopy copy;
    copy.write("achitectures.json", "{}");
    put(copy, "keras_backends", {});
    const auto issues = issues_of(copy);
    CHECK(has(issues, "achitectures", 0, "no table has this name"));
    CHECK(has(issues, "keras_backends", 0, "no rows"));
    CHECK(issues.size() == 2);
}

TEST_CASE("ranges that overlap are named with both rows") {
    const auto issues = of_builds(
        {build(R"("first": "2.4", "last": "2.5")", R"("cuda": "12.4", "cudnn": "9.1.0")"),
         build(R"("first": "2.5.1")", R"("cuda": "12.4", "cudnn": "9.1.0")")});
    INFO(text_of(issues));
    CHECK(has(issues, "framework_builds", 2, "overlaps row 1 of pytorch linux cu"));
    CHECK(issues.size() == 1);
    const auto drivers =
        after("cuda_of_driver.json", R"("last_branch": 544)", R"("last_branch": 545)");
    CHECK(text_of(drivers).find("overlaps row") != std::string::npos);
}

TEST_CASE("a range that ends before it begins") {
    const auto issues = of_builds({build(
        R"("first": "2.4", "last": "2.3", "python_first": "3.12", "python_last": "3.9")",
        R"("cuda": "12.4", "cudnn": "9.1.0")")});
    CHECK(has(issues, "framework_builds", 1, "'last' (2.3) comes before 'first' (2.4)"));
    CHECK(has(issues, "framework_builds", 1, "'python_last' (3.9) comes before"));
}

TEST_CASE("drivers and toolkits contradict each other") {
    const auto branch = after(
        "cuda_of_driver.json",
        R"("last_branch": 544, "cuda": "12.2")",
        R"("last_branch": 544, "cuda": "12.1")");
    INFO(text_of(branch));
    CHECK(contains(
        text_of(branch),
        "full_driver 535.54.03 is for CUDA 12.2 here, but in cuda_of_driver branch 535 ends"));
    const auto order = after(
        "driver_for_cuda.json", R"("full_driver": "530.30.02")", R"("full_driver": "520.30.02")");
    CHECK(contains(
        text_of(order), "the oldest driver 525.60.13 is newer than the full one 520.30.02"));
    const auto unknown = after("cuda_of_driver.json", R"("cuda": "12.7")", R"("cuda": "12.75")");
    CHECK(contains(text_of(unknown), "driver_for_cuda does not contain CUDA 12.75"));
}

TEST_CASE("cuDNN builds contradict drivers and architectures") {
    const auto driver =
        after("cudnn_builds.json", R"("driver_min": "525.60.13")", R"("driver_min": "520.60.13")");
    CHECK(contains(
        text_of(driver), "driver_min 520.60.13 does not run CUDA 12.0, which needs 525.60.13"));
    const auto newest = after(
        "cudnn_builds.json",
        R"("cuda_max": "11.8", "capability_min": "5.0", "capability_max": "9.0")",
        R"("cuda_max": "11.8", "capability_min": "5.0", "capability_max": "12.0")");
    CHECK(contains(text_of(newest), "capability 12.0 begins with CUDA 12.8"));
    const auto oldest = after(
        "cudnn_builds.json",
        R"("capability_min": "5.0", "capability_max": "9.0", "driver_min": "525)",
        R"("capability_min": "3.5", "capability_max": "9.0", "driver_min": "525)");
    CHECK(contains(text_of(oldest), "capability 3.5 ends with CUDA 11.8"));
    const auto unknown =
        after("cudnn_builds.json", R"("capability_min": "5.0")", R"("capability_min": "5.1")");
    CHECK(contains(text_of(unknown), "architectures does not contain capability 5.1"));
    const auto major = after("cudnn_builds.json", R"("cuda_max": "11.8")", R"("cuda_max": "12.8")");
    CHECK(contains(text_of(major), "toolkit 12.8 is not of cuda_major 11"));
}

TEST_CASE("framework builds contradict the other tables") {
    const auto one = [](const std::string& more) {
        return text_of(of_builds({build(R"("first": "2.4")", more)}));
    };
    CHECK(
        one(R"("cuda": "12.4", "cudnn": "9.1.0", "targets": "sm_50 sm_90a compute_90", "driver_min": "525.60.13")")
            .empty());
    CHECK(one(R"("cuda": "11.2", "cudnn": "8.1")").empty());
    CHECK(contains(
        one(R"("cuda": "13.0", "cudnn": "9.1.0")"), "cudnn_builds has no cuDNN 9.1.0 for CUDA 13"));
    CHECK(contains(
        one(R"("cuda": "10.0", "cudnn": "8.0.4")"), "begins with a later toolkit than CUDA 10.0"));
    CHECK(contains(
        one(R"("cuda": "12.4", "targets": "sm_120")"), "CUDA 12.4 cannot compile for 12.0"));
    CHECK(
        contains(one(R"("cuda": "13.0", "targets": "sm_70")"), "CUDA 13.0 cannot compile for 7.0"));
    CHECK(contains(one(R"("cuda": "12.4", "targets": "8.0")"), "'8.0' is not a target"));
    CHECK(contains(
        one(R"("cuda": "12.4", "driver_min": "450.80.02")"),
        "driver_min 450.80.02 does not run CUDA 12.4"));
    CHECK(contains(one(R"("cuda": "12.75")"), "driver_for_cuda does not contain CUDA 12.75"));
}

TEST_CASE("a issue shows nothing that could upset a terminal") {
    const auto issues = after(
        "architectures.json",
        R"("name": "Kepler", "first_cuda": "4.2")",
        R"("name": "Kepler", "first_cuda": "\u001b[2J")");
    CHECK(contains(text_of(issues), "\\x1b[2J"));
    CHECK_FALSE(contains(text_of(issues), "\x1b"));
}

TEST_CASE("dates that there are not") {
    for (const std::string date : {"2026-13-41", "2026-02-31", "9999-99-99", "1999-01-01"}) {
        INFO(date);
        const auto issues = after(
            "xid.json", "\"seen\": \"2026-1", "\"seen\": \"" + date + "\", \"was\": \"2026-1");
        CHECK(contains(text_of(issues), "'seen' is not a date"));
    }
}

TEST_CASE("an image with a CUDA that there is not, and a cause that nothing knows") {
    CHECK(contains(
        text_of(after("container_images.json", R"("cuda": "12.4.1")", R"("cuda": "12.7.1")")),
        "driver_for_cuda does not contain CUDA 12.7.1"));
    CHECK(contains(
        text_of(after(
            "log_evidence.json",
            R"("algorithms_differ", "likely": ")",
            R"("algorithms_differ", "likely": "no_such_)")),
        "log_causes has no 'no_such_"));
}

TEST_CASE("a driver branch that there is not") {
    CHECK(contains(
        text_of(after("forward_compatibility.json", R"("branch": 470)", R"("branch": 999)")),
        "cuda_of_driver does not contain branch 999"));
}

TEST_CASE("a key that appears twice") {
    CHECK(contains(
        text_of(after("xid.json", "\"columns\":", "\"rows\": [], \"columns\":")),
        "'rows' is duplicated"));
    const auto source = after(
        "xid.json",
        "\"sources\": {\n",
        "\"sources\": {\n    \"s\": {\"title\": \"t\", \"url\": \"https://a.b/\", \"seen\": "
        "\"2026-11-21\"},\n"
        "    \"s\": {\"title\": \"u\", \"url\": \"https://a.b/\", \"seen\": \"2026-11-21\"},\n");
    INFO(text_of(source));
    CHECK(has(source, "xid", 0, "the key 's' is duplicated in 'sources'"));
    CHECK(source.size() == 1);
    const auto cell = after(
        "rnn_required_support.json",
        R"({"dtype": "bf16",)",
        R"({"dtype": "fp16", "dtype": "bf16",)");
    CHECK(has(cell, "rnn_required_support", 1, "the key 'dtype' is duplicated"));
}
