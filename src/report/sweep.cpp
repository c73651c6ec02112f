#include "report/sweep.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

std::string lengths_of(const RnnCase& c) {
    constexpr std::size_t most = 16;
    std::vector<std::string> parts;
    for (const int length : c.lengths) parts.push_back(parts.size() == most ? "..." : std::to_string(length));
    parts.resize(std::min(parts.size(), most + 1));
    return join(parts, ",");
}

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

std::vector<Sweep> one_per_gpu(const Facts& facts) {
    std::vector<Sweep> sweeps;
    std::map<std::tuple<std::string, Dialect, int>, std::size_t> places;
    for (const RnnRun& run : facts.rnn_runs) {
        const auto [place, is_new] = places.try_emplace({run.library, run.dialect, run.gpu}, sweeps.size());
        if (is_new) sweeps.push_back({run.library, run.dialect, {run.gpu}, {}});
        sweeps[place->second].runs.push_back(&run);
    }
    return sweeps;
}

}  // namespace

std::vector<Sweep> sweeps_of(const Facts& facts) {
    std::vector<Sweep> sweeps;
    for (Sweep& sweep : one_per_gpu(facts)) {
        if (Sweep* const like = find_where(sweeps, [&](const Sweep& s) { return fared_alike(s, sweep); }))
            like->gpus.push_back(sweep.gpus.front());
        else
            sweeps.push_back(std::move(sweep));
    }
    return sweeps;
}

std::optional<Peak> peak_of(const Gpu& gpu) {
    if (!gpu.compute_capability) return std::nullopt;
    return peak_of(Clocks{*gpu.compute_capability, gpu.multiprocessors.value_or(0), gpu.clock_mhz.value_or(0),
                          gpu.memory_clock_mhz.value_or(0), gpu.memory_bus_bits.value_or(0)});
}

std::string kind_of(const RnnCase& rnn_case) {
    return network_name(rnn_case.cell) + (rnn_case.training ? " training " : " ") +
           join({std::string(name_of(rnn_case.dtype)), std::string(name_of(rnn_case.math)),
                 std::string(name_of(rnn_case.algorithm))},
                " ");
}

std::string shape_of(const RnnCase& rnn_case) {
    std::string text = "I=" + std::to_string(rnn_case.input) + " H=" + std::to_string(rnn_case.hidden) +
                       " B=" + std::to_string(rnn_case.batch) + " T=" + std::to_string(rnn_case.sequence_length);
    if (rnn_case.layers != 1) text += " L=" + std::to_string(rnn_case.layers);
    if (rnn_case.direction == Direction::bidirectional) text += " both directions";
    if (!rnn_case.lengths.empty()) text += " lengths " + lengths_of(rnn_case);
    if (rnn_case.layout == Layout::sequence_major_packed) text += " packed";
    if (rnn_case.layout == Layout::batch_major) text += " batch-major";
    if (rnn_case.states) text += " initial states";
    if (rnn_case.projection > 0) text += " P=" + std::to_string(rnn_case.projection);
    if (rnn_case.bias != BiasMode::both) text += " bias " + std::string(name_of(rnn_case.bias));
    if (rnn_case.input_mode == InputMode::skip) text += " skip input";
    if (rnn_case.clip > 0) text += " clip " + short_number(rnn_case.clip);
    return text;
}

std::string network_name(Cell cell) {
    constexpr const char* names[] = {"LSTM", "GRU", "tanh", "ReLU"};
    return names[static_cast<std::size_t>(cell)];
}

std::string_view word_of(RunEnd end) {
    constexpr std::string_view words[] = {"ok",     "not supported", "rejected", "out of memory",
                                          "failed", "WRONG",         "not run"};
    static_assert(std::size(words) == static_cast<std::size_t>(RunEnd::skipped) + 1);
    return words[static_cast<std::size_t>(end)];
}

RunEnd worst_of(const Cases& cases) {
    constexpr RunEnd by_weight[] = {RunEnd::incorrect, RunEnd::failed,  RunEnd::out_of_memory,
                                    RunEnd::rejected,  RunEnd::skipped, RunEnd::not_supported};
    for (const RunEnd end : by_weight)
        if (find_by(cases, &RnnRun::end, end)) return end;
    return RunEnd::ok;
}

std::vector<GridRow> grid_of(const Sweep& sweep, std::size_t columns,
                             const std::function<std::string(const RnnCase&)>& row,
                             const std::function<std::size_t(const RnnCase&)>& column) {
    std::vector<GridRow> rows;
    for (const RnnRun* run : sweep.runs) {
        const std::string name = row(run->rnn_case);
        GridRow* place = find_by(rows, &GridRow::name, name);
        if (!place) place = &*rows.insert(rows.end(), {name, std::vector<Cases>(columns)});
        place->cells[column(run->rnn_case)].push_back(run);
    }
    return rows;
}

std::string gpus_in_words(const std::vector<int>& gpus) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < gpus.size();) {
        std::size_t last = i;
        while (last + 1 < gpus.size() && gpus[last + 1] - 1LL == gpus[last]) ++last;
        const std::string first = std::to_string(gpus[i]);
        parts.push_back(last == i ? first : first + '-' + std::to_string(gpus[last]));
        i = last + 1;
    }
    return (gpus.size() == 1 ? "GPU " : "GPUs ") + join_with_and(parts);
}

}  // namespace rnncheck
