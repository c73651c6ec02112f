// Words are found wherever they stand, and none is found that is not there.
#include "log/word_search.hpp"

#include <algorithm>
#include <random>

#include "log/rare_words.hpp"
#include "matrix/matrix.hpp"
#include "support/catch.hpp"

using namespace rnncheck;
using log_reader::rare_words_of;
using log_reader::SlidingSearch;
using log_reader::Steps;
using log_reader::ways_of;
using log_reader::WordSearch;

namespace {

bool holds(const WordSearch& words, std::string_view text) {
    return words.find(text, 0, text.size()).has_value();
}

}  // namespace

TEST_CASE("a word is found however it is broken and spelled") {
    const WordSearch words({"annot", "an't", "a.l"});
    for (const char* text : {"cannot", "can\nnot", "can \r\n\t  not", "ca\nnn\no\nt", "can not", "a.l", "a.\n l",
                             "> cann\n> ot", "cann\x1B[0mot", "can't", "can\xE2\x80\x99t", "can&#39;t", "can\\u0027t"})
        CHECK(holds(words, text));
    for (const char* text : {"canno", "axl", "a, . l", "cant", "can-t"}) CHECK_FALSE(holds(words, text));
    CHECK(words.find("cannot annot", 2, 12)->begin == 7);
    CHECK_FALSE(words.find("cannot", 0, 5));
}

TEST_CASE("a search that slides finds what one for each place finds") {
    std::minstd_rand random(11);
    const WordSearch words({"abba", "bab", "ca"});
    std::size_t found = 0;
    for (int text_number = 0; text_number < 400; ++text_number) {
        std::string text(300, ' ');
        for (char& c : text) c = "aabbbc\n  x"[random() % 10];
        SlidingSearch sliding;
        std::size_t begin = 0, end = 0;
        for (int question = 0; question < 60; ++question) {
            begin = random() % 8 == 0 ? begin - std::min<std::size_t>(begin, random() % 40) : begin + random() % 9;
            end = std::max(begin, end + random() % 20) - random() % 2;
            begin = std::min(begin, text.size());
            end = std::clamp(end, begin, text.size());
            const auto expected = words.find(text, begin, end), told = sliding.find(words, text, begin, end);
            REQUIRE(told.has_value() == expected.has_value());
            if (told) REQUIRE(told->begin == expected->begin);
            found += told ? 1 : 0;
        }
    }
    CHECK(found > 1000);
}

TEST_CASE("of each way one of the rare words is held, and none is chosen that others make needless") {
    CHECK(rare_words_of(ways_of("(?:[Uu]nable|[Ff]ailed) (?:to )?(?:load|open|dlopen)", false)) ==
          std::vector<std::string>{"ailed", "nable"});
    CHECK(rare_words_of(ways_of("(?:open|load) (?:cannot|Failed|unable|could)", false)).size() == 4);
    CHECK(rare_words_of(ways_of("(?:cannot|not) (?:load|open)", false)) == std::vector<std::string>{"not"});
    CHECK(rare_words_of(ways_of("(?:open|it)", false)).empty());
    CHECK(rare_words_of(ways_of("(?:a1b|a2b|a3b|a4b|a5b|a6b|a7b|a8b|a9b|b1b|b2b|b3b|b4b)", false)).empty());
}
