// Compares the outputs of a GPU with those of the fp64 reference, element by element, each against
// its own limit, and finds the arithmetic that explains the error.
#include "rnn/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "rnn/layer.hpp"

namespace rnncheck {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double largest_half = 65504;

/// The worst element so far, its error in units of its own limit. Not a number counts as infinitely
/// wrong.
struct Worst {
    double ratio = 0;
    std::size_t array = 0, index = 0;
    double expected = 0, found = 0;
    bool seen = false;

    /// Of nearly all elements, without a division. False where something is not a number.
    bool is_no_worse(double must_be, double is, double limit) const {
        return std::abs(is - must_be) <= ratio * limit;
    }

    void see(std::size_t in, std::size_t at, double must_be, double is, double limit) {
        if (is == must_be)
            return;
        double error = std::abs(is - must_be) / limit;
        if (!std::isfinite(error))
            error = infinite;
        if (seen && error <= ratio)
            return;
        *this = {error, in, at, must_be, is, true};
    }
};

/// Rows of sequences: which step of which sequence, and whether it is padding.
struct Row {
    int sequence, step;
    bool padding;
};

Row row_of(const RnnCase& rnn_case, std::size_t row) {
    const auto steps = size(rnn_case.sequence_length);
    const int sequence = static_cast<int>(row / steps), step = static_cast<int>(row % steps);
    return {sequence, step, step >= rnn_case.length_of(sequence)};
}

using Kind = OutputArray::Kind;

/// fp16 ends at 65504: an infinity is right where the exact number, with what
/// it may be off, reaches that.
bool is_expected_overflow(const RnnCase& rnn_case, double expected, double found, double limit) {
    return rnn_case.dtype == Dtype::fp16 && std::isinf(found) &&
           std::signbit(found) == std::signbit(expected) &&
           std::abs(expected) + limit >= largest_half;
}

/// Sees all elements of one array.
void see_array(
    const RnnCase& rnn_case,
    std::size_t number,
    const OutputArray& expected,
    const std::vector<double>& found,
    const std::vector<double>& limits,
    Worst& worst,
    bool& overflow) {
    const bool is_y = expected.name == std::string_view("y");
    const double clip = expected.name == std::string_view("cy") ? rnn_case.clip_bound() : 0;
    const std::size_t width =
        expected.kind == Kind::weights ? expected.values->size() : expected.columns;
    for (std::size_t begin = 0; begin < expected.values->size(); begin += width) {
        const std::size_t row = begin / width;
        const bool padding = expected.kind == Kind::sequences && row_of(rnn_case, row).padding;
        const bool empty = expected.kind == Kind::states &&
                           rnn_case.length_of(static_cast<int>(row % size(rnn_case.batch))) == 0;
        if (empty || (padding && !is_y))
            continue;
        for (std::size_t at = begin; at < begin + width; ++at) {
            const double must_be = clipped((*expected.values)[at], clip);
            const double is =
                clip > 0 && !std::isnan(found[at]) ? clipped(found[at], clip) : found[at];
            if (worst.is_no_worse(must_be, is, padding ? 0 : limits[at]))
                continue;
            if (is_expected_overflow(rnn_case, must_be, is, limits[at]))
                overflow = true;
            else
                worst.see(number, at, must_be, is, padding ? 0 : limits[at]);
        }
    }
}

Worst worst_of(
    const RnnCase& rnn_case,
    const std::vector<OutputArray>& expected,
    const std::vector<OutputArray>& found,
    const std::vector<OutputArray>& limits,
    bool& overflow) {
    Worst worst;
    for (std::size_t i = 0; i < expected.size(); ++i)
        see_array(rnn_case, i, expected[i], *found[i].values, *limits[i].values, worst, overflow);
    return worst;
}

/// With two more digits than show that they differ: "found 0.0079301, expected 0.0079302".
std::string difference_of(const Worst& worst) {
    constexpr int fewest = 1, more = 2, all = 17;
    int digits = fewest;
    while (digits < all &&
           short_number(worst.found, digits) == short_number(worst.expected, digits))
        ++digits;
    return "found " + short_number(worst.found, digits + more) + ", expected " +
           short_number(worst.expected, digits + more);
}

std::string numbered(const char* word, std::size_t number) {
    return word + (' ' + std::to_string(number));
}

std::string layer_name(const RnnCase& rnn_case, std::size_t pseudo_layer) {
    const auto directions = size(rnn_case.directions());
    const std::string layer = numbered("layer", pseudo_layer / directions);
    if (pseudo_layer % directions == 0)
        return layer;
    return layer + " backward";
}

bool same_shapes(const std::vector<OutputArray>& expected, const std::vector<OutputArray>& found) {
    return std::ranges::equal(expected, found, [](const OutputArray& a, const OutputArray& b) {
        return a.values->size() == b.values->size();
    });
}

std::string gate_name(Cell cell, int gate) {
    constexpr const char* lstm[] = {"input gate", "forget gate", "candidate", "output gate"};
    constexpr const char* gru[] = {"reset gate", "update gate", "candidate"};
    if (cell == Cell::lstm)
        return lstm[gate];
    if (cell == Cell::gru)
        return gru[gate];
    return "only gate";
}

void add_weights(
    const RnnCase& rnn_case,
    std::size_t pseudo_layer,
    const LayerWeights& weights,
    std::vector<OutputArray>& arrays) {
    const auto add = [&](const char* name,
                         std::size_t columns,
                         const std::vector<double>& values,
                         std::string part) {
        arrays.push_back({name, Kind::weights, columns, &values, pseudo_layer, std::move(part)});
    };
    for (int gate = 0; gate < gates_of(rnn_case.cell); ++gate) {
        const std::string name = gate_name(rnn_case.cell, gate);
        add("dW", size(weights.columns), weights.input[gate], name + ", input side");
        add("dW", size(rnn_case.output()), weights.recurrent[gate], name + ", recurrent side");
        add("db", 1, weights.input_bias[gate], name + ", input side");
        add("db", 1, weights.recurrent_bias[gate], name + ", recurrent side");
    }
    add("dW", size(rnn_case.hidden), weights.projection, "projection");
}

/// The first arithmetic that explains the error: of a right result one that is allowed, of a wrong
/// one another.
template <class Explains>
Precision precision_of(const Limits& limits, bool right, const Explains& explains) {
    std::size_t first = 0, end = limits.widest;
    if (!right) {
        first = limits.widest + 1;
        end = limits.kept.size();
    }
    for (std::size_t at = first; at < end; ++at)
        if (explains(limits.kept[at]))
            return limits.kept[at].precision;
    if (right)
        return limits.kept[limits.widest].precision;
    return Precision::full;
}

}  // namespace

