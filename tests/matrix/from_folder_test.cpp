// A folder of tables: the same as the bundled ones, or one sentence that says which file and row is wrong.
#include <algorithm>
#include <filesystem>

#include "base/errors.hpp"
#include "base/sha256.hpp"
#include "matrix/tables.hpp"
#include "matrix/verify.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/matrix_copy.hpp"

using namespace rnncheck;
using rnncheck::test::v;
namespace fs = std::filesystem;

namespace {

const std::string source_folder = PROJECT_FOLDER "/compat_matrix";

struct Copy : test::MatrixCopy {
    std::string error() const {
        try {
            Matrix::from_folder(folder.string());
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }
};

/// What from_folder says when `old_text` of a table is replaced.
std::string error_after(const std::string& file, const std::string& old_text, const std::string& new_text) {
    const Copy copy;
    copy.replace(file, old_text, new_text);
    return copy.error();
}

bool says(const std::string& message, std::initializer_list<const char*> parts) {
    INFO(message);
    const bool all = std::all_of(parts.begin(), parts.end(),
                                 [&](const char* part) { return message.find(part) != std::string::npos; });
    CHECK(all);
    return all;
}

}  // namespace

TEST_CASE("SHA-256 agrees with the examples of FIPS 180-2") {
    CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256_hex(std::string(1'000'000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("the folder the tables were compiled from gives the same matrix") {
    const Matrix bundled = Matrix::bundled();
    const Matrix folder = Matrix::from_folder(source_folder);
    CHECK(folder.digest() == bundled.digest());
    CHECK(folder.digest().size() == std::string("sha256:").size() + 64);
    CHECK(folder.date() == bundled.date());
    CHECK(folder.driver_for_cuda(v("12.4"))->full_driver == v("550.54.14"));
}

TEST_CASE("the date is that of the newest source") {
    const Matrix::Tables tables(bundled_table_files());
    std::string newest;
    tables.each([&newest](const auto& table) {
        for (const auto& row : table.rows()) newest = std::max(newest, row.source.seen);
    });
    CHECK(tables.files.date == newest);
}

TEST_CASE("a changed row changes digest, date and answer") {
    const Copy copy;
    copy.replace("driver_for_cuda.json", "\"full_driver\": \"550.54.14\"", "\"full_driver\": \"550.99\"");
    copy.replace("driver_for_cuda.json", "\"seen\": \"2026-10-01\"", "\"seen\": \"2099-01-31\"");
    const Matrix matrix = Matrix::from_folder(copy.folder.string());
    CHECK(matrix.digest() != Matrix::bundled().digest());
    CHECK(matrix.date() == "2099-01-31");
    CHECK(matrix.driver_for_cuda(v("12.4"))->full_driver == v("550.99"));
}

TEST_CASE("a table is read by the first question to it, not before") {
    TableFiles files = bundled_table_files();
    files.content["status_names"] = "broken";
    const Matrix matrix(std::make_shared<Matrix::Tables>(std::move(files)));
    CHECK(matrix.driver_for_cuda(v("12.4")));
    CHECK_THROWS_AS(matrix.status("cuda", 0, 803), InputError);
}

TEST_CASE("a folder that is not there, or without tables") {
    CHECK_THROWS_AS(Matrix::from_folder("/nonexistent"), InputError);
    CHECK_THROWS_AS(Matrix::from_folder("/proc/self/fd"), InputError);
}

TEST_CASE("a missing table is named") {
    const Copy copy;
    fs::remove(copy.folder / "rnn_offers.json");
    says(copy.error(), {"/rnn_offers.json", "missing"});
}

TEST_CASE("a table that is no file, too large, or no JSON is named with the place") {
    const Copy copy;
    copy.write("architectures.json", "{ \"about\": \"x\",\n  oops }");
    says(copy.error(), {"architectures.json", "no valid JSON at line 2, column 3"});
    copy.write("architectures.json", std::string((1 << 20) + 1, ' '));
    says(copy.error(), {"architectures.json", "larger than 1 MiB"});
    copy.write("architectures.json", "[]");
    says(copy.error(), {"architectures.json", "not an object"});
    fs::remove(copy.folder / "architectures.json");
    fs::create_directory(copy.folder / "architectures.json");
    says(copy.error(), {"architectures.json", "cannot be read"});
}

TEST_CASE("a NUL, behind which a parser would see nothing, and nesting that would end a reader's stack are refused") {
    const Copy copy;
    copy.write("xid.json", copy.content_of(copy.folder / "xid.json") + std::string("\0 } this is no JSON", 20));
    says(copy.error(), {"xid.json", "a NUL byte at line "});
    const std::string deep = "{\"z\": " + std::string(30'000, '[') + std::string(30'000, ']') + "}";
    copy.write("xid.json", deep);
    says(copy.error(), {"xid.json", "nested too deeply"});
    CHECK(verify(table_files_of(copy.folder.string()), "2026-12-31").front().text == "nested too deeply");
}

TEST_CASE("a bad cell is named with file, row and column") {
    says(error_after("driver_for_cuda.json", "\"cuda\": \"9.2\"", "\"cuda\": \"9.x\""),
         {"driver_for_cuda.json, row 3, column 'cuda'", "'9.x' is no version"});
    says(error_after("driver_for_cuda.json", "\"cuda\": \"9.2\"", "\"cuda\": 9.2"),
         {"driver_for_cuda.json, row 3, column 'cuda'", "not a text"});
    says(error_after("cuda_of_driver.json", "\"branch\": 387", "\"branch\": \"387\""),
         {"cuda_of_driver.json, row 2, column 'branch'", "not a whole number"});
    says(error_after("cuda_of_driver.json", "\"branch\": 387", "\"branch\": -1"),
         {"cuda_of_driver.json, row 2, column 'branch'", "out of range"});
    says(error_after("cudnn_parts.json", "\"needed_by_rnn\": true", "\"needed_by_rnn\": 1"),
         {"cudnn_parts.json, row 1, column 'needed_by_rnn'", "neither true nor false"});
    says(error_after("rnn_offers.json", "\"known\": \"inferred\"", "\"known\": \"guessed\""),
         {"rnn_offers.json, row 2, column 'known'", "'guessed' is none of"});
}

TEST_CASE("a row without source, or with one that is not listed") {
    says(error_after("architectures.json", "\"source\": \"cuda_jl\", ", ""),
         {"architectures.json, row 1, column 'source'", "missing"});
    says(error_after("architectures.json", "\"source\": \"cuda_jl\"", "\"source\": \"hearsay\""),
         {"architectures.json, row 1, column 'source'", "'hearsay' is not in the table's list"});
}

TEST_CASE("a source without link, title or date") {
    says(error_after("rnn_offers.json", "\"url\": \"https://", "\"link\": \"https://"),
         {"rnn_offers.json, source 'torch_164411'", "'url'"});
    says(error_after("rnn_offers.json", "\"url\": \"https://", "\"url\": \"ftp://"),
         {"rnn_offers.json, source 'torch_164411'", "https"});
    says(error_after("rnn_offers.json", "\"seen\": \"2026-11-21\"", "\"seen\": \"21.11.2026\""),
         {"rnn_offers.json, source 'torch_164411'", "'seen' is no date"});
}

TEST_CASE("columns that nobody knows, or of another type") {
    says(error_after("rnn_defects.json", "\"cause\": \"cudnn_bug\", \"first\": \"6.0.0\"",
                     "\"cause\": \"cudnn_bug\", \"fist\": \"6.0.0\", \"first\": \"6.0.0\""),
         {"rnn_defects.json, row 2, column 'fist'", "unknown column"});
    says(error_after("rnn_defects.json", "\"columns\": {", "\"columns\": {\"fist\": \"text\", "),
         {"rnn_defects.json, column 'fist'", "unknown column"});
    says(error_after("rnn_defects.json", "\"first\": \"version\"", "\"first\": \"integer\""),
         {"rnn_defects.json, column 'first'", "'version'"});
    says(error_after("rnn_defects.json", "\"first\": \"6.0.0\", ", ""),
         {"rnn_defects.json, row 2, column 'first'", "missing"});
}

TEST_CASE("a message shows nothing that could upset a terminal") {
    const std::string message = error_after("driver_for_cuda.json", "\"cuda\": \"9.2\"", "\"cuda\": \"\\u001b[2J\"");
    says(message, {"row 3", "\\x1b[2J"});
}
