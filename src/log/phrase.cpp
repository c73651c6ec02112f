#include "log/phrase.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/errors.hpp"
#include "log/pattern_steps.hpp"
#include "log/undo.hpp"

namespace rnncheck::log_reader {

namespace {

using Kind = Step::Kind;

constexpr std::size_t most_blanks = 256;

/// Words, and what is left of them where the first letter may be a capital, that stand in any log.
constexpr auto common_words = std::to_array<std::string_view>(
    {"after",  "ailed",  "an't",     "annot",    "available", "availabl", "cost",       "cuda",    "CUDA",
     "device", "error",  "Error",    "expected", "failed",    "file",     "find",       "for",     "found",
     "from",   "GPU",    "gradient", "in",       "input",     "is",       "kernel",     "library", "load",
     "locate", "loss",   "memory",   "nable",    "not",       "of",       "open",       "ould",    "output",
     "result", "should", "samples",  "size",     "support",   "tensor",   "tensorflow", "the",     "to",
     "torch",  "torch.", "type",     "value",    "values",    "version",  "when",       "with"});

bool is_byte(const Step& step) {
    return step.kind == Kind::one && step.bytes.count() == 1;
}

char byte_of(const Step& step) {
    for (std::size_t c = 0; c < 256; ++c)
        if (step.bytes[c]) return static_cast<char>(c);
    return 0;
}

struct Core {
    std::size_t begin = 0;
    std::string text;
    double rarity = 0;
};

/// The rarest known bytes in a row. A piece of a common word is as common.
std::optional<Core> core_of(const Steps& steps) {
    std::optional<Core> best;
    double most = 0;
    for (std::size_t begin = 0, end = 0; begin < steps.size(); begin = end + 1) {
        std::string word;
        for (end = begin; end < steps.size() && is_byte(steps[end]); ++end) word += byte_of(steps[end]);
        const double of_word = rarity(word);
        for (std::size_t at = 0; at + Phrase::shortest_core <= word.size(); ++at) {
            const std::string text = word.substr(at, Phrase::longest_core);
            const double rare = std::min(of_word, rarity(text)) + static_cast<double>(text.size());
            if (rare <= most) continue;
            most = rare;
            best = Core{begin + at, text, rare};
        }
    }
    return best;
}

/// How rare a phrase is: what is searched for counts twice, because comparing comes after.
double worth_of_piece(const Steps& steps) {
    const auto core = core_of(steps);
    if (!core) return -1;
    double known = 0;
    std::string word;
    for (const Step& step : steps) {
        if (is_byte(step)) {
            word += byte_of(step);
            continue;
        }
        known += rarity(word);
        word.clear();
    }
    constexpr double enough = 40;
    return std::min(known + rarity(word), enough) + core->rarity;
}

std::vector<Steps> without_gaps(const Steps& way) {
    std::vector<Steps> pieces(1);
    for (const Step& step : way)
        if (step.kind == Kind::gap)
            pieces.emplace_back();
        else
            pieces.back().push_back(step);
    return pieces;
}

/// Makes it possible to go along without trying: what comes after any number of bytes and may be one of these is
/// counted among them.
Steps straight(const Steps& steps) {
    Steps out;
    for (const Step& step : steps) {
        if (step.kind == Kind::blank) continue;
        const bool follows_many = !out.empty() && out.back().kind == Kind::many;
        if (follows_many && (step.kind == Kind::many || (step.bytes & out.back().bytes).any()))
            out.back().bytes |= step.bytes;
        else
            out.push_back(step);
    }
    if (!out.empty() && out.back().kind == Kind::many) out.pop_back();
    return out;
}

bool is_blank(unsigned char c) {
    return c <= ' ' || c == 0x7F;
}

/// What begins here may stand for something else (undo.hpp).
bool may_be_undone(std::string_view text, std::size_t at) {
    constexpr std::size_t longest = 256;
    const auto c = static_cast<unsigned char>(text[at]);
    if (c == '\\' || c == '>') return true;
    if (c != '[' && c != '<' && c != '^' && c != '&' && c < 0xC2) return false;
    const Undone undone = undo_at(text.substr(at, longest), false);
    return undone.length > 1 || text.size() - at < longest;
}

/// What ends here may.
bool may_end_undone(std::string_view text, std::size_t at) {
    const auto c = static_cast<unsigned char>(text[at]);
    const auto earlier = [&](std::size_t count) { return at >= count ? text[at - count] : '\\'; };
    if (c == ';' || c == '>' || c == '\\' || earlier(1) == '\\' || earlier(5) == '\\')
        return true;  // &lt; <br> \n \u003c
    if (c >= 0x80)
        return at < 2 || undo_at(text.substr(at - 2), false).length == 3 ||
               undo_at(text.substr(at - 1), false).length == 2;
    if (!std::isalpha(c)) return false;
    return earlier(1) == '[' || earlier(1) == ';' || (earlier(1) >= '0' && earlier(1) <= '9');  // colour
}

/// Along `steps` from `at`; `go` is 1 or -1. Whoever leaves the text may still be right.
template <class MayBeUndone>
bool may_go(std::string_view text, std::size_t at, std::size_t go, const Steps& steps, MayBeUndone&& may_be_undone) {
    std::size_t blanks = 0;
    for (auto step = steps.begin(); step != steps.end();) {
        if (at >= text.size() || blanks > most_blanks) return true;
        const auto c = static_cast<unsigned char>(text[at]);
        if (is_blank(c)) {
            const auto next = step->kind == Kind::many ? step + 1 : step;
            if (c == '\n' && next != steps.end() && next->kind == Kind::line_start) return true;
            ++blanks;
            at += go;
        } else if (step->bytes[c]) {
            if (may_be_undone(text, at) && go == 1) return true;
            at += go;
            if (step->kind == Kind::one) ++step;
        } else if (may_be_undone(text, at)) {
            return true;
        } else if (step->kind == Kind::many) {
            ++step;
        } else {
            return false;
        }
    }
    return true;
}

}  // namespace

double worth(const Steps& way) {
    double best = -1;
    for (const Steps& piece : without_gaps(way)) best = std::max(best, worth_of_piece(piece));
    return best;
}

double rarity(std::string_view text) {
    constexpr std::string_view from_common = " etaoinsrlcdupmhgf.-_:/bykvwxqzj";
    constexpr double of_common_word = 5, of_digit = 3, of_other = 7;
    if (std::find(common_words.begin(), common_words.end(), text) != common_words.end()) return of_common_word;
    double bits = 0;
    for (const char c : text) {
        const auto at = from_common.find(c);
        if (c >= '0' && c <= '9')
            bits += of_digit;
        else
            bits += at == std::string_view::npos ? of_other : 3.5 + 0.1 * static_cast<double>(at);
    }
    return bits;
}

Phrase::Phrase(const Steps& steps) {
    const auto core = core_of(steps);
    if (!core) throw InputError("a phrase needs three known bytes in a row");
    core_ = core->text;
    const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(core->begin);
    after_ = straight({begin + static_cast<std::ptrdiff_t>(core_.size()), steps.end()});
    before_ = straight({std::make_reverse_iterator(begin), steps.rend()});
}

bool Phrase::may_stand(std::string_view text, std::size_t place) const {
    return may_go(text, place + core_.size(), 1, after_, may_be_undone) &&
           may_go(text, place - 1, static_cast<std::size_t>(-1), before_, may_end_undone);
}

std::vector<Phrase> phrases_of(std::string_view pattern) {
    for (const bool small_sets_apart : {false, true}) {
        std::vector<Phrase> phrases;
        bool all = true;
        for (const Steps& way : ways_of(pattern, small_sets_apart)) {
            const auto pieces = without_gaps(way);
            const auto best = std::max_element(pieces.begin(), pieces.end(), [](const Steps& a, const Steps& b) {
                return worth_of_piece(a) < worth_of_piece(b);
            });
            all = all && core_of(*best);
            if (!all) break;
            const Phrase phrase(*best);
            if (std::find(phrases.begin(), phrases.end(), phrase) == phrases.end()) phrases.push_back(phrase);
        }
        if (all) return phrases;
    }
    throw InputError("there are no three bytes in a row that every match holds");
}

}  // namespace rnncheck::log_reader
