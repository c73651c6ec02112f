#include "report/sweep.hpp"

#include <algorithm>
#include <tuple>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

bool went_well(const RnnRun* run) {
    return run->end == RunEnd::ok || run->end == RunEnd::not_supported;
}

bool fared_alike(const Sweep& a, const Sweep& b) {
    const auto same = [](const RnnRun* one, const RnnRun* other) {
        return one->end == other->end && one->number == other->number && went_well(one) &&
               one->bitwise_repeatable == other->bitwise_repeatable;
    };
    return a.library == b.library && a.dialect == b.dialect &&
           std::equal(a.runs.begin(), a.runs.end(), b.runs.begin(), b.runs.end(), same);
}

}  // namespace

std::vector<Sweep> sweeps_of(const Facts& facts) {
    std::vector<Sweep> sweeps;
    const auto place = [](const RnnRun& run) { return std::tuple(run.library, run.dialect, run.gpu); };
    for (const auto& [of, runs] : grouped(facts.rnn_runs, place)) {
        const auto& [library, dialect, gpu] = of;
        const Sweep sweep{library, dialect, {gpu}, runs};
        if (Sweep* const like = find_where(sweeps, [&](const Sweep& s) { return fared_alike(s, sweep); }))
            like->gpus.push_back(gpu);
        else
            sweeps.push_back(sweep);
    }
    return sweeps;
}

std::optional<Peak> peak_of(const Gpu& gpu) {
    if (!gpu.compute_capability) return std::nullopt;
    return peak_of(Clocks{*gpu.compute_capability, gpu.multiprocessors.value_or(0), gpu.clock_mhz.value_or(0),
                          gpu.memory_clock_mhz.value_or(0), gpu.memory_bus_bits.value_or(0)});
}

std::string kind_of(const RnnCase& rnn_case) {
    return concat(network_name(rnn_case.cell), rnn_case.training ? " training " : " ", rnn_case.dtype, ' ',
                  rnn_case.math, ' ', rnn_case.algorithm);
}

std::string shape_of(RnnCase rnn_case) {
    constexpr std::size_t most_lengths = 16;
    const std::size_t lengths = rnn_case.lengths.size();
    rnn_case.lengths.resize(std::min(lengths, most_lengths));
    rnn_case.training = false;
    const std::string words = describe(rnn_case);
    return words.substr(words.find("I=")) + (lengths > most_lengths ? concat(" of ", lengths, " lengths") : "");
}

std::string network_name(Cell cell) {
    constexpr const char* names[] = {"LSTM", "GRU", "tanh", "ReLU"};
    return names[static_cast<std::size_t>(cell)];
}

const RunEndLook& look_of(RunEnd end) {
    // Okabe and Ito's palette, which colour-blind people can tell apart ("Color Universal Design", 2008).
    static constexpr RunEndLook looks[] = {
        {"ok", 0, '.', "#009E73", "#ffffff"},       {"not supported", 1, '-', "#DDDDDD", "#444444"},
        {"rejected", 3, 'r', "#E69F00", "#000000"}, {"out of memory", 4, 'm', "#56B4E9", "#000000"},
        {"failed", 5, 'X', "#000000", "#ffffff"},   {"WRONG", 6, 'W', "#D55E00", "#ffffff"},
        {"not run", 2, 's', "#F0E442", "#000000"}};
    return looks[static_cast<std::size_t>(end)];
}

RunEnd worst_of(const Cases& cases) {
    const auto weight = [](const RnnRun* run) { return look_of(run->end).weight; };
    return cases.empty() ? RunEnd::ok : (*std::ranges::max_element(cases, {}, weight))->end;
}

std::string gpus_in_words(const std::vector<int>& gpus) {
    std::vector<std::string> parts;
    for (const auto& [first, last] : runs_in(gpus))
        parts.push_back(first == last ? std::to_string(first) : concat(first, '-', last));
    return (gpus.size() == 1 ? "GPU " : "GPUs ") + join_with_and(parts);
}

}  // namespace rnncheck
