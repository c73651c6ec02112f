// Every way in which an LSTM is known to go wrong, planted in a simulated device, must be caught by the sweep: by every
// case in which it changes anything, whatever that case's type and kernel.
#include <algorithm>
#include <functional>

#include "simulated_device.hpp"
#include "support/catch.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The device as the case asks for it: fma forbids TF32, anything else in fp32 has it, cut off as tensor cores do.
Arithmetic arithmetic_of(const RnnCase& rnn_case) {
    Arithmetic arithmetic;
    const bool fp32 = rnn_case.dtype == Dtype::fp32;
    if (fp32 && rnn_case.math != MathType::fma) arithmetic.operands = Operands::tf32_cut;
    arithmetic.half_sums_stored = bytes_of(rnn_case.dtype) == 2;
    arithmetic.gates_stored = arithmetic.cell_stored = arithmetic.half_sums_stored;
    arithmetic.columns_at_once = 8;
    arithmetic.wobble = rnn_case.dtype == Dtype::fp64   ? 4 * 0x1p-52
                        : rnn_case.dtype == Dtype::fp32 ? 4 * 0x1p-23
                                                        : 0x1p-11;
    return arithmetic;
}

/// A case with its numbers and what they must become.
struct Task {
    RnnCase rnn_case;
    RnnInputs inputs;
    RnnOutputs expected;
    Limits limits;

    explicit Task(const RnnCase& the_case)
        : rnn_case(the_case),
          inputs(make_inputs(the_case)),
          expected(reference(the_case, inputs)),
          limits(limits_for(the_case, the_case.math != MathType::fma)) {}

    RnnOutputs run(const RnnInputs& changed, const Behaviour& behaviour) const {
        return simulate(rnn_case, changed, arithmetic_of(rnn_case), behaviour);
    }
    Comparison judge(const RnnOutputs& found) const { return compare(rnn_case, expected, found, limits); }
};

const std::vector<Task>& tasks(Dialect dialect) {
    const auto prepare = [](Dialect which) {
        std::vector<Task> prepared;
        for (const RnnCase& rnn_case : standard_sweep(which)) prepared.emplace_back(rnn_case);
        return prepared;
    };
    static const std::vector<Task> legacy = prepare(Dialect::legacy), v8 = prepare(Dialect::v8);
    return dialect == Dialect::legacy ? legacy : v8;
}

bool some_steps_follow(const RnnCase& c) {
    return c.sequence_length > 1;
}
bool ragged(const RnnCase& c) {
    return !c.lengths.empty();
}
bool both_directions(const RnnCase& c) {
    return c.directions() == 2;
}
bool always(const RnnCase&) {
    return true;
}

using Applies = std::function<bool(const RnnCase&)>;

/// Every case of both sweeps that the fault concerns must notice it, and there must be one.
void must_be_caught(const Applies& applies, const std::function<RnnOutputs(const Task&)>& broken) {
    for (const Dialect dialect : {Dialect::legacy, Dialect::v8}) {
        int concerned = 0;
        for (const Task& task : tasks(dialect)) {
            if (!applies(task.rnn_case)) continue;
            ++concerned;
            const Comparison comparison = task.judge(broken(task));
            INFO(name_of(dialect) << " " << describe(task.rnn_case) << ": error / limit "
                                  << comparison.largest_error / comparison.limit);
            CHECK_FALSE(comparison.right);
        }
        CHECK(concerned > 0);
    }
}

void must_be_caught(const Applies& applies, const Behaviour& behaviour) {
    must_be_caught(applies, [&](const Task& task) { return task.run(task.inputs, behaviour); });
}

/// The fault is in what the device reads; pseudo_layer -1 stands for all.
void must_be_caught_in_weights(const Applies& applies, int pseudo_layer,
                               const std::function<void(LayerWeights&)>& spoil) {
    const auto there = [&](const RnnCase& c) { return applies(c) && pseudo_layer < c.layers * c.directions(); };
    must_be_caught(there, [&](const Task& task) {
        RnnInputs inputs = task.inputs;
        for (std::size_t i = 0; i < inputs.layers.size(); ++i)
            if (pseudo_layer < 0 || static_cast<int>(i) == pseudo_layer) spoil(inputs.layers[i]);
        return task.run(inputs, {});
    });
}

