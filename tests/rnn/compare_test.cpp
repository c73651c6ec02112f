#include "rnn/compare.hpp"

#include <algorithm>
#include <limits>

#include "support/catch.hpp"

using namespace rnncheck;

namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

RnnOutputs all(double value) {
    return {
        std::vector<double>(24, value),
        std::vector<double>(8, value),
        std::vector<double>(8, value),
        {},
        {},
        {},
        {}};
}

struct Example {
    RnnCase rnn_case;
    RnnOutputs expected, found;
    Limits limits;

    Example() {
        rnn_case.direction = Direction::bidirectional;
        rnn_case.dtype = Dtype::fp64;
        rnn_case.hidden = 2;
        rnn_case.batch = 2;
        rnn_case.sequence_length = 3;
        rnn_case.lengths = {3, 1};
        expected = all(0.5);
        expected.hy.assign(8, 0.25);
        expected.cy.assign(8, -3);
        for (std::size_t i = 16; i < 24; ++i)
            expected.y[i] = 0;
        found = expected;
        limits.kept.push_back({Precision::full, all(1e-3)});
        limits.kept[0].largest.cy.assign(8, 6e-3);
    }
    Comparison result() const {
        return compare(rnn_case, expected, found, limits);
    }
};

/// A case of fp32 with its real limits.
struct RealLimits {
    RnnCase rnn_case;
    RnnInputs inputs;
    Computation computation;

    explicit RealLimits(Dtype dtype, bool training = false) {
        rnn_case.dtype = dtype;
        rnn_case.input = rnn_case.hidden = 64;
        rnn_case.batch = 2;
        rnn_case.sequence_length = 4;
        rnn_case.training = training;
        inputs = make_inputs(rnn_case);
        computation = compute(rnn_case, inputs);
    }
    Limits limits(bool tf32) const {
        return limits_for(rnn_case, inputs, computation, {tf32, true, false});
    }
};

double largest(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
}

}  // namespace

TEST_CASE("outputs within their limits are right") {
    Example example;
    CHECK(example.result().correct);
    CHECK(example.result().largest_error == 0);
    CHECK(example.result().worst.empty());
    example.found.y[3] += 0.9e-3;
    example.found.cy[5] += 5e-3;  // of 2e-3 * |-3|
    CHECK(example.result().correct);
    CHECK(example.result().limit == 1e-3);
    CHECK(example.result().largest_error == Approx(0.9e-3));
}

TEST_CASE("one element beyond its limit is wrong, and named") {
    Example example;
    SECTION("y") {
        example.found.y[9] = 0.25;
        CHECK(
            example.result().worst == "y of sequence 0, step 2, unit 1: found 0.25, expected 0.5");
        CHECK(example.result().largest_error == Approx(0.25));
    }
    SECTION("hy") {
        example.found.hy[7] = 0.5;
        CHECK(
            example.result().worst ==
            "hy of layer 0 backward, sequence 1, unit 1: found 0.5, expected 0.25");
    }
    SECTION("cy, whose limit is its own") {
        example.found.cy[2] -= 7e-3;
        CHECK(
            example.result().worst ==
            "cy of layer 0, sequence 1, unit 0: found -3.007, expected -3");
        CHECK(example.result().largest_error == Approx(7e-3 / 6));
    }
    SECTION("the worst of several") {
        example.found.y[0] = 0.4;
        example.found.y[1] = 0.1;
        example.found.y[2] = 0.4;
        CHECK(example.result().worst == "y of sequence 0, step 0, unit 1: found 0.1, expected 0.5");
    }
    CHECK_FALSE(example.result().correct);
}

