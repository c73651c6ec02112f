#include "log/large_log.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace rnncheck::log_reader {

namespace {

/// Messages are spread over lines, by who wrote them or by who wrapped them: these are matched together, within bounds.
constexpr std::size_t most_before = 2 * 1024, most_after = 6 * 1024;
constexpr std::size_t most_tried = 1024;
static_assert(most_before <= Blocks::around && most_after <= Blocks::around);

std::size_t begin_of_lines(std::string_view text, std::size_t place) {
    const std::size_t least = place - std::min(place, most_before);
    const char* const begin = text.data() + least;
    std::size_t end = place;
    for (std::size_t line = 0; line <= lines_around; ++line) {
        const void* line_end = memrchr(begin, '\n', end - least);
        if (!line_end) return least;
        end = static_cast<std::size_t>(static_cast<const char*>(line_end) - text.data());
    }
    return end + 1;
}

std::size_t end_of_line(std::string_view text, std::size_t place) {
    const std::string_view after = text.substr(place, most_after);
    return place + std::min(after.find('\n'), after.size());
}

/// The lines behind the one of `place`, which ends at `end`, included.
std::size_t end_of_lines(std::string_view text, std::size_t place, std::size_t end) {
    for (std::size_t line = 0; line < lines_around && end < text.size() && text[end] == '\n'; ++line)
        end = std::min(end_of_line(text, end + 1), place + most_after);
    return end;
}

/// In pieces whose counts fit into a byte, which processors add many at a time.
std::int64_t line_ends_in(std::string_view text) {
    constexpr std::size_t most_in_byte = 255;
    std::int64_t all = 0;
    for (; !text.empty(); text.remove_prefix(std::min(most_in_byte, text.size()))) {
        std::uint8_t some = 0;
        for (const char c : text.substr(0, most_in_byte)) some = static_cast<std::uint8_t>(some + (c == '\n'));
        all += some;
    }
    return all;
}

}  // namespace

LargeLog::LargeLog(Collector& collector, const PhraseTable& table, std::string name)
    : collector_(collector),
      name_(std::move(name)),
      wanted_(table),
      scanner_(cores_of(table)),
      met_(table.cores.size()),
      digit_cores_(table),
      done_(collector.signatures().size()),
      tried_(most_tried) {}

void LargeLog::take(const Block& block) {
    block_ = block;
    counted_ = block.begin;
    passage_begin_ = passage_end_ = 0;
    lines_ = {};
    lines_of_ = std::string_view::npos;
    before_.assign(wanted_.words.size(), {});
    after_.assign(wanted_.words.size(), {});
    if (look_back_) search(0, block.begin);
    look_back_ = false;
    if (memory_.pays())
        search_line_by_line(block.begin, block.end);
    else
        search(block.begin, block.end);
    line_at(block.end);
    ends_in_line_ = !block.own().ends_with('\n');
    // The next block's text begins so much before its own bytes.
    block_place_ += static_cast<std::int64_t>(block.end - std::min(block.end, Blocks::around));
    forget_what_is_full();
    search_for_what_is_rarer();
}

void LargeLog::search(std::size_t begin, std::size_t end) {
    const std::string_view searched = block_.text.substr(begin, end - begin + Phrase::longest_core);
    scanner_.find_all(searched, [&](std::size_t place, std::size_t core) {
        if (begin + place < end) look_at(begin + place, core);
    });
}

/// Lines that are longer than a block are cut.
void LargeLog::search_line_by_line(std::size_t begin, std::size_t end) {
    constexpr std::size_t at_once = 16 * 1024;
    for (std::size_t piece = begin; piece < end;) {
        const Lines lines(block_.text, piece, std::min(piece + at_once, end));
        for (std::size_t line = lines.first(); line < lines.last(); ++line) {
            if (memory_.knows(lines, line)) continue;
            const std::size_t line_begin = std::max(lines[line].begin, begin),
                              line_end = std::min(lines[line].end, end);
            line_ = Verdict::refuted_by_line;
            search(line_begin, line_end);
            line_ = std::min(line_, digit_cores_.look(wanted_, block_.text, line_begin, line_end));
            memory_.learn(lines, line, line_);
        }
        piece = lines[lines.last() - 1].end;
    }
    line_ = Verdict::possible;
}

