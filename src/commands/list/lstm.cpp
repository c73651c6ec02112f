// Computes recurrent networks on this machine's GPUs: one case given by options, or a whole sweep.
#include "commands/lstm.hpp"

#include "commands/input.hpp"
#include "commands/survey_here.hpp"
#include "report/sweep.hpp"

namespace rnncheck::commands::lstm {

/// Why clocks are held down, queried again after the load: before it a GPU is idle. Where NVML does
/// not answer, what it reported before stays.
static void update_throttle_reasons(Facts& facts, SurveyOptions how) {
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    how.deadline = std::min(how.deadline.value_or(latest), latest);
    // Without a measured repetition the GPU was idle, and an idle clock is low by design.
    const bool any_load = std::ranges::any_of(
        facts.rnn_runs, [](const RnnRun& run) { return run.repeat_ms.has_value(); });
    if (!any_load || is_over(how.deadline) || !facts.driver.nvml_init ||
        !facts.driver.nvml_init->ok())
        return;
    const Facts later = run_probe("nvml_devices", "", facts, how);
    for (Board& board : facts.nvml_devices)
        for (const Board& now : later.nvml_devices)
            if (now.index == board.index && now.uuid == board.uuid)
                board.throttle_reasons = now.throttle_reasons;
}

/// Of the smallest case that fails or, where none was looked for, the first that does.
static void write_reproducer(
    const std::string& path,
    const Facts& facts,
    const std::optional<MinimalCase>& smallest,
    bool show_private) {
    const auto not_written = [&](const std::string& why) {
        print_message(why + ": '" + path + "' was not written");
    };
    const RnnRun* failed = worst_run(facts);
    if (smallest)
        failed = &smallest->run;
    // The file is left as it was: an older program in it may still be wanted.
    if (!failed)
        return not_written("no case failed");
    if (smallest && !smallest->reproduces_alone)
        return not_written(
            "when it is run alone, the case is correct, so a program would not reproduce the "
            "failure");
    if (failed->rnn_api != RnnApi::v8)
        return not_written(
            "the case fails with the legacy API, for which no program can be written");
    // The text of a call may contain a path.
    RnnRun shown = *failed;
    if (shown.result && !show_private)
        shown.result->text = redact(shown.result->text, this_machine());
    write_output(path, reproducer(facts, shown));
}

/// Whether the files were written that the options name, in addition to those of every report.
static bool files_written(
    const LstmOptions& given, const LstmState& state, const Report& report, const Facts& facts) {
    const auto& [save, svg, repro] = given.files;
    bool all = was_written([&] { state.write(report); });
    if (!repro.empty())
        all &= was_written([&] {
            write_reproducer(repro, facts, report.lstm->minimal_case, given.report.show_private);
        });
    if (!svg.empty())
        all &= was_written([&] {
            write_output(svg, sweeps_svg(report.facts, "rnncheck lstm: " + report.sentence));
        });
    return all;
}

/// The exit code of the report, or `usage` if a file could not be written.
static int run(const LstmOptions& given) {
    const bool quiet = given.report.quiet;
    SurveyOptions trials;
    trials.root = given.run.root;
    trials.deadline = deadline_after(given.run.deadline);
    trials.skip = {"nvrtc_compile"};  // has no part in a recurrent network
    const Matrix matrix = Matrix::bundled();
    Log log;
    if (!given.run.from_log.empty())
        log = read_log_files({given.run.from_log}, matrix);
    const std::string& resumed = given.run.resume;
    std::string saved = given.files.save;
    if (saved.empty())
        saved = resumed;
    // Read before the machine is examined, which takes seconds.
    std::optional<EarlierRun> earlier;
    if (!resumed.empty())
        earlier = read_earlier_run(resumed);
    SurveyOptions how = trials;
    if (earlier)
        how.rnn_request = earlier->facts.rnn_request;
    else
        how.rnn_request = request_of(given, log);
    // A search computes no case, so nothing is kept for --resume.
    if (given.run.fit) {
        const Facts facts = surveyed(how, quiet);
        Report report = judge_fits(facts, find_fits(facts, trials, quiet), matrix);
        return print_report(finished(std::move(report), given.report), given.report);
    }
    LstmState state(saved, matrix, *how.rnn_request, earlier, given.report);
    // The survey calls them between and during its stages.
    how.before_run = [&](Facts& facts) { state.plan(facts); };
    how.checkpoint = [&](const std::function<Facts()>& so_far) { state.keep(so_far); };
    Facts facts = surveyed(how, quiet);
    update_throttle_reasons(facts, trials);
    facts = state.in_order(std::move(facts));
    state.write(facts);  // complete before smaller cases are tried
    LstmExtras extras;
    if (!given.run.no_shrink)
        extras.minimal_case = smallest_failing(facts, trials, quiet);
    if (log.rnn_config)
        extras.log_replay = replay_of(*log.rnn_config, facts);
    const Report report = state.report(facts, std::move(extras));
    return print_report(report, given.report, files_written(given, state, report, facts));
}

static std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<LstmOptions>();
    add_lstm_options(app, *options);
    return [options, &app] {
        check_lstm_options(app, *options);
        return run(*options);
    };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::lstm
