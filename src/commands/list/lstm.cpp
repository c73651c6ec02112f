// Computes recurrent networks on this machine's GPUs: one case given by options, or a whole sweep.
#include <limits>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/identity.hpp"
#include "commands/log_files.hpp"
#include "commands/lstm_fit.hpp"
#include "commands/lstm_from_log.hpp"
#include "commands/lstm_options.hpp"
#include "commands/lstm_repro.hpp"
#include "commands/lstm_shrink.hpp"
#include "commands/lstm_state.hpp"
#include "commands/output.hpp"
#include "commands/progress.hpp"
#include "process/survey.hpp"
#include "report/redact.hpp"
#include "report/sweep.hpp"

namespace rnncheck::commands::lstm {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_left(const SurveyOptions& how, Clock::time_point started) {
    return how.deadline_s.value_or(std::numeric_limits<double>::infinity()) -
           std::chrono::duration<double>(Clock::now() - started).count();
}

/// Within what the deadline leaves.
std::optional<MinimalCase> smallest_of(const SurveyOptions& how, const Facts& facts, Clock::time_point started,
                                       bool quiet) {
    ShrinkOptions options;
    options.root = how.root;
    options.seconds = std::min(options.seconds, seconds_left(how, started));
    Progress progress(!quiet);
    options.progress = [&progress](std::string_view text) { progress.tell(text); };
    return smallest_failing(facts, options);
}

/// Why clocks are held down, asked anew after the load: before it a GPU is at rest. Where NVML does not answer, what it
/// reported before stays.
void look_at_clocks_again(Facts& facts, const std::string& root, double seconds) {
    constexpr double most_seconds = 10;
    const bool any_load =
        std::ranges::any_of(facts.rnn_runs, [](const RnnRun& run) { return run.repeat_ms.has_value(); });
    if (!any_load || seconds <= 0 || !facts.driver.nvml_init || !facts.driver.nvml_init->ok()) return;
    SurveyOptions how;
    how.root = root;
    how.deadline_s = std::min(seconds, most_seconds);
    const Facts later = run_probe("nvml_devices", "", facts, how);
    for (Board& board : facts.nvml_devices)
        for (const Board& now : later.nvml_devices)
            if (now.index == board.index && now.uuid == board.uuid) board.throttle_reasons = now.throttle_reasons;
}

/// Of the smallest case that fails or, where none was looked for, the first that does.
void write_reproducer(const std::string& path, const Facts& facts, const std::optional<MinimalCase>& smallest,
                      bool show_private) {
    const auto not_written = [&](const char* why) {
        print_aside("rnncheck: " + std::string(why) + ": '" + escaped(path) + "' was not written\n");
    };
    const RnnRun* failed = smallest ? &smallest->run : worst_run(facts);
    if (!failed) return not_written("no case failed");
    if (smallest && !smallest->alone)
        return not_written("run alone the case is right, so a program of it would show nothing");
    if (failed->dialect != Dialect::v8)
        return not_written("the case fails in the legacy interface, of which no program can be written");
    RnnRun told = *failed;
    if (told.result && !show_private) told.result->text = redact(told.result->text, this_machine());
    write_file(path, reproducer(facts, told));
}

/// The question of --fit.
Report fitted(const LstmOptions& given, SurveyOptions how, Clock::time_point started, const Matrix& matrix,
              bool quiet) {
    how.rnn_request->fit = fit_of(given, *how.rnn_request);
    const Facts facts = surveyed(how, quiet);
    Progress progress(!quiet);
    FitOptions options{given.root, {}, [&progress](std::string_view text) { progress.tell(text); }};
    if (how.deadline_s)
        options.deadline =
            started + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*how.deadline_s));
    return fit_report(facts, find_fits(facts, options), matrix);
}

int run(const LstmOptions& given, const ReportOptions& options) {
    const auto started = Clock::now();
    const Matrix matrix = Matrix::bundled();
    const Log log = given.log.empty() ? Log{} : read_log_files({given.log}, matrix);
    SurveyOptions how;
    std::optional<EarlierRun> earlier;
    if (!given.resume.empty()) {
        refuse_choice_of_cases(given);
        earlier = read_earlier_run(given.resume);
    }
    how.rnn_request = earlier ? earlier->facts.rnn_request : request_of(given, log);
    check_writable(given);
    how.deadline_s = seconds_from(given.deadline, "--deadline");
    how.skip = {"nvrtc_compile"};  // has no part in a recurrent network
    how.root = given.root;
    if (!given.fit.empty()) return print_report(fitted(given, how, started, matrix, options.quiet), options);
    LstmState state(given.output.empty() ? given.resume : given.output, matrix, *how.rnn_request, earlier,
                    options.show_private);
    how.before_run = [&](Facts& facts) { state.plan(facts); };
    how.checkpoint = [&](const std::function<Facts()>& so_far) { state.keep(so_far); };
    Facts facts = surveyed(how, options.quiet);
    look_at_clocks_again(facts, given.root, seconds_left(how, started));
    facts = state.in_order(std::move(facts));
    state.write(facts);  // complete before smaller cases are tried
    LstmExtras extras;
    if (!given.no_shrink) extras.minimal_case = smallest_of(how, facts, started, options.quiet);
    const bool repro_written = given.repro.empty() || was_written([&] {
                                   write_reproducer(given.repro, facts, extras.minimal_case, options.show_private);
                               });
    if (log.rnn_config) extras.log_replay = replay_of(*log.rnn_config, facts);
    const Report report = state.report(facts, std::move(extras));
    const bool kept = was_written([&] { state.write(report); });
    const bool drawn = given.svg.empty() || was_written([&] {
                           write_file(given.svg, sweeps_svg(report.facts, "rnncheck lstm: " + report.sentence));
                       });
    const int code = print_redacted(report, options);
    return repro_written && kept && drawn ? code : usage;
}

std::function<int()> declare(CLI::App& app) {
    const auto given = declare_lstm_options(app);
    return [given, options = declare_report_options(app)] { return run(*given, options()); };
}

}  // namespace

extern const Command command{.title = "Compute a recurrent network on the GPU and check every number",
                             .declare = declare};

}  // namespace rnncheck::commands::lstm
