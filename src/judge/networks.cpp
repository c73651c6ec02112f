// What is known of recurrent networks alone: of the cases that were run, and of a search for the
// largest that fits.
#include <algorithm>

#include "base/text.hpp"
#include "judge.hpp"

namespace rnncheck {

/// The rules about networks and GPUs alone where the networks work; else all
/// that could explain why they do not.
Report judge_networks(const Facts& facts, const Matrix& matrix, const std::set<std::string>& also) {
    const auto judged_by = [&](const auto& wanted) {
        Selection selection;
        selection.require = {"rnn_result_wrong"};
        selection.only = also;
        for (const auto& rule : rules_of_the_directory())
            if (wanted(rule->layer))
                selection.only.emplace(rule.name);
        return judge(facts, matrix, selection);
    };
    Report report =
        judged_by([](Layer layer) { return layer == Layer::gpu || layer == Layer::rnn; });
    if (report.verdict == OverallVerdict::healthy || report.verdict == OverallVerdict::warnings)
        return report;
    // Frameworks and their CUDA runtime have no part in these cases.
    return judged_by([](Layer layer) { return layer != Layer::runtime; });
}

Report judge_fits(const Facts& facts, std::vector<FitSearch> searches, const Matrix& matrix) {
    if (searches.empty()) {
        Report report = judge_networks(facts, matrix);
        report.lstm.emplace();
        return report;
    }
    const auto broken = [](const FitSearch& fit) {
        return fit.calculated.size.value_or(0) > 0 && !fit.largest;
    };
    const auto found = [](const FitSearch& fit) { return fit.largest && !fit.out_of_time; };
    const bool error = std::ranges::none_of(searches, &FitSearch::out_of_time) &&
                       std::ranges::any_of(searches, broken);
    const bool open = !std::ranges::all_of(searches, found);
    Report report;
    report.tool = {.matrix_date = matrix.date(), .matrix_digest = matrix.digest()};
    report.verdict = OverallVerdict::healthy;
    if (open)
        report.verdict = OverallVerdict::undetermined;
    if (error)
        report.verdict = OverallVerdict::problems;
    report.sentence = join(mapped(searches, &FitSearch::answer), "; ");
    report.facts = facts;
    report.lstm.emplace().fits = std::move(searches);
    return report;
}

}  // namespace rnncheck
