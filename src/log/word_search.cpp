#include "log/word_search.hpp"

#include <algorithm>

#include "log/neighbours.hpp"
#include "log/undo.hpp"

namespace rnncheck::log_reader {

namespace {

/// What wraps, quotes and colours text puts between any two letters.
constexpr std::string_view between_letters = R"((?:[\x00-\x20\x7f>]|\[[0-9;]*m)*)";

std::string however_written(std::string_view word) {
    std::string pattern;
    for (const char c : word) {
        if (!pattern.empty()) pattern += between_letters;
        pattern += "(?:" + re2::RE2::QuoteMeta({&c, 1});
        for (const std::string_view spelling : spellings_of(c))
            pattern += "|" + re2::RE2::QuoteMeta({spelling.data(), spelling.size()});
        pattern += ")";
    }
    return pattern;
}

re2::RE2::Options options() {
    re2::RE2::Options options;
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    return options;
}

/// Where the last word that ends behind `end` may begin.
std::size_t begin_of_last_word(std::string_view text, std::size_t least, std::size_t end) {
    constexpr std::size_t longest_written = 64;
    for (std::size_t visible = 0; end > least && visible < longest_written; --end)
        visible += is_blank(text[end - 1]) ? 0 : 1;
    return end;
}

}  // namespace

std::optional<WordSearch::Found> WordSearch::find(std::string_view text, std::size_t begin, std::size_t end) const {
    if (!any_) {
        std::string pattern;
        for (const std::string& word : words_) pattern += (pattern.empty() ? "" : "|") + however_written(word);
        any_ = std::make_unique<re2::RE2>(pattern, options());
    }
    re2::StringPiece word;
    if (!any_->Match({text.data(), text.size()}, begin, end, re2::RE2::UNANCHORED, &word, 1)) return std::nullopt;
    const auto at = static_cast<std::size_t>(word.data() - text.data());
    return Found{at, at + word.size()};
}

std::optional<WordSearch::Found> SlidingSearch::find(const WordSearch& words, std::string_view text, std::size_t begin,
                                                     std::size_t end) {
    if (begin < from_) *this = {};
    if (found_ && found_->begin < begin) {
        found_.reset();
        to_ = begin;
    }
    if (!found_ && end > to_) {
        found_ = words.find(text, std::max(begin, begin_of_last_word(text, from_, to_)), end);
        to_ = end;
    }
    from_ = begin;
    return found_ && found_->end <= end ? found_ : std::nullopt;
}

}  // namespace rnncheck::log_reader
