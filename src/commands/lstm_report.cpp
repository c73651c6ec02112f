#include "commands/lstm_report.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "base/text.hpp"
#include "commands/lstm_again.hpp"
#include "commands/lstm_agreement.hpp"
#include "commands/lstm_dropout.hpp"
#include "commands/lstm_speed.hpp"
#include "facts/json.hpp"
#include "report/sweep_grid.hpp"
#include "report/text_parts.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t few_cases = 8, most_told = 10;

using EndCounts = std::array<std::size_t, 6>;  // by RunEnd

EndCounts counts_of(const Facts& facts) {
    EndCounts counts{};
    for (const RnnRun& run : facts.rnn_runs) ++counts[static_cast<std::size_t>(run.end)];
    return counts;
}

std::size_t number_of(const EndCounts& counts, RunEnd end) {
    return counts[static_cast<std::size_t>(end)];
}

bool names_one_gpu(const Facts& facts) {
    return facts.rnn_request && facts.rnn_request->gpu;
}

/// Or never began because of it.
bool ended_by_deadline(const ProbeRun& run) {
    return run.reason && contains(*run.reason, "deadline");
}

/// Why no case was run.
std::string why_nothing_ran(const Facts& facts) {
    const auto at = [](const Facts& from, int index) {
        return std::ranges::any_of(from.gpus, [&](const Gpu& gpu) { return gpu.index == index; });
    };
    if (std::ranges::any_of(facts.probe_runs, ended_by_deadline))
        return "the deadline passed before the first case could begin, so nothing was computed: give --deadline more "
               "seconds";
    if (facts.gpus.empty())
        return "no GPU that CUDA programs can use was found, so nothing was computed; 'rnncheck doctor' says why";
    if (names_one_gpu(facts) && !at(facts, *facts.rnn_request->gpu))
        return "there is no GPU " + std::to_string(*facts.rnn_request->gpu) + ": nothing was computed";
    if (std::ranges::none_of(facts.cudnns, [](const Cudnn& cudnn) { return cudnn.rnn_usable == true; }))
        return "no usable cuDNN was found, so nothing was computed; 'rnncheck doctor' says why";
    return "none of the copies of cuDNN that were found is the one asked for, or can express the case: nothing was "
           "computed";
}

std::string cases(std::size_t count) {
    return counted(count, "case", "cases");
}

/// "GPU 0 computes 55 cases right; 2 are not offered here"
std::string all_right(const EndCounts& counts) {
    std::string text = cases(number_of(counts, RunEnd::ok)) + " computed, every number right";
    if (const auto absent = number_of(counts, RunEnd::not_offered); absent > 0)
        text += "; " + cases(absent) + " not offered by this cuDNN on this GPU";
    return text;
}

/// Tried cases that the deadline ended.
std::size_t cut_short(const Facts& facts) {
    return static_cast<std::size_t>(std::ranges::count_if(
        facts.rnn_runs, [](const RnnRun& run) { return run.end == RunEnd::skipped && did_not_return(run); }));
}

std::string what_is_bad(const Facts& facts) {
    EndCounts counts = counts_of(facts);
    const std::size_t cut = cut_short(facts);
    counts[static_cast<std::size_t>(RunEnd::skipped)] -= cut;
    constexpr std::pair<RunEnd, const char*> words[] = {{RunEnd::wrong, "WRONG"},
                                                        {RunEnd::failed, "failed"},
                                                        {RunEnd::refused, "refused"},
                                                        {RunEnd::skipped, "not tried"}};
    std::vector<std::string> parts;
    for (const auto& [end, word] : words)
        if (const auto count = number_of(counts, end); count > 0) parts.push_back(cases(count) + " " + word);
    if (cut > 0) parts.push_back(cases(cut) + " had not returned when the deadline passed");
    return join(parts, ", ") + ", " + std::to_string(number_of(counts, RunEnd::ok)) + " right";
}

std::string milliseconds(const std::optional<double>& value) {
    return value ? short_number(*value) + " ms" : "?";
}

