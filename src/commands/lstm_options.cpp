#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/program.hpp"
#include "commands/lstm.hpp"
#include "process/apart.hpp"
#include "rnn/case.hpp"

namespace rnncheck {

namespace {

constexpr const char* heading_of_network = "Network, for one case";
constexpr int most_layers = 64;

/// " (default: lstm)".
std::string default_is(const auto& value) {
    return concat(" (default: ", value, ")");
}

/// The validators check each of "7,3,5".
std::string check_lengths(const std::string& text) {
    const CLI::Validator check = whole_number(0, most_steps);
    for (const std::string& length : split(text, ','))
        if (const std::string why = check(length); !why.empty())
            return why;
    return "";
}

/// What the network computes.
void add_cell_options(CLI::App& app, RnnCase& network) {
    add_choice(app, "--cell", network.cell, "Kind of cell" + default_is(network.cell));
    add_choice(
        app,
        "--dtype",
        network.dtype,
        "Type of data, states and weights" + default_is(network.dtype));
    add_choice(app, "--math", network.math, "Math type: default allows TF32, fma does not");
    add_choice(
        app,
        "--algorithm",
        network.algorithm,
        "RNN algorithm of cuDNN" + default_is(network.algorithm));
    add_choice(
        app,
        "--direction",
        network.direction,
        "One or both directions" + default_is(network.direction));
}

/// How large it is.
void add_size_options(CLI::App& app, RnnCase& network) {
    app.add_option("--layers", network.layers, "Number of layers" + default_is(network.layers))
        ->type_name("N")
        ->transform(whole_number(1, most_layers));
    app.add_option("--input", network.input, "Input size" + default_is(network.input))
        ->type_name("N")
        ->transform(whole_number(1, most_size));
    app.add_option("--hidden", network.hidden, "Hidden size" + default_is(network.hidden))
        ->type_name("N")
        ->transform(whole_number(1, most_size));
    app.add_option("--batch", network.batch, "Number of sequences" + default_is(network.batch))
        ->type_name("N")
        ->transform(whole_number(1, most_size));
    app.add_option(
           "--length",
           network.sequence_length,
           "Longest sequence, in steps" + default_is(network.sequence_length))
        ->type_name("N")
        ->transform(whole_number(1, most_steps));
    // One text, not a list with a delimiter: of "3,,9" CLI11 would drop the empty length.
    const auto take_lengths = [&network](const std::string& text) {
        network.lengths = mapped(
            split(text, ','), [](const std::string& length) { return *number_from(length); });
    };
    app.add_option_function<std::string>(
           "--lengths",
           take_lengths,
           "Length of each sequence, in steps, if they differ, e.g. 7,3,5")
        ->type_name("N,N,...")
        ->check(check_lengths);
}

/// One case. The texts are those of the fields of RnnCase, for a person at a terminal.
void add_network_options(CLI::App& app, RnnCase& network) {
    app.option_defaults()->group(heading_of_network);
    add_cell_options(app, network);
    add_size_options(app, network);
    add_choice(
        app,
        "--layout",
        network.layout,
        "Order of the data in memory" + default_is(network.layout));
    app.add_flag("--states", network.states, "Start from initial states other than zeros");
    app.add_option(
           "--projection",
           network.projection,
           "Size of the LSTM's recurrent projection, 0 for none")
        ->type_name("N")
        ->transform(whole_number(0, most_size));
    add_choice(
        app, "--bias", network.bias, "Which biases the gates have" + default_is(network.bias));
    add_choice(
        app,
        "--input-mode",
        network.input_mode,
        "Whether the first layer multiplies its input by weights (linear) or not (skip)");
    app.add_option(
           "--clip",
           network.clip,
           "Absolute value at which the LSTM's cell state is clipped, 0 for none")
        ->type_name("X")
        ->check(number(0, 1e6, "a number from 0 to 1000000"));
    app.add_flag("--training,--backward", network.training, "Also compute the gradients");
}

/// How and where it is run.
void add_run_options(CLI::App& app, LstmRunOptions& options) {
    // 0 and 1 themselves are no dropout: nothing or everything would be dropped.
    constexpr double above_0 = std::numeric_limits<double>::denorm_min(),
                     below_1 = 1 - std::numeric_limits<double>::epsilon() / 2;
    app.option_defaults()->group("Execution");
    add_choice(app, "--level", options.level, "Run a whole sweep instead of one case");
    app.add_option(
           "--from-log",
           options.from_log,
           "Run the network that failed according to this TensorFlow log")
        ->type_name("FILE");
    add_choice(
        app,
        "--fit",
        options.fit,
        "Find the largest size that fits into free GPU memory, instead of computing");
    app.add_option(
           "--resume",
           options.resume,
           "Resume the run saved in this file and continue to save it there")
        ->type_name("FILE");
    app.add_option("--device", options.device, "Use only the GPU with this CUDA index")
        ->type_name("N")
        ->transform(whole_number(0, std::numeric_limits<int>::max()));
    app.add_option("--cudnn", options.cudnn, "Use only the libcudnn whose path contains TEXT");
    add_choice(app, "--rnn-api", options.rnn_api, "Use only this RNN API of cuDNN");
    app.add_option(
           "--dropout", options.dropout, "Also check dropout between layers, with this probability")
        ->type_name("P")
        ->check(number(above_0, below_1, "a probability above 0 and below 1"));
    app.add_flag(
        "--no-shrink", options.no_shrink, "Do not search for the smallest case that fails");
    add_deadline_option(app, options.deadline);
    add_root_option(app, options.root);
}

/// What is written in addition to the report.
void add_file_options(CLI::App& app, LstmFileOptions& options) {
    app.option_defaults()->group("Output and exit code");
    app.add_option(
           "--save", options.save, "Keep the JSON report in this file during the run, for --resume")
        ->type_name("FILE");
    app.add_option("--svg", options.svg, "Also draw the results as an SVG picture in this file")
        ->type_name("FILE");
    app.add_option(
           "--emit-repro",
           options.emit_repro,
           "Write a C++ program that reproduces the failure without rnncheck")
        ->type_name("FILE");
}

/// 0, or an error number. As write_file does: in place, or beside it.
int why_not_writable(const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
        return EISDIR;
    if (std::filesystem::exists(file, ignored) && ::access(file.string().c_str(), W_OK) == 0)
        return 0;
    std::filesystem::path directory = ".";
    if (file.has_parent_path())
        directory = file.parent_path();
    if (!file.has_filename() || !std::filesystem::is_directory(directory, ignored))
        return ENOENT;
    if (::access(directory.string().c_str(), W_OK | X_OK) != 0)
        return errno;
    return 0;
}

/// A sweep takes minutes, after which a wrong name would cost all results.
void check_writable(const char* option, const std::string& file) {
    if (file.empty())
        return;
    process::apart([&]() -> std::string {
        if (const int error = why_not_writable(file); error != 0)
            throw UsageError(
                std::string(option) + ": cannot write '" + file + "': " + std::strerror(error));
        return "";
    });
}

/// An option that would have no effect is rejected and not ignored.
void reject_contradictions(const CLI::App& app, const LstmOptions& options) {
    const char *of_file = "the cases come from its file",
               *whole_sweep = "it runs a whole sweep instead of one case";
    for (const std::string& option : options.given) {
        reject_together(app, "--resume", {option}, of_file);
        reject_together(app, "--level", {option}, whole_sweep);
    }
    reject_together(
        app,
        "--resume",
        {"--level", "--from-log", "--device", "--cudnn", "--rnn-api", "--dropout", "--fit"},
        of_file);
    reject_together(app, "--level", {"--from-log"}, whole_sweep);
    reject_together(app, "--batch", {"--lengths"}, "each length is a sequence");
    reject_together(
        app,
        "--fit",
        {"--level", "--lengths"},
        "it searches for the size of one case with equal lengths");
    reject_together(
        app, "--fit", {"--save", "--svg", "--emit-repro", "--dropout"}, "it computes no case");
    // "--fit batch --batch 4" fixes what is to be found.
    if (const auto fit = options.run.fit)
        reject_together(
            app, "--fit", {"--" + std::string(name_of(*fit))}, "it searches for this size");
}

/// Takes the network from a TensorFlow message, except what options specify.
void take_network(const LogRnnConfig& config, const std::set<std::string>& given, RnnCase& c) {
    const auto take = [&](const std::string& option,
                          int RnnCase::*member,
                          int most,
                          const std::optional<std::int64_t>& value) {
        if (given.contains(option) || !value || *value <= 0)
            return;
        if (*value > most)
            throw InputError(
                "the network in the log cannot be run: its " + option.substr(2) + " of " +
                std::to_string(*value) + " is above " + std::to_string(most));
        c.*member = static_cast<int>(*value);
    };
    const auto choose = [&](const char* option, auto RnnCase::*member, auto value) {
        if (!given.contains(option))
            c.*member = value;
    };
    // Keras prints the mode of cuDNN, "rnn_tanh", where the option is "tanh".
    std::string cell = *config.cell;
    if (cell.starts_with("rnn_"))
        cell = cell.substr(4);
    choose("--cell", &RnnCase::cell, value_named<Cell>(cell, "the cell in the log"));
    take("--hidden", &RnnCase::hidden, most_size, config.units);
    take("--input", &RnnCase::input, most_size, config.input_size);
    take("--layers", &RnnCase::layers, most_layers, config.layers);
    take("--length", &RnnCase::sequence_length, most_steps, config.sequence_length);
    take("--batch", &RnnCase::batch, most_size, config.batch);
    if (config.direction == "bidirectional" || config.directions == 2)
        choose("--direction", &RnnCase::direction, Direction::bidirectional);
    if (config.input_mode == "skip_input")
        choose("--input-mode", &RnnCase::input_mode, InputMode::skip);
    // The name of the failed call shows whether gradients were computed.
    choose("--training", &RnnCase::training, contains(config.call, "Backward"));
}

/// InputError names what the log lacks. TensorFlow prints the configuration in one line, which log
/// collectors cut.
const LogRnnConfig& network_in(const Log& log, const std::string& file) {
    if (!log.rnn_config)
        throw InputError("'" + file + "' contains no failed recurrent network");
    const LogRnnConfig& config = *log.rnn_config;
    if (!config.cell || !config.units) {
        std::string are = " are";
        if (config.missing.size() == 1)
            are = " is";
        throw InputError(
            "'" + file + "' names " + config.call +
            ", but its model configuration was cut or left out: " + join_with_and(config.missing) +
            are + " missing; give the network with options, e.g. --cell lstm --hidden 256");
    }
    return config;
}

/// The case that the options and the log describe. UsageError states which of them contradict.
RnnCase case_from(const LstmOptions& options, const Log& log) {
    RnnCase c = options.network;
    if (!options.run.from_log.empty())
        take_network(network_in(log, options.run.from_log), options.given, c);
    if (!c.lengths.empty()) {
        // The lengths give batch and steps, so that `--lengths 7,3,5` is enough.
        const int longest = *std::ranges::max_element(c.lengths);
        c.batch = static_cast<int>(c.lengths.size());
        if (!options.given.contains("--length"))
            c.sequence_length = std::max(1, longest);
        if (longest > c.sequence_length)
            throw UsageError("none of --lengths may be longer than --length");
    }
    // cuDNN itself treats such a projection as none.
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
    add_network_options(app, options.network);
    add_run_options(app, options.run);
    add_file_options(app, options.files);
    add_report_options(app, options.report);
}

void check_lstm_options(const CLI::App& app, LstmOptions& options) {
    for (const CLI::Option* option : app.get_options())
        // Also those that have their default value: they must win over the log.
        if (option->get_group() == heading_of_network && option->count() > 0)
            options.given.insert(option->get_name());
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
    // Dropout is no part of a case, so a thorough sweep requests it apart.
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
