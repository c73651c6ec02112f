// What forward pass, backward pass and error model share: the groups of rows in a cell's sums, and
// the order of steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "rnn/network.hpp"
#include "rnn/products.hpp"

namespace rnncheck {

inline std::size_t size(int number) {
    return static_cast<std::size_t>(number);
}

/// Sums that a cell forms per hidden unit. As gates_of, but GRU forms the candidate's two sides
/// apart, because the reset gate weighs the recurrent one.
inline int groups_of(Cell cell) {
    if (cell == Cell::lstm || cell == Cell::gru)
        return 4;
    return 1;
}

/// The gate whose input side, or recurrent side, joins the group's sum; -1 for none.
inline int input_gate_of(Cell cell, int group) {
    if (cell == Cell::gru && group == 3)
        return -1;
    return group;
}
inline int recurrent_gate_of(Cell cell, int group) {
    if (cell == Cell::gru && group == 3)
        return 2;
    if (cell == Cell::gru && group == 2)
        return -1;
    return group;
}

/// Neighbouring groups, whose rows of a step follow one another.
struct Groups {
    std::size_t first, count;
};

/// The groups that have a gate on a side, `gate_of` one of the two functions above: LSTM {0, 4},
/// GRU's recurrent side {0, 2} and {3, 1}.
inline std::vector<Groups> groups_with(Cell cell, int (*gate_of)(Cell, int)) {
    std::vector<Groups> found;
    for (int group = 0; group < groups_of(cell); ++group) {
        if (gate_of(cell, group) < 0)
            continue;
        const bool next = !found.empty() && found.back().first + found.back().count == size(group);
        if (next)
            ++found.back().count;
        else
            found.push_back({size(group), 1});
    }
    return found;
}

inline double clipped(double c, double bound) {
    if (bound > 0)
        return std::fmin(std::fmax(c, -bound), bound);
    return c;
}

/// 1 where clipping lets c through, else 0: its derivative.
inline double inside(double c, double bound) {
    return bound > 0 && std::abs(c) > bound ? 0 : 1;
}

/// Sizes of one pseudo-layer and the places of its numbers.
struct LayerPlace {
    const RnnCase& rnn_case;
    int pseudo_layer;

    int layer() const {
        return pseudo_layer / rnn_case.directions();
    }
    bool backward() const {
        return rnn_case.directions() == 2 && pseudo_layer % 2 == 1;
    }
    std::size_t hidden() const {
        return size(rnn_case.hidden);
    }
    std::size_t output() const {
        return size(rnn_case.output());
    }
    std::size_t sums() const {
        return size(groups_of(rnn_case.cell)) * hidden();
    }
    std::size_t columns() const {
        return size(layer() == 0 ? rnn_case.input : rnn_case.width());
    }
    std::size_t width() const {
        return size(rnn_case.width());
    }  ///< of the layer's output
    std::size_t half() const {
        if (!backward())
            return 0;
        return output();
    }  ///< this direction's part of it
    std::size_t rows() const {
        return size(rnn_case.batch) * size(rnn_case.sequence_length);
    }

    std::size_t row(int sequence, int step) const {
        return size(sequence) * size(rnn_case.sequence_length) + size(step);
    }
    /// The backward direction begins at each sequence's own last step.
    int step_of(int sequence, int tick) const {
        if (backward())
            return rnn_case.length_of(sequence) - 1 - tick;
        return tick;
    }
    std::size_t row_of(int sequence, int tick) const {
        return row(sequence, step_of(sequence, tick));
    }
    /// Place of a sequence in hx (width output) or cx (width hidden).
    std::size_t state(int sequence, std::size_t state_width) const {
        return (size(pseudo_layer) * size(rnn_case.batch) + size(sequence)) * state_width;
    }
};

/// One step of one sequence on a tape, of numbers or of their errors. Null for what the tape does
/// not hold.
template <class Number>
struct TapeStep {
    Number *x, *h, *gates, *cells, *squashed;
    Number *dx, *dabove, *dh, *dm, *dc,
        *dsums;  ///< `dabove` is the part of dh that comes from the layer above
    const double *h_before, *c_before;  ///< null for zeros, too
};

/// Of ReLU or tanh at `sum`, where the latter is `h`.
inline double slope_of(bool relu, double sum, double h) {
    if (relu)
        return sum > 0;
    return 1 - h * h;
}

/// `hx` and `cx` are the states before the first step; empty for zeros.
template <class SomeTape>
auto step_at(
    const LayerPlace& place,
    int sequence,
    int tick,
    SomeTape& tape,
    const std::vector<double>& hx = {},
    const std::vector<double>& cx = {}) {
    const std::size_t layer = size(place.layer()), row = place.row_of(sequence, tick);
    const std::size_t hidden = place.hidden(), output = place.output();
    auto& above = tape.data[layer + 1];
    auto& own = tape.pseudo_layers[size(place.pseudo_layer)];
    using Number = std::remove_pointer_t<decltype(above.data())>;
    const auto at =
        [](auto& rows, std::size_t number, std::size_t width, std::size_t offset = 0) -> Number* {
        if (rows.empty())
            return nullptr;
        return rows.data() + number * width + offset;
    };
    TapeStep<Number> step{
        at(tape.data[layer], row, place.columns()),
        at(above, row, place.width(), place.half()),
        at(own.gates, row, place.sums()),
        at(own.cells, row, hidden),
        at(own.squashed, row, hidden),
        nullptr,
        nullptr,
        at(own.dh, row, output),
        at(own.dm, row, hidden),
        at(own.dc, row, hidden),
        at(own.dsums, row, place.sums()),
        nullptr,
        nullptr};
    if (!hx.empty())
        step.h_before = hx.data() + place.state(sequence, output);
    if (!cx.empty())
        step.c_before = cx.data() + place.state(sequence, hidden);
    if (!tape.ddata.empty()) {
        step.dx = at(tape.ddata[layer], row, place.columns());
        step.dabove = at(tape.ddata[layer + 1], row, place.width(), place.half());
    }
    if (tick > 0) {
        const std::size_t last = place.row_of(sequence, tick - 1);
        step.h_before = at(above, last, place.width(), place.half());
        step.c_before = at(own.cells, last, hidden);
    }
    return step;
}

/// Copies the states after a sequence's last step to the outputs; nothing for an empty sequence.
template <class SomeTape>
void keep_final(const LayerPlace& place, int sequence, SomeTape& tape, RnnOutputs& outputs) {
    const int length = place.rnn_case.length_of(sequence);
    if (length == 0)
        return;
    const auto last = step_at(place, sequence, length - 1, tape);
    std::copy_n(last.h, place.output(), outputs.hy.data() + place.state(sequence, place.output()));
    if (last.cells)
        std::copy_n(
            last.cells, place.hidden(), outputs.cy.data() + place.state(sequence, place.hidden()));
}

/// One side of a pseudo-layer: what its matrices multiply is x on the input side, h before on the
/// recurrent one.
struct Side {
    Cell cell;
    int (*gate_of)(Cell, int);
    const std::vector<double> (&matrices)[4];
    const std::vector<double> (&biases)[4];
    std::size_t hidden, columns;

