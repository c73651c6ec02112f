// What a case needs is estimated from its sizes where cuDNN did not report it,
// so that "too little memory" can be explained after the fact.
#include "facts/rnn_runs.hpp"

#include <set>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "rnn/case.hpp"

namespace rnncheck {

namespace {

/// What runs of x, y and the states take; gradients are as large again.
std::int64_t data_bytes(const RnnCase& c) {
    const std::int64_t steps = std::int64_t{c.batch} * c.sequence_length, width = c.width();
    const std::int64_t states =
        std::int64_t{2} * c.pseudo_layers() * c.batch * (c.output() + c.hidden);
    const std::int64_t elements = steps * (c.input + width) + states;
    return elements * static_cast<std::int64_t>(bytes_of(c.dtype)) * (c.training ? 2 : 1);
}

bool several_installations(const Facts& facts) {
    std::set<std::string> libraries;
    for (const RnnRun& run : facts.rnn_runs)
        libraries.insert(run.library);
    for (const Cudnn& cudnn : facts.cudnns)
        if (cudnn.rnn_usable == true)
            libraries.insert(cudnn.library);
    return libraries.size() > 1;
}

bool several_interfaces(const Facts& facts, const std::string& library) {
    std::set<RnnApi> ran;
    for (const RnnRun& run : facts.rnn_runs)
        if (run.library == library)
            ran.insert(run.rnn_api);
    for (const Cudnn& cudnn : facts.cudnns)
        if (cudnn.library == library && cudnn.rnn_apis.size() > 1)
            return true;
    return ran.size() > 1;
}

std::string command_on_target(const Facts& facts, const RnnRun& run) {
    std::string words = "rnncheck lstm --device " + std::to_string(run.gpu);
    if (several_installations(facts))
        words += " --cudnn " + shell_quoted(escaped(run.library, 4096));
    if (several_interfaces(facts, run.library))
        words += " --rnn-api " + std::string(name_of(run.rnn_api));
    return words;
}

}  // namespace

std::string mebibytes(const std::optional<std::int64_t>& bytes) {
    if (!bytes)
        return "?";
    const double mib = static_cast<double>(*bytes) / (1 << 20);
    if (mib < 100)
        return short_number(mib) + " MiB";
    return std::to_string(*bytes >> 20) + " MiB";
}

std::int64_t weights_needed(const RnnRun& run) {
    const RnnCase& c = run.rnn_case;
    const std::int64_t bytes =
        run.weight_bytes.value_or(gate_weights(c) * static_cast<std::int64_t>(bytes_of(c.dtype)));
    return bytes * (c.training ? 2 : 1);
}

std::int64_t bytes_needed(const RnnRun& run) {
    return data_bytes(run.rnn_case) + weights_needed(run) + run.workspace_bytes.value_or(0) +
           run.reserve_bytes.value_or(0);
}

bool ran_out_of_memory(const RnnRun& run) {
    return run.end == RunEnd::out_of_memory ||
           (run.end == RunEnd::skipped && run.result && is_out_of_memory(*run.result));
}

bool short_of_memory(const RnnRun& run) {
    // as much as those of a whole cuDNN may take, and some
    constexpr std::int64_t kernels = 1 << 30;
    // work and reserve space are not in what is needed at least
    constexpr std::int64_t margin = 4;
    return ran_out_of_memory(run) &&
           (!run.free_bytes || *run.free_bytes < margin * bytes_needed(run) + kernels);
}

std::string how_wrong(const RnnRun& run) {
    std::string text = "wrong";
    if (run.largest_error)
        text = "error " + short_number(*run.largest_error);
    if (run.largest_error && run.limit)
        text += " where " + short_number(*run.limit) + " is allowed";
    if (run.precision == Precision::tf32)
        text += ", which TF32 explains";
    return text + if_any(", ", escaped(run.where.value_or(""), 200));
}

std::string memory_in_words(const RnnRun& run) {
    std::string free = "an unknown amount";
    if (run.free_bytes)
        free = mebibytes(run.free_bytes);
    return "needs at least " + mebibytes(bytes_needed(run)) + " of GPU memory (" + free +
           " free on GPU " + std::to_string(run.gpu) + ")";
}

std::string rerun_command(const Facts& facts, const RnnRun& run) {
    return command_on_target(facts, run) + " " + options_of(run.rnn_case);
}

/// One case may fail only after others: then all of the sweep are
/// run again, in the same order.
std::string rerun_all_command(const Facts& facts, const RnnRun& run) {
    const bool level = facts.rnn_request && facts.rnn_request->cases.empty();
    if (level)
        return command_on_target(facts, run) + " --level " +
               std::string(name_of(facts.rnn_request->level));
    return rerun_command(facts, run);
}

RnnPlace rnn_place(const Facts& facts, const RnnTarget& target) {
    RnnPlace place(target.rnn_api);
    if (const Cudnn* cudnn = find_by(facts.cudnns, &Cudnn::library, target.library))
        place.cudnn = cudnn->version;
    if (const Gpu* gpu = find_by(facts.cuda_devices, &Gpu::index, target.gpu)) {
        place.capability = gpu->compute_capability;
        place.multiprocessors = gpu->multiprocessors;
    }
    return place;
}

std::optional<Peak> peak_of(const Gpu& gpu) {
    if (!gpu.compute_capability)
        return std::nullopt;
    return peak_of(Clocks{
        *gpu.compute_capability,
        gpu.multiprocessors.value_or(0),
        gpu.clock_mhz.value_or(0),
        gpu.memory_clock_mhz.value_or(0),
        gpu.memory_bus_bits.value_or(0)});
}

std::vector<RnnCase> cases_of(const Facts& facts, const RnnTarget& target) {
    const RnnPlace place = rnn_place(facts, target);
    const auto& request = facts.rnn_request;
    if (!request || request->cases.empty())
        return sweep(request ? request->level : Level::quick, place);
    std::vector<RnnCase> cases = request->cases;
    std::erase_if(cases, [&](const RnnCase& rnn_case) { return !expressible(rnn_case, place); });
    return cases;
}

std::vector<int> requested_numbers(const Facts& facts, const RnnTarget& target) {
    const RnnPlace place = rnn_place(facts, target);
    std::vector<int> numbers;
    if (!facts.rnn_request)
        return numbers;
    int number = 0;
    for (const RnnCase& rnn_case : facts.rnn_request->cases)
        if (++number; expressible(rnn_case, place))
            numbers.push_back(number);
    return numbers;
}

}  // namespace rnncheck
