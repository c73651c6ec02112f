// The program started by `rnncheck model`: reads one file in this process, which is confined, and
// writes what it holds or why it cannot be read as one line of JSON.
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

struct Options {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD_AS(std::string, file, "FILE", "the model");
    RNNCHECK_FIELD(bool, weights, "also the weights of its layers") = false;
    RNNCHECK_FIELD(int, answer_to,
                   "descriptor to which to write the answer, 1 for standard output") = 1;
    RNNCHECK_FIELDS_END
};

static Json answer_for(const Options& options) {
    try {
        Json models = Json::array();
        for (const FoundModel& one :
             rnncheck::read_models(options.file, options.weights ? most_weights : 0)) {
            Json weights = Json::array();
            for (const ModelLayer& layer : one.file.layers)
                weights.push_back(layer.weights ? Json(*layer.weights) : Json());
            models.push_back({{"name", valid_utf8(one.name)},
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

static int run(Options& options, const CLI::App&) {
    process::confine_to_reading(most_memory);
    write_line(options.answer_to,
               answer_for(options).dump(-1, ' ', true, Json::error_handler_t::replace));
    return healthy;
}

extern const Command command{declared<Options, run>};

}  // namespace rnncheck::commands::read_model
