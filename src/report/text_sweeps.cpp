#include <algorithm>
#include <ostream>

#include "base/text.hpp"
#include "report/sweep_grid.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t most_cases_told = 3;

bool is_bad(const RnnRun& run) {
    return run.end == RunEnd::refused || run.end == RunEnd::out_of_memory || run.end == RunEnd::failed ||
           run.end == RunEnd::wrong;
}

TextStyle style_of(RunEnd end) {
    switch (end) {
        case RunEnd::ok:
            return TextStyle::green;
        case RunEnd::not_offered:
            return TextStyle::faint;
        case RunEnd::skipped:
            return TextStyle::yellow;
        default:
            return TextStyle::red;
    }
}

std::string what_happened(const RnnRun& run) {
    std::string text = run.result ? answer_of(*run.result) : "no reason told";
    if (run.where) text = shown(*run.where);
    if (run.end == RunEnd::wrong && run.largest_error && run.limit)
        text += ", error " + short_number(*run.largest_error) + " where " + short_number(*run.limit) + " is allowed";
    return text;
}

std::string told(const RnnRun& run) {
    const RnnCase& c = run.rnn_case;
    return std::string(name_of(run.end)) + ": case " + std::to_string(run.number) + ", " + kind_of(c) + " " +
           shape_of(c) + ": " + what_happened(run);
}

void write_bad_cases(const Sweep& sweep, std::ostream& out, const Style& style) {
    std::size_t left = 0, written = 0;
    for (const RnnRun* run : sweep.runs) {
        if (!is_bad(*run) && !(style.verbose && run->end != RunEnd::ok)) continue;
        if (written == most_cases_told && !style.verbose) {
            ++left;
            continue;
        }
        out << wrapped("  ", told(*run), 6);
        ++written;
    }
    if (left > 0) out << "  and " << counted(left, "more such case", "more such cases") << " (-v tells all)\n";
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

void write_sweeps(const Facts& facts, std::ostream& out, const Style& style) {
    const std::vector<Sweep> sweeps = sweeps_of(facts);
    if (sweeps.empty()) return;
    const std::vector<std::string> shapes = shapes_of(facts);
    const bool drawn = shapes.size() <= most_shapes_drawn;
    out << '\n' << styled(style, TextStyle::bold, "Recurrent networks") << '\n';
    for (const Sweep& sweep : sweeps) {
        out << wrapped("  ", title_of(sweep, facts), 4);
        if (drawn)
            write_grid(sweep, shapes, out, style);
        else
            write_strips(sweep, out, style);
        write_bad_cases(sweep, out, style);
    }
    if (drawn)
        write_legend(shapes, out);
    else
        write_marks(out);
}

}  // namespace rnncheck
