// What forward pass, backward pass and error model share: the groups of rows in a cell's sums, and the order of steps.
#pragma once

#include <cmath>

#include "rnn/network.hpp"

namespace rnncheck {

inline std::size_t size(int number) {
    return static_cast<std::size_t>(number);
}

/// Sums that a cell forms per hidden unit. As gates_of, but GRU forms the candidate's two sides apart, because the
/// reset gate weighs the recurrent one.
inline int groups_of(Cell cell) {
    return cell == Cell::lstm || cell == Cell::gru ? 4 : 1;
}

/// The gate whose input side, or recurrent side, joins the group's sum; -1 for none.
inline int input_gate_of(Cell cell, int group) {
    return cell == Cell::gru && group == 3 ? -1 : group;
}
inline int recurrent_gate_of(Cell cell, int group) {
    return cell == Cell::gru && group >= 2 ? (group == 3 ? 2 : -1) : group;
}

inline double clipped(double c, double bound) {
    return bound > 0 ? std::fmin(std::fmax(c, -bound), bound) : c;
}

/// 1 where clipping lets c through, else 0: its derivative.
inline double inside(double c, double bound) {
    return bound > 0 && std::abs(c) > bound ? 0 : 1;
}

/// Sizes of one pseudo-layer and where its numbers stand.
struct LayerPlace {
    const RnnCase& rnn_case;
    int pseudo_layer;

    int layer() const { return pseudo_layer / rnn_case.directions(); }
    bool backward() const { return rnn_case.directions() == 2 && pseudo_layer % 2 == 1; }
    std::size_t hidden() const { return size(rnn_case.hidden); }
    std::size_t output() const { return size(rnn_case.output()); }
    std::size_t sums() const { return size(groups_of(rnn_case.cell)) * hidden(); }
    std::size_t columns() const {
        return size(layer() == 0 ? rnn_case.input : rnn_case.directions() * rnn_case.output());
    }
    std::size_t width() const { return size(rnn_case.directions()) * output(); }  ///< of the layer's output
    std::size_t half() const { return backward() ? output() : 0; }                ///< this direction's part of it
    std::size_t rows() const { return size(rnn_case.batch) * size(rnn_case.sequence_length); }

    std::size_t row(int sequence, int step) const {
        return size(sequence) * size(rnn_case.sequence_length) + size(step);
    }
    /// The backward direction begins at each sequence's own last step.
    int step_of(int sequence, int tick) const { return backward() ? rnn_case.length_of(sequence) - 1 - tick : tick; }
    std::size_t row_of(int sequence, int tick) const { return row(sequence, step_of(sequence, tick)); }
    /// Place of a sequence in hx (width output) or cx (width hidden).
    std::size_t state(int sequence, std::size_t state_width) const {
        return (size(pseudo_layer) * size(rnn_case.batch) + size(sequence)) * state_width;
    }
};

/// The state before a tick: the row before it in `rows`, or the initial one, or null for zeros.
inline const double* before(const LayerPlace& place, int sequence, int tick, const std::vector<double>& rows,
                            std::size_t row_width, std::size_t offset, const std::vector<double>& initial,
                            std::size_t state_width) {
    if (tick > 0) return rows.data() + place.row_of(sequence, tick - 1) * row_width + offset;
    return initial.empty() ? nullptr : initial.data() + place.state(sequence, state_width);
}

/// The h before a tick, where `above` holds the rows of the layer's output or their errors.
inline const double* h_before(const LayerPlace& place, int sequence, int tick, const std::vector<double>& above,
                              const std::vector<double>& initial = {}) {
    return before(place, sequence, tick, above, place.width(), place.half(), initial, place.output());
}

/// The c before a tick; null for cells without it.
inline const double* c_before(const LayerPlace& place, int sequence, int tick, const std::vector<double>& cells,
                              const std::vector<double>& initial = {}) {
    if (cells.empty()) return nullptr;
    return before(place, sequence, tick, cells, place.hidden(), 0, initial, place.hidden());
}

/// Calls what belongs to the cell; `plain` with whether it is ReLU.
template <class Lstm, class Gru, class Plain>
void by_cell(Cell cell, Lstm&& lstm, Gru&& gru, Plain&& plain) {
    switch (cell) {
        case Cell::lstm:
            return lstm();
        case Cell::gru:
            return gru();
        case Cell::tanh:
        case Cell::relu:
            return plain(cell == Cell::relu);
    }
}

/// The initial states, or zeros: what the final ones are written over.
inline std::vector<double> initial_states(const std::vector<double>& given, std::size_t count) {
    return given.empty() ? std::vector<double>(count) : given;
}

/// The pseudo-layers in the order of a backward pass: use(place, gradients of its h, gradients of its c or null).
template <class Use>
void backwards(const RnnCase& rnn_case, RnnOutputs& outputs, Use&& use) {
    for (int layer = rnn_case.layers - 1; layer >= 0; --layer)
        for (int direction = 0; direction < rnn_case.directions(); ++direction) {
            const LayerPlace place{rnn_case, layer * rnn_case.directions() + direction};
            use(place, outputs.dhx.data() + place.state(0, place.output()),
                outputs.dcx.empty() ? nullptr : outputs.dcx.data() + place.state(0, place.hidden()));
        }
}

/// The gradients of a training case from its tape's forward part, into its other part and `outputs`.
void add_gradients(const RnnCase& rnn_case, const RnnInputs& inputs, Tape& tape, RnnOutputs& outputs);

/// Null stands for zeros.
inline double or_zero(const double* values, std::size_t at) {
    return values ? values[at] : 0;
}

}  // namespace rnncheck
