// Checks this machine, or evaluates saved facts.
#include "commands/command.hpp"
#include "commands/doctor_options.hpp"
#include "commands/input.hpp"
#include "commands/survey_here.hpp"
#include "facts/facts.hpp"
#include "facts/rnn_runs.hpp"
#include "stack/questions.hpp"

namespace rnncheck {

/// A log is read first: a wrong name is reported before the machine is examined.
static Facts learn(const DoctorOptions& options) {
    const Matrix& matrix = options.matrix;
    std::optional<Log> log;
    if (!options.input.log.empty())
        log = read_log_files(options.input.log, matrix);
    SurveyOptions how = options.survey;
    // A first judgement compiles the patterns and reads the tables, which takes as long as a
    // library takes to answer.
    how.meanwhile = [&](const Facts& facts) {
        finished(judge(facts, matrix, options.selection), options.report);
    };
    Facts facts;
    if (options.input.facts.empty())
        facts = surveyed_with_restrictions(how, options.report.quiet);
    else
        facts = read_facts(options.input.facts);
    if (options.requested_framework)
        facts.frameworks.push_back(*options.requested_framework);
    if (log)
        facts.log = std::move(log);
    return facts;
}

/// What the tables show of a network with a cuDNN on a GPU: data type, algorithm, documented
/// defects.
static std::string prospect(
    const RnnCase& network,
    const std::string& framework,
    const Facts& facts,
    const Cudnn& cudnn,
    const Gpu& gpu,
    const Matrix& matrix) {
    const RnnPlace place = rnn_place(facts, {cudnn.library, gpu.index});
    const std::string dtype(name_of(network.dtype)),
        at = "GPU " + std::to_string(gpu.index) + ", cuDNN ";
    if (!place.cudnn || !place.capability)
        return at + "of unknown version: unknown";
    const auto runs =
        stack::cudnn_runs_networks(network.dtype, *place.cudnn, *place.capability, matrix);
    const auto choice = choice_of(framework, network, place);
    std::string text = at + place.cudnn->text + ": " + dtype;
    if (runs.fit == Fit::does_not_work)
        text += " is not supported; " + runs.why;
    if (runs.fit == Fit::unknown)
        text += ": unknown, " + runs.why;
    if (runs.fit == Fit::works)
        text += " is supported";
    if (runs.fit == Fit::works && choice)
        text += ", algorithm " + std::string(name_of(choice->forward));
    for (const std::string& defect :
         stack::defects_in_words(*place.cudnn, *place.capability, matrix))
        text += "; documented defect: " + defect;
    return text;
}

/// For each layer that cuDNN may compute, a sentence for each cuDNN and GPU of this machine.
static void add_prospects(JudgedModel& model, const Facts& facts, const Matrix& matrix) {
    for (JudgedLayer& layer : model.layers) {
        const auto network = case_of(layer, {});
        if (layer.cpu_only || !network)
            continue;
        for (const Cudnn& cudnn : facts.cudnns)
            for (const Gpu& gpu : facts.cuda_devices)
                layer.on_this_machine.push_back(
                    prospect(*network, model.framework, facts, cudnn, gpu, matrix));
    }
}

/// A function of its own, not inlined: its reports take much of a small stack, on which the machine
/// is examined before.
[[gnu::noinline]] static int report_on(
    Facts facts, const std::optional<ModelFile>& file, DoctorOptions& options) {
    const Matrix& matrix = options.matrix;
    const auto& profile = options.report.run.profile;
    if (profile && profile->expect)
        facts.expected = profile->expect;
    if (file && !facts.network)
        facts.network = network_of(*file);
    Report judged = judge(std::move(facts), matrix, options.selection);
    if (file) {
        judged.model = judged_model(options.input.model, *file, {}, {}, matrix);
        add_prospects(*judged.model, judged.facts, matrix);
        judged.verdict = worse(judged.verdict, verdict_of(*judged.model));
    }
    if (options.input.facts.empty())
        fit_commands_to_user(judged);
    repeat_question(options, judged);
    const Report report = finished(std::move(judged), options.report);
    const std::string& path = options.gate.save_facts;
    const bool saved = path.empty() || was_written([&] {
                           write_output(path, facts_to_text(report.facts, 2) + '\n');
                       });
    return print_report(report, options.report, saved);
}

int run_doctor(DoctorOptions& options, const CLI::App& app) {
    options.check(app);
    const std::string& model = options.input.model;
    std::optional<ModelFile> file;
    if (!model.empty())
        file = read_model_file(model, false);
    return report_on(learn(options), file, options);
}

namespace commands::doctor {

static std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<DoctorOptions>();
    add_doctor_options(app, *options);
    return [options, &app] { return run_doctor(*options, app); };
}

extern const Command command{declare};

}  // namespace commands::doctor

}  // namespace rnncheck