/// The fault is in what comes back.
void must_be_caught_in_outputs(const Applies& applies, const std::function<void(const RnnCase&, RnnOutputs&)>& spoil) {
    must_be_caught(applies, [&](const Task& task) {
        RnnOutputs outputs = task.run(task.inputs, {});
        spoil(task.rnn_case, outputs);
        return outputs;
    });
}

void exchange(std::vector<double>& values, std::size_t block, std::size_t one, std::size_t other) {
    std::swap_ranges(values.begin() + static_cast<long>(one * block),
                     values.begin() + static_cast<long>((one + 1) * block),
                     values.begin() + static_cast<long>(other * block));
}

}  // namespace

TEST_CASE("the sweep passes on a device without fault") {
    for (const Dialect dialect : {Dialect::legacy, Dialect::v8})
        for (const Task& task : tasks(dialect)) {
            const Comparison comparison = task.judge(task.run(task.inputs, {}));
            CAPTURE(name_of(dialect), describe(task.rnn_case), comparison.worst);
            CHECK(comparison.right);
            CHECK(comparison.largest_error < comparison.limit * 0.3);
            const bool tf32 = task.rnn_case.dtype == Dtype::fp32 && task.rnn_case.math != MathType::fma;
            CHECK(comparison.reduced_precision == tf32);
        }
}

TEST_CASE("fault: TF32 although fma was asked for") {
    for (const Operands operands : {Operands::tf32_nearest, Operands::tf32_cut})
        for (const Task& task : tasks(Dialect::v8)) {
            if (task.rnn_case.math != MathType::fma) continue;
            Arithmetic arithmetic = arithmetic_of(task.rnn_case);
            arithmetic.operands = operands;
            const Comparison comparison = task.judge(simulate(task.rnn_case, task.inputs, arithmetic));
            CAPTURE(describe(task.rnn_case), comparison.largest_error, comparison.limit);
            CHECK_FALSE(comparison.right);
            CHECK(comparison.reduced_precision);
        }
}

TEST_CASE("fault: two gates exchanged, in all layers or in one") {
    const int pseudo_layer = GENERATE(-1, 0, 1, 2, 3);
    for (int one = 0; one < 4; ++one)
        for (int other = one + 1; other < 4; ++other) {
            CAPTURE(pseudo_layer, one, other);
            must_be_caught_in_weights(always, pseudo_layer, [&](LayerWeights& weights) {
                std::swap(weights.input[one], weights.input[other]);
                std::swap(weights.recurrent[one], weights.recurrent[other]);
                std::swap(weights.input_bias[one], weights.input_bias[other]);
                std::swap(weights.recurrent_bias[one], weights.recurrent_bias[other]);
            });
        }
}

TEST_CASE("fault: a bias dropped, in all layers or in one") {
    const int pseudo_layer = GENERATE(-1, 0, 1, 2, 3);
    // Without initial states c is zero in the first step, and the forget gate without effect.
    const auto forget_matters = [](const RnnCase& c) { return c.states || c.sequence_length > 1; };
    for (int gate = 0; gate < 4; ++gate)
        for (const bool recurrent : {false, true}) {
            CAPTURE(pseudo_layer, gate, recurrent);
            must_be_caught_in_weights(gate == 1 ? Applies(forget_matters) : Applies(always), pseudo_layer,
                                      [&](LayerWeights& weights) {
                                          auto& biases = recurrent ? weights.recurrent_bias : weights.input_bias;
                                          std::fill(biases[gate].begin(), biases[gate].end(), 0);
                                      });
        }
}

TEST_CASE("fault: one column of the input or of the state left out") {
    must_be_caught_in_weights(always, -1, [](LayerWeights& weights) {
        for (auto& matrix : weights.input)
            for (std::size_t i = 0; i < matrix.size(); i += static_cast<std::size_t>(weights.columns)) matrix[i] = 0;
    });
    must_be_caught_in_weights(some_steps_follow, -1, [](LayerWeights& weights) {
        const std::size_t hidden = weights.input_bias[0].size();
        for (auto& matrix : weights.recurrent)
            for (std::size_t i = hidden - 1; i < matrix.size(); i += hidden) matrix[i] = 0;
    });
}

TEST_CASE("fault: the last step dropped") {
    must_be_caught(always, {.last_step_dropped = true});
}

TEST_CASE("fault: the backward direction not reversed") {
    must_be_caught(both_directions, {.backward_not_reversed = true});
}

