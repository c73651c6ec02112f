// A case in words and back, its options on the command line, and what cannot be combined in one.
#include "rnn/case.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "rnn/weights.hpp"

namespace rnncheck {

static std::string lengths_in_words(const RnnCase& rnn_case) {
    return join(mapped(rnn_case.lengths, [](int length) { return std::to_string(length); }), ",");
}

using Size = std::pair<std::string_view, int RnnCase::*>;
static constexpr Size sizes[] = {
    {"I", &RnnCase::input},
    {"H", &RnnCase::hidden},
    {"B", &RnnCase::batch},
    {"T", &RnnCase::sequence_length},
    {"L", &RnnCase::layers},
    {"P", &RnnCase::projection}};

std::string describe(const RnnCase& rnn_case) {
    std::vector<std::string> words;
    if (rnn_case.cell != Cell::lstm)
        words.emplace_back(name_of(rnn_case.cell));
    for (const std::string_view word :
         {name_of(rnn_case.dtype), name_of(rnn_case.math), name_of(rnn_case.algorithm)})
        words.emplace_back(word);
    for (const auto& [letter, size] : sizes)
        if (rnn_case.*size > 0)
            words.push_back(std::string(letter) + '=' + std::to_string(rnn_case.*size));
    if (rnn_case.directions() == 2)
        words.push_back("bidirectional");
    if (rnn_case.states)
        words.push_back("states");
    if (rnn_case.layout != Layout::sequence_major)
        words.emplace_back(name_of(rnn_case.layout));
    if (!rnn_case.lengths.empty())
        words.push_back("lengths=" + lengths_in_words(rnn_case));
    if (rnn_case.bias != BiasMode::both)
        words.push_back("bias=" + std::string(name_of(rnn_case.bias)));
    if (rnn_case.input_mode == InputMode::skip)
        words.emplace_back("skip_input");
    if (rnn_case.clip > 0)
        words.push_back("clip=" + short_number(rnn_case.clip));
    if (rnn_case.training)
        words.emplace_back("training");
    return join(words, " ");
}

RnnCase parse_case(std::string_view words, RnnCase parsed) {
    for (const std::string& word : split(words, ' ')) {
        const std::string name = word.substr(0, word.find('=')),
                          value = word.substr(std::min(name.size() + 1, word.size()));
        const auto take = [&]<class E>(E RnnCase::*member, std::string_view text) {
            const auto known = from_name<E>(text);
            if (known)
                parsed.*member = *known;
            return known.has_value();
        };
        const auto takes = [&] {
            if (name == "bias")
                return take(&RnnCase::bias, value);
            return take(&RnnCase::cell, word) || take(&RnnCase::dtype, word) ||
                   take(&RnnCase::math, word) || take(&RnnCase::algorithm, word) ||
                   take(&RnnCase::direction, word) || take(&RnnCase::layout, word);
        };
        if (const Size* const size = find_by(sizes, &Size::first, name))
            parsed.*size->second = number_from(value).value();
        else if (name == "lengths")
            for (const std::string& length : split(value, ','))
                parsed.lengths.push_back(number_from(length).value());
        else if (name == "clip")
            parsed.clip = number_from<double>(value).value();
        else if (word == "skip_input")
            parsed.input_mode = InputMode::skip;
        else if (word == "states")
            parsed.states = true;
        else if (word == "training")
            parsed.training = true;
        else if (!word.empty() && !takes())
            throw std::invalid_argument("'" + word + "' is not a part of a case");
    }
    return parsed;
}

bool has_empty_sequence(const RnnCase& rnn_case) {
    return includes(rnn_case.lengths, 0);
}

int gates_of(Cell cell) {
    if (cell == Cell::lstm)
        return 4;
    if (cell == Cell::gru)
        return 3;
    return 1;
}

std::int64_t gate_weights(const RnnCase& rnn_case) {
    const std::int64_t rows =
        std::int64_t{gates_of(rnn_case.cell)} * rnn_case.hidden * rnn_case.directions();
    std::int64_t weights = 0;
    constexpr int biases = 2;  // of the input side and of the recurrent side
    std::int64_t columns = rnn_case.input;
    for (int layer = 0; layer < rnn_case.layers; ++layer) {
        weights += rows * (columns + rnn_case.output() + biases);
        columns = rnn_case.width();  // a later layer reads the output of the one below
    }
    return weights;
}

std::optional<std::string> contradiction_in(const RnnCase& c) {
    const bool packed = c.layout == Layout::sequence_major_packed;
    const bool some_empty = has_empty_sequence(c);
    const std::pair<bool, const char*> rules[] = {
        {c.projection > 0 && c.cell != Cell::lstm, "--projection is only for --cell lstm"},
        {c.projection > c.hidden, "--projection cannot be more than --hidden"},
        {c.clip > 0 && c.cell != Cell::lstm, "--clip is only for --cell lstm"},
        {c.clip > 0 && c.training,
         "--clip and --training cannot be used together: how gradients pass through it is not "
         "documented"},
        {c.input_mode == InputMode::skip && c.input != c.hidden,
         "--input-mode skip needs --input equal to --hidden"},
        {c.cell == Cell::gru && c.bias == BiasMode::recurrent,
         "--bias recurrent of a GRU cannot be checked: cuDNN's documents do not agree on what it "
         "computes"},
        {packed && !std::is_sorted(c.lengths.rbegin(), c.lengths.rend()),
         "--layout sequence_major_packed needs --lengths that do not grow"},
        {packed && !c.lengths.empty() && c.lengths.front() != c.sequence_length,
         "--layout sequence_major_packed needs a first of --lengths that is --length"},
        {packed && some_empty, "--layout sequence_major_packed needs --lengths above 0"},
        {c.training && some_empty, "--training needs --lengths above 0"},
        {c.math == MathType::fma && c.dtype != Dtype::fp32, "--math fma is only for --dtype fp32"}};
    for (const auto& [broken, why] : rules)
        if (broken)
            return why;
    const auto too_large = too_many_weights(c);
    if (!too_large)
        return std::nullopt;
    return "the network is too large: " + *too_large + "; reduce --hidden, --input or --layers";
}

std::string exact_number(double number) {
    char text[40];
    const auto [end, error] = std::to_chars(text, text + sizeof text, number);
    if (error != std::errc())
        return "?";
    return {text, end};
}

std::string options_of(const RnnCase& c) {
    std::vector<std::string> words;
    const auto add = [&](const char* option, std::string_view value) {
        words.push_back("--" + std::string(option) + " " + std::string(value));
    };
    add("cell", name_of(c.cell));
    add("dtype", name_of(c.dtype));
    if (c.math != MathType::standard)
        add("math", name_of(c.math));
    if (c.algorithm != Algorithm::standard)
        add("algorithm", name_of(c.algorithm));
    if (c.direction != Direction::unidirectional)
        add("direction", name_of(c.direction));
    add("layers", std::to_string(c.layers));
    add("input", std::to_string(c.input));
    add("hidden", std::to_string(c.hidden));
    if (c.projection > 0)
        add("projection", std::to_string(c.projection));
    add("length", std::to_string(c.sequence_length));
    if (c.lengths.empty())
        add("batch", std::to_string(c.batch));
    else
        add("lengths", lengths_in_words(c));
    if (c.layout != Layout::sequence_major)
        add("layout", name_of(c.layout));
    if (c.bias != BiasMode::both)
        add("bias", name_of(c.bias));
    if (c.input_mode != InputMode::linear)
        add("input-mode", name_of(c.input_mode));
    if (c.clip > 0)
        add("clip", exact_number(c.clip));
    if (c.states)
        words.emplace_back("--states");
    if (c.training)
        words.emplace_back("--training");
    return join(words, " ");
}

}  // namespace rnncheck
