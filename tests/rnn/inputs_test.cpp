#include <algorithm>
#include <cmath>

#include "rnn/case.hpp"
#include "rnn/sweep.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

static RnnCase small_case() {
    RnnCase rnn_case;
    rnn_case.direction = Direction::bidirectional;
    rnn_case.layers = 2;
    rnn_case.input = 7;
    rnn_case.hidden = 16;
    rnn_case.batch = 3;
    rnn_case.sequence_length = 5;
    rnn_case.states = true;
    return rnn_case;
}

TEST_CASE("inputs have the shapes of the case") {
    const RnnInputs inputs = make_inputs(small_case());
    REQUIRE(inputs.layers.size() == 4);
    CHECK(inputs.layers[0].columns == 7);
    CHECK(inputs.layers[1].columns == 7);
    CHECK(inputs.layers[2].columns == 32);
    CHECK(inputs.layers[2].input[3].size() == 16 * 32);
    CHECK(inputs.layers[3].recurrent[0].size() == 16 * 16);
    CHECK(inputs.layers[0].input_bias[2].size() == 16);
    CHECK(inputs.x.size() == 3 * 5 * 7);
    CHECK(inputs.hx.size() == 4 * 3 * 16);
    CHECK(inputs.cx.size() == 4 * 3 * 16);
    RnnCase without = small_case();
    without.states = false;
    CHECK(make_inputs(without).hx.empty());
    CHECK(make_inputs(without).cx.empty());
}

TEST_CASE("inputs are the same on every machine") {
    // Pinned: reports from two machines compare only while these never move. Exact values.
    RnnCase rnn_case;
    rnn_case.dtype = Dtype::fp64;
    rnn_case.input = 2;
    rnn_case.hidden = 3;
    const RnnInputs inputs = make_inputs(rnn_case);
    CHECK(inputs.x[0] == -0x1.7878bf82f2908p-2);
    CHECK(inputs.x[1] == 0x1.7332561a1f4c4p+0);
    CHECK(inputs.layers[0].recurrent[1][8] == 0x1.2bcccb74c1bf3p-2);
}

TEST_CASE("inputs are spread as stated, never zero, and no two arrays or sequences are alike") {
    RnnCase rnn_case = small_case();
    rnn_case.hidden = 64;
    rnn_case.input = 64;
    rnn_case.batch = 8;
    const RnnInputs inputs = make_inputs(rnn_case);
    double sum = 0, squares = 0, largest = 0;
    for (const double x : inputs.x) {
        sum += x;
        squares += x * x;
        largest = std::max(largest, std::abs(x));
    }
    const auto count = static_cast<double>(inputs.x.size());
    CHECK(std::abs(sum / count) < 0.1);
    CHECK(squares / count == Approx(1).epsilon(0.1));
    CHECK(largest < 3.5);
    CHECK(std::count(inputs.x.begin(), inputs.x.end(), 0.0) == 0);
    for (const double weight : inputs.layers[0].input[0])
        REQUIRE(std::abs(weight) <= 1.0 / 8);
    for (const double bias : inputs.layers[3].recurrent_bias[3])
        REQUIRE(bias != 0);
    for (const double state : inputs.cx)
        REQUIRE((std::abs(state) <= 1 && state != 0));
    const long row = 5L * 64;
    CHECK_FALSE(std::equal(inputs.x.begin(), inputs.x.begin() + row, inputs.x.begin() + row));
    CHECK(inputs.hx != inputs.cx);
    CHECK(inputs.layers[0].input_bias[0] != inputs.layers[0].recurrent_bias[0]);
    CHECK(inputs.layers[0].input_bias[0] != inputs.layers[0].input_bias[1]);
    CHECK(inputs.layers[0].recurrent[0] != inputs.layers[1].recurrent[0]);
}

TEST_CASE("inputs are already numbers of the case's type") {
    RnnCase rnn_case = small_case();
    rnn_case.dtype = GENERATE(Dtype::fp64, Dtype::fp32, Dtype::fp16, Dtype::bf16);
    const RnnInputs inputs = make_inputs(rnn_case);
    const auto exact = [&](const std::vector<double>& values) {
        return decode(encode(values, rnn_case.dtype), rnn_case.dtype) == values;
    };
    CHECK(exact(inputs.x));
    CHECK(exact(inputs.hx));
    CHECK(exact(inputs.layers[2].input[1]));
    CHECK(exact(inputs.layers[2].recurrent_bias[1]));
}

TEST_CASE("cases of equal sizes start from different numbers") {
    RnnCase other = small_case();
    other.math = MathType::fma;
    CHECK(make_inputs(other).x != make_inputs(small_case()).x);
}
