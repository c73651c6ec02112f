// What `rnncheck lstm` adds to a report for people: the smallest case that fails, the sizes that
// fit into GPU memory, and what running the network of a log showed.
#include "base/text.hpp"
#include "facts/queries.hpp"
#include "report/sweep.hpp"
#include "report/text.hpp"
#include "report/text_finding.hpp"

namespace rnncheck {

namespace {

/// Continues "the smallest case that".
std::string how_it_still_ends(RunEnd end) {
    if (end == RunEnd::incorrect)
        return "is still wrong";
    if (end == RunEnd::rejected)
        return "is still rejected";
    return "still fails";
}

/// Without a smaller case that fails by itself, all have to be run again.
std::string sentence_about(const MinimalCase& minimal) {
    const std::string from = std::to_string(minimal.number);
    if (!minimal.reproduces_alone) {
        std::string how = " fails";
        if (minimal.run.end == RunEnd::incorrect)
            how = " is wrong";
        return "Case " + from + how +
               " only after other cases, or not every time; it is correct when run alone. Run all:";
    }
    std::string end = "; out of time, there may be a smaller one):";
    if (minimal.finished)
        end = "):";
    return "The smallest case that " + how_it_still_ends(minimal.run.end) + " (from case " + from +
           ", " + pluralized(minimal.trials, "trial", "trials") + end;
}

/// With the command that runs it, which is what a bug report needs.
void write_minimal_case(Page& page, const MinimalCase& minimal) {
    page.line();
    page.wrap("", sentence_about(minimal));
    page.line("  " + shown(minimal.rerun_command));
    if (minimal.reproduces_alone)
        page.wrap("      ", why_not_passed(minimal.run));
}

/// The largest size in one sentence, then the memory that it was calculated from.
void write_fit(Page& page, const FitSearch& search) {
    const RnnFit& fit = search.calculated;
    page.wrap("", shown(search.answer), 4);
    page.wrap("    ", kind_of(fit.rnn_case) + ", " + shape_of(fit.rnn_case));
    if (fit.size.value_or(0) > 0)
        page.wrap(
            "    ",
            "weights " + mebibytes(fit.weight_bytes) + ", workspace " +
                mebibytes(fit.workspace_bytes) + ", reserve " + mebibytes(fit.reserve_bytes) +
                ", inputs and outputs " + mebibytes(fit.data_bytes));
    if (fit.free_bytes)
        page.line("    free " + mebibytes(fit.free_bytes) + " of " + mebibytes(fit.total_bytes));
    if (search.failed && search.failed->size && search.failed->result)
        page.wrap(
            "    ",
            std::to_string(*search.failed->size) +
                " did not run: " + shown(in_words(*search.failed->result)));
}

}  // namespace

void write_lstm(Page& page, const LstmExtras& extras) {
    if (extras.minimal_case)
        write_minimal_case(page, *extras.minimal_case);
    if (extras.log_replay || !extras.fits.empty())
        page.line();
    for (const FitSearch& search : extras.fits)
        write_fit(page, search);
    if (!extras.log_replay)
        return;
    for (const std::string& sentence : extras.log_replay->sentences)
        page.wrap("", shown(sentence), 2);
}

}  // namespace rnncheck
