// What terminals, web pages, mail and collectors do to text is undone.
#include "log/normalize.hpp"

#include "support/catch.hpp"

using namespace rnncheck::log_reader;

namespace {

std::string read(std::string_view raw) {
    return normalized(lines_of(raw)).text;
}

}  // namespace

TEST_CASE("colour codes go, in every spelling") {
    CHECK(read("\x1B[01;31m\x1B[KCUDNN_STATUS\x1B[m\x1B[K_BAD_PARAM") == "CUDNN_STATUS_BAD_PARAM");
    CHECK(read("^[[31merror^[[0m") == "error");
    CHECK(read("[31merror[0m here") == "error here");
    CHECK(read("\\x1b[1mbold\\033[0m") == "bold");
    CHECK(read("Registered devices: [CPU, GPU]") == "Registered devices: [CPU, GPU]");
    CHECK(read("shape[2, 3]m") == "shape[2, 3]m");
}

TEST_CASE("HTML becomes text, and other angle brackets stay") {
    CHECK(
        read("Op &#39;CudnnRNN&#39; &lt;no registered kernels&gt;") ==
        "Op 'CudnnRNN' <no registered kernels>");
    CHECK(read("<pre><code class=\"x\">error</code></pre>") == "error");
    CHECK(read("  <no registered kernels>") == "<no registered kernels>");
    CHECK(read("a<br/>b") == "a b");
    CHECK(read("1 < 2 and <b") == "1 < 2 and <b");
}

TEST_CASE("JSON lines are unescaped, other backslashes stay") {
    CHECK(
        read(R"({"log":"a \"b\"\tc\n","stream":"stderr"})") ==
        R"({"log":"a "b" c ","stream":"stderr"})");
    CHECK(read(R"(C:\temp\new)") == R"(C:\temp\new)");
}

TEST_CASE("quotation marks of mail and of typographers") {
    CHECK(read("> > \xE2\x80\x98lengths\xE2\x80\x99 argument") == "'lengths' argument");
    CHECK(read("a\xC2\xA0\xC2\xA0z") == "a z");
}

TEST_CASE("zeros and control characters vanish, lines are kept apart") {
    const auto text = normalized(lines_of(std::string_view("one\0 two\r\nthree\n\nfour", 21)));
    CHECK(text.text == "one two\nthree\n\nfour");
    CHECK(text.without_whitespace == "onetwothreefour");
    REQUIRE(text.lines.size() == 4);
    CHECK(line_at(text.text_starts, text.text.find("three")) == 1);
    CHECK(line_at(text.text_starts, text.text.find("four")) == 3);
    CHECK(line_at(text.without_whitespace_starts, text.without_whitespace.find("three")) == 1);
    CHECK(text.lines[3].number == 4);
}

TEST_CASE("pieces of a long line are joined as they were") {
    const auto text = normalized(
        {{"> {\"a\":\"one\\ttwo ", 1, true}, {"three\\nfour", 1, false}, {"five", 2, true}});
    CHECK(text.text == "{\"a\":\"one two three four\nfive");
    CHECK(line_at(text.text_starts, text.text.find("three")) == 1);
}

TEST_CASE("unfinished codes, entities and tags at the end do no harm") {
    for (const char* text :
         {"\x1B",
          "\x1B[",
          "\x1B[31",
          "^[[",
          "&#3",
          "&",
          "<",
          "</",
          "<br",
          "\\",
          "\\x1b",
          "[1",
          "{\"a\":\"\\"})
        CHECK(read(text).size() <= std::string_view(text).size() + 1);
}
