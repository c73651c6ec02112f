#include "rnn/sweep.hpp"

#include <algorithm>
#include <set>

#include "base/lists.hpp"

namespace rnncheck {

namespace {

/// The legacy interface of a cuDNN 8.
bool is_legacy_of_8(const RnnPlace& place) {
    return place.dialect == Dialect::legacy && place.cudnn && place.cudnn->major() >= 8;
}

std::vector<RnnCase> without_repeats(std::vector<RnnCase> cases) {
    std::set<std::string> seen;
    std::erase_if(cases, [&](const RnnCase& rnn_case) { return !seen.insert(describe(rnn_case)).second; });
    return cases;
}

/// Multiples of nothing, an ordinary size, and for tensor cores both the aligned and the unaligned path.
std::vector<RnnCase> plain_cases(MathType exact) {
    std::vector<RnnCase> cases = {sized(Dtype::fp32, exact, 8, 8, 1, 1), sized(Dtype::fp32, exact, 7, 5, 3, 4),
                                  sized(Dtype::fp32, exact, 64, 64, 8, 16)};
    cases.push_back(sized(Dtype::fp64, MathType::standard, 7, 5, 3, 4));
    cases.push_back(sized(Dtype::fp64, MathType::standard, 64, 64, 8, 16));
    cases.push_back(sized(Dtype::fp16, MathType::tensor, 64, 64, 8, 16));
    cases.push_back(with_lengths(sized(Dtype::fp16, MathType::tensor, 7, 5, 3, 4), Layout::batch_major, {2, 4, 1}));
    cases.push_back(sized(Dtype::bf16, MathType::standard, 64, 64, 8, 16));
    return cases;
}

/// Several layers, both directions, initial states, lengths of their own in all three layouts.
std::vector<RnnCase> structured_cases(MathType exact) {
    const RnnCase short_sequences = sized(Dtype::fp32, exact, 16, 32, 5, 7);
    const std::vector<int> unsorted = {3, 7, 1, 5, 7};
    return {sized(Dtype::fp32, exact, 32, 256, 4, 16),
            bidirectional_with_states(sized(Dtype::fp32, exact, 16, 32, 4, 7), 2),
            with_lengths(short_sequences, Layout::batch_major, unsorted),
            with_lengths(short_sequences, Layout::sequence_major_packed, {7, 7, 5, 3, 1}),
            bidirectional_with_states(with_lengths(short_sequences, Layout::sequence_major, unsorted), 1)};
}

/// A network as a framework asks for it; none where it does not ask cuDNN.
std::vector<RnnCase> as(const std::optional<FrameworkChoice>& choice, RnnCase rnn_case) {
    if (!choice) return {};
    rnn_case.algorithm = choice->forward;
    rnn_case.math = choice->math;
    rnn_case.layout = choice->layout;
    return {rnn_case};
}

/// What PyTorch, TensorFlow and JAX ask for by default, where plain cases do not have it.
std::vector<RnnCase> framework_cases(const RnnPlace& place) {
    const auto fp32 = [](int input, int hidden, int batch, int steps) {
        return sized(Dtype::fp32, MathType::standard, input, hidden, batch, steps);
    };
    const RnnCase ragged =
        training(with_states(with_lengths(fp32(16, 32, 5, 7), Layout::batch_major, {3, 7, 1, 5, 7})));
    // On Volta PyTorch takes the static persistent algorithm from ten steps on.
    const bool volta = place.capability && place.capability->major() == 7 && place.capability->minor() < 5;
    std::vector<RnnCase> cases;
    for (const RnnCase& network : {fp32(64, 64, 8, 16), training(fp32(32, 48, 4, 8)), fp32(32, 200, 4, 8),
                                   with_lengths(fp32(16, 32, 5, 7), Layout::sequence_major_packed, {7, 7, 5, 3, 1}),
                                   with_lengths(sized(Dtype::fp16, MathType::standard, 16, 32, 5, 7),
                                                Layout::sequence_major_packed, {7, 7, 5, 3, 1}),
                                   sized(Dtype::fp16, MathType::standard, 64, 128, 8, 8),
                                   sized(Dtype::fp16, MathType::standard, 128, 256, 8, volta ? 10 : 4),
                                   sized(Dtype::bf16, MathType::standard, 64, 64, 4, 8)})
        append(cases, as(pytorch_choice(network, place), network));
    append(cases, as(tensorflow_choice(ragged, place), ragged));
    const RnnCase time_major = with_lengths(fp32(16, 32, 5, 7), Layout::sequence_major, {3, 7, 1, 5, 7});
    append(cases, as(tensorflow_choice(time_major, place), time_major));
    append(cases, as(jax_choice(ragged, place), ragged));
    return cases;
}

std::vector<RnnCase> quick_sweep(const RnnPlace& place) {
    std::vector<RnnCase> cases = plain_cases(exact_math(place));
    append(cases, structured_cases(exact_math(place)));
    append(cases, framework_cases(place));
    return cases;
}

/// The other cells, everything that a case can have besides sizes, and gradients. Faults show best where the limits
/// are tightest: in fp64 and in exact fp32.
std::vector<RnnCase> other_cells(MathType exact) {
    std::vector<RnnCase> cases;
    for (const Cell cell : {Cell::lstm, Cell::gru, Cell::tanh, Cell::relu}) {
        const auto of = [&](Dtype dtype, MathType math, int input, int hidden, int batch, int steps) {
            return with_cell(sized(dtype, math, input, hidden, batch, steps), cell);
        };
        cases.push_back(training(bidirectional_with_states(of(Dtype::fp64, MathType::standard, 7, 5, 3, 4), 2)));
        cases.push_back(training(with_states(of(Dtype::fp32, exact, 32, 48, 4, 8))));
        cases.push_back(training(with_lengths(with_states(of(Dtype::fp32, exact, 16, 32, 5, 7)),
                                              Layout::sequence_major_packed, {7, 7, 5, 3, 1})));
        if (cell == Cell::lstm) continue;
        cases.push_back(with_lengths(bidirectional_with_states(of(Dtype::fp32, exact, 16, 32, 4, 7), 1),
                                     Layout::batch_major, {1, 3, 5, 7}));
        cases.push_back(of(Dtype::fp16, MathType::tensor, 64, 64, 8, 16));
    }
    return cases;
}

std::vector<RnnCase> other_modes(MathType exact) {
    const RnnCase plain = with_states(sized(Dtype::fp32, exact, 16, 32, 4, 7));
    std::vector<RnnCase> cases = {with_projection(training(plain), 12),
                                  with_projection(bidirectional_with_states(plain, 2), 12),
                                  with_clip(plain, 0.2),
                                  with_layers(plain, 3),
                                  training(with_layers(plain, 4)),
                                  with_lengths(plain, Layout::sequence_major, {1, 1, 1, 7}),
                                  with_lengths(plain, Layout::batch_major, {7, 7, 7, 7})};
    for (const BiasMode bias : {BiasMode::none, BiasMode::input, BiasMode::recurrent})
        cases.push_back(with_bias(plain, bias));
    for (const BiasMode bias : {BiasMode::none, BiasMode::input})
        cases.push_back(with_bias(with_cell(plain, Cell::gru), bias));
    for (const Cell cell : {Cell::lstm, Cell::gru})
        cases.push_back(skipping_input(with_cell(training(with_layers(plain, 2)), cell)));
    cases.push_back(training(sized(Dtype::fp16, MathType::tensor, 64, 64, 8, 16)));
    cases.push_back(training(with_cell(sized(Dtype::fp16, MathType::tensor, 64, 64, 8, 16), Cell::gru)));
    return cases;
}

std::vector<RnnCase> standard_sweep(const RnnPlace& place) {
    std::vector<RnnCase> cases = quick_sweep(place);
    const MathType exact = exact_math(place);
    append(cases, other_cells(exact));
    append(cases, other_modes(exact));
    const RnnCase ragged =
        with_lengths(with_states(sized(Dtype::fp32, exact, 16, 32, 5, 7)), Layout::sequence_major, {3, 7, 1, 5, 7});
    cases.push_back(training(ragged));
    cases.push_back(training(bidirectional_with_states(with_cell(ragged, Cell::gru), 2)));
    cases.push_back(training(sized(Dtype::fp32, MathType::standard, 64, 64, 8, 16)));
    cases.push_back(training(sized(Dtype::fp32, MathType::tensor, 64, 64, 8, 16)));
    cases.push_back(training(sized(Dtype::bf16, MathType::standard, 64, 64, 8, 16)));
    return cases;
}

// The thorough level: every kind of kernel at an ordinary size, and then one size or mode after the other away from it.
// Sizes: the edges of cuDNN's persistent kernels, of tensor cores' multiples of 8, and of what frameworks choose.

constexpr Cell cells[] = {Cell::lstm, Cell::gru, Cell::tanh, Cell::relu};

struct KernelKind {
    Dtype dtype;
    MathType math;
    Algorithm algorithm;
};

/// What cudnnSetRNNDescriptor_v8 of 9.19 takes: no fp64 in static persistent kernels.
std::vector<KernelKind> kernel_kinds() {
    std::vector<KernelKind> all;
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
    for (const KernelKind& kind : kernel_kinds())
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
                    if (cell != Cell::gru || bias != BiasMode::recurrent)  // documents differ on the place of that one
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

MathType exact_math(const RnnPlace& place) {
    return place.dialect == Dialect::v8 || is_legacy_of_8(place) ? MathType::fma : MathType::standard;
}

bool expressible(const RnnCase& rnn_case, const RnnPlace& place) {
    if (place.dialect == Dialect::v8) return true;
    const bool of_8 = is_legacy_of_8(place);
    const bool padded = rnn_case.layout == Layout::batch_major ||
                        (rnn_case.layout == Layout::sequence_major && !rnn_case.lengths.empty());
    const bool small_h = rnn_case.algorithm == Algorithm::persist_static_small_h;
    return !has_empty_sequence(rnn_case) && rnn_case.dtype != Dtype::bf16 && (of_8 || rnn_case.math != MathType::fma) &&
           (of_8 || !small_h) && !(rnn_case.training && padded);
}

std::vector<RnnCase> sweep(Level level, const RnnPlace& place) {
    std::vector<RnnCase> cases = level == Level::quick ? quick_sweep(place) : standard_sweep(place);
    if (level == Level::thorough) {
        add_kinds(cases);
        add_sizes(place, cases);
        add_modes(place, cases);
        add_lengths(place, cases);
    }
    std::erase_if(cases, [&](const RnnCase& rnn_case) { return !expressible(rnn_case, place); });
    return without_repeats(std::move(cases));
}

}  // namespace rnncheck
