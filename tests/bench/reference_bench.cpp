// How long the numbers of the standard sweep take: inputs, fp64 reference, encoding and comparison,
// against a floor measured in the same run, as many fp64 multiply-adds as the references need and
// nothing else. With the words of a case, reference_bench THREADS ROUNDS WORD..., what this case
// costs; reference_bench.py compares that with PyTorch.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "rnn/case.hpp"
#include "rnn/compare.hpp"
#include "rnn/sweep.hpp"

using namespace rnncheck;

/// Best of ten, in milliseconds: what the work costs when nothing else runs.
static double best_of_ten(const std::function<void()>& work) {
    double best = 1e9;
    for (int i = 0; i < 10; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - begin;
        if (took.count() < best)
            best = took.count();
    }
    return best;
}

static long multiply_adds(const RnnCase& rnn_case) {
    long rows = 0, columns = 0;
    for (int sequence = 0; sequence < rnn_case.batch; ++sequence)
        rows += rnn_case.length_of(sequence);
    for (int layer = 0; layer < rnn_case.layers; ++layer)
        columns += (layer == 0 ? rnn_case.input : rnn_case.directions() * rnn_case.hidden) +
                   rnn_case.hidden;
    return rows * columns * 4 * rnn_case.hidden * rnn_case.directions();
}

/// Sixteen independent sums over numbers that stay in the first-level cache.
static double plain_multiply_adds(long count) {
    static double numbers[1024];
    double sums[16] = {};
    for (int i = 0; i < 1024; ++i)
        numbers[i] = 1.0 / (i + 1);
    for (long done = 0; done < count; done += 1024)
        for (int i = 0; i < 1024; i += 16)
            for (int j = 0; j < 16; ++j)
                sums[j] += numbers[i + j] * 0.5;
    double total = 0;
    for (const double sum : sums)
        total += sum;
    return total;
}

namespace {

/// Of the process with all its threads, and of the clock on the wall, in seconds.
struct Times {
    double processor = 1e9, wall = 1e9;

    static double now(clockid_t clock) {
        timespec time{};
        clock_gettime(clock, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    }
    /// The best so far of each.
    void see(const std::function<void()>& work) {
        const double processor_before = now(CLOCK_PROCESS_CPUTIME_ID),
                     wall_before = now(CLOCK_MONOTONIC);
        work();
        processor = std::min(processor, now(CLOCK_PROCESS_CPUTIME_ID) - processor_before);
        wall = std::min(wall, now(CLOCK_MONOTONIC) - wall_before);
    }
};

/// Prints one JSON object. The limits are one set, as on a GPU without TF32.
int time_case(int threads, int rounds, const std::string& words) {
    const RnnCase rnn_case = parse_case(words, {.dtype = Dtype::fp64});
    const RnnInputs inputs = make_inputs(rnn_case);
    Times reference, limits;
    for (int round = 0; round < rounds; ++round) {
        Computation computation;
        reference.see([&] { computation = compute(rnn_case, inputs, threads); });
        limits.see([&] { limits_for(rnn_case, inputs, computation, {}, threads); });
    }
    std::printf(
        "{\"reference\": %.5f, \"limits\": %.5f, \"reference_wall\": %.5f, \"limits_wall\": "
        "%.5f}\n",
        reference.processor,
        limits.processor,
        reference.wall,
        limits.wall);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 3) {
        std::string words;
        for (int i = 3; i < argc; ++i)
            words += std::string(argv[i]) + ' ';
        return time_case(std::atoi(argv[1]), std::atoi(argv[2]), words);
    }
    const std::vector<RnnCase> cases = sweep(Level::quick, RnnApi::v8);
    std::vector<RnnInputs> inputs;
    std::vector<Computation> computations;
    std::vector<Limits> limits;
    long operations = 0;
    for (const RnnCase& rnn_case : cases) {
        inputs.push_back(make_inputs(rnn_case));
        computations.push_back(compute(rnn_case, inputs.back()));
        limits.push_back(
            limits_for(rnn_case, inputs.back(), computations.back(), {true, true, false}));
        operations += multiply_adds(rnn_case);
    }
    double total = 0;
    const auto each = [&](auto&& work) {
        return best_of_ten([&] {
            for (std::size_t i = 0; i < cases.size(); ++i)
                work(i);
        });
    };
    const double floor = best_of_ten([&] { total += plain_multiply_adds(operations); });
    const double references =
        each([&](std::size_t i) { total += reference(cases[i], inputs[i]).hy[0]; });
    const double inputs_ms = each([&](std::size_t i) { total += make_inputs(cases[i]).x[0]; });
    const double limits_ms = each([&](std::size_t i) {
        total +=
            limits_for(cases[i], inputs[i], computations[i], {true, true, false}).allowed().hy[0];
    });
    const double comparisons = each([&](std::size_t i) {
        total +=
            compare(cases[i], computations[i].outputs, computations[i].outputs, limits[i]).limit;
    });
    const double encodings = each([&](std::size_t i) {
        for (const LayerWeights& layer : inputs[i].layers)
            for (int gate = 0; gate < 4; ++gate)
                total += static_cast<double>(
                    encode(layer.input[gate], cases[i].dtype).size() +
                    encode(layer.recurrent[gate], cases[i].dtype).size());
    });
    std::printf(
        "%zu cases, %.1f million multiply-adds (checksum %g)\n",
        cases.size(),
        static_cast<double>(operations) / 1e6,
        total);
    std::printf("floor, plain multiply-adds  %7.2f ms\n", floor);
    std::printf(
        "references                  %7.2f ms   %.2f x floor\n", references, references / floor);
    std::printf("inputs                      %7.2f ms\n", inputs_ms);
    std::printf("encoding the matrices       %7.2f ms\n", encodings);
    std::printf("limits                      %7.2f ms\n", limits_ms);
    std::printf("comparisons                 %7.2f ms\n", comparisons);
}
