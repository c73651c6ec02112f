#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "commands/lstm.hpp"
#include "commands/survey_here.hpp"
#include "facts/queries.hpp"
#include "facts/rnn_runs.hpp"
#include "report/sweep.hpp"
#include "rnn/case.hpp"
#include "rnn/shrink.hpp"
#include "support/rnn.hpp"

namespace rnncheck {

namespace {

using Clock = std::chrono::steady_clock;

/// A crash is a crash in whichever call, but an error is that of one call.
bool alike(const RnnRun& a, const RnnRun& b) {
    if (a.end != b.end)
        return false;
    if (a.end == RunEnd::incorrect || !a.result || !b.result)
        return true;
    return a.result->code == b.result->code &&
           (a.result->code < 0 || a.result->call == b.result->call);
}

/// The case on what `failed` ran on. Nothing when the time is over, or was before the case came to
/// an end.
std::optional<RnnRun> run_again(
    Facts facts,
    const RnnRun& failed,
    const RnnCase& rnn_case,
    const SurveyOptions& how,
    Progress& progress) {
    if (is_over(how.deadline))
        return std::nullopt;
    progress.show("looking for a smaller case that fails: " + describe(rnn_case));
    facts.rnn_runs.clear();
    facts.rnn_request.emplace().cases = {rnn_case};
    const Facts collected = run_probe("rnn_forward", probes::text_of(failed), facts, how);
    if (collected.rnn_runs.empty() ||
        collected.rnn_runs.front().skip_reason == SkipReason::deadline)
        return std::nullopt;
    return collected.rnn_runs.front();
}

/// The vendor call that failed and what it returned.
std::string why(const std::optional<CallResult>& result) {
    if (result)
        return escaped(result->call + ": " + result->text, 300);
    return "no reason given";
}

/// The result of a search in words. What was only calculated is never shown as if it had run.
std::string answer(const FitSearch& search) {
    const RnnFit& calculated = search.calculated;
    const std::string what(name_of(calculated.of));
    if (!calculated.size)
        return "how large a " + what + " fits is unknown: " + why(calculated.result);
    if (*calculated.size == 0 && calculated.result)
        return "does not run at all: " + why(calculated.result);
    if (*calculated.size == 0)
        return "not even a " + what + " of 1 fits";
    const std::string size = std::to_string(*calculated.size);
    if (!search.largest && search.out_of_time)
        return "a " + what + " of " + size +
               " should fit; the deadline passed before one ran: give --deadline more seconds";
    if (!search.largest) {
        std::string reason = why(calculated.result);
        if (search.failed)
            reason = why(search.failed->result);
        return "no " + what + " ran, though " + size + " should fit: " + reason;
    }
    const std::string largest = std::to_string(*search.largest);
    if (search.out_of_time)
        return "a " + what + " of " + largest + " fits (calculated " + size +
               "); the deadline passed before the largest was found";
    const bool bounded = calculated.bounded == true && !search.failed;
    std::string bound;
    if (bounded)
        bound = ", and cuDNN accepts no larger one";
    if (bounded && calculated.result)
        bound = ", and a larger one should not fit: " + why(calculated.result);
    return "the largest " + what + " that fits is " + largest + bound + " (calculated " + size +
           ")";
}

/// What the failing run shows decides; one that was right, where none failed.
const RnnRun* deciding_run(const Facts& facts) {
    const auto is_bad = [](const RnnRun& run) {
        return run.end == RunEnd::failed || run.end == RunEnd::incorrect ||
               run.end == RunEnd::rejected || ran_out_of_memory(run);
    };
    const RnnRun* const bad = find_where(facts.rnn_runs, is_bad);
    if (bad)
        return bad;
    return find_by(facts.rnn_runs, &RnnRun::end, RunEnd::ok);
}

/// Where the failure in the log comes from; `run` is null if nothing was computed.
LogFailure failure_of(const RnnRun* run) {
    if (!run)
        return LogFailure::unknown;
    if (run->end == RunEnd::ok)
        return LogFailure::elsewhere;
    if (ran_out_of_memory(*run))
        return LogFailure::memory;
    return LogFailure::environment;
}

/// By LogFailure.
constexpr const char* what_follows[] = {
    "cuDNN itself fails here with the network of the log: the cause is the environment (GPU, "
    "driver, CUDA or cuDNN), "
    "not the framework or its data; 'rnncheck doctor' looks further",
    "the network of the log does not fit into the GPU memory that is free here",
    "cuDNN computes the network of the log correctly here: look for the cause in the framework, "
    "its data, or other "
    "programs that use GPU memory, not in the environment",
    "whether cuDNN itself fails with the network of the log is unknown: nothing was computed"};

/// The largest batch whose share of the memory fits beside the weights.
std::string largest_batch(const RnnRun& run, std::int64_t free) {
    const std::int64_t weights = weights_needed(run),
                       share = (bytes_needed(run) - weights) / run.rnn_case.batch;
    if (share <= 0 || free - weights < share)
        return "not one sequence fits";
    return "about " + std::to_string((free - weights) / share) + " sequences fit";
}

/// What CUDA reported as free or, if the process crashed before, NVML.
std::string memory_sentence(const Facts& facts, RnnRun run) {
    const Gpu* const gpu = gpu_at(facts, run.gpu);
    const Board* board = nullptr;
    if (gpu)
        board = board_of(facts, *gpu);
    if (!run.free_bytes && board && board->memory_free_mib)
        run.free_bytes = *board->memory_free_mib << 20;
    const std::string text = "it " + memory_in_words(run);
    const bool lacks =
        run.free_bytes && (bytes_needed(run) > *run.free_bytes || ran_out_of_memory(run));
    if (lacks)
        return text + ": " + largest_batch(run, *run.free_bytes);
    return text;
}

}  // namespace

const RnnRun* worst_run(const Facts& facts) {
    for (const RunEnd end : {RunEnd::incorrect, RunEnd::failed, RunEnd::rejected})
        for (const RnnApi rnn_api : {RnnApi::v8, RnnApi::legacy})
            for (const RnnRun& run : facts.rnn_runs)
                if (run.end == end && run.rnn_api == rnn_api && !short_of_memory(run))
                    return &run;
    return nullptr;
}

std::optional<MinimalCase> smallest_failing(
    const Facts& facts, const SurveyOptions& how, bool quiet) {
    const RnnRun* const failed = worst_run(facts);
    if (!failed || find_by(facts.probe_runs, &ProbeRun::end, ProbeEnd::stuck))
        return std::nullopt;
    SurveyOptions limited = how;
    // A case that hangs costs this much for each smaller one that hangs as well.
    limited.step_limit = std::chrono::seconds(10);
    const auto latest = Clock::now() + std::chrono::seconds(60);
    limited.deadline = std::min(how.deadline.value_or(latest), latest);
    const RnnPlace place = rnn_place(facts, *failed);
    RnnRun smallest = *failed;
    Progress progress(!quiet);
    const auto still_fails = [&](const RnnCase& rnn_case) -> std::optional<bool> {
        // A smaller case may be none that cuDNN has on this GPU: it does not fail in the same way.
        if (contradiction_in(rnn_case) || !expressible(rnn_case, place))
            return false;
        const auto run = run_again(facts, *failed, rnn_case, limited, progress);
        if (!run)
            return std::nullopt;
        if (alike(*run, *failed))
            smallest = *run;
        return alike(*run, *failed);
    };
    // A case may fail only after those before it, whose memory or state it inherits.
    const auto alone = still_fails(failed->rnn_case);
    if (!alone)
        return std::nullopt;
    if (!*alone)
        return MinimalCase{
            *failed, failed->number, 1, true, false, rerun_all_command(facts, *failed)};
    const Shrunk shrunk = shrink(failed->rnn_case, still_fails);
    return MinimalCase{
        smallest,
        failed->number,
        shrunk.trials + 1,
        shrunk.finished,
        true,
        rerun_command(facts, smallest)};
}

FitSearch find_fit(const RnnFit& calculated, const TrySize& try_size) {
    FitSearch search{calculated};
    // Without a calculated size there is nothing to begin from.
    if (calculated.size.value_or(0) > 0) {
        const auto runs = [&](int size) -> std::optional<bool> {
            std::optional<RnnFit> tried = try_size(calculated, size);
            if (!tried)
                return std::nullopt;
            const bool ran = tried->ran == true;
            if (!ran) {
                tried->size = size;
                search.failed = std::move(tried);
            }
            return ran;
        };
        const LargestSize found = largest_size(*calculated.size, calculated.bounded == true, runs);
        search.largest = found.largest;
        search.trials = found.trials;
        search.out_of_time = found.out_of_time;
    }
    search.answer = answer(search);
    return search;
}

std::vector<FitSearch> find_fits(const Facts& facts, const SurveyOptions& how, bool quiet) {
    Progress progress(!quiet);
    const auto try_size = [&](const RnnFit& calculated, int size) -> std::optional<RnnFit> {
        if (is_over(how.deadline))
            return std::nullopt;
        progress.show(
            "trying a " + std::string(name_of(calculated.of)) + " of " + std::to_string(size));
        Facts known = facts;
        known.rnn_request->trial = size;
        const Facts collected = run_probe("rnn_fit", probes::text_of(calculated), known, how);
        if (!collected.rnn_fits.empty())
            return collected.rnn_fits.front();
        if (is_over(how.deadline))
            return std::nullopt;
        // The process crashed or was killed: that size does not fit, and the search goes on.
        RnnFit lost = calculated;
        if (!collected.probe_runs.empty())
            lost.result = CallResult{
                collected.probe_runs.back().last_call.value_or("?"),
                -1,
                "the process " + id_in_words(name_of(collected.probe_runs.back().end))};
        return lost;
    };
    std::vector<FitSearch> searches;
    for (const RnnFit& fit : facts.rnn_fits) {
        FitSearch& search = searches.emplace_back(find_fit(fit, try_size));
        search.answer = concat(
            "GPU ",
            fit.gpu,
            ", ",
            cudnn_in_words(facts, fit.library),
            ", ",
            fit.rnn_api,
            " API: ",
            search.answer);
    }
    return searches;
}

LogReplay replay_of(const LogRnnConfig& config, const Facts& facts) {
    const RnnRun* const run = deciding_run(facts);
    LogReplay replay{failure_of(run), {}};
    replay.sentences.push_back(what_follows[static_cast<std::size_t>(replay.failure)]);
    if (!config.missing.empty())
        replay.sentences.push_back(
            "the log does not contain " + join_with_and(config.missing) +
            ", so defaults or options are used for it");
    if (run)
        replay.sentences.push_back(memory_sentence(facts, *run));
    return replay;
}

}  // namespace rnncheck
