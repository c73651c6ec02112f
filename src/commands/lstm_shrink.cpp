#include "commands/lstm_shrink.hpp"

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "facts/rnn_runs.hpp"
#include "process/probe.hpp"
#include "process/survey.hpp"
#include "rnn/options.hpp"
#include "rnn/shrink.hpp"

namespace rnncheck {

namespace {

using Clock = std::chrono::steady_clock;

/// Its process hangs inside the kernel.
bool hangs_for_ever(const Facts& facts) {
    return std::ranges::any_of(facts.probe_runs, [](const ProbeRun& run) { return run.end == ProbeEnd::stuck; });
}

/// A crash is a crash in whichever call, but an error is that of one call.
bool alike(const RnnRun& a, const RnnRun& b) {
    if (a.end != b.end) return false;
    if (a.end == RunEnd::incorrect || !a.result || !b.result) return true;
    return a.result->code == b.result->code && (a.result->code < 0 || a.result->call == b.result->call);
}

/// Tries cases one by one on what the first one ran on.
class Trials {
  public:
    Trials(const Facts& facts, const RnnRun& failed, const ShrinkOptions& options)
        : facts_(facts),
          failed_(failed),
          options_(options),
          smallest_(failed),
          place_(rnn_place(facts, failed.gpu, failed.library, failed.dialect)) {
        facts_.rnn_runs.clear();
        end_ =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
    }

    /// Nothing when the time is over, or was before the case came to an end.
    std::optional<bool> still_fails(const RnnCase& rnn_case) {
        if (contradiction_in(rnn_case) || !expressible(rnn_case, place_)) return false;
        const double left = std::chrono::duration<double>(end_ - Clock::now()).count();
        if (left <= 0) return std::nullopt;
        const auto run = tried(rnn_case, left);
        if (run && run->skip_reason == SkipReason::deadline) return std::nullopt;
        if (!run || !alike(*run, failed_)) return false;
        smallest_ = *run;
        return true;
    }

    const RnnRun& smallest() const { return smallest_; }

  private:
    std::optional<RnnRun> tried(const RnnCase& rnn_case, double seconds) {
        if (options_.progress) options_.progress("looking for a smaller case that fails: " + describe(rnn_case));
        RnnRequest request;
        request.cases = {rnn_case};
        request.gpu = failed_.gpu;
        request.library = failed_.library;
        request.dialect = failed_.dialect;
        facts_.rnn_request = request;
        SurveyOptions how;
        how.root = options_.root;
        how.deadline_s = seconds;
        how.step_limit_s = 10;
        const auto* const probe = find_named(all_probes(), "rnn_forward");
        for (const std::string& target : (*probe)->targets(facts_)) {
            if (!target.ends_with(' ' + failed_.library)) continue;
            const Facts learnt = run_probe("rnn_forward", target, facts_, how);
            if (!learnt.rnn_runs.empty()) return learnt.rnn_runs.front();
        }
        return std::nullopt;
    }

    Facts facts_;
    const RnnRun& failed_;
    const ShrinkOptions& options_;
    RnnRun smallest_;
    RnnPlace place_;
    Clock::time_point end_;
};

}  // namespace

const RnnRun* worst_run(const Facts& facts) {
    for (const RunEnd end : {RunEnd::incorrect, RunEnd::failed, RunEnd::rejected})
        for (const Dialect dialect : {Dialect::v8, Dialect::legacy})
            for (const RnnRun& run : facts.rnn_runs)
                if (run.end == end && run.dialect == dialect && !short_of_memory(run)) return &run;
    return nullptr;
}

std::optional<MinimalCase> smallest_failing(const Facts& facts, const ShrinkOptions& options) {
    const RnnRun* const failed = worst_run(facts);
    if (!failed || hangs_for_ever(facts)) return std::nullopt;
    Trials trials(facts, *failed, options);
    const auto alone = trials.still_fails(failed->rnn_case);
    if (!alone) return std::nullopt;
    if (!*alone) return MinimalCase{*failed, failed->number, 1, true, false, rerun_all_command(facts, *failed)};
    const Shrunk shrunk =
        shrink(failed->rnn_case, [&](const RnnCase& rnn_case) { return trials.still_fails(rnn_case); });
    const RnnRun& smallest = trials.smallest();
    return MinimalCase{smallest,        failed->number, shrunk.trials + 1,
                       shrunk.finished, true,           rerun_command(facts, smallest)};
}

}  // namespace rnncheck
