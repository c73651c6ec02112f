#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "commands/lstm.hpp"
#include "rnn/case.hpp"
#include "rnn/network.hpp"

namespace rnncheck {

namespace {

constexpr int largest_size = 1 << 20;
constexpr int longest_sequence = 65535;  // cudnnSetRNNDataDescriptor takes no more

struct Number {
    std::string_view name;
    int RnnCase::*member;
    int most;
    const char* about;
};

constexpr Number numbers[] = {
    {"layers", &RnnCase::layers, 64, "Number of layers (1)"},
    {"input", &RnnCase::input, largest_size, "Input size (64)"},
    {"hidden", &RnnCase::hidden, largest_size, "Hidden size (64)"},
    {"batch", &RnnCase::batch, largest_size, "Number of sequences (8)"},
    {"length", &RnnCase::sequence_length, longest_sequence, "Longest sequence, in steps (16)"},
    {"projection", &RnnCase::projection, largest_size, "Size of the recurrent projection (none)"},
};

template <class T>
void change(LstmOptions& given, const std::string& name, T RnnCase::*member, const T& value) {
    given.changes[name] = [=](RnnCase& c) { c.*member = value; };
}

template <NamedEnum E>
void add_word(CLI::App& app, LstmOptions& given, const std::string& name, E RnnCase::*member, const char* about) {
    add_choice<E>(app, "--" + name, about, [=, &given](E value) { change(given, name, member, value); });
}

std::vector<int> lengths_from(const std::string& text) {
    std::vector<int> lengths;
    for (const std::string& part : split(text, ','))
        lengths.push_back(whole_number_from("--lengths", part, 0, longest_sequence));
    return lengths;
}

void add_case_flag(CLI::App& app, LstmOptions& given, const char* options, const std::string& name,
                   bool RnnCase::*member, const char* about) {
    app.add_flag_function(
           options, [=, &given](std::int64_t) { change(given, name, member, true); }, about)
        ->disable_flag_override();
}

void declare_network(CLI::App& app, LstmOptions& given) {
    begin_group(app, "Network, for one case");
    add_word(app, given, "cell", &RnnCase::cell, "Kind of cell (lstm)");
    add_word(app, given, "dtype", &RnnCase::dtype, "Type of data and weights (fp32)");
    add_word(app, given, "math", &RnnCase::math, "Math type: default allows TF32, fma does not");
    add_word(app, given, "algorithm", &RnnCase::algorithm, "Algorithm of cuDNN (standard)");
    add_word(app, given, "direction", &RnnCase::direction, "One or both directions");
    add_word(app, given, "layout", &RnnCase::layout, "Order of the data in memory");
    add_word(app, given, "bias", &RnnCase::bias, "Biases in use (both)");
    add_word(app, given, "input-mode", &RnnCase::input_mode,
             "linear: the first layer multiplies its input by weights; skip: it does not");
    for (const Number& number : numbers)
        add_whole_number(
            app, "--" + std::string(number.name),
            [&given, number](int value) { change(given, std::string(number.name), number.member, value); }, 1,
            number.most, number.about);
    add_option(
        app, "--lengths",
        [&given](const std::string& text) { change(given, "lengths", &RnnCase::lengths, lengths_from(text)); },
        "Length of each sequence in steps, e.g. 7,3,5", "N,N,...");
    add_number(
        app, "--clip", [&given](double value) { change(given, "clip", &RnnCase::clip, value); }, 1e6,
        "Clip the cell state at this absolute value", "X", "a number above 0");
    add_case_flag(app, given, "--states", "states", &RnnCase::states, "Start from given states instead of zeros");
    add_case_flag(app, given, "--training,--backward", "training", &RnnCase::training, "Also compute the gradients");
}

void declare_run(CLI::App& app, LstmOptions& given) {
    begin_group(app, "What is run");
    add_choice<Level>(app, "--level", "Run a whole sweep instead of one case", into(given.level));
    add_option(app, "--from-log", into(given.log), "Run the network that failed according to this TensorFlow log",
               "FILE");
    add_choice<FitSize>(app, "--fit", "Find the largest size that fits into free GPU memory, instead of computing",
                        into(given.fit));
    add_option(app, "--resume", into(given.resume), "Resume the run saved in this file, and keep saving it there",
               "FILE");
    add_whole_number(app, "--device", into(given.device), 0, std::numeric_limits<int>::max(),
                     "Use only this GPU, by CUDA's number");
    add_option(app, "--cudnn", into(given.cudnn), "Use only the libcudnn whose path contains TEXT", "TEXT");
    add_choice<Dialect>(app, "--interface", "Use only this RNN interface", into(given.interface));
    add_number(app, "--dropout", into(given.dropout), std::nextafter(1.0, 0.0),
               "Also measure dropout with this probability", "P", "a probability above 0 and below 1");
    add_flag(app, "--no-shrink", given.no_shrink, "Do not search for the smallest case that fails");
    add_deadline_option(app, given.deadline_s, "none");
    add_root_option(app, given.root);
}

void declare_files(CLI::App& app, LstmOptions& given) {
    begin_group(app, "Output and exit code");
    add_option(app, "--save", into(given.save), "Keep the JSON report in this file during the run, for --resume",
               "FILE");
    add_option(app, "--svg", into(given.svg), "Also draw the results as an SVG picture in this file", "FILE");
    add_option(app, "--emit-repro", into(given.repro),
               "Write a C++ program that reproduces the failure without rnncheck", "FILE");
}

/// 0, or an error number. As write_file does: in place, or beside it.
int why_not_writable(const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) return EISDIR;
    if (std::filesystem::exists(file, ignored) && ::access(file.c_str(), W_OK) == 0) return 0;
    const std::filesystem::path directory = file.has_parent_path() ? file.parent_path() : ".";
    if (!file.has_filename() || !std::filesystem::is_directory(directory, ignored)) return ENOENT;
    return ::access(directory.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

void check_writable(const char* option, const std::string& file) {
    if (const int error = file.empty() ? 0 : why_not_writable(file); error != 0)
        throw UsageError(std::string(option) + ": cannot write '" + file + "': " + std::strerror(error));
}

void refuse_contradictions(const CLI::App& app, const LstmOptions& given) {
    const char *of_file = "the cases come from its file", *whole_sweep = "it runs a whole sweep instead of one case";
    const char *one_case = "it is for one case with equal lengths", *no_case = "it computes no case";
    for (const auto& [name, change] : given.changes) {
        refuse_together(app, "--resume", "--" + name, of_file);
        refuse_together(app, "--level", "--" + name, whole_sweep);
    }
    for (const char* option : {"--level", "--from-log", "--device", "--cudnn", "--interface", "--dropout", "--fit"})
        refuse_together(app, "--resume", option, of_file);
    refuse_together(app, "--level", "--from-log", whole_sweep);
    refuse_together(app, "--batch", "--lengths", "each length is a sequence");
    for (const char* option : {"--level", "--lengths"}) refuse_together(app, "--fit", option, one_case);
    for (const char* option : {"--save", "--svg", "--emit-repro", "--dropout"})
        refuse_together(app, "--fit", option, no_case);
    if (given.fit) refuse_together(app, "--fit", "--" + std::string(name_of(*given.fit)), "it looks for this size");
}

/// What a TensorFlow message gives of its network.
void take_network(RnnCase& c, const LogRnnConfig& config) {
    const auto take = [&](const char* name, const std::optional<std::int64_t>& value) {
        const Number& number = *find_by(numbers, &Number::name, name);
        if (!value || *value <= 0) return;
        if (*value > number.most)
            throw InputError("the network in the log cannot be run: its " + std::string(name) + " of " +
                             std::to_string(*value) + " is above " + std::to_string(number.most));
        c.*number.member = static_cast<int>(*value);
    };
    c.cell = word_from<Cell>(config.cell->starts_with("rnn_") ? config.cell->substr(4) : *config.cell,
                             "the cell in the log");
    take("hidden", config.units);
    take("input", config.input_size);
    take("layers", config.layers);
    take("length", config.sequence_length);
    take("batch", config.batch);
    if (config.direction == "bidirectional" || config.directions == 2) c.direction = Direction::bidirectional;
    if (config.input_mode == "skip_input") c.input_mode = InputMode::skip;
    c.training = contains(config.call, "Backward");
}

const LogRnnConfig& network_in(const Log& log, const std::string& file) {
    if (!log.rnn_config) throw InputError("'" + file + "' contains no failed recurrent network");
    const LogRnnConfig& config = *log.rnn_config;
    if (!config.cell || !config.units)
        throw InputError("'" + file + "' names " + config.call + ", but its model configuration was cut or left out: " +
                         join_with_and(config.missing) + (config.missing.size() == 1 ? " is" : " are") +
                         " missing; give the network with options, e.g. --cell lstm --hidden 256");
    return config;
}

RnnCase case_from(const LstmOptions& given, const Log& log) {
    RnnCase c{.input = 64, .hidden = 64, .batch = 8, .sequence_length = 16};
    if (!given.log.empty()) take_network(c, network_in(log, given.log));
    for (const auto& [name, change] : given.changes) change(c);
    if (!c.lengths.empty()) {
        const int longest = *std::ranges::max_element(c.lengths);
        c.batch = static_cast<int>(c.lengths.size());
        if (!given.changes.contains("length")) c.sequence_length = std::max(1, longest);
        if (longest > c.sequence_length) throw UsageError("none of --lengths may be longer than --length");
    }
    if (c.projection == c.hidden) c.projection = 0;
    if (const auto why = contradiction_in(c)) throw UsageError(*why);
    if (given.interface == Dialect::legacy && has_empty_sequence(c))
        throw UsageError("--interface legacy needs --lengths above 0");
    return c;
}

}  // namespace

std::function<LstmOptions()> declare_lstm_options(CLI::App& app) {
    const auto given = std::make_shared<LstmOptions>();
    declare_network(app, *given);
    declare_run(app, *given);
    declare_files(app, *given);
    return [given, &app] {
        refuse_contradictions(app, *given);
        check_writable("--svg", given->svg);
        check_writable("--emit-repro", given->repro);
        return *given;
    };
}

RnnRequest request_of(const LstmOptions& given, const Log& log) {
    RnnRequest request;
    if (given.level)
        request.level = *given.level;
    else
        request.cases = {case_from(given, log)};
    request.dropout = given.dropout;
    if (!request.dropout && given.level == Level::thorough) request.dropout = 0.5;
    request.gpu = given.device;
    if (!given.cudnn.empty()) request.library = given.cudnn;
    request.dialect = given.interface;
    request.fit = given.fit;
    return request;
}

}  // namespace rnncheck
