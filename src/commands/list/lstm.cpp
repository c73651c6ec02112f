// Computes recurrent networks on this machine's GPUs: one case told by options, or a whole sweep.
#include <unistd.h>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "commands/color.hpp"
#include "commands/deadline.hpp"
#include "commands/identity.hpp"
#include "commands/ids.hpp"
#include "commands/log_files.hpp"
#include "commands/lstm_case.hpp"
#include "commands/lstm_fit.hpp"
#include "commands/lstm_from_log.hpp"
#include "commands/lstm_report.hpp"
#include "commands/lstm_repro.hpp"
#include "commands/lstm_state.hpp"
#include "commands/output.hpp"
#include "commands/progress.hpp"
#include "report/privacy.hpp"
#include "report/sweep_svg.hpp"
#include "survey.hpp"

namespace rnncheck::commands {

namespace {

using Clock = std::chrono::steady_clock;

struct Given {
    CaseWords words;
    std::string level, log, cudnn, interface, color = "auto", deadline, root, output, resume;
    int device = -1;
    std::string repro, fit, svg, dropout;
    bool json = false, verbose = false, quiet = false, show_private = false, no_shrink = false;
};

struct Option {
    const char *name, *about, *type;
};

constexpr Option case_options[] = {
    {"cell", "Kind of cell (lstm)", "lstm|gru|tanh|relu"},
    {"dtype", "Type of data and weights (fp32)", "fp64|fp32|fp16|bf16"},
    {"math", "default allows TF32, fma forbids it", "default|tensor_op|fma"},
    {"algorithm", "cuDNN's algorithm (standard)", "standard|persist_static|persist_dynamic|persist_static_small_h"},
    {"layers", "Number of layers (1)", "N"},
    {"input", "Input size (64)", "N"},
    {"hidden", "Hidden size (64)", "N"},
    {"batch", "Number of sequences (8)", "N"},
    {"length", "Longest sequence, in steps (16)", "N"},
    {"lengths", "Length of each sequence, e.g. 7,3,5", "N,N,..."},
    {"direction", "One or both directions", "unidirectional|bidirectional"},
    {"layout", "Order of the data in memory", "sequence_major|sequence_major_packed|batch_major"},
    {"projection", "Size of the recurrent projection", "N"},
    {"bias", "Which biases there are (both)", "none|input|recurrent|both"},
    {"input-mode", "Whether the first layer multiplies its input", "linear|skip"},
    {"clip", "Largest size of the cell state", "X"},
};

/// What answers nothing about a recurrent network.
const std::set<std::string> probes_left_out = {"ptx_launch", "nvrtc_compile"};

double probability_of(const std::string& text) {
    char* end = nullptr;
    const double probability = std::strtod(text.c_str(), &end);
    if (*end != '\0' || !(probability > 0 && probability < 1))
        throw UsageError("--dropout cannot be '" + text + "'; give a probability above 0 and below 1");
    return probability;
}

RnnRequest request_of(const Given& given, const Log& log) {
    RnnRequest request;
    if (!given.level.empty() && (!given.words.empty() || !given.log.empty()))
        throw UsageError("--level runs a whole sweep: it cannot be used with options of one case or --from-log");
    if (!given.level.empty())
        request.level = word_from<Level>(given.level, "--level");
    else {
        CaseWords words = given.words;
        if (!given.log.empty()) {
            words.merge(words_from_log(network_in(log, given.log)));  // what the options say counts
        }
        request.cases = {case_from_words(words)};
    }
    if (!given.dropout.empty())
        request.dropout = probability_of(given.dropout);
    else if (request.level == Level::thorough)
        request.dropout = 0.5;
    if (given.device >= 0) request.gpu = given.device;
    if (!given.cudnn.empty()) request.library = given.cudnn;
    if (!given.interface.empty()) request.dialect = word_from<Dialect>(given.interface, "--interface");
    return request;
}

/// What was told of the runs, with what follows for the log.
std::string with_experiment(const std::string& told, const LogExperiment& experiment, const Given& given) {
    if (!given.json) return told + join(experiment.sentences, "\n") + "\n";
    Json document = Json::parse(told);
    document["from_log"] = to_json(experiment);
    return document.dump(2) + '\n';
}

void refuse_choice_of_cases(const Given& given) {
    const bool chosen = !given.level.empty() || !given.words.empty() || !given.log.empty() || given.device >= 0 ||
                        !given.cudnn.empty() || !given.interface.empty() || !given.dropout.empty();
    if (chosen)
        throw UsageError(
            "--resume goes on with the cases that its file tells: it cannot be used with --level, "
            "--from-log, --device, --cudnn, --interface, --dropout or options of one case");
}

/// Within what the deadline leaves.
std::optional<Smallest> smallest_of(const Given& given, const SurveyOptions& how, const Facts& facts,
                                    Clock::time_point started) {
    ShrinkOptions options;
    options.root = given.root;
    if (how.deadline_s)
        options.seconds =
            std::min(options.seconds, *how.deadline_s - std::chrono::duration<double>(Clock::now() - started).count());
    Progress progress(!given.quiet);
    options.progress = [&progress](std::string_view text) { progress.tell(text); };
    return smallest_failing(facts, options);
}

/// Of the smallest case that fails or, where none was looked for, the first that does.
void write_reproducer(const Given& given, const Facts& facts, const std::optional<Smallest>& smallest) {
    const std::string& path = given.repro;
    const RnnRun* failed = smallest ? &smallest->run : worst_run(facts);
    if (!failed) return print_aside("rnncheck: no case failed, so '" + escaped(path) + "' was not written\n");
    if (failed->dialect != Dialect::v8)
        return print_aside("rnncheck: the case fails in the legacy interface, of which no program can be written: '" +
                           escaped(path) + "' was not written\n");
    RnnRun told = *failed;
    if (told.result && !given.show_private) told.result->text = redact(told.result->text, this_machine());
    write_file(path, reproducer(facts, told));
}

/// The question of --fit.
int run_fit(const Given& given, SurveyOptions how, Clock::time_point started) {
    how.rnn_request->fit = word_from<FitSize>(given.fit, "--fit");
    if (how.rnn_request->cases.empty() || given.words.contains("lengths"))
        throw UsageError("--fit is for one case with equal lengths: it cannot be used with --level or --lengths");
    if (!given.output.empty() || !given.repro.empty() || !given.svg.empty())
        throw UsageError("--fit computes no case: it cannot be used with --output, --svg or --emit-repro");
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

int run(const Given& given) {
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
    how.deadline_s = deadline_from(given.deadline);
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
    LstmBesides besides;
    state.finish(facts, besides);  // complete before smaller cases are tried
    if (!given.no_shrink) besides.smallest = smallest_of(given, how, state.in_order(facts), started);
    if (!given.repro.empty()) write_reproducer(given, state.in_order(facts), besides.smallest);
    facts = state.finish(facts, besides);
    if (!given.svg.empty()) write_file(given.svg, sweeps_svg(facts, "rnncheck lstm: " + verdict_of(facts).sentence));
    std::string text =
        given.json ? lstm_json(facts, besides) : lstm_text(facts, wants_color(color, STDOUT_FILENO), given.verbose);
    if (!given.json && besides.smallest) text += smallest_text(*besides.smallest);
    print_document(given.log.empty() ? text : with_experiment(text, experiment_of(*log.rnn_config, facts), given));
    return verdict_of(facts).code;
}

std::function<int()> declare(CLI::App& app) {
    const auto given = std::make_shared<Given>();
    for (const Option& option : case_options)
        app.add_option_function<std::string>(
               "--" + std::string(option.name),
               [given, option](const std::string& word) { given->words[option.name] = word; }, option.about)
            ->type_name(option.type);
    const auto flag = [&](const std::string& names, const char* about, std::function<void()> set) {
        app.add_flag_function(
               names, [set](std::int64_t) { set(); }, about)
            ->disable_flag_override();
    };
    flag("--states", "Give initial states", [given] { given->words["states"]; });
    flag("--training,--backward", "Compute the gradients, too", [given] { given->words["training"]; });
    app.add_option("--level", given->level, "Run a whole sweep instead of one case")
        ->type_name("quick|standard|thorough");
    app.add_option("--from-log", given->log, "The network that this TensorFlow log says has failed")->type_name("FILE");
    app.add_option("--device", given->device, "Use this GPU alone, by CUDA's number")->type_name("N");
    app.add_option("--cudnn", given->cudnn, "Use the libcudnn whose path contains this alone")->type_name("TEXT");
    app.add_option("--interface", given->interface, "Use this RNN interface alone")->type_name("v8|legacy");
    app.add_option("--deadline", given->deadline, "Longest time for everything, in seconds")->type_name("S");
    app.add_option("--output", given->output, "Also keep the JSON document in this file, from the start on")
        ->type_name("FILE");
    app.add_option("--resume", given->resume, "Go on with the run that this file tells, and keep it there")
        ->type_name("FILE");
    app.add_option("--dropout", given->dropout, "Measure dropout of this probability, too")->type_name("P");
    app.add_option("--svg", given->svg, "Also draw the cases as a picture in this file")->type_name("FILE");
    app.add_option("--fit", given->fit, "Find the largest that fits into free GPU memory")->type_name("batch|length");
    app.add_option("--emit-repro", given->repro, "Write a C++ program that shows the failure without rnncheck")
        ->type_name("FILE");
    flag("--no-shrink", "Do not look for the smallest case that fails", [given] { given->no_shrink = true; });
    app.add_option("--root", given->root, "Look for libraries below this folder")->type_name("DIR");
    flag("--json", "Write a JSON document with every case", [given] { given->json = true; });
    flag("--show-private", "Keep user names and host names in the output", [given] { given->show_private = true; });
    app.add_option("--color", given->color, "Colour; auto means on a terminal, unless NO_COLOR is set")
        ->type_name("auto|always|never");
    flag("-v,--verbose", "Tell the numbers of every case", [given] { given->verbose = true; });
    flag("-q,--quiet", "Show no progress", [given] { given->quiet = true; });
    return [given] { return run(*given); };
}

}  // namespace

extern const Command lstm{.title = "Compute a recurrent network on the GPU and check every number", .declare = declare};

}  // namespace rnncheck::commands
