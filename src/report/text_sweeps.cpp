#include <algorithm>
#include <ostream>

#include "base/text.hpp"
#include "facts/rnn_runs.hpp"
#include "report/sweep_grid.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t most_cases_told = 3;
constexpr std::size_t few_cases = 8;  ///< so many requested cases are all told, and need no grid

bool all_are_told(const Facts& facts) {
    return facts.rnn_request && facts.rnn_runs.size() <= few_cases;
}

bool is_bad(const RnnRun& run) {
    return run.end == RunEnd::rejected || run.end == RunEnd::out_of_memory || run.end == RunEnd::failed ||
           run.end == RunEnd::incorrect;
}

TextStyle style_of(RunEnd end) {
    switch (end) {
        case RunEnd::ok:
            return TextStyle::green;
        case RunEnd::not_supported:
            return TextStyle::faint;
        case RunEnd::skipped:
            return TextStyle::yellow;
        default:
            return TextStyle::red;
    }
}

std::string milliseconds(const std::optional<double>& value) {
    return value ? short_number(*value) + " ms" : "?";
}

std::string memory_of(const RnnRun& run) {
    return "weights " + mebibytes(run.weight_bytes) + ", work " + mebibytes(run.workspace_bytes) +
           (run.rnn_case.training ? ", reserve " + mebibytes(run.reserve_bytes) : "") + " of " +
           (run.free_bytes ? mebibytes(run.free_bytes) + " free" : "an unknown amount free");
}

/// Of a case that was computed.
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
    parts.push_back("first run " + milliseconds(run.first_ms) + ", second " + milliseconds(run.repeat_ms));
    if (run.workspace_bytes || run.weight_bytes) parts.push_back(memory_of(run));
    return join(parts, ", ");
}

std::string told(const RnnRun& run) {
    const RnnCase& c = run.rnn_case;
    return std::string(name_of(run.end)) + ": case " + std::to_string(run.number) + ", " + kind_of(c) + " " +
           shape_of(c) + (run.end == RunEnd::ok ? "" : ": " + what_happened(run));
}

/// What only `rnncheck lstm` tells: the numbers of a case, and how to run it again.
void write_details(const Facts& facts, const RnnRun& run, std::ostream& out) {
    if (run.end == RunEnd::ok || run.end == RunEnd::incorrect) out << wrapped("      ", numbers_of(run), 6);
    if (run.end != RunEnd::ok && run.end != RunEnd::not_supported)
        out << "      run it again: " << rerun_command(facts, run) << '\n';
}

void write_cases(const Facts& facts, const Sweep& sweep, std::ostream& out, const Style& style) {
    const bool all = all_are_told(facts) || (style.verbose && facts.rnn_request);
    std::size_t left = 0, written = 0;
    for (const RnnRun* run : sweep.runs) {
        if (!all && !is_bad(*run) && !(style.verbose && run->end != RunEnd::ok)) continue;
        if (written == most_cases_told && !style.verbose && !all) {
            ++left;
            continue;
        }
        out << wrapped("  ", told(*run), 6);
        if (facts.rnn_request) write_details(facts, *run, out);
        ++written;
    }
    if (left > 0) out << "  and " << pluralized(left, "more such case", "more such cases") << " (-v tells all)\n";
}

std::string counts_of(const Sweep& sweep) {
    constexpr std::string_view words[] = {"right",  "not offered", "refused", "out of memory",
                                          "failed", "WRONG",       "skipped"};
    static_assert(std::size(words) == static_cast<std::size_t>(RunEnd::skipped) + 1);
    std::size_t numbers[std::size(words)] = {}, unsteady = 0;
    for (const RnnRun* run : sweep.runs) {
        ++numbers[static_cast<std::size_t>(run->end)];
        unsteady += run->end == RunEnd::ok && run->bitwise_repeatable == false;
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::size(words); ++i)
        if (numbers[i] > 0) parts.push_back(std::to_string(numbers[i]) + " " + std::string(words[i]));
    if (unsteady > 0) parts.push_back(std::to_string(unsteady) + " not the same bits twice");
    return join(parts, ", ");
}

