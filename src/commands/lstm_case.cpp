#include "commands/lstm_case.hpp"

#include <algorithm>
#include <charconv>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "commands/ids.hpp"
#include "rnn/network.hpp"

namespace rnncheck {

namespace {

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

std::optional<std::string> contradiction_in(const RnnCase& c) {
    const bool packed = c.layout == Layout::sequence_major_packed;
    const bool some_empty = has_empty_sequence(c);
    const std::pair<bool, const char*> rules[] = {
        {c.projection > 0 && c.cell != Cell::lstm, "--projection is for --cell lstm alone"},
        {c.projection > c.hidden, "--projection cannot be more than --hidden"},
        {c.clip > 0 && c.cell != Cell::lstm, "--clip is for --cell lstm alone"},
        {c.clip > 0 && c.training,
         "--clip and --training cannot be used together: how gradients pass through it is not documented"},
        {c.input_mode == InputMode::skip && c.input != c.hidden, "--input-mode skip needs --input equal to --hidden"},
        {c.cell == Cell::gru && c.bias == BiasMode::recurrent,
         "--bias recurrent of a GRU cannot be judged: cuDNN's documents do not agree on what it computes"},
        {packed && !std::is_sorted(c.lengths.rbegin(), c.lengths.rend()),
         "--layout sequence_major_packed needs --lengths that do not grow"},
        {packed && !c.lengths.empty() && c.lengths.front() != c.sequence_length,
         "--layout sequence_major_packed needs a first of --lengths that is --length"},
        {packed && some_empty, "--layout sequence_major_packed needs --lengths above 0"},
        {c.training && some_empty, "--training needs --lengths above 0"},
        {c.math == MathType::fma && c.dtype != Dtype::fp32, "--math fma is for --dtype fp32 alone"}};
    for (const auto& [broken, why] : rules)
        if (broken) return why;
    return std::nullopt;
}

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

std::string exact_number(double number) {
    char text[40];
    const auto [end, error] = std::to_chars(text, text + sizeof text, number);
    return error == std::errc() ? std::string(text, end) : "?";
}

std::string words_of(const RnnCase& c) {
    std::vector<std::string> words;
    const auto add = [&](const char* option, std::string_view value) {
        words.push_back("--" + std::string(option) + " " + std::string(value));
    };
    add("cell", name_of(c.cell));
    add("dtype", name_of(c.dtype));
    if (c.math != MathType::standard) add("math", name_of(c.math));
    if (c.algorithm != Algorithm::standard) add("algorithm", name_of(c.algorithm));
    if (c.direction != Direction::unidirectional) add("direction", name_of(c.direction));
    add("layers", std::to_string(c.layers));
    add("input", std::to_string(c.input));
    add("hidden", std::to_string(c.hidden));
    if (c.projection > 0) add("projection", std::to_string(c.projection));
    add("length", std::to_string(c.sequence_length));
    std::vector<std::string> lengths;
    for (const int length : c.lengths) lengths.push_back(std::to_string(length));
    if (lengths.empty())
        add("batch", std::to_string(c.batch));
    else
        add("lengths", join(lengths, ","));
    if (c.layout != Layout::sequence_major) add("layout", name_of(c.layout));
    if (c.bias != BiasMode::both) add("bias", name_of(c.bias));
    if (c.input_mode != InputMode::linear) add("input-mode", name_of(c.input_mode));
    if (c.clip > 0) add("clip", exact_number(c.clip));
    if (c.states) words.emplace_back("--states");
    if (c.training) words.emplace_back("--training");
    return join(words, " ");
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

}  // namespace rnncheck
