// What a report of `rnncheck lstm` has beside that of the doctor, for people.
#include <ostream>

#include "base/text.hpp"
#include "facts/rnn_runs.hpp"
#include "report/sweep_grid.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

std::string how_it_still_ends(RunEnd end) {
    return end == RunEnd::incorrect ? "is still wrong" : end == RunEnd::rejected ? "is still refused" : "still fails";
}

void write_minimal_case(const MinimalCase& minimal, std::ostream& out) {
    const RnnRun& run = minimal.run;
    const std::string from = std::to_string(minimal.number);
    if (minimal.alone)
        out << "\nThe smallest case that " << how_it_still_ends(run.end) << " (from case " << from << ", "
            << pluralized(static_cast<std::size_t>(minimal.trials), "trial", "trials")
            << (minimal.finished ? "):\n" : "; out of time, there may be a smaller one):\n");
    else
        out << "\nCase " << from << (run.end == RunEnd::incorrect ? " is wrong" : " fails")
            << " only after other cases, or not every time: run alone it is right. All of them again:\n";
    out << "  " << shown(minimal.rerun_command) << '\n';
    if (minimal.alone) out << wrapped("      ", what_happened(run), 6);
}

void write_fit(const FitSearch& search, std::ostream& out) {
    const RnnFit& fit = search.calculated;
    out << wrapped("GPU " + std::to_string(fit.gpu) + ": ", kind_of(fit.rnn_case) + ", " + shape_of(fit.rnn_case), 4);
    if (fit.size.value_or(0) > 0)
        out << wrapped("    ", "weights " + mebibytes(fit.weight_bytes) + ", work " + mebibytes(fit.workspace_bytes) +
                                   ", reserve " + mebibytes(fit.reserve_bytes) + ", inputs and outputs " +
                                   mebibytes(fit.data_bytes));
    if (fit.free_bytes) out << "    free " << mebibytes(fit.free_bytes) << " of " << mebibytes(fit.total_bytes) << '\n';
    if (search.failed && search.failed->size && search.failed->result)
        out << wrapped("    ",
                       std::to_string(*search.failed->size) + " did not run: " + answer_of(*search.failed->result));
}

}  // namespace

void write_lstm(const LstmExtras& extras, std::ostream& out) {
    if (extras.minimal_case) write_minimal_case(*extras.minimal_case, out);
    if (extras.log_replay || !extras.fits.empty()) out << '\n';
    for (const FitSearch& search : extras.fits) write_fit(search, out);
    if (!extras.log_replay) return;
    for (const std::string& sentence : extras.log_replay->sentences) out << wrapped("", shown(sentence), 2);
}

}  // namespace rnncheck
