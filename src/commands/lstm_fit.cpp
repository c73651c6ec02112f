#include "commands/lstm_fit.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "commands/matrix_age.hpp"
#include "judge.hpp"
#include "process/probe.hpp"
#include "process/survey.hpp"
#include "support/rnn.hpp"

namespace rnncheck {

namespace {

constexpr int most_trials = 14;

/// Sizes between which nothing is tried: half a percent.
bool close_enough(int ran, int failed) {
    return failed - ran <= std::max(1, ran / 200);
}

std::string cudnn_of(const Facts& facts, const RnnFit& fit) {
    for (const Cudnn& cudnn : facts.cudnns)
        if (cudnn.library == fit.library && cudnn.version) return "cuDNN " + escaped(cudnn.version->text, 40);
    return "cuDNN";
}

std::string why(const std::optional<CallResult>& result) {
    return result ? escaped(result->call + ": " + result->text, 300) : "no reason told";
}

std::string place(const Facts& facts, const RnnFit& fit) {
    return "GPU " + std::to_string(fit.gpu) + ", " + cudnn_of(facts, fit) + ", " + std::string(name_of(fit.dialect)) +
           " interface: ";
}

std::string answer(const FitSearch& search) {
    const RnnFit& calculated = search.calculated;
    const std::string what(name_of(calculated.of));
    if (!calculated.size) return "not known how large a " + what + " fits: " + why(calculated.result);
    if (*calculated.size == 0)
        return calculated.result ? "does not run at all: " + why(calculated.result)
                                 : "not even a " + what + " of 1 fits";
    if (!search.largest && search.out_of_time)
        return "a " + what + " of " + std::to_string(*calculated.size) +
               " should fit; the deadline passed before one ran: give --deadline more seconds";
    if (search.out_of_time)
        return "a " + what + " of " + std::to_string(*search.largest) + " fits (calculated " +
               std::to_string(*calculated.size) + "); the deadline passed before the largest was found";
    if (!search.largest)
        return "no " + what + " ran, though " + std::to_string(*calculated.size) +
               " should fit: " + why(search.failed ? search.failed->result : calculated.result);
    const bool bounded = calculated.bounded == true && !search.failed;
    const std::string bound = !bounded            ? ""
                              : calculated.result ? ", and no larger one is believed: " + why(calculated.result)
                                                  : ", and cuDNN takes no larger one";
    return "the largest " + what + " that fits is " + std::to_string(*search.largest) + bound + " (calculated " +
           std::to_string(*calculated.size) + ")";
}

/// Up from the calculated size until one does not run, or down until one does, and then between.
void try_sizes(FitSearch& search, const TrySize& try_size) {
    const auto runs = [&](int size) {
        std::optional<RnnFit> tried = try_size(search.calculated, size);
        search.out_of_time = !tried;
        if (!tried) return false;
        ++search.trials;
        if (tried->ran == true) {
            search.largest = size;
            return true;
        }
        search.failed = std::move(tried);
        search.failed->size = size;
        return false;
    };
    const auto goes_on = [&] { return !search.out_of_time && search.trials < most_trials; };
    int size = *search.calculated.size, step = std::max(1, size / 50);
    if (runs(size)) {
        if (search.calculated.bounded != true && !runs(size + step)) step = 0;
    } else {
        for (; !search.largest && size > 1 && goes_on(); step *= 2) runs(size = std::max(1, size - step));
    }
    while (search.largest && search.failed && !close_enough(*search.largest, *search.failed->size) && goes_on())
        runs(*search.largest + (*search.failed->size - *search.largest) / 2);
}

}  // namespace

FitSearch find_fit(const RnnFit& calculated, const TrySize& try_size) {
    FitSearch search{calculated};
    if (calculated.size.value_or(0) > 0) try_sizes(search, try_size);
    search.answer = answer(search);
    return search;
}

std::vector<FitSearch> find_fits(const Facts& facts, const FitOptions& options) {
    using Clock = std::chrono::steady_clock;
    SurveyOptions how;
    how.root = options.root;
    const auto is_over = [&] { return options.deadline && Clock::now() >= *options.deadline; };
    const auto try_size = [&](const RnnFit& calculated, int size) -> std::optional<RnnFit> {
        if (is_over()) return std::nullopt;
        if (options.deadline) how.deadline_s = std::chrono::duration<double>(*options.deadline - Clock::now()).count();
        options.progress("trying a " + std::string(name_of(calculated.of)) + " of " + std::to_string(size));
        Facts known = facts;
        known.rnn_request->trial = size;
        const std::string target = probes::text_of({calculated.gpu, calculated.dialect, calculated.library});
        const Facts learnt = run_probe("rnn_fit", target, known, how);
        if (!learnt.rnn_fits.empty()) return learnt.rnn_fits.front();
        if (is_over()) return std::nullopt;
        RnnFit lost = calculated;
        if (!learnt.probe_runs.empty())
            lost.result = CallResult{learnt.probe_runs.back().last_call.value_or("?"), -1,
                                     "the process " + std::string(name_of(learnt.probe_runs.back().end))};
        return lost;
    };
    std::vector<FitSearch> searches;
    for (const RnnFit& calculated : facts.rnn_fits) {
        FitSearch& search = searches.emplace_back(find_fit(calculated, try_size));
        search.answer = place(facts, calculated) + search.answer;
    }
    return searches;
}

Report fit_report(const Facts& facts, std::vector<FitSearch> searches, const Matrix& matrix) {
    Report report;
    if (searches.empty()) report = judge_networks(facts, matrix);
    report.lstm.emplace().fits = std::move(searches);
    const std::vector<FitSearch>& fits = report.lstm->fits;
    if (fits.empty()) return report;
    report.tool = stamp_with(matrix.date(), matrix.digest());
    report.facts = facts;
    const auto broken = [](const FitSearch& fit) { return fit.calculated.size.value_or(0) > 0 && !fit.largest; };
    const auto found = [](const FitSearch& fit) { return fit.largest && !fit.out_of_time; };
    report.verdict = std::ranges::any_of(fits, &FitSearch::out_of_time) ? OverallVerdict::undetermined
                     : std::ranges::any_of(fits, broken)                ? OverallVerdict::problems
                     : std::ranges::all_of(fits, found)                 ? OverallVerdict::healthy
                                                                        : OverallVerdict::undetermined;
    std::vector<std::string> answers;
    for (const FitSearch& fit : fits) answers.push_back(fit.answer);
    report.sentence = join(answers, "; ");
    return report;
}

}  // namespace rnncheck
