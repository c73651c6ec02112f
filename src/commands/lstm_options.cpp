#include "commands/lstm_options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/ids.hpp"
#include "commands/lstm_from_log.hpp"
#include "rnn/network.hpp"
#include "rnn/options.hpp"

namespace rnncheck {

namespace {

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
    {"clip", "Clip the cell state at this absolute value", "X"},
};

struct TextOption {
    const char* name;
    std::string LstmOptions::*place;
    const char *about, *type;
};

constexpr TextOption text_options[] = {
    {"--level", &LstmOptions::level, "Run a whole sweep instead of one case", "quick|standard|thorough"},
    {"--from-log", &LstmOptions::log, "The network that failed according to this TensorFlow log", "FILE"},
    {"--cudnn", &LstmOptions::cudnn, "Use only the libcudnn whose path contains TEXT", "TEXT"},
    {"--interface", &LstmOptions::interface, "Use only this RNN interface", "v8|legacy"},
    {"--deadline", &LstmOptions::deadline, "Time limit for everything, in seconds", "S"},
    {"--output", &LstmOptions::output, "Also keep the JSON report in this file, from the start on", "FILE"},
    {"--resume", &LstmOptions::resume, "Resume the run saved in this file, and keep it there", "FILE"},
    {"--dropout", &LstmOptions::dropout, "Measure dropout of this probability, too", "P"},
    {"--svg", &LstmOptions::svg, "Also draw the cases as a picture in this file", "FILE"},
    {"--fit", &LstmOptions::fit, "Find the largest that fits into free GPU memory", "batch|length"},
    {"--emit-repro", &LstmOptions::repro, "Write a C++ program that shows the failure without rnncheck", "FILE"},
};

double probability_of(const std::string& text) {
    char* end = nullptr;
    const double probability = std::strtod(text.c_str(), &end);
    if (*end != '\0' || !(probability > 0 && probability < 1))
        throw UsageError("--dropout cannot be '" + text + "'; give a probability above 0 and below 1");
    return probability;
}

/// An empty value, as of a shell variable that is not set, would count as an option that was not given.
void declare_text(CLI::App& app, const std::shared_ptr<LstmOptions>& given, const TextOption& option) {
    app.add_option_function<std::string>(
           option.name,
           [given, option](const std::string& text) {
               if (text.empty())
                   throw UsageError(std::string(option.name) + " has an empty value: give " + option.type);
               (*given).*option.place = text;
           },
           option.about)
        ->type_name(option.type);
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

[[noreturn]] void refuse(const std::string& option, const std::string& word, const std::string& wanted) {
    throw UsageError("--" + option + " cannot be '" + word + "'; " + wanted);
}

int number_from(const std::string& option, const std::string& word, int least, int most) {
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || number < least || number > most)
        refuse(option, word, "give a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return number;
}

std::vector<int> lengths_from(const std::string& word) {
    constexpr int longest = 65535;  // cudnnSetRNNDataDescriptor takes no more
    if (word.empty()) refuse("lengths", word, "give the length of each sequence, e.g. 7,3,5");
    std::vector<int> lengths;
    for (const std::string& part : split(word, ',')) lengths.push_back(number_from("lengths", part, 0, longest));
    return lengths;
}

/// Reads the words one by one, so that what is left over is no option of a case.
class Reader {
  public:
    explicit Reader(const CaseWords& words) : words_(words) {}

    void number(const char* option, int& to, int least, int most) const {
        if (const std::string* word = find(option)) to = number_from(option, *word, least, most);
    }
    template <NamedEnum E>
    void word(const char* option, E& to) const {
        if (const std::string* found = find(option)) to = word_from<E>(*found, "--" + std::string(option));
    }
    const std::string* find(const char* option) const {
        const auto at = words_.find(option);
        return at == words_.end() ? nullptr : &at->second;
    }

  private:
    const CaseWords& words_;
};

void read_clip(const Reader& read, RnnCase& rnn_case) {
    const std::string* const word = read.find("clip");
    if (!word) return;
    char* end = nullptr;
    rnn_case.clip = std::strtod(word->c_str(), &end);
    if (*end != '\0' || !(rnn_case.clip > 0) || rnn_case.clip > 1e6) refuse("clip", *word, "give a number above 0");
}

void read_lengths(const Reader& read, RnnCase& rnn_case) {
    const std::string* const word = read.find("lengths");
    if (!word) return;
    rnn_case.lengths = lengths_from(*word);
    rnn_case.batch = static_cast<int>(rnn_case.lengths.size());
    const int longest = *std::ranges::max_element(rnn_case.lengths);
    if (read.find("batch"))
        throw UsageError("--batch and --lengths cannot be used together: each length is a sequence");
    if (!read.find("length")) rnn_case.sequence_length = std::max(1, longest);
    if (longest > rnn_case.sequence_length) refuse("lengths", *word, "none may be longer than --length");
}

}  // namespace

RnnCase case_from_words(const CaseWords& words) {
    constexpr int largest = 1 << 20;
    const Reader read(words);
    RnnCase c;
    c.input = c.hidden = 64;
    c.batch = 8;
    c.sequence_length = 16;
    read.word("cell", c.cell);
    read.word("dtype", c.dtype);
    read.word("math", c.math);
    read.word("algorithm", c.algorithm);
    read.word("direction", c.direction);
    read.word("layout", c.layout);
    read.word("bias", c.bias);
    read.word("input-mode", c.input_mode);
    read.number("layers", c.layers, 1, 64);
    read.number("hidden", c.hidden, 1, largest);
    read.number("input", c.input, 1, largest);
    read.number("batch", c.batch, 1, largest);
    read.number("length", c.sequence_length, 1, 65535);
    read.number("projection", c.projection, 1, largest);
    read_clip(read, c);
    read_lengths(read, c);
    c.states = read.find("states") != nullptr;
    c.training = read.find("training") != nullptr;
    if (c.projection == c.hidden) c.projection = 0;
    if (const auto why = contradiction_in(c)) throw UsageError(*why);
    return c;
}

CaseWords words_from_log(const LogRnnConfig& config) {
    CaseWords words;
    const auto number = [&](const char* option, const std::optional<std::int64_t>& value) {
        if (value && *value > 0) words[option] = std::to_string(*value);
    };
    if (!config.units || !config.cell)
        throw InputError("the log tells of a network that failed, but not of its cell and sizes");
    words["cell"] = config.cell->starts_with("rnn_") ? config.cell->substr(4) : *config.cell;
    number("hidden", config.units);
    number("input", config.input_size);
    number("layers", config.layers);
    number("length", config.sequence_length);
    number("batch", config.batch);
    if (config.direction == "bidirectional" || config.directions == 2) words["direction"] = "bidirectional";
    if (config.input_mode == "skip_input") words["input-mode"] = "skip";
    if (config.call.find("Backward") != std::string::npos) words["training"] = "";
    return words;
}

std::shared_ptr<const LstmOptions> declare_lstm_options(CLI::App& app) {
    const auto given = std::make_shared<LstmOptions>();
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
    for (const TextOption& option : text_options) declare_text(app, given, option);
    app.add_option_function<int>(
           "--device",
           [given](int device) {
               if (device < 0)
                   throw UsageError("--device cannot be " + std::to_string(device) + "; CUDA counts GPUs from 0");
               given->device = device;
           },
           "Use only this GPU, by CUDA's number")
        ->type_name("N");
    flag("--no-shrink", "Do not look for the smallest case that fails", [given] { given->no_shrink = true; });
    add_root_option(app, given->root);
    return given;
}

RnnRequest request_of(const LstmOptions& given, const Log& log) {
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
    for (const RnnCase& rnn_case : request.cases)
        if (request.dialect == Dialect::legacy && has_empty_sequence(rnn_case))
            throw UsageError("--interface legacy needs --lengths above 0");
    return request;
}

void check_writable(const LstmOptions& given) {
    const std::pair<const char*, const std::string&> files[] = {{"--svg", given.svg}, {"--emit-repro", given.repro}};
    for (const auto& [option, file] : files)
        if (const int error = file.empty() ? 0 : why_not_writable(file); error != 0)
            throw UsageError(std::string(option) + ": cannot write '" + file + "': " + std::strerror(error));
}

void refuse_choice_of_cases(const LstmOptions& given) {
    const bool chosen = !given.level.empty() || !given.words.empty() || !given.log.empty() || given.device >= 0 ||
                        !given.cudnn.empty() || !given.interface.empty() || !given.dropout.empty() ||
                        !given.fit.empty();
    if (chosen)
        throw UsageError(
            "--resume goes on with the cases that its file tells: it cannot be used with --level, "
            "--from-log, --device, --cudnn, --interface, --dropout, --fit or options of one case");
}

FitSize fit_of(const LstmOptions& given, const RnnRequest& request) {
    const auto fit = word_from<FitSize>(given.fit, "--fit");
    if (request.cases.empty() || given.words.contains("lengths"))
        throw UsageError("--fit is for one case with equal lengths: it cannot be used with --level or --lengths");
    if (!given.output.empty() || !given.repro.empty() || !given.svg.empty())
        throw UsageError("--fit computes no case: it cannot be used with --output, --svg or --emit-repro");
    if (!given.dropout.empty()) throw UsageError("--fit measures no dropout: it cannot be used with --dropout");
    if (given.words.contains(given.fit))
        throw UsageError("--fit " + given.fit + " looks for the largest " + given.fit + ": it cannot be used with --" +
                         given.fit);
    return fit;
}

}  // namespace rnncheck
