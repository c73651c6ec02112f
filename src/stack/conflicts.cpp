// Which check is whose, and what a version that is known in part means: each that it may be is
// checked by itself.
#include "stack/conflicts.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "stack/checks.hpp"

namespace rnncheck::stack {

Check check_of(ConflictKind kind) {
    switch (kind) {
        case ConflictKind::cpu_only_build:
            return cpu_only_build;
        case ConflictKind::cuda_version_mismatch:
            return cuda_version_mismatch;
        case ConflictKind::cudnn_bug:
            return cudnn_bug;
        case ConflictKind::cudnn_built_for_other_cuda:
            return cudnn_built_for_other_cuda;
        case ConflictKind::cudnn_masked_rnn_bug:
            return cudnn_masked_rnn_bug;
        case ConflictKind::cudnn_newer_than_framework_supports:
            return cudnn_newer_than_framework_supports;
        case ConflictKind::cudnn_not_installed:
            return cudnn_not_installed;
        case ConflictKind::cudnn_runtime_older_than_built:
            return cudnn_runtime_older_than_built;
        case ConflictKind::cudnn_varlen_rnn_bug:
            return cudnn_varlen_rnn_bug;
        case ConflictKind::driver_too_old:
            return driver_too_old;
        case ConflictKind::framework_requirements_conflict:
            return framework_requirements_conflict;
        case ConflictKind::gpu_arch_not_in_build:
            return gpu_arch_not_in_build;
        case ConflictKind::gpu_too_old:
            return gpu_too_old;
        case ConflictKind::keras_backend_not_supported:
            return keras_backend_not_supported;
        case ConflictKind::minor_version_compatibility:
            return minor_version_compatibility;
        case ConflictKind::plugin_without_cudnn_rnn:
            return plugin_without_cudnn_rnn;
        case ConflictKind::python_not_supported:
            return python_not_supported;
        case ConflictKind::version_not_in_data:
            return version_not_in_data;
        case ConflictKind::rnn_dtype_not_supported:
            return rnn_dtype_not_supported;
        case ConflictKind::tf_no_native_windows_gpu:
            return tf_no_native_windows_gpu;
        // The last one is returned below, so that every path returns a check.
        case ConflictKind::cudnn_shadowed:
            break;
    }
    return cudnn_shadowed;
}

namespace {

/// Only of these it is a remark, not a question, if nothing but the exact version decides.
bool is_remark(ConflictKind kind) {
    return kind == ConflictKind::minor_version_compatibility;
}

using ByVersion = std::map<Version, Outcome>;

/// By the version of this part of each stack; unset where that part alone does not decide.
std::optional<ByVersion> outcomes_by(
    const std::optional<Known> Stack::*part,
    const std::vector<Stack>& stacks,
    const std::vector<Judgement>& answers) {
    ByVersion outcomes;
    for (std::size_t i = 0; i < stacks.size(); ++i) {
        const std::optional<Known>& version = stacks[i].*part;
        if (!version)
            return std::nullopt;
        const auto [known, is_new] = outcomes.emplace(*version, answers[i].outcome);
        if (known->second != answers[i].outcome)
            return std::nullopt;
    }
    return outcomes;
}

/// "a problem with cuDNN 9.11.0 to 9.28.0; no problem with cuDNN 9.0.0 to 9.10.2".
std::string outcomes_in_words(const std::string& name, const ByVersion& outcomes) {
    std::map<Outcome, std::vector<std::string>> ranges;
    for (auto first = outcomes.begin(), next = first; first != outcomes.end(); first = next) {
        next = std::find_if(
            first, outcomes.end(), [&](const auto& one) { return one.second != first->second; });
        const std::string begin = first->first.text, end = std::prev(next)->first.text;
        std::string range = name + begin;
        if (begin != end)
            range += " to " + end;
        ranges[first->second].push_back(range);
    }
    std::vector<std::string> words;
    for (const auto& [outcome, what] :
         {std::pair(Outcome::fault, "a problem with "),
          std::pair(Outcome::pass, "no problem with "),
          std::pair(Outcome::undecided, "undetermined with ")})
        if (ranges.contains(outcome))
            words.push_back(what + join_with_and(ranges[outcome]));
    return join(words, "; ");
}

/// ": a problem with ..."; "" where neither version alone decides.
std::string deciding_versions(
    const std::vector<Stack>& stacks, const std::vector<Judgement>& answers) {
    if (const auto outcomes = outcomes_by(&Stack::cudnn, stacks, answers))
        return ": " + outcomes_in_words("cuDNN ", *outcomes);
    if (const auto outcomes = outcomes_by(&Stack::cuda, stacks, answers))
        return ": " + outcomes_in_words("CUDA ", *outcomes);
    return "";
}

}  // namespace

Judgement judgement(
    ConflictKind kind,
    const Stack& stack,
    const std::vector<Stack>& possible,
    const Matrix& matrix) {
    const Check check = check_of(kind);
    Judgement in_part = check(stack, matrix);
    if (possible.size() == 1)
        return in_part;
    auto answers = mapped(possible, [&](const Stack& one) { return check(one, matrix); });
    const Outcome outcome = answers.back().outcome;
    const auto is_same = [&](const Judgement& one) { return one.outcome == outcome; };
    if (!std::ranges::all_of(answers, is_same)) {
        MissingInput missing = MissingInput::choice;
        if (is_remark(kind))
            missing = MissingInput::facts;
        return undecided(
            "it depends on the exact version, and CUDA or cuDNN was specified only in part" +
                deciding_versions(possible, answers),
            missing);
    }
    // All agree: the answer to what was written has the better words, such as
    // "9.x".
    if (in_part.outcome == outcome)
        return in_part;
    return std::move(answers.back());
}

Judgement judgement(ConflictKind kind, const Stack& stack, const Matrix& matrix) {
    return judgement(kind, stack, possible_stacks(stack, matrix), matrix);
}

/// Without the machine most checks lack something, which is no question to
/// anyone.
Judgement judgement_of_named(ConflictKind kind, const Stack& named, const Matrix& matrix) {
    const Judgement of_named = check_of(kind)(named, matrix);
    const bool needs_more =
        of_named.outcome == Outcome::undecided && of_named.missing != MissingInput::data;
    if (needs_more)
        return not_applicable(of_named.reason);
    return of_named;
}

/// The possible stacks are the same for all kinds, so they are computed once.
std::vector<Conflict> conflicts(const Stack& stack, const Matrix& matrix) {
    const auto possible = possible_stacks(stack, matrix);
    std::vector<Conflict> all;
    for (std::size_t i = 0; i < names_of(ConflictKind()).size(); ++i)
        append(all, judgement(static_cast<ConflictKind>(i), stack, possible, matrix).conflicts);
    return all;
}

}  // namespace rnncheck::stack