TEST_CASE("what is not a number is infinitely wrong wherever it is") {
    for (const double value : {not_a_number, infinity, -infinity})
        for (const int where : {0, 1, 2, 3}) {
            CAPTURE(value, where);
            Example example;
            double* const places[] = {
                &example.found.y[15],
                &example.found.y[20],
                &example.found.hy[0],
                &example.found.cy[7]};
            *places[where] = value;
            CHECK_FALSE(example.result().correct);
            CHECK(example.result().largest_error == infinity);
            CHECK(example.result().precision == Precision::full);
            CHECK_FALSE(example.result().worst.empty());
        }
}

TEST_CASE("not a number stays the worst whatever follows") {
    Example example;
    example.found.y[1] = not_a_number;
    example.found.cy[1] = 100;
    CHECK(example.result().largest_error == infinity);
    CHECK(example.result().worst == "y of sequence 0, step 0, unit 1: found nan, expected 0.5");
}

TEST_CASE("padding must be exactly the fill") {
    Example example;
    example.found.y[16] = 1e-30;
    CHECK_FALSE(example.result().correct);
    CHECK(
        example.result().worst ==
        "y of sequence 1, step 1 (padding), unit 0: found 1e-30, expected 0");
    example.found.y[16] = -0.0;
    CHECK(example.result().correct);
}

TEST_CASE("outputs that are missing are wrong") {
    Example example;
    example.found.hy.pop_back();
    CHECK_FALSE(example.result().correct);
    CHECK(example.result().worst == "not all outputs are there");
    CHECK(
        compare(example.rnn_case, example.expected, {}, example.limits).largest_error == infinity);
}

TEST_CASE("an fp32 error that TF32 explains is distinguished from one that nothing explains") {
    const RealLimits real(Dtype::fp32);
    const Limits strict = real.limits(false), loose = real.limits(true);
    RnnOutputs found = real.computation.outputs;
    const auto result = [&](const Limits& limits) {
        return compare(real.rnn_case, real.computation.outputs, found, limits);
    };
    const double expected = found.y[0];
    found.y[0] = expected + loose.kept.at(1).largest.y[0] / 2;
    CHECK(result(strict).precision == Precision::tf32);
    CHECK_FALSE(result(strict).correct);
    CHECK(result(loose).precision == Precision::tf32);
    CHECK(result(loose).correct);
    found.y[0] = expected + loose.kept.at(1).largest.y[0] * 2;
    CHECK(result(loose).precision == Precision::full);
    CHECK(result(strict).precision == Precision::full);
    CHECK_FALSE(result(loose).correct);
    found.y[0] = expected + loose.kept.at(0).largest.y[0] / 2;
    CHECK(result(loose).precision == Precision::full);
    CHECK(result(strict).correct);
}

TEST_CASE("limits: TF32 concerns fp32 alone, and wider types are held to more") {
    const auto limit = [](Dtype dtype, bool tf32) {
        return largest(RealLimits(dtype).limits(tf32).allowed().y);
    };
    for (const Dtype dtype : {Dtype::fp64, Dtype::fp16, Dtype::bf16})
        CHECK(limit(dtype, true) == limit(dtype, false));
    CHECK(limit(Dtype::fp64, false) < 1e-12);
    CHECK(limit(Dtype::fp32, false) < 2e-5);
    CHECK(limit(Dtype::fp32, true) < 1e-2);
    CHECK(limit(Dtype::fp32, true) > 100 * limit(Dtype::fp32, false));
    CHECK(limit(Dtype::fp16, false) < 1e-2);
    CHECK(limit(Dtype::bf16, false) < 6e-2);
}

