// A word that a shell reads back as the same text.
#include <array>
#include <cstdio>

#include "base/text.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

/// What /bin/sh makes of it.
std::string read_by_a_shell(const std::string& word) {
    FILE* pipe = popen(("printf %s " + word).c_str(), "r");
    REQUIRE(pipe);
    std::string text;
    std::array<char, 256> block{};
    while (const auto size = fread(block.data(), 1, block.size(), pipe))
        text.append(block.data(), size);
    CHECK(pclose(pipe) == 0);
    return text;
}

}  // namespace

TEST_CASE("a plain path and a requirement stay as they are") {
    CHECK(shell_quoted("/srv/venv/bin/python3.11") == "/srv/venv/bin/python3.11");
    CHECK(shell_quoted("nvidia-cudnn-cu12==9.1.0.70") == "nvidia-cudnn-cu12==9.1.0.70");
}

TEST_CASE("whatever is in a text, a shell runs none of it and reads it back") {
    for (const std::string text : {"",           " ",         "a b",     "it's",  "''",
                                   "$(touch x)", "`id`",      "a;b",     "a&b|c", "*?[x]",
                                   "~",          "!x",        "#no",     "\"q\"", "back\\slash",
                                   "new\nline",  "u'$(id)'u", "${HOME}", "<in>",  "\xc3\xa9"}) {
        INFO(text);
        CHECK(read_by_a_shell(shell_quoted(text)) == text);
    }
}
