// Searches the smallest case that still fails, by changing one thing after the other, and the
// largest that fits, by halving.
#include "rnn/shrink.hpp"

#include <algorithm>
#include <set>

namespace rnncheck {

namespace {

/// What depends on what was changed follows it.
RnnCase tidied(RnnCase c, bool input_follows) {
    c.projection = std::min(c.projection, c.hidden - 1);
    if (input_follows)
        c.input = c.hidden;
    if (c.lengths.empty())
        return c;
    c.lengths.resize(std::min(c.lengths.size(), static_cast<std::size_t>(c.batch)));
    for (int& length : c.lengths)
        length = std::min(length, c.sequence_length);
    if (c.layout == Layout::sequence_major_packed)
        c.sequence_length = c.lengths.front();
    return c;
}

struct Search {
    using Number = int RnnCase::*;

    const StillFails& still_fails;
    int most_trials;
    Shrunk shrunk;
    std::set<std::string> seen = {describe(shrunk.smallest)};

    Shrunk run() {
        for (bool smaller = true; smaller && shrunk.finished;) {
            const std::string before = describe(shrunk.smallest);
            lower_numbers();
            take_sequences_out();
            shorten_sequences();
            make_plain();
            smaller = describe(shrunk.smallest) != before;
        }
        return shrunk;
    }

    /// Whether the case fails; then it is the smallest.
    bool fails(const RnnCase& candidate) {
        if (!shrunk.finished || !seen.insert(describe(candidate)).second)
            return false;
        std::optional<bool> answer;  // unset when there is no time or trial left
        if (shrunk.trials < most_trials)
            answer = still_fails(candidate);
        shrunk.finished = answer.has_value();
        if (!answer)
            return false;
        ++shrunk.trials;
        if (*answer)
            shrunk.smallest = candidate;
        return *answer;
    }

    bool fails_with(Number number, int value) {
        RnnCase candidate = shrunk.smallest;
        candidate.*number = value;
        return fails(tidied(candidate, candidate.input_mode == InputMode::skip));
    }

    /// The smallest value, by trying 1 and then halving what is between a value that does not fail
    /// and one that does.
    void lower(Number number) {
        if (shrunk.smallest.*number <= 1 || fails_with(number, 1))
            return;
        for (int passes = 1; shrunk.smallest.*number - passes > 1;) {
            const int middle = passes + (shrunk.smallest.*number - passes) / 2;
            if (!fails_with(number, middle))
                passes = middle;
        }
    }

    void lower_numbers() {
        for (const Number number :
             {&RnnCase::layers,
              &RnnCase::batch,
              &RnnCase::sequence_length,
              &RnnCase::hidden,
              &RnnCase::input,
              &RnnCase::projection})
            if (number != &RnnCase::input || shrunk.smallest.input_mode == InputMode::linear)
                lower(number);
    }

    void take_sequences_out() {
        for (std::size_t i = 0; i < shrunk.smallest.lengths.size() && shrunk.smallest.batch > 1;) {
            RnnCase fewer = shrunk.smallest;
            fewer.lengths.erase(fewer.lengths.begin() + static_cast<std::ptrdiff_t>(i));
            fewer.batch -= 1;
            if (!fails(tidied(fewer, false)))
                ++i;
        }
    }

    void shorten_sequences() {
        for (std::size_t i = 0; i < shrunk.smallest.lengths.size(); ++i) {
            RnnCase shorter = shrunk.smallest;
            if (shorter.layout == Layout::sequence_major_packed && i + 1 < shorter.lengths.size())
                continue;
            shorter.lengths[i] = std::min(shorter.lengths[i], 1);
            fails(tidied(shorter, false));
        }
    }

    /// One member to its plain value.
    template <class Member, class Value>
    void plain(Member RnnCase::*member, const Value& value) {
        RnnCase candidate = shrunk.smallest;
        candidate.*member = value;
        fails(candidate);
    }

    void make_plain() {
        plain(&RnnCase::direction, Direction::unidirectional);
        plain(&RnnCase::training, false);
        plain(&RnnCase::lengths, std::vector<int>());
        plain(&RnnCase::layout, Layout::sequence_major);
        plain(&RnnCase::states, false);
        plain(&RnnCase::projection, 0);
        plain(&RnnCase::clip, 0);
        plain(&RnnCase::bias, BiasMode::both);
        plain(&RnnCase::input_mode, InputMode::linear);
        plain(&RnnCase::algorithm, Algorithm::standard);
        plain(&RnnCase::math, MathType::standard);
        plain(&RnnCase::dtype, Dtype::fp32);
    }
};

}  // namespace

Shrunk shrink(const RnnCase& failing, const StillFails& still_fails, int most_trials) {
    return Search{still_fails, most_trials, {failing}}.run();
}

LargestSize largest_size(int start, bool bounded, const Runs& runs) {
    constexpr int most_trials = 14;
    LargestSize found;
    const auto try_size = [&](int size) {
        const auto ran = runs(size);
        found.out_of_time = !ran;
        if (!ran)
            return false;
        ++found.trials;
        (*ran ? found.largest : found.failed) = size;
        return *ran;
    };
    const auto goes_on = [&] { return !found.out_of_time && found.trials < most_trials; };
    int step = std::max(1, start / 50);
    if (try_size(start)) {
        if (!bounded)
            try_size(start + step);
    } else {
        for (int size = start; !found.largest && size > 1 && goes_on(); step *= 2)
            try_size(size = std::max(1, size - step));
    }
    // Between sizes that differ by half a percent nothing is tried.
    while (found.largest && found.failed &&
           *found.failed - *found.largest > std::max(1, *found.largest / 200) && goes_on())
        try_size(*found.largest + (*found.failed - *found.largest) / 2);
    return found;
}

}  // namespace rnncheck
