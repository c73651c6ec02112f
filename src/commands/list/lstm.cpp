// Computes recurrent networks on this machine's GPUs: one case given by options, or a whole sweep.
#include "commands/lstm.hpp"

#include "commands/input.hpp"
#include "commands/survey_here.hpp"
#include "report/sweep.hpp"

namespace rnncheck::commands::lstm {

namespace {

using Clock = std::chrono::steady_clock;

/// Why clocks are held down, queried again after the load: before it a GPU is idle. Where NVML does not answer, what it
/// reported before stays.
void update_throttle_reasons(Facts& facts, const TrialOptions& options) {
    constexpr double most_seconds = 10;
    auto how = options.next();
    const bool any_load =
        std::ranges::any_of(facts.rnn_runs, [](const RnnRun& run) { return run.repeat_ms.has_value(); });
    if (!any_load || !how || !facts.driver.nvml_init || !facts.driver.nvml_init->ok()) return;
    how->deadline_s = std::min(how->deadline_s.value_or(most_seconds), most_seconds);
    const Facts later = run_probe("nvml_devices", "", facts, *how);
    for (Board& board : facts.nvml_devices)
        for (const Board& now : later.nvml_devices)
            if (now.index == board.index && now.uuid == board.uuid) board.throttle_reasons = now.throttle_reasons;
}

/// Of the smallest case that fails or, where none was looked for, the first that does.
void write_reproducer(const std::string& path, const Facts& facts, const std::optional<MinimalCase>& smallest,
                      bool show_private) {
    const auto not_written = [&](const std::string& why) { print_message(why + ": '" + path + "' was not written"); };
    const RnnRun* failed = smallest ? &smallest->run : worst_run(facts);
    if (!failed) return not_written("no case failed");
    if (smallest && !smallest->alone)
        return not_written("run alone the case is correct, so a program of it would show nothing");
    if (failed->dialect != Dialect::v8)
        return not_written("the case fails in the legacy interface, of which no program can be written");
    RnnRun shown = *failed;
    if (shown.result && !show_private) shown.result->text = redact(shown.result->text, this_machine());
    write_output(path, reproducer(facts, shown));
}

/// Whether the files were written that the options name, in addition to those of every report.
bool files_written(const LstmOptions& given, const LstmState& state, const Report& report, const Facts& facts,
                   bool show_private) {
    const auto write_picture = [&] {
        write_output(given.svg, sweeps_svg(report.facts, "rnncheck lstm: " + report.sentence));
    };
    bool all = was_written([&] { state.write(report); });
    if (!given.repro.empty())
        all &= was_written([&] { write_reproducer(given.repro, facts, report.lstm->minimal_case, show_private); });
    return (given.svg.empty() || was_written(write_picture)) && all;
}

int run(const LstmOptions& given, const ReportOptions& options) {
    const auto started = Clock::now();
    const Matrix matrix = Matrix::bundled();
    const Log log = given.log.empty() ? Log{} : read_log_files({given.log}, matrix);
    const auto earlier = given.resume.empty() ? std::nullopt : std::optional(read_earlier_run(given.resume));
    SurveyOptions how;
    how.rnn_request = earlier ? earlier->facts.rnn_request : request_of(given, log);
    how.deadline_s = given.deadline_s;
    how.skip = {"nvrtc_compile"};  // has no part in a recurrent network
    how.root = given.root;
    TrialOptions trials{given.root, {}, options.quiet};
    if (given.deadline_s)
        trials.deadline =
            started + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*given.deadline_s));
    if (given.fit) {
        const Facts facts = surveyed(how, options.quiet);
        Report report = judge_fits(facts, find_fits(facts, trials), matrix);
        return print_report(finished(std::move(report), options), options);
    }
    LstmState state(given.save.empty() ? given.resume : given.save, matrix, *how.rnn_request, earlier, options);
    how.before_run = [&](Facts& facts) { state.plan(facts); };
    how.checkpoint = [&](const std::function<Facts()>& so_far) { state.keep(so_far); };
    Facts facts = surveyed(how, options.quiet);
    update_throttle_reasons(facts, trials);
    facts = state.in_order(std::move(facts));
    state.write(facts);  // complete before smaller cases are tried
    LstmExtras extras;
    if (!given.no_shrink) extras.minimal_case = smallest_failing(facts, trials);
    if (log.rnn_config) extras.log_replay = replay_of(*log.rnn_config, facts);
    const Report report = state.report(facts, std::move(extras));
    const bool written = files_written(given, state, report, facts, options.show_private);
    return print_report(report, options, written);
}

std::function<int()> declare(CLI::App& app) {
    const auto given = declare_lstm_options(app);
    return [given, options = declare_report_options(app)] {
        const ReportOptions report_options = options();
        return run(given(), report_options);
    };
}

}  // namespace

extern const Command command{.title = "Compute a recurrent network on the GPU and check every number",
                             .examples =
                                 "rnncheck lstm --cell gru --hidden 512 --training\n"
                                 "rnncheck lstm --level standard --save run.json\n"
                                 "rnncheck lstm --resume run.json\n"
                                 "rnncheck lstm --fit batch --hidden 1024 --length 100",
                             .declare = declare};

}  // namespace rnncheck::commands::lstm
