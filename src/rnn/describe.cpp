#include "base/text.hpp"
#include "rnn/network.hpp"

namespace rnncheck {

std::string describe(const RnnCase& rnn_case) {
    std::vector<std::string> words;
    if (rnn_case.cell != Cell::lstm) words.emplace_back(name_of(rnn_case.cell));
    for (const std::string_view word : {name_of(rnn_case.dtype), name_of(rnn_case.math), name_of(rnn_case.algorithm)})
        words.emplace_back(word);
    const auto size = [&](const char* name, int value) { words.push_back(name + ('=' + std::to_string(value))); };
    size("I", rnn_case.input);
    size("H", rnn_case.hidden);
    size("B", rnn_case.batch);
    size("T", rnn_case.sequence_length);
    size("L", rnn_case.layers);
    if (rnn_case.projection > 0) size("P", rnn_case.projection);
    if (rnn_case.directions() == 2) words.push_back("bidirectional");
    if (rnn_case.states) words.push_back("states");
    if (rnn_case.layout != Layout::sequence_major) words.emplace_back(name_of(rnn_case.layout));
    std::vector<std::string> lengths;
    for (const int length : rnn_case.lengths) lengths.push_back(std::to_string(length));
    if (!lengths.empty()) words.push_back("lengths=" + join(lengths, ","));
    if (rnn_case.bias != BiasMode::both) words.push_back("bias=" + std::string(name_of(rnn_case.bias)));
    if (rnn_case.input_mode == InputMode::skip) words.emplace_back("skip_input");
    if (rnn_case.clip > 0) words.push_back("clip=" + short_number(rnn_case.clip));
    if (rnn_case.training) words.emplace_back("training");
    return join(words, " ");
}

}  // namespace rnncheck
