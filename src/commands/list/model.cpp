// Shows which recurrent layers of a model its framework computes with cuDNN, and why not; and runs
// them here.
#include <CLI/CLI.hpp>

#include "commands/common_options.hpp"
#include "commands/input.hpp"
#include "commands/lstm.hpp"
#include "commands/survey_here.hpp"
#include "facts/rnn_runs.hpp"
#include "stack/given.hpp"

namespace rnncheck::commands::model {

namespace {

/// Of --given. A version decides which cuDNN functions a framework calls, the backend which of them
/// runs Keras.
constexpr const char* known_keys[] = {"backend", "keras", "onnxruntime", "pytorch", "tensorflow"};

/// Empty for what was not given.
struct Options {
    std::vector<std::string> files;
    std::vector<std::string> given;  ///< "keras=2.15"
    std::optional<int> batch, length;
    bool run = false;
    bool fit = false;
    bool training = false;
    std::optional<double> deadline;  ///< seconds
    std::string root;
    std::string matrix;
    ReportOptions report;
};

void add_size_options(CLI::App& app, Options& options) {
    app.add_option(
           "--batch",
           options.batch,
           "Sequences in a batch, for memory, time and --run (default with --run: 8)")
        ->type_name("N")
        ->transform(whole_number(1, most_size));
    app.add_option(
           "--length",
           options.length,
           "Steps of a sequence, for memory, time, --run and --fit (default with --run and "
           "--fit: 16)")
        ->type_name("N")
        ->transform(whole_number(1, most_steps));
}

void add_options(CLI::App& app, Options& options) {
    app.add_option(
           "FILE",
           options.files,
           "Models: .keras, .h5, Keras JSON, SavedModel, .onnx, .pt, .pth, .ckpt, .pt2, "
           ".safetensors and others, archives and directories of them, programs (.py, "
           ".ipynb)")
        ->type_name("")
        ->required();
    app.add_option(
           "--given",
           options.given,
           "What the file does not contain, e.g. keras=2.15 pytorch=2.4 onnxruntime=1.20 "
           "backend=torch")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_size_options(app, options);
    app.add_flag(
        "--run", options.run, "Run each layer on this machine's GPUs and check every number");
    app.add_flag(
        "--fit",
        options.fit,
        "Find the largest batch of each layer that fits into free GPU memory");
    app.add_flag(
        "--training", options.training, "With --run and --fit, also compute the gradients");
    add_deadline_option(app, options.deadline);
    add_root_option(app, options.root);
    add_matrix_option(app, options.matrix);
    add_report_options(app, options.report);
}

/// UsageError for a key that changes nothing about a model, so that it is not taken for checked.
GivenOfModel given_from(const std::vector<std::string>& items) {
    GivenOfModel given;
    for (const std::string& item : items) {
        const auto value = stack::split_given(item);
        if (!value || !includes(known_keys, value->key) || value->value.empty())
            throw UsageError(
                "--given cannot be '" + item +
                "'; give a version of keras, onnxruntime, pytorch or " +
                "tensorflow, e.g. keras=2.15, or backend=torch");
        if (value->key == "backend" && value->value != "tensorflow" && value->value != "torch" &&
            value->value != "jax")
            throw UsageError(
                "--given backend cannot be '" + value->value + "'; use tensorflow, torch or jax");
        given[value->key] = value->value;
    }
    return given;
}

/// The layers that cuDNN has a network for, as cases, and which case is of which layer.
class LayerCases {
  public:
    LayerCases(const ModelFile& file, const Options& options) : file_(file) {
        constexpr LayerKind kinds[] = {
            LayerKind::lstm, LayerKind::gru, LayerKind::rnn_tanh, LayerKind::rnn_relu};
        // The defaults that --help states.
        const ModelSizes sizes{options.batch.value_or(8), options.length.value_or(16)};
        for (std::size_t i = 0; i < file.layers.size(); ++i) {
            const ModelLayer& layer = file.layers[i];
            if (const auto why = too_large_for_cudnn(layer))
                too_large.push_back("layer '" + layer.name + "': " + *why);
            auto rnn_case = case_of(layer, sizes);
            if (!rnn_case || !includes(kinds, layer.kind))
                continue;
            rnn_case->training = options.training;
            if (rnn_case->projection == rnn_case->hidden)
                rnn_case->projection = 0;
            if (contradiction_in(*rnn_case))
                continue;
            request.cases.push_back(*rnn_case);
            // Its own weights may show an overflow that random ones do not.
            const std::int64_t count = weights_in(*rnn_case);
            const bool own = layer.weights && std::ssize(*layer.weights) == count;
            if (own)
                request.weights.push_back({static_cast<int>(request.cases.size()), *layer.weights});
            std::string why_not;
            if (own)
                numbers_read_ += count;
            else
                why_not = why_not_its_own(count);
            runs_.push_back({static_cast<int>(i + 1), own, why_not});
        }
    }

