// The program started by `rnncheck model`: reads one file in this process, which is confined, and writes what it holds
// or why it cannot be read as one line of JSON.
#include "base/json.hpp"
#include "base/program.hpp"
#include "commands/command.hpp"
#include "model/model.hpp"
#include "process/this_process.hpp"
#include "process/wire.hpp"

namespace rnncheck::commands::read_model {

namespace {

constexpr std::size_t most_memory = 256 << 20;

struct Options {
    std::string file;
    int answer_to = 1;
};

Json answer_for(const std::string& file) {
    try {
        return {{"model", to_json(rnncheck::read_model(file), valid_utf8)}};
    } catch (const InputError& error) {
        return {{"error", error.what()}};
    } catch (const std::bad_alloc&) {
        return {{"error", "what it describes needs more than 256 MiB of memory"}};
    }
}

int run(const Options& options) {
    process::confine_to_reading(most_memory);
    write_line(options.answer_to, answer_for(options.file).dump(-1, ' ', true, Json::error_handler_t::replace));
    return healthy;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("FILE", options->file, "the model")->required();
    app.add_option("--answer-to", options->answer_to, "descriptor that takes the answer, 1 for standard output");
    return [options] { return run(*options); };
}

}  // namespace

extern const Command command{.title = "Reads a model in this process", .hidden = true, .declare = declare};

}  // namespace rnncheck::commands::read_model
