// The model configuration in TensorFlow's "Failed to call ThenRnnForward with model config: ...",
// in all its forms.
#include "base/lists.hpp"
#include "base/text.hpp"
#include "log/events.hpp"

namespace rnncheck::log_reader {

namespace {

std::string_view captured(const LogEvent& event, std::string_view name) {
    const LogField* const found = find_by(event.captures, &LogField::name, name);
    return found ? std::string_view(found->value) : std::string_view();
}

/// Without white space: a number may have been wrapped.
std::string without_blanks(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == 'n')
            ++i;  // escaped() writes line ends so
        else if (text[i] != ' ')
            out += text[i];
    }
    return out;
}

/// Names of tensorflow/core/kernels/cudnn_rnn_ops.cc and stream_executor/dnn.h, in the order of
/// their numbers.
std::optional<std::string> name_in(
    std::initializer_list<std::string_view> names, std::int64_t value) {
    if (value < 0 || value >= static_cast<std::int64_t>(names.size()))
        return std::nullopt;
    return std::string(names.begin()[value]);
}

void take_modes(const std::vector<std::string>& numbers, LogRnnConfig& config) {
    constexpr std::string_view names[] = {"rnn_mode", "rnn_input_mode", "rnn_direction_mode"};
    for (std::size_t i = 0; i < std::size(names); ++i) {
        const auto value =
            i < numbers.size() ? number_from<std::int64_t>(numbers[i]) : std::nullopt;
        if (!value)
            config.missing.emplace_back(names[i]);
        else if (i == 0)
            config.cell = name_in({"rnn_relu", "rnn_tanh", "lstm", "gru"}, *value);
        else if (i == 1)
            config.input_mode =
                *value == 9999999 ? "auto_select" : name_in({"linear_input", "skip_input"}, *value);
        else
            config.direction = name_in({"unidirectional", "bidirectional"}, *value);
    }
}

std::optional<std::int64_t>* place_of(LogRnnConfig& config, std::string_view name) {
    using Config = LogRnnConfig;
    constexpr std::pair<std::string_view, std::optional<std::int64_t> Config::*> places[] = {
        {"num_layers", &Config::layers},
        {"input_size", &Config::input_size},
        {"num_units", &Config::units},
        {"dir_count", &Config::directions},
        {"seq_length", &Config::sequence_length},
        {"max_seq_length", &Config::sequence_length},
        {"batch_size", &Config::batch},
        {"cell_num_units", &Config::cell_units}};
    for (const auto& [known, place] : places)
        if (known == name)
            return &(config.*place);
    return nullptr;
}

/// The last number of a line that was cut may lack digits: only one that something follows is
/// taken.
void take_sizes(
    const std::vector<std::string>& names,
    std::vector<std::string> numbers,
    bool is_whole,
    LogRnnConfig& config) {
    if (!is_whole && !numbers.empty())
        numbers.pop_back();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto value =
            i < numbers.size() ? number_from<std::int64_t>(numbers[i]) : std::nullopt;
        if (auto* place = place_of(config, names[i]); place && value)
            *place = value;
        else
            config.missing.push_back(names[i]);
    }
}

}  // namespace

LogRnnConfig rnn_config_of(const LogEvent& event) {
    LogRnnConfig config;
    config.call = captured(event, "call");
    if (captured(event, "has_config").empty()) {
        config.missing = {"model config"};
        return config;
    }
    take_modes(split(without_blanks(captured(event, "modes")), ','), config);
    auto names = split(without_blanks(captured(event, "names")), ',');
    if (names.empty())
        names = {
            "num_layers", "input_size", "num_units", "dir_count", "max_seq_length", "batch_size"};
    take_sizes(
        names,
        split(without_blanks(captured(event, "sizes")), ','),
        !captured(event, "end").empty(),
        config);
    return config;
}

}  // namespace rnncheck::log_reader
