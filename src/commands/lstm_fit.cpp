#include "commands/lstm_fit.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"
#include "commands/lstm_memory.hpp"
#include "commands/lstm_report.hpp"
#include "probe.hpp"
#include "report/sweep_grid.hpp"
#include "survey.hpp"

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

std::string told(const Facts& facts, const FitSearch& search) {
    const RnnFit& fit = search.calculated;
    std::string text = "GPU " + std::to_string(fit.gpu) + ", " + cudnn_of(facts, fit) + ", " +
                       std::string(name_of(fit.dialect)) + " interface: " + answer(search) + "\n";
    text += "    " + kind_of(fit.rnn_case) + ", " + shape_of(fit.rnn_case) + "\n";
    if (fit.size.value_or(0) > 0)
        text += "    weights " + mebibytes(fit.weight_bytes) + ", work " + mebibytes(fit.workspace_bytes) +
                ", reserve " + mebibytes(fit.reserve_bytes) + ", inputs and outputs " + mebibytes(fit.data_bytes) +
                "\n";
    if (fit.free_bytes) text += "    free " + mebibytes(fit.free_bytes) + " of " + mebibytes(fit.total_bytes) + "\n";
    if (search.failed && search.failed->size)
        text += "    " + std::to_string(*search.failed->size) + " did not run: " + why(search.failed->result) + "\n";
    return text;
}

}  // namespace

FitSearch find_fit(const RnnFit& calculated, const TrySize& try_size) {
    FitSearch search{calculated, {}, {}, 0};
    if (calculated.size.value_or(0) < 1) return search;
    const auto runs = [&](int size) {
        std::optional<RnnFit> tried = try_size(calculated, size);
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
    int size = *calculated.size, step = std::max(1, size / 50);
    if (runs(size)) {
        if (calculated.bounded != true && !runs(size + step)) step = 0;
    } else {
        for (; !search.largest && size > 1 && goes_on(); step *= 2) runs(size = std::max(1, size - step));
    }
    while (search.largest && search.failed && !close_enough(*search.largest, *search.failed->size) && goes_on())
        runs(*search.largest + (*search.failed->size - *search.largest) / 2);
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
        const std::string target = "GPU " + std::to_string(calculated.gpu) + " " +
                                   std::string(name_of(calculated.dialect)) + " " + calculated.library;
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
    for (const RnnFit& calculated : facts.rnn_fits) searches.push_back(find_fit(calculated, try_size));
    return searches;
}

Exit code_of(const std::vector<FitSearch>& searches) {
    const auto found = [](const FitSearch& search) { return search.largest.has_value(); };
    const auto broken = [](const FitSearch& search) {
        return search.calculated.size.value_or(0) > 0 && !search.largest;
    };
    const auto unfinished = [](const FitSearch& search) { return search.out_of_time; };
    if (std::ranges::any_of(searches, unfinished)) return undetermined;
    if (std::ranges::any_of(searches, broken)) return problem;
    return !searches.empty() && std::ranges::all_of(searches, found) ? healthy : undetermined;
}

std::string fit_text(const Facts& facts, const std::vector<FitSearch>& searches) {
    std::string text;
    for (const FitSearch& search : searches) text += told(facts, search);
    return searches.empty() ? verdict_of(facts).sentence + "\n" : text;
}

std::string fit_json(const Facts& facts, const std::vector<FitSearch>& searches) {
    Json document = {{"schema", 1}, {"kind", "lstm_fit"}, {"rnncheck", facts.tool.version}, {"fits", Json::array()}};
    for (const FitSearch& search : searches) {
        Json entry = {{"calculated", to_json(search.calculated, valid_utf8)}, {"trials", search.trials}};
        if (search.largest) entry["largest"] = *search.largest;
        if (search.out_of_time) entry["out_of_time"] = true;
        if (search.failed) entry["failed"] = to_json(*search.failed, valid_utf8);
        entry["answer"] = valid_utf8(answer(search));
        document["fits"].push_back(std::move(entry));
    }
    if (searches.empty()) document["sentence"] = verdict_of(facts).sentence;
    return document.dump(2) + '\n';
}

}  // namespace rnncheck