    const std::string& name(std::size_t at) const {
        return file_.layers[static_cast<std::size_t>(runs_[at].layer - 1)].name;
    }

    /// The runs of each layer, and the algorithm that the framework would choose on that GPU.
    std::vector<LayerRuns> runs_of(const Facts& facts) const {
        std::vector<LayerRuns> all = runs_;
        for (const RnnRun& run : facts.rnn_runs) {
            // A target runs only the cases that its cuDNN can express, numbered from 1 for itself.
            const std::vector<int> numbers = requested_numbers(facts, run);
            const auto place = static_cast<std::size_t>(run.number - 1);
            if (place >= numbers.size())
                continue;
            LayerRuns& layer = all[static_cast<std::size_t>(numbers[place] - 1)];
            layer.runs.push_back(run);
            if (const auto choice = choice_of(file_.framework, run.rnn_case, rnn_place(facts, run)))
                layer.algorithm = choice->forward;
        }
        return all;
    }

    RnnRequest request;
    std::vector<std::string> too_large;  ///< why cuDNN cannot compute a layer, one sentence each

  private:
    /// Why a layer of so many weights runs with others than its own.
    std::string why_not_its_own(std::int64_t count) const {
        if (numbers_read_ + count <= static_cast<std::int64_t>(most_weights))
            return "the file does not contain them in a form that rnncheck reads";
        return concat(
            "they are ",
            count,
            " numbers, and at most ",
            most_weights,
            " are read for all layers together");
    }

