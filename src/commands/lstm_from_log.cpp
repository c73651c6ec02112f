#include "commands/lstm_from_log.hpp"

#include <algorithm>

#include "base/program.hpp"
#include "base/text.hpp"
#include "facts/rnn_runs.hpp"

namespace rnncheck {

namespace {

constexpr std::int64_t mib = 1 << 20;

/// What the failing run tells decides; one that was right, where none failed.
const RnnRun* telling_run(const Facts& facts) {
    const auto first = [&](auto&& wanted) {
        const auto found = std::ranges::find_if(facts.rnn_runs, wanted);
        return found == facts.rnn_runs.end() ? nullptr : &*found;
    };
    const RnnRun* bad = first([](const RnnRun& run) {
        return run.end == RunEnd::failed || run.end == RunEnd::incorrect || run.end == RunEnd::rejected ||
               ran_out_of_memory(run);
    });
    return bad ? bad : first([](const RnnRun& run) { return run.end == RunEnd::ok; });
}

LogFailure failure_of(const RnnRun* run) {
    if (!run) return LogFailure::unknown;
    if (run->end == RunEnd::ok) return LogFailure::elsewhere;
    return ran_out_of_memory(*run) ? LogFailure::memory : LogFailure::environment;
}

std::string what_follows(LogFailure failure) {
    switch (failure) {
        case LogFailure::environment:
            return "cuDNN itself fails here with the network of the log: the environment is at fault (GPU, driver, "
                   "CUDA or "
                   "cuDNN), not the framework or its data; 'rnncheck doctor' looks further";
        case LogFailure::memory:
            return "the network of the log does not fit into the GPU memory that is free here";
        case LogFailure::elsewhere:
            return "cuDNN computes the network of the log here, every number right: look in the framework, its data, "
                   "or "
                   "what else takes GPU memory, not in the environment";
        default:
            return "whether cuDNN itself fails with the network of the log is not known: nothing was computed";
    }
}

std::optional<std::int64_t> free_mib(const Facts& facts, int gpu) {
    const auto seen = std::ranges::find_if(facts.cuda_devices, [&](const Gpu& g) { return g.index == gpu; });
    const Board* const board = seen == facts.cuda_devices.end() ? nullptr : board_of(facts, *seen);
    return board ? board->memory_free_mib : std::nullopt;
}

/// The largest batch whose share of the memory fits beside the weights.
std::string largest_batch(const RnnRun& run, std::int64_t free) {
    const std::int64_t weights = weights_needed(run), share = (bytes_needed(run) - weights) / run.rnn_case.batch;
    const std::int64_t most = share > 0 ? (free * mib - weights) / share : 0;
    return most > 0 ? "about " + std::to_string(most) + " sequences fit" : "not one sequence fits";
}

std::string memory_sentence(const RnnRun& run, const Facts& facts) {
    const std::int64_t needed = (bytes_needed(run) + mib - 1) / mib;
    std::string text = "it needs " + std::to_string(needed) + " MiB of GPU memory at least";
    const auto free = free_mib(facts, run.gpu);
    if (!free) return text + "; how much is free is not known";
    text += ", " + std::to_string(*free) + " MiB are free on GPU " + std::to_string(run.gpu);
    return needed > *free || ran_out_of_memory(run) ? text + ": " + largest_batch(run, *free) : text;
}

}  // namespace

const LogRnnConfig& network_in(const Log& log, const std::string& file) {
    if (!log.rnn_config) throw InputError("'" + file + "' tells of no recurrent network that failed");
    const LogRnnConfig& config = *log.rnn_config;
    if (!config.cell || !config.units)
        throw InputError("'" + file + "' names " + config.call + ", but its model configuration was cut or left out: " +
                         join_with_and(config.missing) + (config.missing.size() == 1 ? " is" : " are") +
                         " missing; give the network by options, e.g. --cell lstm --hidden 256");
    return config;
}

LogReplay replay_of(const LogRnnConfig& config, const Facts& facts) {
    const RnnRun* const run = telling_run(facts);
    LogReplay replay{failure_of(run), {}};
    replay.sentences.push_back(what_follows(replay.failure));
    if (!config.missing.empty())
        replay.sentences.push_back("the log does not tell " + join_with_and(config.missing) +
                                   ", so defaults or options stand for it");
    if (run) replay.sentences.push_back(memory_sentence(*run, facts));
    return replay;
}

}  // namespace rnncheck
