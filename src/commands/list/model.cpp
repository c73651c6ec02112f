// Shows which recurrent layers of a model its framework computes with cuDNN, and why not.
#include "base/json.hpp"
#include "commands/common_options.hpp"
#include "commands/tables.hpp"
#include "compat/given.hpp"
#include "process/own_child.hpp"
#include "report/documents.hpp"

namespace rnncheck::commands::model {

namespace {

constexpr std::chrono::seconds reading_limit(30);
constexpr const char* known_keys[] = {"backend", "keras", "onnxruntime", "pytorch", "tensorflow"};

struct Options {
    std::string file, matrix;
    std::vector<std::string> given;
    ModelSizes sizes;
    FailOn fail_on = FailOn::error;
    DocumentOptions document;
};

GivenOfModel given_from(const std::vector<std::string>& items) {
    GivenOfModel given;
    for (const std::string& item : items) {
        const auto value = split_given(item);
        if (!value || !includes(known_keys, value->key) || value->value.empty())
            throw UsageError("--given cannot be '" + item + "'; give a version of keras, onnxruntime, pytorch or " +
                             "tensorflow, e.g. keras=2.15, or backend=torch");
        if (value->key == "backend" && value->value != "tensorflow" && value->value != "torch" && value->value != "jax")
            throw UsageError("--given backend cannot be '" + value->value + "'; use tensorflow, torch or jax");
        given[value->key] = value->value;
    }
    return given;
}

ModelFile model_in(const std::string& file) {
    const process::ChildAnswer answer = process::answer_of_child({"read_model", file}, reading_limit);
    const auto cannot = [&](const std::string& why) { return InputError("'" + file + "' cannot be read: " + why); };
    if (!answer.line) throw cannot("the process that reads it " + answer.failure);
    const Json json = Json::parse(*answer.line);
    if (json.contains("error")) throw cannot(json["error"].get<std::string>());
    ModelFile model;
    from_json(json["model"], model, file);
    return model;
}

OverallVerdict verdict_of(const std::vector<JudgedLayer>& layers) {
    const auto any = [&](CudnnUse use) { return find_by(layers, &JudgedLayer::cudnn, use) != nullptr; };
    return any(CudnnUse::unknown) ? OverallVerdict::undetermined
           : any(CudnnUse::no)    ? OverallVerdict::warnings
                                  : OverallVerdict::healthy;
}

int run(const Options& options) {
    const GivenOfModel given = given_from(options.given);
    const Matrix matrix = matrix_from(options.matrix);
    const ModelFile model = model_in(options.file);
    std::vector<JudgedLayer> layers = judged_layers(model, given, options.sizes, matrix);
    const ModelDocument document{{1, stamp_with(matrix.date(), matrix.digest())},
                                 options.file,
                                 model.format,
                                 model.framework,
                                 model.version,
                                 model.notes,
                                 std::move(layers)};
    print_document(written(document, options.document));
    return exit_code(verdict_of(document.layers), options.fail_on);
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option(
           "FILE", options->file,
           "A model: .keras, .h5, Keras JSON, the directory of a SavedModel, .onnx, .pt, .pth, .ckpt, .safetensors")
        ->required();
    add_list(app, "--given", options->given,
             "What the file does not hold, e.g. keras=2.15 pytorch=2.4 onnxruntime=1.20 backend=torch", "KEY=VALUE");
    add_whole_number(app, "--batch", into(options->sizes.batch), 1, 1 << 24,
                     "Sequences in a batch, for memory and time");
    add_whole_number(app, "--length", into(options->sizes.length), 1, 1 << 24,
                     "Steps of a sequence, for memory and time");
    add_choice<FailOn>(app, "--fail-on", "Exit with 4 on warnings: layers without cuDNN", into(options->fail_on));
    add_document_options(app, options->document);
    add_private_option(app, options->document.show_private);
    add_verbose_option(app, options->document.verbose);
    add_matrix_option(app, options->matrix);
    return [options] { return run(*options); };
}

}  // namespace

extern const Command command{.title = "Show which recurrent layers of a model use cuDNN, and why not",
                             .examples =
                                 "rnncheck model model.keras\n"
                                 "rnncheck model checkpoint.pt --given pytorch=2.4\n"
                                 "rnncheck model saved_model/ --batch 64 --length 200 --json",
                             .declare = declare};

}  // namespace rnncheck::commands::model
