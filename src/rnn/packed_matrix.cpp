#include "rnn/packed_matrix.hpp"

#include <cstring>

namespace rnncheck {

namespace {

/// Two sums in one SSE2 register. Spelt out, because left to itself the compiler mixes columns and spills registers.
using Pair [[gnu::vector_size(16)]] = double;
constexpr std::size_t pairs = PackedMatrix::block / 2;

}  // namespace

void PackedMatrix::place(std::size_t row, std::size_t from, const double* values, std::size_t count) {
    double* to = values_.data() + (row / block * columns_ + from) * block + row % block;
    for (std::size_t column = 0; column < count; ++column) to[column * block] = values[column];
}

void PackedMatrix::accumulate(std::size_t at, double* sums, std::size_t from, const double* values,
                              std::size_t count) const {
    const double* matrix = values_.data() + (at * columns_ + from) * block;
    Pair totals[pairs];
    std::memcpy(totals, sums, sizeof totals);
    for (std::size_t column = 0; column < count; ++column, matrix += block) {
        Pair weights[pairs];
        std::memcpy(weights, matrix, sizeof weights);
        for (std::size_t i = 0; i < pairs; ++i) totals[i] += weights[i] * values[column];
    }
    std::memcpy(sums, totals, sizeof totals);
}

}  // namespace rnncheck
