// The program started by `rnncheck model`: reads one file in this process, which is confined, and
// writes what it holds or why it cannot be read as one line of JSON.
#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "base/program.hpp"
#include "commands/command.hpp"
#include "commands/input.hpp"
#include "commands/options.hpp"
#include "model/found_model.hpp"
#include "process/this_process.hpp"
#include "process/wire.hpp"

namespace rnncheck::commands::read_model {

constexpr std::size_t most_memory = 256 << 20;
constexpr int most_descriptor = 1 << 20;  // the kernel's own limit, /proc/sys/fs/nr_open

struct Options {
    std::string file;
    bool weights = false;
    int answer_to = 1;  ///< descriptor
};

/// "models", or "error": why the file cannot be read. A crash is seen by the process that started
/// this one.
static Json answer_for(const Options& options) {
    try {
        Json models = Json::array();
        for (const FoundModel& one :
             rnncheck::read_models(options.file, options.weights ? most_weights : 0)) {
            Json weights = Json::array();
            for (const ModelLayer& layer : one.file.layers)
                weights.push_back(layer.weights ? Json(*layer.weights) : Json());
            models.push_back(
                {{"name", valid_utf8(one.name)},
                 {"model", to_json(one.file, valid_utf8)},
                 {"weights", weights},
                 {"error", valid_utf8(one.error)}});
        }
        return {{"models", models}};
    } catch (const InputError& error) {
        return {{"error", error.what()}};
    } catch (const std::bad_alloc&) {
        return {{"error", "what it describes needs more than 256 MiB of memory"}};
    }
}

static int run(const Options& options) {
    process::confine_to_reading(most_memory);
    write_line(
        options.answer_to, answer_for(options).dump(-1, ' ', true, Json::error_handler_t::replace));
    return healthy;
}

static std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("FILE", options->file, "the model")->type_name("")->required();
    app.add_flag("--weights", options->weights, "also the weights of its layers");
    app.add_option(
           "--answer-to",
           options->answer_to,
           "descriptor to which to write the answer, 1 for standard output")
        ->type_name("N")
        ->transform(whole_number(1, most_descriptor));
    return [options] { return run(*options); };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::read_model
