#include "rnn/shrink.hpp"

#include <algorithm>
#include <set>

namespace rnncheck {

namespace {

/// What depends on what was changed follows it.
RnnCase tidied(RnnCase c, bool input_follows) {
    c.projection = std::min(c.projection, c.hidden - 1);
    if (input_follows) c.input = c.hidden;
    if (c.lengths.empty()) return c;
    c.lengths.resize(std::min(c.lengths.size(), static_cast<std::size_t>(c.batch)));
    for (int& length : c.lengths) length = std::min(length, c.sequence_length);
    if (c.layout == Layout::sequence_major_packed) c.sequence_length = c.lengths.front();
    return c;
}

class Search {
  public:
    Search(const RnnCase& failing, const StillFails& still_fails, int most_trials)
        : still_fails_(still_fails), most_trials_(most_trials), shrunk_{failing, 0, true}, seen_{describe(failing)} {}

    Shrunk run() {
        for (bool smaller = true; smaller && shrunk_.finished;) {
            const std::string before = describe(shrunk_.smallest);
            lower_numbers();
            take_sequences_out();
            shorten_sequences();
            make_plain();
            smaller = describe(shrunk_.smallest) != before;
        }
        return shrunk_;
    }

  private:
    using Number = int RnnCase::*;

    /// Whether the case fails; then it is the smallest.
    bool fails(const RnnCase& candidate) {
        if (!shrunk_.finished || !seen_.insert(describe(candidate)).second) return false;
        const auto answer = shrunk_.trials < most_trials_ ? still_fails_(candidate) : std::nullopt;
        if (!answer) {
            shrunk_.finished = false;
            return false;
        }
        ++shrunk_.trials;
        if (*answer) shrunk_.smallest = candidate;
        return *answer;
    }

    bool fails_with(Number number, int value) {
        RnnCase candidate = shrunk_.smallest;
        candidate.*number = value;
        return fails(tidied(candidate, candidate.input_mode == InputMode::skip));
    }

    /// The smallest value, by trying 1 and then halving what is between a value that does not fail and one that does.
    void lower(Number number) {
        if (shrunk_.smallest.*number <= 1 || fails_with(number, 1)) return;
        for (int passes = 1; shrunk_.smallest.*number - passes > 1;) {
            const int middle = passes + (shrunk_.smallest.*number - passes) / 2;
            if (!fails_with(number, middle)) passes = middle;
        }
    }

    void lower_numbers() {
        for (const Number number : {&RnnCase::layers, &RnnCase::batch, &RnnCase::sequence_length, &RnnCase::hidden,
                                    &RnnCase::input, &RnnCase::projection})
            if (number != &RnnCase::input || shrunk_.smallest.input_mode == InputMode::linear) lower(number);
    }

    void take_sequences_out() {
        for (std::size_t i = 0; i < shrunk_.smallest.lengths.size() && shrunk_.smallest.batch > 1;) {
            RnnCase fewer = shrunk_.smallest;
            fewer.lengths.erase(fewer.lengths.begin() + static_cast<std::ptrdiff_t>(i));
            fewer.batch -= 1;
            if (!fails(tidied(fewer, false))) ++i;
        }
    }

    void shorten_sequences() {
        for (std::size_t i = 0; i < shrunk_.smallest.lengths.size(); ++i) {
            RnnCase shorter = shrunk_.smallest;
            if (shorter.layout == Layout::sequence_major_packed && i + 1 < shorter.lengths.size()) continue;
            shorter.lengths[i] = std::min(shorter.lengths[i], 1);
            fails(tidied(shorter, false));
        }
    }

    /// One member to its plain value.
    template <class Member, class Value>
    void plain(Member RnnCase::*member, const Value& value) {
        RnnCase candidate = shrunk_.smallest;
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

    const StillFails& still_fails_;
    int most_trials_;
    Shrunk shrunk_;
    std::set<std::string> seen_;
};

/// Sizes between which nothing is tried: half a percent.
bool close_enough(int ran, int failed) {
    return failed - ran <= std::max(1, ran / 200);
}

}  // namespace

Shrunk shrink(const RnnCase& failing, const StillFails& still_fails, int most_trials) {
    return Search(failing, still_fails, most_trials).run();
}

LargestSize largest_size(int start, bool bounded, const Runs& runs) {
    constexpr int most_trials = 14;
    LargestSize found;
    const auto try_size = [&](int size) {
        const auto ran = runs(size);
        found.out_of_time = !ran;
        if (!ran) return false;
        ++found.trials;
        (*ran ? found.largest : found.failed) = size;
        return *ran;
    };
    const auto goes_on = [&] { return !found.out_of_time && found.trials < most_trials; };
    int step = std::max(1, start / 50);
    if (try_size(start)) {
        if (!bounded) try_size(start + step);
    } else {
        for (int size = start; !found.largest && size > 1 && goes_on(); step *= 2)
            try_size(size = std::max(1, size - step));
    }
    while (found.largest && found.failed && !close_enough(*found.largest, *found.failed) && goes_on())
        try_size(*found.largest + (*found.failed - *found.largest) / 2);
    return found;
}

}  // namespace rnncheck