std::string mebibytes(const std::optional<std::int64_t>& bytes) {
    return bytes ? short_number(static_cast<double>(*bytes) / (1 << 20)) + " MiB" : "?";
}

std::string memory_of(const RnnRun& run) {
    return "weights " + mebibytes(run.weight_bytes) + ", work " + mebibytes(run.workspace_bytes) +
           (run.rnn_case.training ? ", reserve " + mebibytes(run.reserve_bytes) : "") + " of " +
           (run.free_bytes ? mebibytes(run.free_bytes) + " free" : "an unknown amount free");
}

std::string numbers_of(const RnnRun& run) {
    std::vector<std::string> parts;
    if (run.largest_error && run.limit && *run.limit > 0)
        parts.push_back("error " + short_number(*run.largest_error / *run.limit) + " times what is allowed");
    if (run.limit) parts.push_back("y may differ by " + short_number(*run.limit));
    if (run.reduced_precision == true) parts.emplace_back("TF32 in use");
    if (run.overflow == true) parts.emplace_back("numbers beyond fp16");
    if (run.bitwise_repeatable == false) parts.emplace_back("not the same bits twice");
    parts.push_back("first " + milliseconds(run.first_ms) + ", again " + milliseconds(run.again_ms));
    if (run.workspace_bytes || run.weight_bytes) parts.push_back(memory_of(run));
    return join(parts, ", ");
}

std::string told(const Facts& facts, const RnnRun& run) {
    std::string text = "  " + std::string(name_of(run.end)) + ": GPU " + std::to_string(run.gpu) +
                       copy_and_interface(facts, run) + ", " + kind_of(run.rnn_case) + ", " + shape_of(run.rnn_case) +
                       "\n";
    if (run.where) text += "      " + escaped(*run.where, 400) + "\n";
    if (run.result && run.end != RunEnd::ok)
        text += "      " + escaped(run.result->call + ": " + run.result->text, 400) + "\n";
    if (run.end == RunEnd::ok || run.end == RunEnd::wrong) text += "      " + numbers_of(run) + "\n";
    if (run.end != RunEnd::ok && run.end != RunEnd::not_offered) text += "      again: " + again(facts, run) + "\n";
    return text;
}

Json as_json(const Facts& facts, const RnnRun& run) {
    Json json = to_json(run, valid_utf8);
    json["again"] = again(facts, run);
    for (const Gpu& gpu : facts.gpus)
        if (const auto peak = gpu.index == run.gpu ? peak_of(gpu) : std::nullopt; peak && run.again_ms)
            json["model_ms"] = model_ms(run.rnn_case, *peak);
    return json;
}

std::vector<Remark> remarks_on(const Facts& facts) {
    std::vector<Remark> remarks = agreement_of(facts);
    for (auto more : {dropout_of(facts), speed_of(facts)}) std::ranges::move(more, std::back_inserter(remarks));
    return remarks;
}

std::string how_it_still_ends(RunEnd end) {
    return end == RunEnd::wrong ? "is still wrong" : end == RunEnd::refused ? "is still refused" : "still fails";
}

/// Every case was tried.
bool is_complete(const Facts& facts) {
    return !facts.rnn_runs.empty() && number_of(counts_of(facts), RunEnd::skipped) == 0;
}

LstmVerdict verdict_of_cases(const Facts& facts) {
    const EndCounts counts = counts_of(facts);
    if (facts.rnn_runs.empty()) return {undetermined, why_nothing_ran(facts)};
    const bool bad =
        number_of(counts, RunEnd::wrong) + number_of(counts, RunEnd::failed) + number_of(counts, RunEnd::refused) > 0;
    if (bad) {
        const auto outlier = only_bad_gpu(facts);
        return {problem, what_is_bad(facts) + (outlier ? "; " + outlier->sentence() : "")};
    }
    if (number_of(counts, RunEnd::skipped) > 0) return {undetermined, what_is_bad(facts)};
    if (number_of(counts, RunEnd::ok) == 0)
        return {undetermined, "not offered by this cuDNN on this GPU: nothing was computed"};
    return {healthy, all_right(counts)};
}

}  // namespace

