#include <algorithm>
#include <cmath>
#include <map>

#include "rnn/sweep.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

/// The equations of the cuDNN API reference read from the back: a state requests the states it
/// needs. Shares no structure with reference(): no packing, no order of steps, one number at a
/// time.
class Equations {
  public:
    Equations(const RnnCase& rnn_case, const RnnInputs& inputs) : case_(rnn_case), inputs_(inputs) {
    }

    struct Place {
        int pseudo_layer, sequence, step, unit;
        auto operator<=>(const Place&) const = default;
    };
    struct State {
        double h, c;
    };

    State state(const Place& at) {
        if (const auto known = known_.find(at); known != known_.end())
            return known->second;
        const double i = sigmoid(sum(0, at)), f = sigmoid(sum(1, at)), g = std::tanh(sum(2, at));
        const double o = sigmoid(sum(3, at));
        const double c = f * previous(at, at.unit).c + i * g;
        return known_[at] = {o * std::tanh(c), c};
    }

    bool backward(int pseudo_layer) const {
        return case_.directions() == 2 && pseudo_layer % 2 == 1;
    }

  private:
    static double sigmoid(double a) {
        return (1 + std::tanh(a / 2)) / 2;
    }

    State previous(Place at, int unit) {
        at.unit = unit;
        const int first = backward(at.pseudo_layer) ? case_.length_of(at.sequence) - 1 : 0;
        if (at.step != first) {
            at.step += backward(at.pseudo_layer) ? 1 : -1;
            return state(at);
        }
        if (!case_.states)
            return {0, 0};
        const int index = (at.pseudo_layer * case_.batch + at.sequence) * case_.hidden + unit;
        return {
            inputs_.hx[static_cast<std::size_t>(index)],
            inputs_.cx[static_cast<std::size_t>(index)]};
    }

    double below(const Place& at, int column) {
        const int layer = at.pseudo_layer / case_.directions();
        if (layer == 0) {
            const int index =
                (at.sequence * case_.sequence_length + at.step) * case_.input + column;
            return inputs_.x[static_cast<std::size_t>(index)];
        }
        const int half = column / case_.hidden;
        return state({(layer - 1) * case_.directions() + half,
                      at.sequence,
                      at.step,
                      column % case_.hidden})
            .h;
    }

    double sum(int gate, const Place& at) {
        const LayerWeights& weights = inputs_.layers[static_cast<std::size_t>(at.pseudo_layer)];
        const auto unit = static_cast<std::size_t>(at.unit);
        double total = weights.input_bias[gate][unit] + weights.recurrent_bias[gate][unit];
        for (int k = 0; k < weights.columns; ++k)
            total += weights.input[gate][static_cast<std::size_t>(at.unit * weights.columns + k)] *
                     below(at, k);
        for (int k = 0; k < case_.hidden; ++k)
            total += weights.recurrent[gate][static_cast<std::size_t>(at.unit * case_.hidden + k)] *
                     previous(at, k).h;
        return total;
    }

    const RnnCase& case_;
    const RnnInputs& inputs_;
    std::map<Place, State> known_;
};

double largest_error_of_y(const RnnCase& c, Equations& equations, const RnnOutputs& outputs) {
    double largest = 0;
    std::size_t at = 0;
    for (int sequence = 0; sequence < c.batch; ++sequence)
        for (int step = 0; step < c.sequence_length; ++step)
            for (int column = 0; column < c.directions() * c.hidden; ++column, ++at) {
                const int top = (c.layers - 1) * c.directions() + column / c.hidden;
                const bool padding = step >= c.length_of(sequence);
                const double must_be =
                    padding ? 0 : equations.state({top, sequence, step, column % c.hidden}).h;
                largest = std::max(largest, std::abs(outputs.y.at(at) - must_be));
            }
    return largest;
}