std::string title_of(const Sweep& sweep, const Facts& facts) {
    std::string cudnn = "cuDNN";
    for (const Cudnn& copy : facts.cudnns)
        if (copy.library == sweep.library && copy.version) cudnn += " " + shown(copy.version->text);
    return gpus_of(sweep) + ", " + cudnn + ", " + std::string(name_of(sweep.dialect)) +
           " interface: " + counts_of(sweep) + " (" + shown(sweep.library) + ")";
}

void write_grid(const Sweep& sweep, const std::vector<std::string>& shapes, std::ostream& out, const Style& style) {
    const std::vector<GridRow> rows = grid_of(sweep, shapes);
    std::size_t width = 0;
    for (const GridRow& row : rows) width = std::max(width, columns_of(row.kind));
    out << "    " << std::string(width, ' ');
    for (std::size_t i = 0; i < shapes.size(); ++i) out << ' ' << letter_of(i);
    out << '\n';
    for (const GridRow& row : rows) {
        std::string line = "    " + padded(row.kind, width);
        std::string gap;
        for (const auto& end : row.ends) {
            gap += ' ';
            if (!end)
                gap += ' ';
            else {
                line += gap + styled(style, style_of(*end), std::string(1, mark_of(*end)));
                gap.clear();
            }
        }
        out << line << '\n';
    }
}

/// Where there are too many shapes for columns: a mark for each case, in order.
void write_strips(const Sweep& sweep, std::ostream& out, const Style& style) {
    std::vector<std::pair<std::string, std::vector<RunEnd>>> rows;
    std::size_t width = 0;
    for (const RnnRun* run : sweep.runs) {
        const std::string kind = kind_of(run->rnn_case);
        auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.first == kind; });
        if (row == rows.end()) row = rows.insert(rows.end(), {kind, {}});
        row->second.push_back(run->end);
        width = std::max(width, columns_of(kind));
    }
    const std::size_t in_line = page_width - std::min(page_width - 20, width + 6);
    for (const auto& [kind, ends] : rows) {
        std::string line = "    " + padded(kind, width) + "  ";
        for (std::size_t i = 0; i < ends.size(); ++i) {
            if (i > 0 && i % in_line == 0) line += '\n' + std::string(width + 6, ' ');
            line += styled(style, style_of(ends[i]), std::string(1, mark_of(ends[i])));
        }
        out << line << '\n';
    }
}

void write_marks(std::ostream& out) {
    out << "  . right  - not offered  r refused  m out of memory  X failed  W wrong  s skipped\n";
}

void write_legend(const std::vector<std::string>& shapes, std::ostream& out) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < shapes.size(); ++i) parts.push_back(std::string(1, letter_of(i)) + ": " + shapes[i]);
    write_marks(out);
    out << "  I input, H hidden, B batch, T steps, L layers\n";
    out << wrapped("  ", join(parts, "; "), 2);
}

}  // namespace

std::string what_happened(const RnnRun& run) {
    std::string text = run.result ? answer_of(*run.result) : "no reason told";
    if (run.where) text = shown(*run.where);
    if (run.end == RunEnd::incorrect && run.largest_error && run.limit)
        text += ", error " + short_number(*run.largest_error) + " where " + short_number(*run.limit) + " is allowed";
    return text;
}

void write_sweeps(const Facts& facts, std::ostream& out, const Style& style) {
    const std::vector<Sweep> sweeps = sweeps_of(facts);
    if (sweeps.empty()) return;
    const std::vector<std::string> shapes = shapes_of(facts);
    const bool drawn = shapes.size() <= most_shapes_drawn, told_in_full = all_are_told(facts);
    out << '\n' << styled(style, TextStyle::bold, "Recurrent networks") << '\n';
    for (const Sweep& sweep : sweeps) {
        out << wrapped("  ", title_of(sweep, facts), 4);
        if (drawn && !told_in_full) write_grid(sweep, shapes, out, style);
        if (!drawn) write_strips(sweep, out, style);
        write_cases(facts, sweep, out, style);
    }
    if (told_in_full) return;
    if (drawn)
        write_legend(shapes, out);
    else
        write_marks(out);
}

}  // namespace rnncheck