    std::int64_t numbers_read_ = 0;
    const ModelFile& file_;
    std::vector<LayerRuns> runs_;  ///< by case; without a run
};

/// Runs all layers in one survey.
Facts run_layers(const LayerCases& cases, SurveyOptions how, bool quiet) {
    how.rnn_request = cases.request;
    // Added before the last stage: the children of the earlier ones need no weights.
    how.rnn_request->weights.clear();
    how.before_run = [&](Facts& facts) { facts.rnn_request->weights = cases.request.weights; };
    Facts facts = surveyed(how, quiet);
    facts.rnn_request->weights.clear();
    return facts;
}

/// The largest batch of each layer, one after the other: they would be in one memory otherwise.
Report fit_layers(
    const LayerCases& cases, const SurveyOptions& trials, bool quiet, const Matrix& matrix) {
    std::vector<FitSearch> searches;
    Facts facts;
    for (std::size_t i = 0; i < cases.request.cases.size(); ++i) {
        SurveyOptions how = trials;
        how.rnn_request.emplace().fit = FitSize::batch;
        how.rnn_request->cases = {cases.request.cases[i]};
        facts = surveyed(how, quiet);
        for (FitSearch& search : find_fits(facts, trials, quiet)) {
            search.answer = "layer '" + cases.name(i) + "': " + search.answer;
            searches.push_back(std::move(search));
        }
    }
    return judge_fits(facts, std::move(searches), matrix);
}

/// What several models have in common: the worst verdict, and all in one sentence.
void sum_up(ModelDocument& document) {
    document.verdict = OverallVerdict::healthy;
    if (!document.unread.empty())
        document.verdict = OverallVerdict::undetermined;
    std::size_t layers = 0, with = 0;
    for (const JudgedModel& model : document.models) {
        document.verdict = worse(document.verdict, verdict_of(model));
        layers += model.layers.size();
        with += static_cast<std::size_t>(
            std::ranges::count(model.layers, CudnnUse::yes, &JudgedLayer::cudnn));
    }
    document.sentence = concat(
        document.models.size(),
        " models: ",
        with,
        " of ",
        pluralized(layers, "recurrent layer uses cuDNN", "recurrent layers use cuDNN"));
    if (!document.unread.empty())
        document.sentence +=
            "; " +
            pluralized(document.unread.size(), "model cannot be read", "models cannot be read");
}

/// A line for each model, without running any.
int run_several(
    const Options& options, const std::vector<FoundModel>& models, const Matrix& matrix) {
    const GivenOfModel given = given_from(options.given);
    ModelDocument document{
        {.tool = stamp_with(matrix.date(), matrix.digest())}, options.report.run, JudgedModel{}};
    document.file = join(options.files, ", ");
    for (const FoundModel& model : models)
        if (model.error.empty())
            document.models.push_back(judged_model(
                model.name, model.file, given, {options.batch, options.length}, matrix));
        else
            document.unread.push_back({model.name, model.error});
    sum_up(document);
    return print_report(
        redacted_unless(options.report.show_private, std::move(document)), options.report);
}

/// Of several files those that cannot be read are listed; the only one is an error.
std::vector<FoundModel> found_in(const Options& options) {
    std::vector<FoundModel> models;
    for (const std::string& file : options.files)
        try {
            append(models, read_model_files(file, options.run && options.files.size() == 1));
        } catch (const InputError& error) {
            if (options.files.size() == 1)
                throw;
            models.push_back({file, {}, error.what()});
        }
    return models;
}

int run(Options& options, const CLI::App& app) {
    reject_together(app, "--fit", {"--run"}, "it computes no case");
    reject_together(app, "--fit", {"--batch"}, "it looks for this size");
    begin_run(app, options.report);
    const bool quiet = options.report.quiet;
    SurveyOptions trials;
    trials.root = options.root;
    trials.deadline = deadline_after(options.deadline);
    trials.skip = {"nvrtc_compile"};  // has no part in a recurrent network
    const GivenOfModel given =
        given_from(options.given);  // an error in it is reported before a file is read
    const Matrix matrix = matrix_from(options.matrix);
    const std::vector<FoundModel> models = found_in(options);
    const bool several = models.size() > 1 || !models.front().error.empty();
    // Each would need a survey of its own: minutes, with nothing to show before the end.
    if (several && (options.run || options.fit))
        throw InputError(
            "'" + options.files.front() + "' is more than one model; give one with --run or --fit");
    if (several)
        return run_several(options, models, matrix);
    const ModelFile& file = models.front().file;
    const std::string& name = models.front().name;
    // Before the document: where an initializer throws, GCC 12 destroys the parts of an aggregate
    // twice.
    JudgedModel judged = judged_model(name, file, given, {options.batch, options.length}, matrix);
    ModelDocument document{
        {.tool = stamp_with(matrix.date(), matrix.digest())},
        options.report.run,
        std::move(judged)};
    document.verdict = verdict_of(static_cast<const JudgedModel&>(document));
    document.sentence = sentence_of(static_cast<const JudgedModel&>(document));
    if ((options.run || options.fit) && !file.layers.empty()) {
        // Without layers there is nothing to run, and the document already states it.
        const LayerCases cases(file, options);
        if (cases.request.cases.empty()) {
            std::string why =
                "cuDNN has no network like its layers, or the file does not contain their sizes";
            if (!cases.too_large.empty())
                why = cases.too_large.front();
            throw InputError("'" + name + "' has no layer that can be run: " + why);
        }
        Report report;
        if (options.run) {
            Facts facts = run_layers(cases, trials, quiet);
            facts.network = network_of(file);
            document.runs = cases.runs_of(facts);
            report = judge_networks(
                facts, matrix, {"cudnn_bug", "cudnn_masked_rnn_bug", "cudnn_varlen_rnn_bug"});
        } else {
            report = fit_layers(cases, trials, quiet, matrix);
        }
        document.report = finished(std::move(report), options.report);
        document.verdict = worse(document.verdict, document.report->verdict);
        document.sentence += "; " + document.report->sentence;
    }
    return print_report(
        redacted_unless(options.report.show_private, std::move(document)), options.report);
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    add_options(app, *options);
    return [options, &app] { return run(*options, app); };
}

}  // namespace

extern const Command command{declare};

}  // namespace rnncheck::commands::model
