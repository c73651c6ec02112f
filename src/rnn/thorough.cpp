// The thorough level: every kind of kernel at an ordinary size, and then one size or mode after the other away from it.
// Sizes: the edges of cuDNN's persistent kernels, of tensor cores' multiples of 8, and of what frameworks choose.
#include <algorithm>
#include <iterator>
#include <set>

#include "rnn/sized.hpp"

namespace rnncheck {

namespace {

constexpr Cell cells[] = {Cell::lstm, Cell::gru, Cell::tanh, Cell::relu};

struct Kind {
    Dtype dtype;
    MathType math;
    Algorithm algorithm;
};

/// What cudnnSetRNNDescriptor_v8 of 9.19 takes: no fp64 in static persistent kernels.
std::vector<Kind> thorough_kinds() {
    std::vector<Kind> all;
    for (const Algorithm algorithm : {Algorithm::standard, Algorithm::persist_static, Algorithm::persist_dynamic,
                                      Algorithm::persist_static_small_h}) {
        all.push_back({Dtype::fp32, MathType::standard, algorithm});
        all.push_back({Dtype::fp32, MathType::fma, algorithm});
        all.push_back({Dtype::fp16, MathType::standard, algorithm});
        all.push_back({Dtype::fp16, MathType::tensor, algorithm});
        all.push_back({Dtype::bf16, MathType::standard, algorithm});
        if (algorithm == Algorithm::standard || algorithm == Algorithm::persist_dynamic)
            all.push_back({Dtype::fp64, MathType::standard, algorithm});
    }
    all.push_back({Dtype::fp32, MathType::tensor, Algorithm::standard});
    return all;
}

void add_kinds(std::vector<RnnCase>& cases) {
    for (const Kind& kind : thorough_kinds())
        for (const Cell cell : cells) {
            const RnnCase base =
                with_algorithm(with_cell(sized(kind.dtype, kind.math, 64, 64, 8, 16), cell), kind.algorithm);
            cases.push_back(base);
            cases.push_back(training(with_states(base)));
        }
}

/// The two types that matter most, in strict and in usual arithmetic.
void add_sizes(const RnnPlace& place, std::vector<RnnCase>& cases) {
    const std::pair<Dtype, MathType> types[] = {{Dtype::fp32, exact_math(place)}, {Dtype::fp16, MathType::tensor}};
    for (const auto& type : types)
        for (const Cell cell : cells) {
            const auto add = [&](int input, int hidden, int batch, int steps) {
                cases.push_back(with_cell(sized(type.first, type.second, input, hidden, batch, steps), cell));
            };
            const bool gated = cell == Cell::lstm || cell == Cell::gru;
            for (const int hidden : {1, 7, 8, 31, 32, 63, 127, 128, 192, 193, 256, 384, 385}) add(64, hidden, 3, 4);
            if (gated)
                for (const int hidden : {512, 1000, 1024, 1025, 1536, 2048}) add(64, hidden, 3, 2);
            for (const int input : {1, 7, 63, 65, 127, 512}) add(input, 64, 3, 4);
            for (const int batch : {1, 3, 16, 17, 32, 128}) add(32, 64, batch, 4);
            for (const int steps : {1, 2, 127, 1000}) add(32, 32, 3, steps);
        }
    for (const Cell cell : {Cell::lstm, Cell::gru})
        cases.push_back(with_cell(sized(Dtype::fp32, exact_math(place), 1, 1, 1, 65535), cell));
}

void add_modes(const RnnPlace& place, std::vector<RnnCase>& cases) {
    for (const Dtype dtype : {Dtype::fp64, Dtype::fp32, Dtype::fp16})
        for (const Cell cell : cells)
            for (const Direction direction : {Direction::unidirectional, Direction::bidirectional}) {
                const MathType math = dtype == Dtype::fp64   ? MathType::standard
                                      : dtype == Dtype::fp32 ? exact_math(place)
                                                             : MathType::tensor;
                RnnCase base = with_cell(with_states(sized(dtype, math, 24, 40, 4, 6)), cell);
                base.direction = direction;
                for (const int layers : {1, 2, 3, 4}) cases.push_back(training(with_layers(base, layers)));
                for (const BiasMode bias : {BiasMode::none, BiasMode::input, BiasMode::recurrent})
                    if (cell != Cell::gru || bias != BiasMode::recurrent)  // documents differ on where that one stands
                        cases.push_back(training(with_bias(base, bias)));
                cases.push_back(training(skipping_input(base)));
                if (cell != Cell::lstm) continue;
                for (const int projection : {1, 8, 39}) cases.push_back(training(with_projection(base, projection)));
                cases.push_back(with_clip(with_layers(base, 2), 0.1));
                cases.push_back(with_clip(base, 0.5));
            }
}

/// Padded sequences are trained through the v8 interface alone: the legacy one has calls of its own for them, which
/// rnncheck does not make.
void add_lengths(const RnnPlace& place, std::vector<RnnCase>& cases) {
    const bool v8 = place.dialect == Dialect::v8;
    std::vector<std::vector<int>> patterns = {{6, 6, 6, 6}, {1, 1, 1, 6}, {6, 1, 1, 1}, {2, 6, 1, 5}, {1, 3, 4, 6}};
    if (v8) patterns.push_back({6, 0, 3, 1});
    for (const Cell cell : cells)
        for (const Direction direction : {Direction::unidirectional, Direction::bidirectional})
            for (const Layout layout : {Layout::sequence_major, Layout::sequence_major_packed, Layout::batch_major})
                for (const std::vector<int>& lengths : patterns) {
                    RnnCase ragged = with_cell(with_states(sized(Dtype::fp32, exact_math(place), 24, 40, 4, 6)), cell);
                    ragged.direction = direction;
                    ragged = with_lengths(ragged, layout, lengths);
                    const bool packed = layout == Layout::sequence_major_packed;
                    const bool zero = std::ranges::count(lengths, 0) > 0;
                    if (packed && (zero || !std::is_sorted(lengths.rbegin(), lengths.rend()))) continue;
                    if (!zero && (v8 || packed)) ragged = training(ragged);  // gradients fail for a length of 0
                    cases.push_back(ragged);
                }
}

}  // namespace

void append(std::vector<RnnCase>& cases, std::vector<RnnCase> more) {
    std::ranges::move(more, std::back_inserter(cases));
}

std::vector<RnnCase> without_repeats(std::vector<RnnCase> cases) {
    std::set<std::string> seen;
    std::erase_if(cases, [&](const RnnCase& rnn_case) { return !seen.insert(describe(rnn_case)).second; });
    return cases;
}

std::vector<RnnCase> thorough_additions(const RnnPlace& place) {
    std::vector<RnnCase> cases;
    add_kinds(cases);
    add_sizes(place, cases);
    add_modes(place, cases);
    add_lengths(place, cases);
    return cases;
}

}  // namespace rnncheck