std::string place_of(const RnnCase& rnn_case, const OutputArray& array, std::size_t index) {
    const std::size_t at = index / array.columns, column = index % array.columns,
                      batch = size(rnn_case.batch);
    std::vector<std::string> words;
    if (array.kind == Kind::weights) {
        words = {layer_name(rnn_case, array.pseudo_layer), array.part, numbered("unit", at)};
        if (array.columns > 1)
            words.push_back(numbered("column", column));
    } else if (array.kind == Kind::sequences) {
        const Row row = row_of(rnn_case, at);
        std::string step = numbered("step", size(row.step));
        if (row.padding)
            step += " (padding)";
        words = {numbered("sequence", size(row.sequence)), step, numbered("unit", column)};
    } else {
        words = {
            layer_name(rnn_case, at / batch),
            numbered("sequence", at % batch),
            numbered("unit", column)};
    }
    return array.name + (" of " + join(words, ", "));
}

std::vector<OutputArray> arrays_of(const RnnCase& rnn_case, const RnnOutputs& outputs) {
    const std::size_t x = size(rnn_case.input), h = size(rnn_case.output()),
                      c = size(rnn_case.hidden);
    const std::size_t y = size(rnn_case.width());
    std::vector<OutputArray> arrays = {
        {"y", Kind::sequences, y, &outputs.y},
        {"hy", Kind::states, h, &outputs.hy},
        {"cy", Kind::states, c, &outputs.cy},
        {"dx", Kind::sequences, x, &outputs.dx},
        {"dhx", Kind::states, h, &outputs.dhx},
        {"dcx", Kind::states, c, &outputs.dcx}};
    for (std::size_t i = 0; i < outputs.dweights.size(); ++i)
        add_weights(rnn_case, i, outputs.dweights[i], arrays);
    return arrays;
}

Comparison compare(
    const RnnCase& rnn_case,
    const RnnOutputs& expected,
    const RnnOutputs& found,
    const Limits& limits) {
    Comparison comparison;
    const std::vector<double>& limits_of_y = limits.allowed().y;
    comparison.limit = 0;
    if (!limits_of_y.empty())
        comparison.limit = *std::ranges::max_element(limits_of_y);
    comparison.largest_error = infinite;
    const auto must_be = arrays_of(rnn_case, expected), is = arrays_of(rnn_case, found);
    if (!same_shapes(must_be, is)) {
        comparison.worst = "not all outputs are there";
        return comparison;
    }
    const auto worst_by = [&](const RnnOutputs& kept) {
        return worst_of(rnn_case, must_be, is, arrays_of(rnn_case, kept), comparison.overflow);
    };
    const Worst worst = worst_by(limits.allowed());
    comparison.correct = worst.ratio <= 1;
    comparison.largest_error = worst.ratio * comparison.limit;
    if (!comparison.correct)
        comparison.worst =
            place_of(rnn_case, must_be[worst.array], worst.index) + ": " + difference_of(worst);
    comparison.precision = precision_of(limits, comparison.correct, [&](const Limits::Kept& kept) {
        return worst_by(kept.largest).ratio <= 1;
    });
    return comparison;
}

Comparison compare(
    const RnnCase& rnn_case,
    const RnnOutputs& expected,
    const RnnOutputs& first,
    const RnnOutputs& again,
    const Limits& limits) {
    Comparison worse = compare(rnn_case, expected, first, limits);
    if (again.y.empty())
        return worse;
    Comparison second = compare(rnn_case, expected, again, limits);
    if (second.largest_error <= worse.largest_error)
        return worse;
    if (worse.correct && !second.correct)
        second.worst += "; the first of two runs was correct";
    return second;
}

}  // namespace rnncheck