TEST_CASE("fault: the backward direction begins in the padding") {
    must_be_caught([](const RnnCase& c) { return both_directions(c) && ragged(c); }, {.backward_from_padding = true});
}

TEST_CASE("fault: state not carried over between steps") {
    must_be_caught(some_steps_follow, {.h_not_carried = true});
    must_be_caught(some_steps_follow, {.c_not_carried = true});
    must_be_caught(some_steps_follow, {.h_not_carried = true, .c_not_carried = true});
}

TEST_CASE("fault: initial states ignored") {
    const bool h = GENERATE(true, false);
    must_be_caught([](const RnnCase& c) { return c.states; },
                   [&](const Task& task) {
                       RnnInputs inputs = task.inputs;
                       (h ? inputs.hx : inputs.cx).assign(inputs.hx.size(), 0);
                       return task.run(inputs, {});
                   });
}

TEST_CASE("fault: padding not honoured") {
    must_be_caught(ragged, {.padding_computed = true});
    must_be_caught(ragged, [](const Task& task) {
        // y looks right, but the states are those of the padded end.
        RnnOutputs outputs = task.run(task.inputs, {.padding_computed = true});
        outputs.y = task.expected.y;
        return outputs;
    });
    must_be_caught_in_outputs(ragged, [](const RnnCase& c, RnnOutputs& outputs) {
        const std::size_t width = outputs.y.size() / static_cast<std::size_t>(c.batch * c.sequence_length);
        for (std::size_t row = 0; row < outputs.y.size() / width; ++row)
            if (static_cast<int>(row) % c.sequence_length >= c.length_of(static_cast<int>(row) / c.sequence_length))
                outputs.y[row * width] = not_a_number;
    });
}

TEST_CASE("fault: not a number in one lane") {
    const int which = GENERATE(0, 1, 2);
    must_be_caught_in_outputs(always, [&](const RnnCase&, RnnOutputs& outputs) {
        std::vector<double>& values = which == 0 ? outputs.y : which == 1 ? outputs.hy : outputs.cy;
        values[values.size() / 2] = not_a_number;
    });
}

TEST_CASE("fault: an output never written, zero, or left over from other numbers") {
    const int which = GENERATE(0, 1, 2), what = GENERATE(0, 1, 2);
    must_be_caught(always, [&](const Task& task) {
        RnnOutputs outputs = task.run(task.inputs, {});
        RnnCase other = task.rnn_case;
        other.math = task.rnn_case.math == MathType::tensor ? MathType::fma : MathType::tensor;
        const RnnOutputs stale = reference(other, make_inputs(other));
        const auto replace = [&](std::vector<double>& values, const std::vector<double>& left_over) {
            if (what == 2) values = left_over;
            if (what != 2) values.assign(values.size(), what == 0 ? not_a_number : 0);
        };
        if (which == 0) replace(outputs.y, stale.y);
        if (which == 1) replace(outputs.hy, stale.hy);
        if (which == 2) replace(outputs.cy, stale.cy);
        return outputs;
    });
}

TEST_CASE("fault: one row of the batch exchanged with another") {
    const auto several = [](const RnnCase& c) { return c.batch > 1; };
    const int which = GENERATE(0, 1, 2);
    must_be_caught_in_outputs(several, [&](const RnnCase& c, RnnOutputs& outputs) {
        const auto batch = static_cast<std::size_t>(c.batch), hidden = static_cast<std::size_t>(c.hidden);
        if (which == 0) exchange(outputs.y, outputs.y.size() / batch, 0, batch - 1);
        if (which == 1) exchange(outputs.hy, hidden, 0, 1);
        if (which == 2) exchange(outputs.cy, hidden, outputs.cy.size() / hidden - 2, outputs.cy.size() / hidden - 1);
    });
}

TEST_CASE("fault: hy or cy of the step before") {
    must_be_caught(always, {.earlier_hy = true});
    must_be_caught(always, {.earlier_cy = true});
}

TEST_CASE("fault: the second layer gets the forward half alone") {
    must_be_caught([](const RnnCase& c) { return c.layers > 1 && both_directions(c); }, {.forward_half_only = true});
}

TEST_CASE("fault: forward and backward half exchanged") {
    must_be_caught(both_directions, {.halves_exchanged = true});
}
