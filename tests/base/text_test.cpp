#include "base/text.hpp"

#include "support/catch.hpp"

using namespace rnncheck;
using namespace std::string_literals;

TEST_CASE("text from outside loses its power over terminals") {
    CHECK(escaped("\x1b[31mred\x07") == "\\x1b[31mred\\x07");
    CHECK(escaped("two\nlines") == "two\\nlines");
    CHECK(escaped("a\0b"s) == "a\\x00b");
    CHECK(
        escaped("::error::x ::add-mask::y c10::Error ::1 ##[error]z") ==
        "\\x3a:error::x \\x3a:add-mask::y c10::Error ::1 \\x23#[error]z");
    CHECK(escaped("\xc2\x9b") == "\\xc2\\x9b");  // CSI as one C1 character
    CHECK(escaped("\xff\xfe") == "\\xff\\xfe");
    CHECK(escaped("\xc0\xaf") == "\\xc0\\xaf");                         // overlong '/'
    CHECK(escaped("\xed\xa0\x80") == "\\xed\\xa0\\x80");                // a surrogate
    CHECK(escaped("\xe2\x80\xaetxt.exe") == "\\xe2\\x80\\xaetxt.exe");  // right-to-left override
    CHECK(escaped("grüße 日本") == "grüße 日本");
    CHECK(escaped(std::string(10'000, 'x'), 100).size() == 103);
}

TEST_CASE("invalid UTF-8 becomes valid") {
    CHECK(valid_utf8("ok \xf0\x9f\x98\x80") == "ok \xf0\x9f\x98\x80");
    CHECK(valid_utf8("\xff") == "\\xff");
    CHECK(valid_utf8("cut \xe6\x97") == "cut \\xe6\\x97");
}

TEST_CASE("any bytes survive the way to UTF-8 and back") {
    CHECK(
        reversible_utf8("caf\xe9 \\xe9 \\x41 caf\xc3\xa9") ==
        "caf\\xe9 \\x5cxe9 \\x41 caf\xc3\xa9");
    CHECK(original_bytes("C:\\x4 \\xEG \\xE9 \\x") == "C:\\x4 \\xEG \\xE9 \\x");
    for (const std::string text :
         {"\\\xe9",
          "\\x\xe9",
          "\\xe\xe9",
          "\\x5c",
          "\\x5cxe9",
          "\\\\xe9",
          "\\\\x5c5c",
          "\x5c",
          "plain"}) {
        INFO(text);
        CHECK(original_bytes(reversible_utf8(text)) == text);
    }
    std::string every_pair;
    for (int first = 0; first < 256; ++first)
        for (int second = 0; second < 256; ++second)
            every_pair += {static_cast<char>(first), static_cast<char>(second)};
    CHECK(original_bytes(reversible_utf8(every_pair)) == every_pair);
    CHECK(valid_utf8(reversible_utf8(every_pair)) == reversible_utf8(every_pair));
}

TEST_CASE("small helpers") {
    CHECK(trim("  a b \r\n") == "a b");
    CHECK(trim(" \t ").empty());
    CHECK(split("a::b", ':') == std::vector<std::string>{"a", "", "b"});
    CHECK(split("", ':').empty());
    CHECK(file_name("/usr/lib/libcudnn.so.9") == "libcudnn.so.9");
    CHECK(file_name("libcudnn.so.9") == "libcudnn.so.9");
    CHECK(directory_of("/usr/lib/libcudnn.so.9") == "/usr/lib");
    CHECK(join_with_and({"a", "b", "c"}) == "a, b and c");
    CHECK(join_with_and({"a"}) == "a");
    CHECK(pluralized(1, "copy", "copies") == "1 copy");
    CHECK(pluralized(0, "copy", "copies") == "0 copies");
    CHECK(short_number(1.5e-7) == "1.5e-07");
}
