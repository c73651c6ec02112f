// Random cases, and what a correct device may do with them.
#pragma once

#include <algorithm>

#include "rnn/compare.hpp"
#include "rnn/sweep.hpp"
#include "vendor_sim/network.hpp"

namespace rnncheck::test {

/// A small generator for choices of the test itself.
struct Random {
    std::uint64_t state;

    std::uint64_t next() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return state >> 33;
    }
    int below(int end) {
        return static_cast<int>(next() % static_cast<std::uint64_t>(end));
    }
    bool one_in(int number) {
        return below(number) == 0;
    }
    /// Small sizes are as likely as large ones, so that both ends are seen often.
    int size(int most) {
        return 1 + below(1 + below(most));
    }
};

inline void draw_lengths(RnnCase& c, Random& random) {
    if (random.below(2))
        return;
    const int shortest = random.below(2);
    for (int i = 0; i < c.batch; ++i)
        c.lengths.push_back(shortest + random.below(c.sequence_length + 1 - shortest));
    switch (random.below(4)) {
        case 0:
            return c.lengths.assign(c.lengths.size(), 1);
        case 1:
            return std::sort(c.lengths.begin(), c.lengths.end());
        case 2:
            return std::sort(c.lengths.rbegin(), c.lengths.rend());
        default:
            return;
    }
}

/// Any case but for what docs/numerics.md leaves out: gradients through clipping.
inline RnnCase random_case(Random& random) {
    RnnCase c;
    c.cell = random.one_in(2) ? Cell::lstm : static_cast<Cell>(random.below(4));
    c.dtype = static_cast<Dtype>(random.below(4));
    c.math = c.dtype == Dtype::fp32 && random.below(2) ? MathType::fma : MathType::standard;
    c.direction = random.below(2) ? Direction::bidirectional : Direction::unidirectional;
    c.layers = random.size(4);
    c.input = random.size(64);
    c.hidden = random.size(64);
    c.batch = random.size(8);
    c.sequence_length = random.size(16);
    c.states = random.below(2) == 1;
    c.bias = static_cast<BiasMode>(random.below(4));
    c.training = random.below(2) == 1;
    if (c.cell == Cell::lstm && random.one_in(4))
        c.projection = random.size(c.hidden);
    if (c.cell == Cell::lstm && !c.training && random.one_in(4))
        c.clip = 0.05 * random.size(20);
    if (random.one_in(8)) {
        c.input_mode = InputMode::skip;
        c.input = c.hidden;
    }
    draw_lengths(c, random);
    if (c.dtype == Dtype::fp32 && random.one_in(4))
        c.algorithm = Algorithm::persist_dynamic;
    return c;
}

/// What a device may do with the case: sums in any order, TF32 rounded or cut where allowed, sums,
/// gates, cells and gradients stored in a 16-bit type, functions wrong by 4 ulp, or by the 2^-11 of
/// the hardware's tanh where the type is no better or the kernel compiled with fast mathematics.
inline sim::Arithmetic random_arithmetic(const RnnCase& rnn_case, Random& random) {
    sim::Arithmetic arithmetic;
    const int orders[] = {1, 4, 8, 32, 1000};
    arithmetic.columns_at_once = orders[random.below(5)];
    arithmetic.seed = random.next();
    if (rnn_case.dtype == Dtype::fp32 && rnn_case.math == MathType::standard)
        arithmetic.operands =
            random.below(2) ? sim::Operands::tf32_cut : sim::Operands::tf32_nearest;
    const bool sixteen_bits = rnn_case.dtype == Dtype::fp16 || rnn_case.dtype == Dtype::bf16;
    for (bool* stored :
         {&arithmetic.half_sums_stored,
          &arithmetic.gates_stored,
          &arithmetic.cell_stored,
          &arithmetic.gradients_stored,
          &arithmetic.dweights_stored})
        *stored = sixteen_bits && random.below(2);
    arithmetic.wobble =
        rnn_case.dtype == Dtype::fp64 ? 4 * 0x1p-52
        : (sixteen_bits || rnn_case.algorithm != Algorithm::standard) && random.below(2)
            ? 0x1p-11
            : 4 * 0x1p-23;
    return arithmetic;
}

}  // namespace rnncheck::test
