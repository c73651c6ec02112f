#include "rnn/sweep.hpp"

#include "base/text.hpp"

namespace rnncheck {

namespace {

RnnCase sized(Dtype dtype, MathType math, int input, int hidden, int batch, int steps) {
    RnnCase rnn_case;
    rnn_case.dtype = dtype;
    rnn_case.math = math;
    rnn_case.input = input;
    rnn_case.hidden = hidden;
    rnn_case.batch = batch;
    rnn_case.sequence_length = steps;
    return rnn_case;
}

RnnCase with_algorithm(RnnCase rnn_case, Algorithm algorithm) {
    rnn_case.algorithm = algorithm;
    return rnn_case;
}

RnnCase bidirectional_with_states(RnnCase rnn_case, int layers) {
    rnn_case.direction = Direction::bidirectional;
    rnn_case.layers = layers;
    rnn_case.states = true;
    return rnn_case;
}

RnnCase with_lengths(RnnCase rnn_case, Layout layout, std::vector<int> lengths) {
    rnn_case.layout = layout;
    rnn_case.lengths = std::move(lengths);
    return rnn_case;
}

/// Multiples of nothing, an ordinary size, and for tensor cores both the aligned and the unaligned path.
std::vector<RnnCase> plain_cases(MathType exact) {
    std::vector<RnnCase> cases = {sized(Dtype::fp32, exact, 8, 8, 1, 1), sized(Dtype::fp32, exact, 7, 5, 3, 4),
                                  sized(Dtype::fp32, exact, 64, 64, 8, 16)};
    if (exact != MathType::standard) cases.push_back(sized(Dtype::fp32, MathType::standard, 64, 64, 8, 16));
    cases.push_back(sized(Dtype::fp64, MathType::standard, 7, 5, 3, 4));
    cases.push_back(sized(Dtype::fp64, MathType::standard, 64, 64, 8, 16));
    cases.push_back(sized(Dtype::fp16, MathType::tensor, 64, 64, 8, 16));
    cases.push_back(sized(Dtype::fp16, MathType::tensor, 7, 5, 3, 4));
    return cases;
}

/// Several layers, both directions, initial states, lengths of their own in all three layouts.
std::vector<RnnCase> structured_cases(MathType exact) {
    const RnnCase short_sequences = sized(Dtype::fp32, exact, 16, 32, 5, 7);
    const std::vector<int> unsorted = {3, 7, 1, 5, 7};
    return {sized(Dtype::fp32, exact, 32, 256, 4, 16),
            bidirectional_with_states(sized(Dtype::fp32, exact, 16, 32, 4, 7), 2),
            with_lengths(short_sequences, Layout::sequence_major, unsorted),
            with_lengths(short_sequences, Layout::batch_major, unsorted),
            with_lengths(short_sequences, Layout::sequence_major_packed, {7, 7, 5, 3, 1}),
            bidirectional_with_states(with_lengths(short_sequences, Layout::sequence_major, unsorted), 1)};
}

}  // namespace

std::vector<RnnCase> standard_sweep(Dialect dialect) {
    const bool v8 = dialect == Dialect::v8;
    const MathType exact = v8 ? MathType::fma : MathType::standard;
    std::vector<RnnCase> cases = plain_cases(exact);
    if (v8) cases.push_back(sized(Dtype::bf16, MathType::standard, 64, 64, 8, 16));
    for (RnnCase& structured : structured_cases(exact)) cases.push_back(std::move(structured));
    const RnnCase small = sized(Dtype::fp16, MathType::tensor, 64, 128, 8, 8);
    if (v8) cases.push_back(with_algorithm(small, Algorithm::persist_static_small_h));
    const RnnCase large = sized(Dtype::fp16, MathType::tensor, 128, 256, 8, 4);
    cases.push_back(with_algorithm(large, Algorithm::persist_static));
    return cases;
}

std::string describe(const RnnCase& rnn_case) {
    std::vector<std::string> words = {std::string(name_of(rnn_case.dtype)), std::string(name_of(rnn_case.math)),
                                      std::string(name_of(rnn_case.algorithm))};
    const auto size = [&](const char* name, int value) { words.push_back(name + ('=' + std::to_string(value))); };
    size("I", rnn_case.input);
    size("H", rnn_case.hidden);
    size("B", rnn_case.batch);
    size("T", rnn_case.sequence_length);
    size("L", rnn_case.layers);
    if (rnn_case.directions() == 2) words.push_back("bidirectional");
    if (rnn_case.states) words.push_back("states");
    if (rnn_case.layout != Layout::sequence_major) words.emplace_back(name_of(rnn_case.layout));
    std::vector<std::string> lengths;
    for (const int length : rnn_case.lengths) lengths.push_back(std::to_string(length));
    if (!lengths.empty()) words.push_back("lengths=" + join(lengths, ","));
    return join(words, " ");
}

}  // namespace rnncheck
