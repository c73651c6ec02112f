#include "commands/lstm_report.hpp"

#include <algorithm>
#include <sstream>

#include "base/json.hpp"
#include "base/text.hpp"
#include "commands/lstm_again.hpp"
#include "commands/lstm_agreement.hpp"
#include "commands/lstm_dropout.hpp"
#include "commands/lstm_memory.hpp"
#include "commands/lstm_offer.hpp"
#include "commands/lstm_precision.hpp"
#include "commands/lstm_speed.hpp"
#include "report/sweep_grid.hpp"
#include "report/text.hpp"
#include "rules/support/rnn_support.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t few_cases = 8, most_told = 10;

std::string milliseconds(const std::optional<double>& value) {
    return value ? short_number(*value) + " ms" : "?";
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
    if (run.precision == Precision::tf32) parts.emplace_back("TF32 in use");
    if (run.precision == Precision::fast_math)
        parts.emplace_back("within the limits of fast mathematics (tanh.approx), as cuDNN may compile this kernel");
    if (run.overflow == true) parts.emplace_back("numbers beyond fp16");
    if (run.bitwise_repeatable == false) parts.emplace_back("not the same bits twice");
    parts.push_back("first " + milliseconds(run.first_ms) + ", again " + milliseconds(run.again_ms));
    if (run.workspace_bytes || run.weight_bytes) parts.push_back(memory_of(run));
    return join(parts, ", ");
}

std::string what_to_do_about_memory(const RnnRun& run) {
    if (!short_of_memory(run)) return ": run 'rnncheck doctor' to find the cause";
    return ": end what else uses GPU " + std::to_string(run.gpu) +
           ", or find the largest batch that fits with --fit batch";
}

std::string told(const Facts& facts, const RnnRun& run) {
    std::string text = "  " + (ran_out_of_memory(run) ? "out of memory" : std::string(name_of(run.end))) + ": GPU " +
                       std::to_string(run.gpu) + copy_and_interface(facts, run) + ", " + kind_of(run.rnn_case) + ", " +
                       shape_of(run.rnn_case) + "\n";
    if (run.where) text += "      " + escaped(*run.where, 400) + "\n";
    if (run.result && run.end != RunEnd::ok)
        text += "      " + escaped(run.result->call + ": " + run.result->text, 400) + "\n";
    if (ran_out_of_memory(run)) text += "      " + memory_in_words(run) + what_to_do_about_memory(run) + '\n';
    if (run.end == RunEnd::failed || run.end == RunEnd::refused)
        if (const auto why = rules::not_promised(facts, run))
            text += "      not a fault of the machine by itself: the case needs " + *why + "\n";
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
    for (auto more : {offers_of(facts), dropout_of(facts), precision_of(facts), speed_of(facts)})
        std::ranges::move(more, std::back_inserter(remarks));
    return remarks;
}

std::string how_it_still_ends(RunEnd end) {
    return end == RunEnd::wrong ? "is still wrong" : end == RunEnd::refused ? "is still refused" : "still fails";
}

}  // namespace

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
    for (const std::string& step : next_steps(facts)) out << "  " << step << '\n';
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
    const LstmVerdict verdict = besides.begun
                                    ? verdict_of(facts)
                                    : LstmVerdict{undetermined, "the run has not yet begun: nothing was computed"};
    Json document = {{"schema", 1},
                     {"kind", "lstm"},
                     {"rnncheck", facts.tool.version},
                     {"verdict", words[verdict.code]},
                     {"sentence", verdict.sentence},
                     {"complete", every_case_was_tried(facts)},
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
    if (besides.from_log) document["from_log"] = to_json(*besides.from_log);
    if (facts.rnn_request) document["request"] = to_json(*facts.rnn_request, valid_utf8);
    for (const RnnRun& run : facts.rnn_runs) document["cases"].push_back(as_json(facts, run));
    return document.dump(2) + '\n';
}

}  // namespace rnncheck