TEST_CASE("gradients are compared, and a wrong one is named with its gate") {
    const RealLimits real(Dtype::fp64, true);
    RnnOutputs found = real.computation.outputs;
    const auto result = [&] {
        return compare(real.rnn_case, real.computation.outputs, found, real.limits(false));
    };
    CHECK(result().correct);
    SECTION("of a weight") {
        found.dweights[0].recurrent[1][64 * 3 + 5] += 1;
        CHECK(result().worst.starts_with(
            "dW of layer 0, forget gate, recurrent side, unit 3, column 5: found "));
    }
    SECTION("of a bias") {
        found.dweights[0].input_bias[2][7] = not_a_number;
        CHECK(
            result().worst.starts_with("db of layer 0, candidate, input side, unit 7: found nan"));
    }
    SECTION("of x") {
        found.dx[64 * 5 + 2] += 1;
        CHECK(result().worst.starts_with("dx of sequence 1, step 1, unit 2: found "));
    }
    SECTION("of the initial state") {
        found.dcx[64 + 9] += 1;
        CHECK(result().worst.starts_with("dcx of layer 0, sequence 1, unit 9: found "));
    }
    CHECK_FALSE(result().correct);
}

TEST_CASE("fp16 beyond its range is an overflow, and infinity below it an error") {
    Example example;
    example.rnn_case.dtype = Dtype::fp16;
    example.expected.hy[3] = example.found.hy[3] = 65600;
    example.found.hy[3] = infinity;
    CHECK(example.result().correct);
    CHECK(example.result().overflow);
    example.found.hy[3] = -infinity;
    CHECK_FALSE(example.result().correct);
    example.expected.hy[3] = 60000;
    example.found.hy[3] = infinity;
    CHECK_FALSE(example.result().correct);
    CHECK_FALSE(example.result().overflow);
    example.expected.hy[3] = 65600;
    example.rnn_case.dtype = Dtype::bf16;
    CHECK_FALSE(example.result().correct);
}

TEST_CASE("where clipping is on, cy may be clipped or not") {
    Example example;
    example.rnn_case.clip = 2;
    example.found.cy[1] = -2;
    CHECK(example.result().correct);
    example.found.cy[1] = -1.9;
    CHECK_FALSE(example.result().correct);
}

TEST_CASE("limits: fast mathematics concerns fp32 with functions alone, and explains before TF32") {
    const RealLimits real(Dtype::fp32);
    const auto limits = [&](const ReducedPrecision& reduced) {
        return limits_for(real.rnn_case, real.inputs, real.computation, reduced);
    };
    const auto precisions = [](const Limits& of) {
        std::vector<Precision> all;
        for (const Limits::Kept& kept : of.kept)
            all.push_back(kept.precision);
        return all;
    };
    const Limits strict = limits({false, true, true});
    CHECK(
        precisions(strict) == std::vector{Precision::full, Precision::fast_math, Precision::tf32});
    CHECK(strict.widest == 1);
    CHECK(limits({true, true, true}).widest == 2);
    CHECK(precisions(limits({})) == std::vector{Precision::full});
    CHECK(
        precisions(limits_for(
            RealLimits(Dtype::fp16).rnn_case, real.inputs, real.computation, {true, true, true})) ==
        std::vector{Precision::full});
    RnnOutputs found = real.computation.outputs;
    found.y[0] += strict.kept[1].largest.y[0] * 0.9;
    CHECK(compare(real.rnn_case, real.computation.outputs, found, strict).correct);
    CHECK(
        compare(real.rnn_case, real.computation.outputs, found, strict).precision ==
        Precision::fast_math);
    CHECK_FALSE(compare(real.rnn_case, real.computation.outputs, found, limits({})).correct);
    RnnCase relu = real.rnn_case;
    relu.cell = Cell::relu;
    const RnnInputs inputs = make_inputs(relu);
    CHECK(
        precisions(limits_for(relu, inputs, compute(relu, inputs), {false, false, true})) ==
        std::vector{Precision::full});
}

TEST_CASE("what the states of a sequence of length 0 hold is not looked at") {
    Example example;
    example.rnn_case.lengths = {3, 0};
    for (std::size_t i = 12; i < 24; ++i)
        example.expected.y[i] = example.found.y[i] = 0;
    example.found.hy[2] = example.found.cy[7] = not_a_number;  // [direction][sequence][unit]
    CHECK(example.result().correct);
    example.found.hy[4] = not_a_number;
    CHECK_FALSE(example.result().correct);
}
