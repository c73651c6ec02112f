#include "base/text.hpp"

#include "support/catch.hpp"

using namespace rnncheck;
using namespace std::string_literals;

TEST_CASE("text from outside loses its power over terminals") {
    CHECK(escaped("\x1b[31mred\x07") == "\\x1b[31mred\\x07");
    CHECK(escaped("two\nlines") == "two\\nlines");
    CHECK(escaped("two\nlines", 100, true) == "two\nlines");
    CHECK(escaped("a\0b"s) == "a\\x00b");
    CHECK(escaped("\xc2\x9b") == "\\xc2\\x9b");        // CSI as one C1 character
    CHECK(escaped("\xff\xfe") == "\\xff\\xfe");
    CHECK(escaped("\xc0\xaf") == "\\xc0\\xaf");        // overlong '/'
    CHECK(escaped("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
    CHECK(escaped("\xe2\x80\xaetxt.exe") == "\\xe2\\x80\\xaetxt.exe");  // right-to-left override
    CHECK(escaped("grüße 日本") == "grüße 日本");
    CHECK(escaped(std::string(10'000, 'x'), 100).size() == 103);
}

TEST_CASE("invalid UTF-8 becomes valid") {
    CHECK(valid_utf8("ok \xf0\x9f\x98\x80") == "ok \xf0\x9f\x98\x80");
    CHECK(valid_utf8("\xff") == "\xef\xbf\xbd");
    CHECK(valid_utf8("cut \xe6\x97") == "cut \xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("small helpers") {
    CHECK(trim("  a b \r\n") == "a b");
    CHECK(trim(" \t ").empty());
    CHECK(split("a::b", ':') == std::vector<std::string>{"a", "", "b"});
    CHECK(split("", ':').empty());
    CHECK(listing({"a", "b", "c"}) == "a, b and c");
    CHECK(listing({"a"}) == "a");
    CHECK(counted(1, "copy", "copies") == "1 copy");
    CHECK(counted(0, "copy", "copies") == "0 copies");
    CHECK(short_number(1.5e-7) == "1.5e-07");
}
