// A directory of tables: the same as the bundled ones, or one sentence that names which file and
// row is wrong.
#include <algorithm>
#include <filesystem>

#include "base/program.hpp"
#include "base/sha256.hpp"
#include "matrix/tables.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/matrix_copy.hpp"

using namespace rnncheck;
using rnncheck::test::v;
namespace fs = std::filesystem;

namespace {

const std::string source_directory = PROJECT_DIRECTORY "/compat_matrix";

struct Copy : test::MatrixCopy {
    std::string error() const {
        try {
            Matrix::from_directory(directory.string());
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }
};

/// What from_directory reports when `old_text` of a table is replaced.
std::string error_after(
    const std::string& file, const std::string& old_text, const std::string& new_text) {
    const Copy copy;
    copy.replace(file, old_text, new_text);
    return copy.error();
}

bool states(const std::string& message, std::initializer_list<const char*> parts) {
    INFO(message);
    const bool all = std::all_of(parts.begin(), parts.end(), [&](const char* part) {
        return message.find(part) != std::string::npos;
    });
    CHECK(all);
    return all;
}

}  // namespace

TEST_CASE("SHA-256 agrees with the examples of FIPS 180-2") {
    CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(
        sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(
        sha256_hex(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("the directory the tables were compiled from gives the same matrix") {
    const Matrix bundled = Matrix::bundled();
    const Matrix directory = Matrix::from_directory(source_directory);
    CHECK(directory.digest() == bundled.digest());
    CHECK(directory.digest().size() == std::string("sha256:").size() + 64);
    CHECK(directory.date() == bundled.date());
    CHECK(directory.driver_for_cuda(v("12.4"))->full_driver == v("550.54.14"));
}

TEST_CASE("the date is that of the newest source") {
    const Tables tables(bundled_table_files());
    std::string newest;
    tables.each([&newest](const auto& table) {
        for (const auto& row : table.rows())
            newest = std::max(newest, row.source.seen);
    });
    CHECK(tables.files.date == newest);
}

TEST_CASE("a changed row changes digest, date and answer") {
    const Copy copy;
    copy.replace(
        "driver_for_cuda.json", "\"full_driver\": \"550.54.14\"", "\"full_driver\": \"550.99\"");
    copy.replace("driver_for_cuda.json", "\"seen\": \"2026-10-01\"", "\"seen\": \"2099-01-31\"");
    const Matrix matrix = Matrix::from_directory(copy.directory.string());
    CHECK(matrix.digest() != Matrix::bundled().digest());
    CHECK(matrix.date() == "2099-01-31");
    CHECK(matrix.driver_for_cuda(v("12.4"))->full_driver == v("550.99"));
}

TEST_CASE("a table is read by the first question to it, not before") {
    TableFiles files = bundled_table_files();
    files.content["status_names"] = "broken";
    const Matrix matrix(std::make_shared<Tables>(std::move(files)));
    CHECK(matrix.driver_for_cuda(v("12.4")));
    CHECK_THROWS_AS(matrix.status("cuda", 0, 803), InputError);
}

TEST_CASE("a directory that is not there, or without tables") {
    CHECK_THROWS_AS(Matrix::from_directory("/nonexistent"), InputError);
    CHECK_THROWS_AS(Matrix::from_directory("/proc/self/fd"), InputError);
}

TEST_CASE("a missing table is named") {
    const Copy copy;
    fs::remove(copy.directory / "rnn_required_support.json");
    states(copy.error(), {"/rnn_required_support.json", "missing"});
}

TEST_CASE("a table that is no file, too large, or no JSON is named with the place") {
    const Copy copy;
    copy.write("architectures.json", "{ \"about\": \"x\",\n  oops }");
    states(copy.error(), {"architectures.json", "invalid JSON at line 2, column 3"});
    copy.write("architectures.json", R"({"about": 1e999})");
    states(copy.error(), {"architectures.json", "invalid JSON"});
    copy.write("architectures.json", std::string((1 << 20) + 1, ' '));
    states(copy.error(), {"architectures.json", "larger than 1 MiB"});
    copy.write("architectures.json", "[]");
    states(copy.error(), {"architectures.json", "not an object"});
    fs::remove(copy.directory / "architectures.json");
    fs::create_directory(copy.directory / "architectures.json");
    states(copy.error(), {"architectures.json", "cannot be read"});
}

TEST_CASE(
    "a NUL, behind which a parser would see nothing, and nesting that would end a reader's stack "
    "are rejected") {
    const Copy copy;
    copy.write(
        "xid.json",
        copy.content_of(copy.directory / "xid.json") + std::string("\0 } this is no JSON", 20));
    states(copy.error(), {"xid.json", "a NUL byte at line "});
    const std::string deep = "{\"z\": " + std::string(30'000, '[') + std::string(30'000, ']') + "}";
    copy.write("xid.json", deep);
    states(copy.error(), {"xid.json", "nested too deeply"});
    CHECK(
        verify(Tables(table_files_of(copy.directory.string()))).front().text ==
        "nested too deeply");
}

TEST_CASE("a fault is named with file, row and column") {
    const struct {
        const char *table, *old_text, *new_text, *place, *what;
    } faults[] = {
        {"driver_for_cuda",
         R"("cuda": "9.2")",
         R"("cuda": "9.x")",
         ", row 3: column 'cuda'",
         "'9.x' is not a version"},
        {"driver_for_cuda",
         R"("cuda": "9.2")",
         R"("cuda": 9.2)",
         ", row 3: column 'cuda'",
         "a text is expected"},
        {"cuda_of_driver",
         R"("branch": 387)",
         R"("branch": "387")",
         ", row 2: column 'branch'",
         "a whole number"},
        {"cuda_of_driver",
         R"("branch": 387)",
         R"("branch": -1)",
         ", row 2: column 'branch'",
         "out of range"},
        {"cuda_of_driver",
         R"("branch": 387)",
         R"("branch": 4294967683)",
         ", row 2: column 'branch'",
         "out of range"},
        {"cudnn_parts",
         R"("needed_by_rnn": true)",
         R"("needed_by_rnn": 1)",
         ", row 1: column 'needed_by_rnn'",
         "true or false"},
        {"rnn_required_support",
         R"("provenance": "inferred")",
         R"("provenance": "guessed")",
         ", row 2: column 'provenance'",
         "'guessed' is not one of documented, source_code, inferred and unconfirmed"},
        {"architectures", R"("source": "cuda_jl", )", "", ", row 3: column 'source'", "missing"},
        {"architectures",
         R"("source": "cuda_jl")",
         R"("source": "hearsay")",
         ", row 3: column 'source'",
         "'hearsay' is not in the table's list"},
        {"rnn_required_support",
         R"("url": "https://)",
         R"("link": "https://)",
         ": source 'torch_164411'",
         "'url' is missing"},
        {"rnn_required_support",
         R"("url": "https://)",
         R"("url": "ftp://)",
         ": source 'torch_164411'",
         "https"},
        {"rnn_required_support",
         R"("seen": "2026-11-21")",
         R"("seen": "21.11.2026")",
         ": source 'torch_164411'",
         "'seen' is not a date"},
        {"rnn_defects",
         R"("cudnn_bug", "first": "6.0.0")",
         R"("cudnn_bug", "fist": "6.0.0", "first": "6.0.0")",
         ", row 2: column 'fist'",
         "unknown column"},
        {"rnn_defects",
         R"("columns": {)",
         R"("columns": {"fist": "text", )",
         ": column 'fist'",
         "unknown column"},
        {"rnn_defects",
         R"("first": "version")",
         R"("first": "integer")",
         ": column 'first'",
         "'version'"},
        {"rnn_defects", R"("first": "6.0.0", )", "", ", row 2: column 'first'", "missing"},
        {"rnn_required_support",
         R"({"dtype": "bf16",)",
         R"({"dtype": "fp16", "dtype": "bf16",)",
         ", row 1",
         "the key 'dtype' is duplicated"},
        {"xid", R"("columns":)", R"("rows": [], "columns":)", "", "the key 'rows' is duplicated"},
    };
    for (const auto& fault : faults) {
        const std::string file = std::string(fault.table) + ".json";
        states(
            error_after(file, fault.old_text, fault.new_text),
            {(file + fault.place + ": ").c_str(), fault.what});
    }
}

TEST_CASE("a table of nothing but faults is given up after the first thousand") {
    const Copy copy;
    std::string rows = "{}";
    for (int i = 0; i < 20'000; ++i)
        rows += ",{}";
    copy.write("xid.json", R"({"columns": {}, "sources": {}, "rows": [)" + rows + "]}");
    const auto issues = verify(Tables(table_files_of(copy.directory.string())));
    CHECK(issues.size() < 1100);
    states(copy.error(), {"xid.json, row 1: column 'xid': missing"});
}

TEST_CASE("a message shows nothing that could upset a terminal") {
    const std::string message =
        error_after("driver_for_cuda.json", R"("cuda": "9.2")", R"("cuda": "\u001b[2J")");
    states(message, {"row 3", "\\x1b[2J"});
}