    /// Skip input: in place of each matrix times x, x itself.
    bool skips() const {
        return matrices[0].empty();
    }
    std::vector<Groups> groups() const {
        return groups_with(cell, gate_of);
    }
    /// Of neighbouring groups: [group * hidden + unit][column].
    std::vector<const double*> matrix_rows(const Groups& groups) const {
        std::vector<const double*> rows;
        for (std::size_t group = groups.first; group < groups.first + groups.count; ++group)
            for (std::size_t unit = 0; unit < hidden; ++unit)
                rows.push_back(
                    matrices[gate_of(cell, static_cast<int>(group))].data() + unit * columns);
        return rows;
    }
};

inline Side input_side(const LayerPlace& place, const LayerWeights& weights) {
    return {
        place.rnn_case.cell,
        input_gate_of,
        weights.input,
        weights.input_bias,
        place.hidden(),
        place.columns()};
}
inline Side recurrent_side(const LayerPlace& place, const LayerWeights& weights) {
    return {
        place.rnn_case.cell,
        recurrent_gate_of,
        weights.recurrent,
        weights.recurrent_bias,
        place.hidden(),
        place.output()};
}

/// The rows of a row-major matrix; none of an empty one.
inline std::vector<double*> rows_of(std::vector<double>& matrix, std::size_t columns) {
    std::vector<double*> rows;
    for (std::size_t at = 0; at < matrix.size(); at += columns)
        rows.push_back(matrix.data() + at);
    return rows;
}

/// Every element, `by` elements further: of groups that do not begin at the first.
template <class Number>
std::vector<Number*> shifted(std::vector<Number*> rows, std::size_t by) {
    for (Number*& row : rows)
        row += by;
    return rows;
}

/// What a unit's functions and derivatives cost in one step, in multiply-adds; for Team::run.
inline constexpr double operations_per_unit = 100;

/// Calls the function for this cell; `plain` with true for ReLU, false for tanh.
template <class Lstm, class Gru, class Plain>
void by_cell(Cell cell, Lstm&& lstm, Gru&& gru, Plain&& plain) {
    if (cell == Cell::lstm)
        return lstm();
    if (cell == Cell::gru)
        return gru();
    plain(cell == Cell::relu);
}

/// The initial states, or zeros: what the final ones are written over.
inline std::vector<double> initial_states(const std::vector<double>& given, std::size_t count) {
    if (given.empty())
        return std::vector<double>(count);
    return given;
}

/// The pseudo-layers in the order of a backward pass: use(place, gradients of its h, gradients of
/// its c or null).
template <class Use>
void backwards(const RnnCase& rnn_case, RnnOutputs& outputs, Use&& use) {
    for (int layer = rnn_case.layers - 1; layer >= 0; --layer)
        for (int direction = 0; direction < rnn_case.directions(); ++direction) {
            const LayerPlace place{rnn_case, layer * rnn_case.directions() + direction};
            use(place,
                outputs.dhx.data() + place.state(0, place.output()),
                outputs.dcx.empty() ? nullptr
                                    : outputs.dcx.data() + place.state(0, place.hidden()));
        }
}

/// All zeros, in the sizes of the case; without gates what becomes of them is not there either.
Tape empty_tape(const RnnCase& rnn_case, bool with_gradients, bool with_gates = true);

/// The gradients of a training case from its tape's forward part, into its other part and
/// `outputs`.
void add_gradients(
    const RnnCase& rnn_case, const RnnInputs& inputs, Tape& tape, RnnOutputs& outputs, Team& team);

/// As many of the threads as the case is worth: none but the caller where starting them takes
/// longer than it.
int threads_for(const RnnCase& rnn_case, int threads);

/// Null means zeros.
inline double or_zero(const double* values, std::size_t at) {
    if (!values)
        return 0;
    return values[at];
}

}  // namespace rnncheck
