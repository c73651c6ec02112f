#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "rnn/sweep.hpp"

namespace rnncheck {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The worst element so far, its error in units of its own limit. Not a number counts as infinitely wrong.
struct Worst {
    double ratio = 0;
    const char* output = nullptr;
    std::size_t index = 0;
    double expected = 0, found = 0;

    void see(const char* name, std::size_t at, double must_be, double is, double limit) {
        if (is == must_be) return;
        double error = std::abs(is - must_be) / limit;
        if (!std::isfinite(error)) error = infinite;
        if (output && error <= ratio) return;
        *this = {error, name, at, must_be, is};
    }
};

void see_y(Worst& worst, const RnnCase& rnn_case, const RnnOutputs& expected, const RnnOutputs& found, double limit) {
    const auto width = static_cast<std::size_t>(rnn_case.directions() * rnn_case.hidden);
    const auto steps = static_cast<std::size_t>(rnn_case.sequence_length);
    for (std::size_t i = 0; i < expected.y.size(); ++i) {
        const std::size_t row = i / width;
        const bool padding = static_cast<int>(row % steps) >= rnn_case.length_of(static_cast<int>(row / steps));
        worst.see("y", i, expected.y[i], found.y[i], padding ? 0 : limit);
    }
}

Worst worst_of(const RnnCase& rnn_case, const RnnOutputs& expected, const RnnOutputs& found, const Limits& limits) {
    Worst worst;
    see_y(worst, rnn_case, expected, found, limits.y);
    for (std::size_t i = 0; i < expected.hy.size(); ++i) worst.see("hy", i, expected.hy[i], found.hy[i], limits.y);
    for (std::size_t i = 0; i < expected.cy.size(); ++i)
        worst.see("cy", i, expected.cy[i], found.cy[i], limits.c * std::max(1.0, std::abs(expected.cy[i])));
    return worst;
}

std::string numbered(const char* word, std::size_t number) {
    return word + (' ' + std::to_string(number));
}

/// "y of sequence 2, step 3, unit 17"
std::string place(const RnnCase& rnn_case, const Worst& worst) {
    const auto hidden = static_cast<std::size_t>(rnn_case.hidden);
    const auto directions = static_cast<std::size_t>(rnn_case.directions());
    const auto batch = static_cast<std::size_t>(rnn_case.batch);
    std::vector<std::string> words;
    if (worst.output[0] == 'y') {
        const std::size_t width = directions * hidden, row = worst.index / width;
        const auto steps = static_cast<std::size_t>(rnn_case.sequence_length);
        const bool padding = static_cast<int>(row % steps) >= rnn_case.length_of(static_cast<int>(row / steps));
        words = {numbered("sequence", row / steps), numbered("step", row % steps) + (padding ? " (padding)" : ""),
                 numbered("unit", worst.index % width)};
    } else {
        const std::size_t row = worst.index / hidden, layer = row / batch;
        words = {numbered("layer", layer / directions) + (layer % directions ? " backward" : ""),
                 numbered("sequence", row % batch), numbered("unit", worst.index % hidden)};
    }
    return worst.output + (" of " + join(words, ", "));
}

}  // namespace

Comparison compare(const RnnCase& rnn_case, const RnnOutputs& expected, const RnnOutputs& found, const Limits& limits) {
    Comparison comparison;
    comparison.limit = limits.y;
    comparison.largest_error = infinite;
    if (found.y.size() != expected.y.size() || found.hy.size() != expected.hy.size() ||
        found.cy.size() != expected.cy.size()) {
        comparison.worst = "not all outputs are there";
        return comparison;
    }
    const Worst worst = worst_of(rnn_case, expected, found, limits);
    comparison.right = worst.ratio <= 1;
    comparison.largest_error = worst.ratio * limits.y;
    if (!comparison.right)
        comparison.worst = place(rnn_case, worst) + ": found " + short_number(worst.found) + ", expected " +
                           short_number(worst.expected);
    const double explained_by_tf32 = limits.full_precision > 0 ? limits_for(rnn_case, true).y : 0;
    comparison.reduced_precision =
        comparison.largest_error > limits.full_precision && comparison.largest_error <= explained_by_tf32;
    return comparison;
}

}  // namespace rnncheck
