// Computes recurrent networks on this machine's GPUs: one case told by options, or a whole sweep.
#include <unistd.h>

#include <limits>

#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/identity.hpp"
#include "commands/ids.hpp"
#include "commands/log_files.hpp"
#include "commands/lstm_fit.hpp"
#include "commands/lstm_options.hpp"
#include "commands/lstm_report.hpp"
#include "commands/lstm_repro.hpp"
#include "commands/lstm_speed.hpp"
#include "commands/lstm_state.hpp"
#include "commands/output.hpp"
#include "commands/progress.hpp"
#include "report/redact.hpp"
#include "report/sweep_svg.hpp"
#include "survey.hpp"

namespace rnncheck::commands::lstm {

namespace {

using Clock = std::chrono::steady_clock;

/// What answers nothing about a recurrent network.
const std::set<std::string> probes_left_out = {"ptx_launch", "nvrtc_compile"};

double seconds_left(const SurveyOptions& how, Clock::time_point started) {
    return how.deadline_s.value_or(std::numeric_limits<double>::infinity()) -
           std::chrono::duration<double>(Clock::now() - started).count();
}

/// Within what the deadline leaves.
std::optional<Smallest> smallest_of(const LstmOptions& given, const SurveyOptions& how, const Facts& facts,
                                    Clock::time_point started) {
    ShrinkOptions options;
    options.root = given.root;
    options.seconds = std::min(options.seconds, seconds_left(how, started));
    Progress progress(!given.quiet);
    options.progress = [&progress](std::string_view text) { progress.tell(text); };
    return smallest_failing(facts, options);
}

/// Of the smallest case that fails or, where none was looked for, the first that does.
void write_reproducer(const LstmOptions& given, const Facts& facts, const std::optional<Smallest>& smallest) {
    const std::string& path = given.repro;
    const RnnRun* failed = smallest ? &smallest->run : worst_run(facts);
    if (!failed) return print_aside("rnncheck: no case failed, so '" + escaped(path) + "' was not written\n");
    if (smallest && !smallest->alone)
        return print_aside("rnncheck: run alone the case is right, so a program of it would show nothing: '" +
                           escaped(path) + "' was not written\n");
    if (failed->dialect != Dialect::v8)
        return print_aside("rnncheck: the case fails in the legacy interface, of which no program can be written: '" +
                           escaped(path) + "' was not written\n");
    RnnRun told = *failed;
    if (told.result && !given.show_private) told.result->text = redact(told.result->text, this_machine());
    write_file(path, reproducer(facts, told));
}

/// The question of --fit.
int run_fit(const LstmOptions& given, SurveyOptions how, Clock::time_point started) {
    how.rnn_request->fit = fit_of(given, *how.rnn_request);
    Facts facts;
    std::vector<FitSearch> searches;
    {
        Progress progress(!given.quiet);
        const auto tell = [&progress](std::string_view text) { progress.tell(text); };
        how.progress = tell;
        facts = survey(how);
        FitOptions options{given.root, {}, tell};
        if (how.deadline_s)
            options.deadline =
                started + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*how.deadline_s));
        searches = find_fits(facts, options);
    }
    const std::string text = given.json ? fit_json(facts, searches) : fit_text(facts, searches);
    print_document(given.show_private ? text : redact(text, this_machine()));
    return code_of(searches);
}

std::string text_of(const Facts& facts, const LstmBesides& besides, bool color, const LstmOptions& given) {
    std::string text = lstm_text(facts, color, given.verbose);
    if (besides.smallest) text += smallest_text(facts, *besides.smallest);
    return besides.from_log ? text + join(besides.from_log->sentences, "\n") + "\n" : text;
}

/// A file that cannot be written is told, and costs no report.
bool was_written(const std::function<void()>& write) {
    try {
        write();
    } catch (const OutputError& error) {
        print_aside("rnncheck: " + std::string(error.what()) + "\n");
        return false;
    }
    return true;
}

int run(const LstmOptions& given) {
    const auto started = Clock::now();
    const auto color = word_from<ColorChoice>(given.color, "--color");
    SurveyOptions how;
    const Log log = given.log.empty() ? Log{} : read_log_files({given.log}, Matrix::bundled());
    std::optional<EarlierRun> earlier;
    if (!given.resume.empty()) {
        refuse_choice_of_cases(given);
        earlier = read_earlier_run(given.resume);
    }
    how.rnn_request = earlier ? earlier->request : request_of(given, log);
    refuse_closed_files(given);
    how.deadline_s = seconds_from(given.deadline, "--deadline");
    how.skip = probes_left_out;
    how.root = given.root;
    if (!given.fit.empty()) return run_fit(given, how, started);
    LstmState state(given.output.empty() ? given.resume : given.output, *how.rnn_request, earlier, given.show_private);
    how.before_run = [&](Facts& facts) { state.plan(facts, given.root); };
    how.checkpoint = [&](const std::function<Facts()>& so_far) { state.keep(so_far); };
    Facts facts;
    {
        Progress progress(!given.quiet);
        how.progress = [&progress](std::string_view text) { progress.tell(text); };
        facts = survey(how);
    }
    look_at_clocks_again(facts, given.root, seconds_left(how, started));
    LstmBesides besides;
    state.finish(state.shown(facts, besides), besides);  // complete before smaller cases are tried
    if (!given.no_shrink) besides.smallest = smallest_of(given, how, state.in_order(facts), started);
    const bool repro_written =
        given.repro.empty() || was_written([&] { write_reproducer(given, state.in_order(facts), besides.smallest); });
    facts = state.shown(facts, besides);
    const bool kept = was_written([&] { state.finish(facts, besides); });
    const bool drawn = given.svg.empty() || was_written([&] {
                           write_file(given.svg, sweeps_svg(facts, "rnncheck lstm: " + verdict_of(facts).sentence));
                       });
    if (log.rnn_config) besides.from_log = experiment_of(*log.rnn_config, facts);
    print_document(given.json ? lstm_json(facts, besides)
                              : text_of(facts, besides, wants_color(color, STDOUT_FILENO), given));
    return repro_written && kept && drawn ? verdict_of(facts).code : usage;
}

std::function<int()> declare(CLI::App& app) {
    const auto given = declare_lstm_options(app);
    return [given] { return run(*given); };
}

}  // namespace

extern const Command command{.title = "Compute a recurrent network on the GPU and check every number", .declare = declare};

}  // namespace rnncheck::commands::lstm