void LargeLog::look_at(std::size_t place, std::size_t core) {
    const PhrasesOfCore& wanted = wanted_.cores[core];
    ++met_[core];
    Neighbours before, after;
    const auto is_refuted = [&](Verdict verdict) {
        if (verdict != Verdict::possible) line_ = std::min(line_, verdict);
        return verdict != Verdict::possible;
    };
    const auto right = [&] { return look_after(block_.text, place + wanted.core.size(), wanted.after, after); };
    const auto left = [&] { return look_before(block_.text, place, wanted.before, before); };
    if (!is_at_beginning(place) && (wanted.before_tells_more ? is_refuted(left()) || is_refuted(right())
                                                             : is_refuted(right()) || is_refuted(left())))
        return;
    for (const PhrasesOfCore::Of& of : wanted.all) {
        if (collector_.is_full(of.signature)) continue;
        if (!may_be(of.phrase->nearest_after(), after) && is_refuted(refuted_after(after.line_ends))) continue;
        if (!may_be(of.phrase->nearest_before(), before) && is_refuted(refuted_before(before.line_ends))) continue;
        if (block_place_ + static_cast<std::int64_t>(place) < done_[of.signature]) continue;
        Verdict verdict = judge(of, place);
        if (verdict == Verdict::possible) verdict = match(of.signature, place);
        line_ = std::min(line_, verdict);
    }
}

bool LargeLog::is_at_beginning(std::size_t place) const {
    return block_place_ == 0 && place <= most_before;
}

/// What decides soonest comes first. Whether the line alone decides is worth looking further, where it may be learnt.
Verdict LargeLog::judge(const PhrasesOfCore::Of& of, std::size_t place) {
    if (is_at_beginning(place)) return Verdict::possible;
    Verdict verdict = Verdict::possible;
    const auto is_open = [&] { return verdict == Verdict::possible || verdict < line_; };
    if (of.phrase->companion_after) verdict = look_for_companion_after(of, place);
    if (of.phrase->companion_before && is_open()) verdict = std::max(verdict, look_for_companion_before(of, place));
    if (is_open()) verdict = std::max(verdict, of.phrase->may_stand(block_.text, place));
    return verdict;
}

Verdict LargeLog::look_for_companion_after(const PhrasesOfCore::Of& of, std::size_t place) {
    const Companion& companion = *of.phrase->companion_after;
    const std::size_t core_end = place + of.phrase->core().size(), end = lines_at(place).end;
    const auto first = after_[of.words_after].find(*wanted_.words[of.words_after], block_.text, core_end, end);
    if (!first && line_ <= Verdict::refuted_by_lines) return companion.refuted(Verdict::refuted_by_lines);
    const Companion::Reach reach = companion.reach_after(block_.text, core_end, first ? first->end : end);
    return first && (!reach.is_known || first->end <= reach.at) ? Verdict::possible : reach.when_missing;
}

Verdict LargeLog::look_for_companion_before(const PhrasesOfCore::Of& of, std::size_t place) {
    const Companion& companion = *of.phrase->companion_before;
    const WordSearch& words = *wanted_.words[of.words_before];
    const std::size_t begin = lines_at(place).begin;
    const bool is_there = before_[of.words_before].find(words, block_.text, begin, place).has_value();
    if (!is_there && line_ <= Verdict::refuted_by_lines) return companion.refuted(Verdict::refuted_by_lines);
    const Companion::Reach reach = companion.reach_before(block_.text, begin, place);
    return is_there && (!reach.is_known || words.find(block_.text, reach.at, place)) ? Verdict::possible
                                                                                     : reach.when_missing;
}

/// The line at `place` and those around it. Most places are in the line of the one before.
const LargeLog::Region& LargeLog::lines_at(std::size_t place) {
    const std::string_view text = block_.text;
    const bool is_cut = lines_.end - lines_of_ >= most_after;
    if (is_cut || place < lines_of_ || place > lines_.own_end || place - lines_.begin > most_before) {
        const std::size_t own_end = end_of_line(text, place);
        lines_ = {begin_of_lines(text, place), own_end, end_of_lines(text, place, own_end)};
        lines_of_ = place;
    }
    return lines_;
}

