#include "rnn/speed.hpp"

#include <numeric>

#include "base/lists.hpp"
#include "rnn/case.hpp"
#include "rnn/network.hpp"

namespace rnncheck {

namespace {

struct Throughput {
    int capability;  ///< 86 for 8.6
    int fp32, fp64;  ///< multiply-adds per clock and multiprocessor
};

/// CUDA C++ Programming Guide, "Arithmetic Instructions": throughput of native arithmetic
/// instructions.
constexpr Throughput throughputs[] = {
    {50, 128, 4},
    {52, 128, 4},
    {60, 64, 32},
    {61, 128, 4},
    {70, 64, 32},
    {75, 64, 2},
    {80, 64, 32},
    {86, 128, 2},
    {89, 128, 2},
    {90, 128, 64},
    {100, 128, 64},
    {120, 128, 2}};

/// Weights of one pseudo-layer: those that multiply the input, and those that multiply the state.
struct Weights {
    double input = 0, state = 0;
};

Weights weights_of(const RnnCase& c, int layer) {
    const double rows = static_cast<double>(gates_of(c.cell)) * c.hidden;
    double columns = c.width();
    if (layer == 0)
        columns = c.input;
    if (layer == 0 && c.input_mode == InputMode::skip)
        columns = 0;  // the input is added as it is
    return {rows * columns, rows * c.output() + static_cast<double>(c.projection) * c.hidden};
}

struct Work {
    double operations = 0, bytes = 0, launches = 0;
};

/// Inputs are multiplied for all steps at once, states step by step, with their weights read again
/// each time.
Work work_of(const RnnCase& c) {
    constexpr double launches_per_step = 4, launches_per_layer = 4;
    const std::vector<int> lengths = c.all_lengths();
    const double element = static_cast<double>(bytes_of(c.dtype));
    const double steps = std::accumulate(lengths.begin(), lengths.end(), 0.0);
    Work work;
    for (int layer = 0; layer < c.layers; ++layer) {
        const Weights weights = weights_of(c, layer);
        work.operations += 2 * steps * (weights.input + weights.state) * c.directions();
        work.bytes +=
            element * (weights.input + weights.state * c.sequence_length) * c.directions();
        work.launches +=
            (launches_per_step * c.sequence_length + launches_per_layer) * c.directions();
    }
    work.bytes += element * steps * (c.input + 2.0 * c.layers * c.width());
    if (!c.training)
        return work;
    constexpr double passes = 3;  // forward, data, weights
    return {passes * work.operations, passes * work.bytes, passes * work.launches};
}

double launches_ms(const RnnCase& rnn_case) {
    constexpr double ms_per_launch = 5e-3;
    return work_of(rnn_case).launches * ms_per_launch;
}

}  // namespace

std::optional<Peak> peak_of(const Clocks& clocks) {
    const Throughput* const entry = find_by(
        throughputs,
        &Throughput::capability,
        10 * clocks.capability.major() + clocks.capability.minor());
    const bool known = clocks.multiprocessors > 0 && clocks.mhz > 0 && clocks.memory_mhz > 0 &&
                       clocks.memory_bus_bits > 0;
    if (!entry || !known)
        return std::nullopt;
    constexpr double hertz_per_mhz = 1e6, transfers_per_clock = 2, bits_per_byte = 8;
    const double multiply_adds = 2.0 * clocks.multiprocessors * clocks.mhz * hertz_per_mhz;
    return Peak{
        multiply_adds * entry->fp32,
        multiply_adds * entry->fp64,
        transfers_per_clock * clocks.memory_mhz * hertz_per_mhz * clocks.memory_bus_bits /
            bits_per_byte};
}

double model_ms(const RnnCase& rnn_case, const Peak& peak) {
    constexpr double ms_per_second = 1e3;
    const Work work = work_of(rnn_case);
    const double per_second =
        rnn_case.dtype == Dtype::fp64 ? peak.fp64_per_second : peak.fp32_per_second;
    return launches_ms(rnn_case) +
           ms_per_second * (work.operations / per_second + work.bytes / peak.bytes_per_second);
}

bool shows_clocks(const RnnCase& rnn_case, const Peak& peak) {
    return launches_ms(rnn_case) < model_ms(rnn_case, peak) / 2;
}

}  // namespace rnncheck
