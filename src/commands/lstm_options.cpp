#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/program.hpp"
#include "commands/lstm.hpp"
#include "process/apart.hpp"
#include "rnn/case.hpp"

namespace rnncheck {

namespace {

/// The option of a member of RnnCase.
std::string option_of_case(std::string_view member) {
    if (member == "sequence_length")
        return "--length";
    return option_named(member);
}

/// 0, or an error number. As write_file does: in place, or beside it.
int why_not_writable(const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
        return EISDIR;
    if (std::filesystem::exists(file, ignored) && ::access(file.string().c_str(), W_OK) == 0)
        return 0;
    const std::filesystem::path directory = file.has_parent_path() ? file.parent_path() : ".";
    if (!file.has_filename() || !std::filesystem::is_directory(directory, ignored))
        return ENOENT;
    return ::access(directory.string().c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

void check_writable(const char* option, const std::string& file) {
    if (file.empty())
        return;
    process::apart([&]() -> std::string {
        if (const int error = why_not_writable(file); error != 0)
            throw UsageError(std::string(option) + ": cannot write '" + file +
                             "': " + std::strerror(error));
        return "";
    });
}

void reject_contradictions(const CLI::App& app, const LstmOptions& options) {
    const char *of_file = "the cases come from its file",
               *whole_sweep = "it runs a whole sweep instead of one case";
    for (const std::string& option : options.given) {
        reject_together(app, "--resume", option, of_file);
        reject_together(app, "--level", option, whole_sweep);
    }
    reject_together(app, "--resume",
                    "--level --from-log --device --cudnn --rnn-api --dropout --fit", of_file);
    reject_together(app, "--level", "--from-log", whole_sweep);
    reject_together(app, "--batch", "--lengths", "each length is a sequence");
    reject_together(app, "--fit", "--level --lengths",
                    "it searches for the size of one case with equal lengths");
    reject_together(app, "--fit", "--save --svg --emit-repro --dropout", "it computes no case");
    if (const auto fit = options.run.fit)
        reject_together(app, "--fit", "--" + std::string(name_of(*fit)),
                        "it searches for this size");
}

/// Takes the network from a TensorFlow message, except what options specify.
void take_network(const LogRnnConfig& config, const std::set<std::string>& given, RnnCase& c) {
    const auto take = [&](const std::string& option, int RnnCase::*member,
                          const std::optional<std::int64_t>& value) {
        if (given.contains(option) || !value || *value <= 0)
            return;
        if (const auto most = static_cast<std::int64_t>(largest_value(option)); *value > most)
            throw InputError("the network in the log cannot be run: its " + option.substr(2) +
                             " of " + std::to_string(*value) + " is above " + std::to_string(most));
        c.*member = static_cast<int>(*value);
    };
    const auto choose = [&](const char* option, auto RnnCase::*member, auto value) {
        if (!given.contains(option))
            c.*member = value;
    };
    const std::string cell =
        config.cell->starts_with("rnn_") ? config.cell->substr(4) : *config.cell;
    choose("--cell", &RnnCase::cell, value_from<Cell>("the cell in the log", cell));
    take("--hidden", &RnnCase::hidden, config.units);
    take("--input", &RnnCase::input, config.input_size);
    take("--layers", &RnnCase::layers, config.layers);
    take("--length", &RnnCase::sequence_length, config.sequence_length);
    take("--batch", &RnnCase::batch, config.batch);
    if (config.direction == "bidirectional" || config.directions == 2)
        choose("--direction", &RnnCase::direction, Direction::bidirectional);
    if (config.input_mode == "skip_input")
        choose("--input-mode", &RnnCase::input_mode, InputMode::skip);
    choose("--training", &RnnCase::training, contains(config.call, "Backward"));
}

const LogRnnConfig& network_in(const Log& log, const std::string& file) {
    if (!log.rnn_config)
        throw InputError("'" + file + "' contains no failed recurrent network");
    const LogRnnConfig& config = *log.rnn_config;
    if (!config.cell || !config.units) {
        const std::string are = config.missing.size() == 1 ? " is" : " are";
        throw InputError(
            "'" + file + "' names " + config.call +
            ", but its model configuration was cut or left out: " + join_with_and(config.missing) +
            are + " missing; give the network with options, e.g. --cell lstm --hidden 256");
    }
    return config;
}

RnnCase case_from(const LstmOptions& options, const Log& log) {
    RnnCase c = options.network;
    if (!options.run.from_log.empty())
        take_network(network_in(log, options.run.from_log), options.given, c);
    if (!c.lengths.empty()) {
        const int longest = *std::ranges::max_element(c.lengths);
        c.batch = static_cast<int>(c.lengths.size());
        if (!options.given.contains("--length"))
            c.sequence_length = std::max(1, longest);
        if (longest > c.sequence_length)
            throw UsageError("none of --lengths may be longer than --length");
    }
    if (c.projection == c.hidden)
        c.projection = 0;
    if (const auto why = contradiction_in(c))
        throw UsageError(*why);
    if (options.run.rnn_api == RnnApi::legacy && has_empty_sequence(c))
        throw UsageError("--rnn-api legacy needs --lengths above 0");
    return c;
}

}  // namespace

void add_lstm_options(CLI::App& app, LstmOptions& options) {
    app.option_defaults()->group("Network, for one case");
    for (const Shape::Member& member : shape_of<RnnCase>().members) {
        void* const value = reinterpret_cast<char*>(&options.network) + member.offset;
        const Json usual = to_json(member.shape(), value, valid_utf8);
        std::string text = member.about;
        if (text.front() >= 'a' && text.front() <= 'z')
            text.front() = static_cast<char>(text.front() - 'a' + 'A');
        const bool is_stated = usual.is_string() && contains(text, usual.get<std::string>());
        if (!is_stated && (usual.is_string() || (usual.is_number() && usual != 0)))
            text += " (default: {})";
        const std::string name = option_of_case(member.name);
        add_option(app, name == "--training" ? "--training,--backward" : name, member.shape(),
                   value, text);
    }
    add_options(app, options);
}

void check_lstm_options(const CLI::App& app, LstmOptions& options) {
    for (const Shape::Member& member : shape_of<RnnCase>().members)
        if (const std::string option = option_of_case(member.name); is_given(app, option))
            options.given.insert(option);
    reject_contradictions(app, options);
    check_writable("--svg", options.files.svg);
    check_writable("--emit-repro", options.files.emit_repro);
    begin_run(app, options.report);
}

RnnRequest request_of(const LstmOptions& options, const Log& log) {
    const LstmRunOptions& run = options.run;
    RnnRequest request;
    if (run.level)
        request.level = *run.level;
    else
        request.cases = {case_from(options, log)};
    request.dropout = run.dropout;
    if (!request.dropout && run.level == Level::thorough)
        request.dropout = 0.5;
    request.gpu = run.device;
    if (!run.cudnn.empty())
        request.library = run.cudnn;
    request.rnn_api = run.rnn_api;
    request.fit = run.fit;
    return request;
}

}  // namespace rnncheck
