#include "rnn/sweep.hpp"

#include <algorithm>
#include <set>

#include "base/directory_list.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

/// What a framework requests of cuDNN; nothing if it does not use cuDNN.
std::optional<FrameworkChoice> choice_of_framework(
    std::string_view framework, const RnnCase& network, const RnnPlace& place) {
    if (framework == "tensorflow")
        return tensorflow_choice(network, place);
    if (framework == "jax")
        return jax_choice(network, place);
    return pytorch_choice(network, place);
}

/// Adds the cases of a row whose words up to here are chosen, the last word's choices changing
/// first.
void add_cases(std::string chosen, std::string_view row, std::vector<RnnCase>& cases) {
    if (row.empty()) {
        replace_all(chosen, "+", " ");
        return cases.push_back(parse_case(chosen));
    }
    const std::string_view word = row.substr(0, row.find(' '));
    const std::size_t at = word.find_first_of("=|+");
    const std::string member(
        word.substr(0, at < word.size() && word[at] == '=' ? at + 1 : 0));  // of all its choices
    for (const std::string& choice : split(word.substr(member.size()), '|'))
        add_cases(
            chosen + ' ' + member + choice,
            row.substr(std::min(word.size() + 1, row.size())),
            cases);
}

/// A row has the words of describe(); its cases are those with every choice among what is between
/// '|', where '+' joins words. "pytorch: " before it: with the algorithm, math type and layout that
/// this framework requests.
std::vector<RnnCase> cases_of(const std::string& row, const RnnPlace& place) {
    const std::size_t colon = row.find(": ");
    std::string words = colon == std::string::npos ? row : row.substr(colon + 2);
    replace_all(words, "cells", "lstm|gru|tanh|relu");
    replace_all(words, "directions", "unidirectional|bidirectional");
    replace_all(words, "types", "fp64|fp32+exact|fp16+tensor_op");
    replace_all(words, "exact", name_of(exact_math(place)));
    std::vector<RnnCase> cases;
    add_cases("", words, cases);
    for (RnnCase& rnn_case : cases) {
        if (colon != std::string::npos) {
            const auto choice = choice_of_framework(row.substr(0, colon), rnn_case, place);
            if (!choice)
                return {};
            rnn_case.algorithm = choice->forward;
            rnn_case.math = choice->math;
            rnn_case.layout = choice->layout;
        }
        // Padded sequences are trained only through the v8 interface: the legacy one has separate
        // calls for them, which rnncheck does not use.
        rnn_case.training &= expressible(rnn_case, place);
    }
    return cases;
}

/// The legacy interface of a cuDNN 8.
bool is_legacy_of_8(const RnnPlace& place) {
    return place.rnn_api == RnnApi::legacy && place.cudnn && place.cudnn->major() >= 8;
}

}  // namespace

MathType exact_math(const RnnPlace& place) {
    if (place.rnn_api == RnnApi::v8 || is_legacy_of_8(place))
        return MathType::fma;
    return MathType::standard;
}

bool expressible(const RnnCase& rnn_case, const RnnPlace& place) {
    if (place.rnn_api == RnnApi::v8)
        return true;
    const bool of_8 = is_legacy_of_8(place);
    const bool padded = rnn_case.layout == Layout::batch_major ||
                        (rnn_case.layout == Layout::sequence_major && !rnn_case.lengths.empty());
    const bool small_h = rnn_case.algorithm == Algorithm::persist_static_small_h;
    return !has_empty_sequence(rnn_case) && rnn_case.dtype != Dtype::bf16 &&
           (of_8 || rnn_case.math != MathType::fma) && (of_8 || !small_h) &&
           !(rnn_case.training && padded);
}

std::vector<RnnCase> sweep(Level level, const RnnPlace& place) {
    std::vector<RnnCase> cases;
    std::set<std::string> seen;
    for (const Level each : {Level::quick, Level::standard, Level::thorough})
        for (const std::string& row : split(page_named(sweeps(), name_of(each)), '\n'))
            if (each <= level && !row.empty() && !row.starts_with('#'))
                for (const RnnCase& rnn_case : cases_of(row, place))
                    if (expressible(rnn_case, place) && seen.insert(describe(rnn_case)).second)
                        cases.push_back(rnn_case);
    return cases;
}

}  // namespace rnncheck
