#include "commands/lstm_dropout.hpp"

#include <cmath>

#include "base/text.hpp"
#include "commands/lstm_case.hpp"

namespace rnncheck {

namespace {

std::string share(const RnnDropout& dropout) {
    return short_number(100.0 * static_cast<double>(*dropout.kept) / static_cast<double>(*dropout.elements)) +
           " % of " + std::to_string(*dropout.elements) + " elements kept";
}

std::string measured_on(const RnnDropout& dropout) {
    return "dropout " + exact_number(dropout.probability) + " on GPU " + std::to_string(dropout.gpu) + " (" +
           std::string(name_of(dropout.dialect)) + " interface): ";
}

bool keeps_too_many_or_few(const RnnDropout& dropout) {
    // Bernstein's inequality for e^-18: where few are expected the distribution is far from a normal one.
    constexpr double deviations = 6, for_few = 12;
    const double n = static_cast<double>(*dropout.elements), p = dropout.probability;
    return std::abs(static_cast<double>(*dropout.kept) - n * (1 - p)) >
           deviations * std::sqrt(n * p * (1 - p)) + for_few;
}

/// Two masks of their own differ in more than none of so many: below, equal ones tell nothing.
bool masks_should_differ(const RnnDropout& dropout) {
    constexpr double enough = 40;
    const double p = dropout.probability;
    return 2 * p * (1 - p) * static_cast<double>(*dropout.elements) >= enough;
}

}  // namespace

std::vector<std::string> faults_of(const RnnDropout& dropout) {
    constexpr double scale_limit = 0x1p-9;  // two operands cut to TF32
    std::vector<std::string> faults;
    if (keeps_too_many_or_few(dropout))
        faults.push_back(share(dropout) + ", " + short_number(100 * (1 - dropout.probability)) + " % should be");
    if (*dropout.kept > 0 && dropout.scale_error.value_or(HUGE_VAL) > scale_limit)
        faults.push_back("those kept are not multiplied by 1 / (1 - " + exact_number(dropout.probability) + ")");
    if (dropout.repeats == false) faults.emplace_back("the same seed gives another mask");
    if (dropout.moves_on == false && masks_should_differ(dropout))
        faults.emplace_back("every call draws the same mask");
    return faults;
}

std::vector<Remark> dropout_of(const Facts& facts) {
    std::vector<Remark> remarks;
    for (const RnnDropout& dropout : facts.rnn_dropouts) {
        const std::string where = measured_on(dropout);
        if (!dropout.elements || !dropout.kept) {
            const std::string why =
                dropout.result ? dropout.result->call + ": " + dropout.result->text : "no reason told";
            remarks.push_back({"dropout", Weight::unknown, where + "not measured, " + why});
        } else if (const auto faults = faults_of(dropout); !faults.empty()) {
            remarks.push_back({"dropout", Weight::wrong, where + listing(faults)});
        } else {
            remarks.push_back({"dropout", Weight::note,
                               where + share(dropout) + (*dropout.kept > 0 ? ", rightly multiplied" : "") +
                                   ", the same for the same seed"});
        }
    }
    for (const ProbeRun& run : facts.probe_runs)
        if (run.probe == "rnn_dropout" && !run.completed())
            remarks.push_back({"dropout", Weight::unknown,
                               "dropout on " + run.target + ": not measured, the process ended as " +
                                   std::string(name_of(run.end)) + " in " + run.last_call.value_or("no call")});
    const bool asked = facts.rnn_request && facts.rnn_request->dropout;
    if (asked && remarks.empty())
        remarks.push_back(
            {"dropout", Weight::unknown, "dropout was asked for and not measured: no process came to its end"});
    return remarks;
}

}  // namespace rnncheck
