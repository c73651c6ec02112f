#include "log/phrase.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/errors.hpp"
#include "log/pattern_steps.hpp"
#include "log/walk.hpp"

namespace rnncheck::log_reader {

namespace {

using Kind = Step::Kind;

struct Core {
    std::size_t begin = 0;
    std::string text;
    double rarity = 0;
};

struct Word {
    std::size_t begin = 0;
    std::string text;
};

/// Known bytes in a row.
std::vector<Word> words_of(const Steps& steps) {
    std::vector<Word> words;
    for (std::size_t begin = 0, end = 0; begin < steps.size(); begin = end + 1) {
        Word word{begin, {}};
        for (end = begin; end < steps.size() && steps[end].byte; ++end) word.text += *steps[end].byte;
        if (!word.text.empty()) words.push_back(std::move(word));
    }
    return words;
}

/// The rarest known bytes in a row. A piece of a word is no rarer than the word.
std::optional<Core> core_of(const std::vector<Word>& words, const Rarity& rarity) {
    std::optional<Core> best;
    double most = 0;
    for (const Word& word : words) {
        const double of_word = rarity.of(word.text);
        for (std::size_t at = 0; at + Phrase::shortest_core <= word.text.size(); ++at) {
            const std::string text = word.text.substr(at, Phrase::longest_core);
            const double rare = std::min(of_word, rarity.of(text)) + static_cast<double>(text.size());
            if (rare < most) continue;  // names begin alike and end differently
            most = rare;
            best = Core{word.begin + at, text, rare};
        }
    }
    return best;
}

/// A part of a way without gaps.
struct Piece {
    std::size_t begin = 0;  ///< in the way
    Steps steps;
    std::optional<Core> core;
    double worth = -1;  ///< how rare it is: what is searched for counts twice, because comparing comes after
};

Piece piece_of(std::size_t begin, Steps steps, const Rarity& rarity) {
    constexpr double enough = 40;
    Piece piece{begin, std::move(steps), {}, -1};
    const auto words = words_of(piece.steps);
    piece.core = core_of(words, rarity);
    if (!piece.core) return piece;
    double known = 0;
    for (const Word& word : words) known += rarity.of(word.text);
    piece.worth = std::min(known, enough) + piece.core->rarity;
    return piece;
}

std::vector<Piece> pieces_of(const Steps& way, const Rarity& rarity) {
    const auto is_gap = [](const Step& step) { return step.kind == Kind::gap; };
    std::vector<Piece> pieces;
    for (auto begin = way.begin();;) {
        const auto end = std::find_if(begin, way.end(), is_gap);
        pieces.push_back(piece_of(static_cast<std::size_t>(begin - way.begin()), {begin, end}, rarity));
        if (end == way.end()) return pieces;
        begin = end + 1;
    }
}

Step any_blanks() {
    Step step{Kind::many, {}};
    for (std::size_t c = 0; c < 256; ++c) step.bytes[c] = is_blank(static_cast<char>(c));
    return step;
}

/// Makes it possible to go along without trying: what comes after any number of bytes and may be one of these is
/// counted among them.
Steps straight(const Steps& steps, bool blanks_count) {
    Steps out;
    for (Step step : steps) {
        if (step.kind == Kind::blank && !blanks_count) continue;
        // After any number of bytes it is not known where the boundary would be.
        if (step.kind == Kind::boundary && !out.empty() && out.back().kind != Kind::one) continue;
        if (step.kind == Kind::blank) step = any_blanks();
        auto same = out.end();
        for (auto many = out.end(); many != out.begin() && (many - 1)->kind == Kind::many; --many)
            if (((many - 1)->bytes & step.bytes).any()) same = many - 1;
        Step merged{Kind::many, step.bytes};
        for (auto other = same; other != out.end(); ++other) merged.bytes |= other->bytes;
        const bool is_new = same == out.end();
        out.erase(same, out.end());
        if (step.kind != Kind::many) out.push_back({step.kind, merged.bytes});
        if (step.kind == Kind::many || !is_new) out.push_back(merged);
    }
    while (!out.empty() && out.back().kind == Kind::many) out.pop_back();
    return out;
}

using Pieces = std::vector<Piece>;

/// Where in the way a core stands.
struct Span {
    std::size_t begin = 0, end = 0;
};

Span span_of(const Piece& piece) {
    const std::size_t begin = piece.begin + piece.core->begin;
    return {begin, begin + piece.core->text.size()};
}

/// Bytes of which every text that follows the way holds one, somewhere in these steps.
struct Clue {
    Span steps;
    std::vector<std::string> any_of;
    double rarity = 0;
};

/// Words behind any number of bytes that may be the word's own: going along the steps does not tell whether they are
/// there.
void add_words_beyond(const Piece& own, const Rarity& rarity, std::vector<Clue>& clues) {
    const Span core = span_of(own);
    for (const Word& word : words_of(own.steps)) {
        const std::string bytes = word.text.substr(0, Phrase::longest_core);
        const Span span{own.begin + word.begin, own.begin + word.begin + bytes.size()};
        const bool is_after = span.begin >= core.end;
        const auto hides = [&](const Step& step) {
            return step.kind == Kind::many &&
                   step.bytes[static_cast<unsigned char>(is_after ? bytes.front() : word.text.back())];
        };
        const auto begin =
            own.steps.begin() + static_cast<std::ptrdiff_t>((is_after ? core.end : span.end) - own.begin);
        const auto end =
            own.steps.begin() + static_cast<std::ptrdiff_t>((is_after ? span.begin : core.begin) - own.begin);
        if (bytes.size() >= Phrase::shortest_core && begin < end && std::any_of(begin, end, hides))
            clues.push_back({span, {bytes}, rarity.of(bytes)});
    }
}

std::vector<Clue> clues_of(const Steps& way, const Pieces& pieces, const Piece& own, const Rarity& rarity) {
    std::vector<Clue> clues;
    for (const Piece& piece : pieces)
        if (piece.core && &piece != &own) clues.push_back({span_of(piece), {piece.core->text}, piece.core->rarity});
    add_words_beyond(own, rarity, clues);
    for (std::size_t gap = 0; gap < way.size(); ++gap) {
        if (way[gap].any_of.empty()) continue;
        double least = std::numeric_limits<double>::max();
        for (const std::string& bytes : way[gap].any_of) least = std::min(least, rarity.of(bytes));
        clues.push_back({{gap, gap + 1}, way[gap].any_of, least});
    }
    return clues;
}

/// The rarest that stands between these steps of the way.
std::optional<Companion> companion_among(const std::vector<Clue>& clues, Span steps, const Steps& way, Span own) {
    const Clue* best = nullptr;
    for (const Clue& clue : clues)
        if (clue.steps.begin >= steps.begin && clue.steps.end <= steps.end && (!best || clue.rarity > best->rarity))
            best = &clue;
    if (!best) return std::nullopt;
    Companion companion{best->any_of, 0, {}, false};
    const std::size_t begin = std::min(own.end, best->steps.begin), end = std::max(own.begin, best->steps.end);
    for (std::size_t step = begin; step < end; ++step) {
        companion.most_between += way[step].most;
        companion.between |= way[step].bytes;
    }
    companion.tells_digits_apart =
        tells_digits_apart(companion.between) || std::any_of(best->any_of.begin(), best->any_of.end(), has_digit);
    return companion;
}

/// The phrase of the way's rarest piece, with the cores of others; nothing where no piece has a core.
std::optional<Phrase> phrase_of(const Steps& way, const Rarity& rarity) {
    const Pieces pieces = pieces_of(way, rarity);
    const auto best = std::max_element(pieces.begin(), pieces.end(),
                                       [](const Piece& a, const Piece& b) { return a.worth < b.worth; });
    if (!best->core) return std::nullopt;
    Phrase phrase(best->steps, best->core->begin, best->core->text.size());
    const Span core = span_of(*best);
    const auto clues = clues_of(way, pieces, *best, rarity);
    phrase.companion_before = companion_among(clues, {0, core.begin}, way, core);
    phrase.companion_after = companion_among(clues, {core.end, way.size()}, way, core);
    return phrase;
}

}  // namespace

double worth(const Steps& way) {
    double best = -1;
    for (const Piece& piece : pieces_of(way, rarity_in_any_log())) best = std::max(best, piece.worth);
    return best;
}

std::vector<std::string> bytes_to_search_for(const Steps& way) {
    std::vector<std::string> all;
    for (const Word& word : words_of(way))
        if (word.text.size() >= Phrase::shortest_core) all.push_back(word.text.substr(0, Phrase::longest_core));
    return all;
}

Phrase::Phrase(const Steps& steps, std::size_t begin, std::size_t size) {
    blanks_count_ = std::any_of(steps.begin(), steps.end(), [](const Step& s) { return s.kind == Kind::line_start; });
    const auto core = steps.begin() + static_cast<std::ptrdiff_t>(begin),
               end = core + static_cast<std::ptrdiff_t>(size);
    for (auto step = core; step != end; ++step) core_ += *step->byte;
    after_ = straight({end, steps.end()}, blanks_count_);
    before_ = straight({std::make_reverse_iterator(core), steps.rend()}, blanks_count_);
    for (const Steps* side : {&after_, &before_})
        for (const Step& step : *side) tells_digits_apart_ |= tells_digits_apart(step.bytes);
    nearest_after_ = nearest_sets(after_);
    nearest_before_ = nearest_sets(before_);
}

Verdict Phrase::may_stand(std::string_view text, std::size_t place) const {
    Verdict verdict = go_on(text, place + core_.size(), after_, blanks_count_);
    if (verdict != Verdict::refuted_by_line)
        verdict = std::max(verdict, go_back(text, place - 1, before_, blanks_count_));
    return tells_digits_apart_ ? std::min(verdict, Verdict::refuted) : verdict;
}

std::vector<Phrase> phrases_of(std::string_view pattern, const Rarity& rarity) {
    for (const bool small_sets_apart : {false, true}) {
        std::vector<Phrase> phrases;
        bool all = true;
        for (const Steps& way : ways_of(pattern, small_sets_apart)) {
            const auto phrase = phrase_of(way, rarity);
            all = phrase.has_value();
            if (!all) break;
            if (std::find(phrases.begin(), phrases.end(), *phrase) == phrases.end()) phrases.push_back(*phrase);
        }
        if (all) return phrases;
    }
    throw InputError("there are no three bytes in a row that every match holds");
}

}  // namespace rnncheck::log_reader
