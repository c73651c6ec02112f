#include "rnn/sweep.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>

#include "base/text.hpp"

namespace rnncheck {

namespace {

/// Cases in the words of describe(), each with every choice among what is between '|'; '+' joins words.
struct SweepRow {
    const char* cases;
    /// The algorithm, math type and layout are those that a framework asks for; without them where it asks for none.
    std::optional<FrameworkChoice> (*as)(const RnnCase&, const RnnPlace&) = nullptr;
};

std::optional<FrameworkChoice> pytorch(const RnnCase& network, const RnnPlace& place) {
    return pytorch_choice(network, place);
}

constexpr SweepRow quick[] = {
    // Multiples of nothing, an ordinary size, and for tensor cores both the aligned and the unaligned path.
    {"fp32 exact I=8 H=8 B=1 T=1"},
    {"fp32+exact|fp64 I=7 H=5 B=3 T=4"},
    {"fp32+exact|fp64|fp16+tensor_op|bf16 I=64 H=64 B=8 T=16"},
    {"fp16 tensor_op I=7 H=5 B=3 T=4 batch_major lengths=2,4,1"},
    // Several layers, both directions, initial states, lengths of their own in all three layouts.
    {"fp32 exact I=32 H=256 B=4 T=16"},
    {"fp32 exact I=16 H=32 B=4 T=7 L=2 bidirectional states"},
    {"fp32 exact I=16 H=32 B=5 T=7 batch_major lengths=3,7,1,5,7"},
    {"fp32 exact I=16 H=32 B=5 T=7 sequence_major_packed lengths=7,7,5,3,1"},
    {"fp32 exact I=16 H=32 B=5 T=7 bidirectional states lengths=3,7,1,5,7"},
    // What PyTorch, TensorFlow and JAX ask for by default, where plain cases do not have it.
    {"fp32 I=64 H=64 B=8 T=16", pytorch},
    {"fp32 I=32 H=48 B=4 T=8 training", pytorch},
    {"fp32 I=32 H=200 B=4 T=8", pytorch},
    {"fp32|fp16 I=16 H=32 B=5 T=7 lengths=7,7,5,3,1", pytorch},
    {"fp16 I=64 H=128 B=8 T=8", pytorch},
    {"fp16 I=128 H=256 B=8 T=10", pytorch},  // fewer steps and it is another algorithm on Volta
    {"bf16 I=64 H=64 B=4 T=8", pytorch},
    {"fp32 I=16 H=32 B=5 T=7 batch_major lengths=3,7,1,5,7 states training", tensorflow_choice},
    {"fp32 I=16 H=32 B=5 T=7 lengths=3,7,1,5,7", tensorflow_choice},
    {"fp32 I=16 H=32 B=5 T=7 lengths=3,7,1,5,7 states training", jax_choice},
};

/// The other cells, everything that a case can have besides sizes, and gradients. Faults show best where the limits are
/// tightest: in fp64 and in exact fp32.
constexpr SweepRow standard[] = {
    {"cells fp64 I=7 H=5 B=3 T=4 L=2 bidirectional states training"},
    {"cells fp32 exact I=32 H=48 B=4 T=8 states training"},
    {"cells fp32 exact I=16 H=32 B=5 T=7 sequence_major_packed lengths=7,7,5,3,1 states training"},
    {"gru|tanh|relu fp32 exact I=16 H=32 B=4 T=7 bidirectional batch_major lengths=1,3,5,7 states"},
    {"gru|tanh|relu fp16 tensor_op I=64 H=64 B=8 T=16"},
    {"fp32 exact I=16 H=32 B=4 T=7 P=12 states L=1+training|2+bidirectional"},
    {"fp32 exact I=16 H=32 B=4 T=7 clip=0.2 states"},
    {"fp32 exact I=16 H=32 B=4 T=7 L=3|4+training states"},
    {"fp32 exact I=16 H=32 B=4 T=7 sequence_major+lengths=1,1,1,7|batch_major+lengths=7,7,7,7 states"},
    {"fp32 exact I=16 H=32 B=4 T=7 bias=none|input|recurrent states"},
    {"gru fp32 exact I=16 H=32 B=4 T=7 bias=none|input states"},
    {"lstm|gru fp32 exact I=32 H=32 B=4 T=7 L=2 skip_input states training"},
    {"lstm|gru fp16 tensor_op I=64 H=64 B=8 T=16 training"},
    {"lstm|gru+L=2+bidirectional fp32 exact I=16 H=32 B=5 T=7 lengths=3,7,1,5,7 states training"},
    {"fp32|fp32+tensor_op|bf16 I=64 H=64 B=8 T=16 training"},
};

constexpr SweepRow thorough[] = {
    // Every kind of kernel at an ordinary size: what cudnnSetRNNDescriptor_v8 of 9.19 takes, no fp64 in static
    // persistent kernels.
    {"fp32|fp32+fma|fp16|fp16+tensor_op|bf16 standard|persist_static|persist_dynamic|persist_static_small_h "
     "cells I=64 H=64 B=8 T=16 |states+training"},
    {"fp64 standard|persist_dynamic cells I=64 H=64 B=8 T=16 |states+training"},
    {"fp32 tensor_op cells I=64 H=64 B=8 T=16 |states+training"},
    // One size after the other away from it: the edges of cuDNN's persistent kernels, of tensor cores' multiples of 8,
    // and of what frameworks choose. The two types that matter most, in strict and in usual arithmetic.
    {"fp32+exact|fp16+tensor_op cells I=64 H=1|7|8|31|32|63|127|128|192|193|256|384|385 B=3 T=4"},
    {"fp32+exact|fp16+tensor_op lstm|gru I=64 H=512|1000|1024|1025|1536|2048 B=3 T=2"},
    {"fp32+exact|fp16+tensor_op cells I=1|7|63|65|127|512 H=64 B=3 T=4"},
    {"fp32+exact|fp16+tensor_op cells I=32 H=64 B=1|3|16|17|32|128 T=4"},
    {"fp32+exact|fp16+tensor_op cells I=32 H=32 B=3 T=1|2|127|1000"},
    {"fp32 exact lstm|gru I=1 H=1 B=1 T=65535"},
    // One mode after the other; documents differ on the place of a GRU's recurrent bias without the other one.
    {"types cells directions I=24 H=40 B=4 T=6 L=1|2|3|4 states training"},
    {"types cells directions I=24 H=40 B=4 T=6 bias=none|input states training"},
    {"types lstm|tanh|relu directions I=24 H=40 B=4 T=6 bias=recurrent states training"},
    {"types cells directions I=40 H=40 B=4 T=6 skip_input states training"},
    {"types directions I=24 H=40 B=4 T=6 P=1|8|39 states training"},
    {"types directions I=24 H=40 B=4 T=6 L=2+clip=0.1|1+clip=0.5 states"},
    // Lengths; gradients fail for one of 0.
    {"cells directions fp32 exact I=24 H=40 B=4 T=6 sequence_major_packed lengths=6,6,6,6|6,1,1,1 states training"},
    {"cells directions fp32 exact I=24 H=40 B=4 T=6 sequence_major|batch_major "
     "lengths=6,6,6,6|1,1,1,6|6,1,1,1|2,6,1,5|1,3,4,6 states training"},
    {"cells directions fp32 exact I=24 H=40 B=4 T=6 sequence_major|batch_major lengths=6,0,3,1 states"},
};

/// Adds the cases of a row whose words up to here are chosen, the last word's choices changing first.
void add_cases(std::string chosen, std::string_view row, std::vector<RnnCase>& cases) {
    if (row.empty()) {
        replace_all(chosen, "+", " ");
        return cases.push_back(parse_case(chosen));
    }
    const std::string_view word = row.substr(0, row.find(' '));
    const std::size_t at = word.find_first_of("=|+");
    const std::string member(word.substr(0, at < word.size() && word[at] == '=' ? at + 1 : 0));  // of all its choices
    for (const std::string& choice : split(word.substr(member.size()), '|'))
        add_cases(chosen + ' ' + member + choice, row.substr(std::min(word.size() + 1, row.size())), cases);
}

std::vector<RnnCase> cases_of(const SweepRow& row, const RnnPlace& place) {
    std::string words = row.cases;
    replace_all(words, "cells", "lstm|gru|tanh|relu");
    replace_all(words, "directions", "unidirectional|bidirectional");
    replace_all(words, "types", "fp64|fp32+exact|fp16+tensor_op");
    replace_all(words, "exact", name_of(exact_math(place)));
    std::vector<RnnCase> cases;
    add_cases("", words, cases);
    for (RnnCase& rnn_case : cases) {
        const auto choice = row.as ? row.as(rnn_case, place) : std::nullopt;
        if (row.as && !choice) return {};
        if (choice)
            std::tie(rnn_case.algorithm, rnn_case.math, rnn_case.layout) =
                std::tie(choice->forward, choice->math, choice->layout);
        // Padded sequences are trained through the v8 interface alone: the legacy one has calls of its own for them,
        // which rnncheck does not make.
        rnn_case.training &= expressible(rnn_case, place);
    }
    return cases;
}

/// The legacy interface of a cuDNN 8.
bool is_legacy_of_8(const RnnPlace& place) {
    return place.dialect == Dialect::legacy && place.cudnn && place.cudnn->major() >= 8;
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
    const std::span<const SweepRow> levels[] = {quick, standard, thorough};
    std::vector<RnnCase> cases;
    std::set<std::string> seen;
    for (const auto rows : std::span(levels).first(static_cast<std::size_t>(level) + 1))
        for (const SweepRow& row : rows)
            for (RnnCase& rnn_case : cases_of(row, place))
                if (expressible(rnn_case, place) && seen.insert(describe(rnn_case)).second)
                    cases.push_back(std::move(rnn_case));
    return cases;
}

}  // namespace rnncheck
