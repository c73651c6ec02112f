// Correct devices of every arithmetic must pass, whatever the sizes: 10,000 random cases without a false alarm.
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "simulated_device.hpp"
#include "support/catch.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

/// Small sizes are as likely as large ones, so that both ends are seen often.
int random_size(Random& random, int most) {
    const int bound = 1 + random.below(most);
    return 1 + random.below(bound);
}

RnnCase random_case(Random& random) {
    RnnCase rnn_case;
    rnn_case.dtype = static_cast<Dtype>(random.below(4));
    rnn_case.math = rnn_case.dtype == Dtype::fp32 && random.below(2) ? MathType::fma : MathType::standard;
    rnn_case.direction = random.below(2) ? Direction::bidirectional : Direction::unidirectional;
    rnn_case.layers = 1 + random.below(2);
    rnn_case.input = random_size(random, 64);
    rnn_case.hidden = random_size(random, 64);
    rnn_case.batch = random_size(random, 8);
    rnn_case.sequence_length = random_size(random, 16);
    rnn_case.states = random.below(2) == 1;
    if (random.below(2))
        for (int i = 0; i < rnn_case.batch; ++i) rnn_case.lengths.push_back(1 + random.below(rnn_case.sequence_length));
    return rnn_case;
}

/// What a device may do with the case: sums in any order, TF32 rounded or cut where allowed, sums, gates and cells
/// stored in a 16-bit type, functions wrong by 4 ulp, or by the 2^-11 of the hardware's tanh where the type is no
/// better.
Arithmetic random_arithmetic(const RnnCase& rnn_case, Random& random) {
    Arithmetic arithmetic;
    const int orders[] = {1, 4, 8, 32, 1000};
    arithmetic.columns_at_once = orders[random.below(5)];
    if (rnn_case.dtype == Dtype::fp32 && rnn_case.math == MathType::standard)
        arithmetic.operands = random.below(2) ? Operands::tf32_cut : Operands::tf32_nearest;
    const bool sixteen_bits = bytes_of(rnn_case.dtype) == 2;
    arithmetic.half_sums_stored = sixteen_bits && random.below(2);
    arithmetic.gates_stored = sixteen_bits && random.below(2);
    arithmetic.cell_stored = sixteen_bits && random.below(2);
    arithmetic.wobble = rnn_case.dtype == Dtype::fp64     ? 4 * 0x1p-52
                        : sixteen_bits && random.below(2) ? 0x1p-11
                                                          : 4 * 0x1p-23;
    return arithmetic;
}

struct Seen {
    double largest = 0;
    int cases = 0, reduced = 0;
    std::string worst;
};

std::string kind(const RnnCase& rnn_case) {
    return std::string(name_of(rnn_case.dtype)) + ' ' + std::string(name_of(rnn_case.math));
}

void see(Seen& seen, const RnnCase& rnn_case, const Comparison& comparison) {
    ++seen.cases;
    seen.reduced += comparison.reduced_precision;
    if (comparison.largest_error / comparison.limit <= seen.largest) return;
    seen.largest = comparison.largest_error / comparison.limit;
    seen.worst = describe(rnn_case);
}

}  // namespace

TEST_CASE("ten thousand random correct cases give no false alarm, with room to spare") {
    Random random{1};
    std::map<std::string, Seen> seen;
    for (int i = 0; i < 10000; ++i) {
        const RnnCase rnn_case = random_case(random);
        const RnnInputs inputs = make_inputs(rnn_case);
        const Arithmetic arithmetic = random_arithmetic(rnn_case, random);
        const bool tf32_possible = rnn_case.math == MathType::standard;
        const Comparison comparison =
            compare(rnn_case, reference(rnn_case, inputs), simulate(rnn_case, inputs, arithmetic),
                    limits_for(rnn_case, tf32_possible));
        if (!comparison.right) FAIL(describe(rnn_case) << ": " << comparison.worst);
        see(seen[kind(rnn_case)], rnn_case, comparison);
    }
    CHECK(seen.size() == 5);
    for (const auto& [name, entry] : seen) {
        const std::string summary = name + ": " + counted(static_cast<std::size_t>(entry.cases), "case", "cases") +
                                    ", largest error / limit " + short_number(entry.largest) + " in " + entry.worst +
                                    ", reduced precision in " + std::to_string(entry.reduced);
        SUCCEED(summary);
        INFO(summary);
        CHECK(entry.largest < 0.6);
        CHECK((entry.reduced > 0) == (name == "fp32 default"));
    }
}