LstmVerdict verdict_of(const Facts& facts) {
    LstmVerdict verdict = verdict_of_cases(facts);
    for (const Remark& remark : dropout_of(facts)) {
        if (remark.weight == Weight::wrong) return {problem, verdict.sentence + "; dropout WRONG"};
        if (remark.weight == Weight::unknown && verdict.code == healthy)
            verdict = {undetermined, verdict.sentence + "; dropout not measured"};
    }
    return verdict;
}

std::string lstm_text(const Facts& facts, bool color, bool verbose) {
    std::ostringstream out;
    out << verdict_of(facts).sentence << '\n';
    if (facts.rnn_runs.size() > few_cases) write_sweeps(facts, out, {.color = color, .verbose = verbose});
    for (const Remark& remark : remarks_on(facts))
        if (remark.weight != Weight::note || remark.about == "dropout" || verbose || facts.rnn_runs.size() > few_cases)
            out << "  " << (remark.weight == Weight::note ? "" : std::string(name_of(remark.weight)) + ": ")
                << escaped(remark.text, 1000) << '\n';
    const bool all = verbose || facts.rnn_runs.size() <= few_cases;
    std::size_t left_out = 0, shown = 0;
    for (const RnnRun& run : facts.rnn_runs) {
        if (!all && (run.end == RunEnd::ok || run.end == RunEnd::not_offered)) continue;
        if (all || ++shown <= most_told)
            out << told(facts, run);
        else
            ++left_out;
    }
    if (left_out > 0) out << "  and " << counted(left_out, "more such case", "more such cases") << " (-v tells all)\n";
    return out.str();
}

std::string smallest_text(const Facts& facts, const Smallest& smallest) {
    const RnnRun& run = smallest.run;
    const std::string from = std::to_string(smallest.number);
    if (!smallest.alone)
        return "\nCase " + from + " " + (run.end == RunEnd::wrong ? "is wrong" : "fails") +
               " only after other cases, or not every time: run alone it is right. All of them again:\n  " +
               whole_run_again(facts, run) + "\n";
    std::string text = "\nThe smallest case that " + how_it_still_ends(run.end) + " (from case " + from + ", " +
                       counted(static_cast<std::size_t>(smallest.trials), "trial", "trials") +
                       (smallest.finished ? "):\n" : "; out of time, there may be a smaller one):\n");
    text += "  " + again(facts, run) + "\n";
    if (run.where) text += "      " + escaped(*run.where, 400) + "\n";
    if (run.result) text += "      " + escaped(run.result->call + ": " + run.result->text, 400) + "\n";
    return text;
}

std::string lstm_json(const Facts& facts, const LstmBesides& besides) {
    constexpr const char* words[] = {"ok", "problems", "", "undetermined"};
    const LstmVerdict verdict = verdict_of(facts);
    Json document = {{"schema", 1},
                     {"kind", "lstm"},
                     {"rnncheck", facts.tool.version},
                     {"verdict", words[verdict.code]},
                     {"sentence", verdict.sentence},
                     {"complete", is_complete(facts)},
                     {"cases", Json::array()}};
    if (!besides.machine.empty()) document["machine"] = besides.machine;
    if (!facts.rnn_dropouts.empty()) document["dropout"] = to_json(facts.rnn_dropouts, valid_utf8);
    document["remarks"] = to_json(remarks_on(facts), valid_utf8);
    if (besides.smallest)
        document["smallest"] = {{"case", as_json(facts, besides.smallest->run)},
                                {"from", besides.smallest->number},
                                {"trials", besides.smallest->trials},
                                {"finished", besides.smallest->finished},
                                {"alone", besides.smallest->alone}};
    if (facts.rnn_request) document["request"] = to_json(*facts.rnn_request, valid_utf8);
    for (const RnnRun& run : facts.rnn_runs) document["cases"].push_back(as_json(facts, run));
    return document.dump(2) + '\n';
}

}  // namespace rnncheck