double largest_error_of_states(const RnnCase& c, Equations& equations, const RnnOutputs& outputs) {
    double largest = 0;
    std::size_t at = 0;
    for (int layer = 0; layer < c.layers * c.directions(); ++layer)
        for (int sequence = 0; sequence < c.batch; ++sequence)
            for (int unit = 0; unit < c.hidden; ++unit, ++at) {
                const int last = equations.backward(layer) ? 0 : c.length_of(sequence) - 1;
                const Equations::State state = equations.state({layer, sequence, last, unit});
                largest = std::max(
                    {largest,
                     std::abs(outputs.hy.at(at) - state.h),
                     std::abs(outputs.cy.at(at) - state.c)});
            }
    return largest;
}

RnnCase sized(int input, int hidden, int batch, int steps) {
    RnnCase rnn_case;
    rnn_case.dtype = Dtype::fp64;
    rnn_case.input = input;
    rnn_case.hidden = hidden;
    rnn_case.batch = batch;
    rnn_case.sequence_length = steps;
    return rnn_case;
}

}  // namespace

TEST_CASE("the reference is what the equations give, one number at a time") {
    RnnCase rnn_case =
        GENERATE(sized(1, 1, 1, 1), sized(7, 5, 3, 4), sized(3, 17, 2, 6), sized(8, 4, 5, 3));
    rnn_case.layers = GENERATE(1, 2, 3);
    rnn_case.direction = GENERATE(Direction::unidirectional, Direction::bidirectional);
    rnn_case.states = GENERATE(false, true);
    if (GENERATE(false, true))
        for (int sequence = 0; sequence < rnn_case.batch; ++sequence)
            rnn_case.lengths.push_back(
                1 + (sequence * 5 + rnn_case.hidden) % rnn_case.sequence_length);
    CAPTURE(describe(rnn_case));
    const RnnInputs inputs = make_inputs(rnn_case);
    const RnnOutputs outputs = reference(rnn_case, inputs);
    Equations equations(rnn_case, inputs);
    CHECK(largest_error_of_y(rnn_case, equations, outputs) < 1e-14);
    CHECK(largest_error_of_states(rnn_case, equations, outputs) < 1e-14);
}

TEST_CASE("the reference takes the gates in cuDNN's order: input, forget, candidate, output") {
    RnnCase rnn_case = sized(1, 1, 1, 1);
    rnn_case.states = true;
    RnnInputs inputs = make_inputs(rnn_case);
    inputs.x = {0};
    inputs.hx = {0};
    inputs.cx = {0.5};
    // Sums 0, ln 3, 1/2 and ln 7 make the gates 1/2, 3/4, tanh(1/2) and 7/8.
    const double sums[4] = {0, std::log(3.0), 0.5, std::log(7.0)};
    for (int gate = 0; gate < 4; ++gate) {
        inputs.layers[0].input_bias[gate] = {sums[gate] - 1};
        inputs.layers[0].recurrent_bias[gate] = {1};
    }
    const RnnOutputs outputs = reference(rnn_case, inputs);
    const double c = 0.75 * 0.5 + 0.5 * std::tanh(0.5);
    CHECK(outputs.cy.at(0) == Approx(c).epsilon(1e-15));
    CHECK(outputs.hy.at(0) == Approx(0.875 * std::tanh(c)).epsilon(1e-15));
    CHECK(outputs.y == outputs.hy);
}

TEST_CASE("the reference does not look at padding, and leaves zeros there") {
    RnnCase rnn_case = sized(4, 6, 3, 5);
    rnn_case.direction = Direction::bidirectional;
    rnn_case.lengths = {2, 5, 1};
    RnnInputs inputs = make_inputs(rnn_case);
    const RnnOutputs outputs = reference(rnn_case, inputs);
    for (std::size_t i = 2 * 4; i < 5 * 4; ++i)
        inputs.x[i] = 99;
    const RnnOutputs again = reference(rnn_case, inputs);
    CHECK(again.y == outputs.y);
    CHECK(again.hy == outputs.hy);
    for (std::size_t i = 2 * 12; i < 5 * 12; ++i)
        REQUIRE(outputs.y[i] == 0);
}