LargeLog::Region LargeLog::region_at(std::size_t signature, std::size_t place) {
    Region region = lines_at(place);
    region.begin =
        static_cast<std::size_t>(std::max(static_cast<std::int64_t>(region.begin), done_[signature] - block_place_));
    return region;
}

Verdict LargeLog::match(std::size_t signature, std::size_t place) {
    const std::string_view text = block_.text;
    const auto [begin, own_end, end] = region_at(signature, place);
    const std::int64_t own_lines = line_ends_in(text.substr(begin, own_end - begin)) + 1;
    Trial trial{signature, static_cast<std::size_t>(own_lines), block_place_ == 0 && begin == 0,
                begin > 0 && text[begin - 1] == '\n', std::string(text.substr(begin, end - begin))};
    Tried& tried = tried_[(std::hash<std::string>{}(trial.raw) + signature) % tried_.size()];
    if (tried.trial != trial) {
        const std::int64_t first_line = line_at(place) - line_ends_in(text.substr(begin, place - begin));
        tried.events = collector_.find(signature, passage(begin, end, first_line), name_, trial.own_lines);
        tried.trial = std::move(trial);
    }
    collector_.add(signature, tried.events);
    done_[signature] = block_place_ + static_cast<std::int64_t>(std::min(own_end + 1, text.size()));
    if (!tried.events.empty()) return Verdict::possible;
    const bool is_whole = begin == lines_at(place).begin;
    return is_whole && !collector_.signatures()[signature].tells_digits_apart() ? Verdict::refuted_by_lines
                                                                                : Verdict::refuted;
}

/// Several signatures often want the same lines.
const Passage& LargeLog::passage(std::size_t begin, std::size_t end, std::int64_t first_line) {
    if (passage_begin_ == begin && passage_end_ == end) return passage_;
    passage_ = make_passage(block_.text.substr(begin, end - begin), first_line);
    passage_begin_ = begin;
    passage_end_ = end;
    if (block_place_ > 0 || begin > 0) {
        passage_.squeezed_from = 1;
        passage_.text_from = begin > 0 && block_.text[begin - 1] == '\n' ? 0 : 1;
    }
    return passage_;
}

/// The number of the line that `place` is in.
std::int64_t LargeLog::line_at(std::size_t place) {
    if (place < counted_) return line_ends_ + 1 - line_ends_in(block_.text.substr(place, counted_ - place));
    line_ends_ += line_ends_in(block_.text.substr(counted_, place - counted_));
    counted_ = place;
    return line_ends_ + 1;
}

void LargeLog::forget_what_is_full() {
    std::vector<std::size_t> idle;
    for (std::size_t core = 0; core < wanted_.cores.size(); ++core) {
        PhrasesOfCore& wanted = wanted_.cores[core];
        const std::size_t full =
            std::erase_if(wanted.all, [&](const PhrasesOfCore::Of& of) { return collector_.is_full(of.signature); });
        if (full > 0) wanted.unite();
        if (full > 0 && wanted.all.empty()) idle.push_back(core);
    }
    if (!idle.empty()) scanner_.forget(idle);
}

/// Changing the table takes as long as looking at some ten thousand places.
void LargeLog::search_for_what_is_rarer() {
    constexpr std::uint64_t worth_it = 100'000, share = 200;
    if (std::accumulate(met_.begin(), met_.end(), std::uint64_t{0}) < worth_it) return;
    std::set<std::size_t> to_replace;
    for (std::size_t core = 0; core < met_.size(); ++core)
        if (met_[core] > worth_it / share && rarity_.add_frequent(wanted_.cores[core].core))
            for (const PhrasesOfCore::Of& of : wanted_.cores[core].all) to_replace.insert(of.signature);
    std::fill(met_.begin(), met_.end(), 0);
    if (to_replace.empty()) return;
    wanted_ = with_rarer(std::move(wanted_), collector_.signatures(), to_replace, rarity_);
    scanner_ = Scanner(cores_of(wanted_));
    memory_.forget_all();
    digit_cores_ = DigitCores(wanted_);
    met_.assign(wanted_.cores.size(), 0);
    look_back_ = true;
}

}  // namespace rnncheck::log_reader
