// Dropout between layers keeps, scales or repeats elements incorrectly.
#include <cmath>

#include "rnn/case.hpp"
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules::rnn_dropout_wrong {

static std::string share(const RnnDropout& dropout) {
    return short_number(100.0 * static_cast<double>(*dropout.kept) / static_cast<double>(*dropout.elements)) +
           " % of " + std::to_string(*dropout.elements) + " elements kept";
}

static std::string where(const Facts& facts, const RnnDropout& dropout) {
    return "dropout " + exact_number(dropout.probability) + " on " + gpu_subject(facts, dropout.gpu) + " (" +
           std::string(name_of(dropout.dialect)) + " interface)";
}

static bool keeps_too_many_or_few(const RnnDropout& dropout) {
    // Bernstein's inequality for e^-18: where few are expected the distribution is far from a normal one.
    constexpr double deviations = 6, for_few = 12;
    const double n = static_cast<double>(*dropout.elements), p = dropout.probability;
    return std::abs(static_cast<double>(*dropout.kept) - n * (1 - p)) >
           deviations * std::sqrt(n * p * (1 - p)) + for_few;
}

/// Two masks differ in more than none of so many elements: below, equal ones say nothing.
static bool masks_should_differ(const RnnDropout& dropout) {
    constexpr double enough = 40;
    const double p = dropout.probability;
    return 2 * p * (1 - p) * static_cast<double>(*dropout.elements) >= enough;
}

static std::vector<std::string> faults_of(const RnnDropout& dropout) {
    constexpr double scale_limit = 0x1p-9;  // two operands cut to TF32
    std::vector<std::string> faults;
    if (keeps_too_many_or_few(dropout))
        faults.push_back(share(dropout) + ", expected " + short_number(100 * (1 - dropout.probability)) + " %");
    if (*dropout.kept > 0 && dropout.scale_error.value_or(HUGE_VAL) > scale_limit)
        faults.push_back("the kept elements are not multiplied by 1 / (1 - " + exact_number(dropout.probability) + ")");
    if (dropout.repeats == false) faults.emplace_back("the same seed generates a different mask");
    if (dropout.moves_on == false && masks_should_differ(dropout))
        faults.emplace_back("every call generates the same mask");
    return faults;
}

static Finding wrong(const Facts& facts, const RnnDropout& dropout, const std::vector<std::string>& faults) {
    return {
        .subject = subject_of(facts, Sweep{dropout.library, dropout.gpu, {}}),
        .message = where(facts, dropout) + " is incorrect: " + join_with_and(faults),
        .evidence = {{"elements kept", share(dropout),
                      "rnn_dropouts[" + std::to_string(&dropout - facts.rnn_dropouts.data()) + "]"}},
        .remedies = {
            {.action = Action::install_package,
             .text = "Do not train networks with dropout with this cuDNN on this GPU; install another version of cuDNN",
             .verify = "rnncheck lstm --dropout " + exact_number(dropout.probability),
             .link = "https://docs.nvidia.com/deeplearning/cudnn/latest/api/cudnn-ops-library.html"}}};
}

static void judge(const Facts& facts, const RnnDropout& dropout, VerdictBuilder& answers) {
    if (!dropout.elements || !dropout.kept)
        return answers.unknown(where(facts, dropout) + " was not measured: " + in_words(dropout.result));
    const auto faults = faults_of(dropout);
    if (!faults.empty()) return answers.fault(wrong(facts, dropout, faults));
    if (!dropout.repeats || !dropout.moves_on)
        return answers.unknown(where(facts, dropout) + ": whether its masks repeat correctly is unknown");
    answers.passed(where(facts, dropout) + ": " + share(dropout) + (*dropout.kept > 0 ? ", correctly scaled" : "") +
                   ", the same for the same seed");
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (!facts.rnn_request || !facts.rnn_request->dropout) return not_applicable("measuring dropout was not requested");
    VerdictBuilder answers;
    for (const RnnDropout& dropout : facts.rnn_dropouts) judge(facts, dropout, answers);
    for (const ProbeRun* run : runs_of(facts, "rnn_dropout"))
        if (!run->completed())
            answers.unknown("dropout on " + run->target + " was not measured: the process " +
                            std::string(name_of(run->end)) + " in " + run->last_call.value_or("no call"));
    return answers.close();
}

extern const Rule rule{.title = "Dropout between layers is computed incorrectly",
                       .layer = Layer::rnn,
                       .stage = Stage::run,
                       .check = check};

}  // namespace rnncheck::rules::rnn_dropout_wrong
