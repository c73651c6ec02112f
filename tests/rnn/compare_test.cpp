#include <limits>

#include "rnn/sweep.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

struct Example {
    RnnCase rnn_case;
    RnnOutputs expected, found;
    Limits limits{1e-3, 2e-3, 0};

    Example() {
        rnn_case.direction = Direction::bidirectional;
        rnn_case.hidden = 2;
        rnn_case.batch = 2;
        rnn_case.sequence_length = 3;
        rnn_case.lengths = {3, 1};
        expected = {std::vector<double>(24, 0.5), std::vector<double>(8, 0.25), std::vector<double>(8, -3)};
        for (std::size_t i = 16; i < 24; ++i) expected.y[i] = 0;
        found = expected;
    }
    Comparison result() const { return compare(rnn_case, expected, found, limits); }
};

}  // namespace

TEST_CASE("outputs within their limits are right") {
    Example example;
    CHECK(example.result().right);
    CHECK(example.result().largest_error == 0);
    CHECK(example.result().worst.empty());
    example.found.y[3] += 0.9e-3;
    example.found.cy[5] += 5e-3;  // of 2e-3 * |-3|
    CHECK(example.result().right);
    CHECK(example.result().limit == 1e-3);
    CHECK(example.result().largest_error == Approx(0.9e-3));
}

TEST_CASE("one element beyond its limit is wrong, and named") {
    Example example;
    SECTION("y") {
        example.found.y[9] = 0.25;
        CHECK(example.result().worst == "y of sequence 0, step 2, unit 1: found 0.25, expected 0.5");
        CHECK(example.result().largest_error == Approx(0.25));
    }
    SECTION("hy") {
        example.found.hy[7] = 0.5;
        CHECK(example.result().worst == "hy of layer 0 backward, sequence 1, unit 1: found 0.5, expected 0.25");
    }
    SECTION("cy, whose limit grows with its size") {
        example.found.cy[2] -= 7e-3;
        CHECK(example.result().worst == "cy of layer 0, sequence 1, unit 0: found -3.01, expected -3");
        CHECK(example.result().largest_error == Approx(7e-3 / 6));
    }
    SECTION("the worst of several") {
        example.found.y[0] = 0.4;
        example.found.y[1] = 0.1;
        example.found.y[2] = 0.4;
        CHECK(example.result().worst == "y of sequence 0, step 0, unit 1: found 0.1, expected 0.5");
    }
    CHECK_FALSE(example.result().right);
}

TEST_CASE("what is not a number is infinitely wrong wherever it stands") {
    for (const double value : {not_a_number, infinity, -infinity})
        for (const int where : {0, 1, 2, 3}) {
            CAPTURE(value, where);
            Example example;
            double* const places[] = {&example.found.y[15], &example.found.y[20], &example.found.hy[0],
                                      &example.found.cy[7]};
            *places[where] = value;
            CHECK_FALSE(example.result().right);
            CHECK(example.result().largest_error == infinity);
            CHECK_FALSE(example.result().reduced_precision);
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
    CHECK_FALSE(example.result().right);
    CHECK(example.result().worst == "y of sequence 1, step 1 (padding), unit 0: found 1e-30, expected 0");
    example.found.y[16] = -0.0;
    CHECK(example.result().right);
}

TEST_CASE("outputs that are missing are wrong") {
    Example example;
    example.found.hy.pop_back();
    CHECK_FALSE(example.result().right);
    CHECK(example.result().worst == "not all outputs are there");
    CHECK(compare(example.rnn_case, example.expected, RnnOutputs{}, example.limits).largest_error == infinity);
}

TEST_CASE("an fp32 error that TF32 explains is told from one that nothing explains") {
    Example example;
    example.limits = limits_for(example.rnn_case, false);
    const double tf32 = limits_for(example.rnn_case, true).y;
    example.found.y[0] += tf32 / 2;
    CHECK(example.result().reduced_precision);
    CHECK_FALSE(example.result().right);
    example.limits = limits_for(example.rnn_case, true);
    CHECK(example.result().reduced_precision);
    CHECK(example.result().right);
    example.found.y[0] = 0.5 + tf32 * 2;
    CHECK_FALSE(example.result().reduced_precision);
    example.found.y[0] = 0.5 + example.limits.full_precision / 2;
    CHECK_FALSE(example.result().reduced_precision);
}

TEST_CASE("limits: TF32 concerns fp32 alone, and wider types are held to more") {
    RnnCase rnn_case;
    rnn_case.input = rnn_case.hidden = 64;
    const auto limits = [&](Dtype dtype, bool tf32) {
        rnn_case.dtype = dtype;
        return limits_for(rnn_case, tf32);
    };
    for (const Dtype dtype : {Dtype::fp64, Dtype::fp16, Dtype::bf16}) {
        CHECK(limits(dtype, true).y == limits(dtype, false).y);
        CHECK(limits(dtype, true).full_precision == 0);
    }
    CHECK(limits(Dtype::fp32, false).full_precision == limits(Dtype::fp32, false).y);
    CHECK(limits(Dtype::fp32, true).full_precision == limits(Dtype::fp32, false).y);
    CHECK(limits(Dtype::fp64, false).y < 1e-12);
    CHECK(limits(Dtype::fp32, false).y < 2e-5);
    CHECK(limits(Dtype::fp32, true).y < 6e-3);
    CHECK(limits(Dtype::fp16, false).y < 5e-3);
    CHECK(limits(Dtype::bf16, false).y < 2e-2);
    CHECK(limits(Dtype::fp16, false).c == 2 * limits(Dtype::fp16, false).y);
}
