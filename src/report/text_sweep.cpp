// The recurrent-network cases for people: a table of words, and what did not pass spelled out.
#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "facts/rnn_runs.hpp"
#include "report/sweep.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t most_spelled_out = 3;
constexpr std::size_t few_cases = 8;  ///< so many requested cases are all spelled out, and need no table

bool all_spelled_out(const Facts& facts) {
    return facts.rnn_request && facts.rnn_runs.size() <= few_cases;
}

bool is_bad(const RnnRun& run) {
    return run.end != RunEnd::ok && run.end != RunEnd::not_supported && run.end != RunEnd::skipped;
}

TextStyle style_of(RunEnd end) {
    if (end == RunEnd::ok) return TextStyle::green;
    if (end == RunEnd::not_supported) return TextStyle::faint;
    return end == RunEnd::skipped ? TextStyle::yellow : TextStyle::red;
}

/// A case whose process ended in it: how, where the probe's runs agree about it.
std::string_view how_it_was_lost(const Facts& facts, const RnnRun& run) {
    std::string_view word;
    const std::string place =
        "GPU " + std::to_string(run.gpu) + " " + std::string(name_of(run.dialect)) + " " + run.library;
    for (const ProbeRun& probe : facts.probe_runs) {
        if (probe.completed() || probe.target != place || probe.last_call != run.result->call) continue;
        const bool hung = probe.end == ProbeEnd::timed_out || probe.end == ProbeEnd::stuck;
        const std::string_view here = hung ? "timed out" : probe.end == ProbeEnd::crashed ? "crashed" : "failed";
        if (!word.empty() && word != here) return "failed";
        word = here;
    }
    return word.empty() ? "failed" : word;
}

std::string_view word_of(const Facts& facts, const RnnRun& run) {
    const bool was_lost = run.end == RunEnd::failed && run.result && run.result->code == -1;
    return was_lost ? how_it_was_lost(facts, run) : word_of(run.end);
}

/// "ok"; "WRONG 2/5" where others in the same place ended otherwise; "-" without any case.
std::string cell_word(const Facts& facts, const Cases& cases) {
    if (cases.empty()) return "-";
    const RunEnd worst = worst_of(cases);
    const auto same = std::ranges::count(cases, worst, &RnnRun::end);
    std::string word(word_of(facts, **std::ranges::find(cases, worst, &RnnRun::end)));
    if (same < std::ssize(cases)) word += " " + std::to_string(same) + "/" + std::to_string(cases.size());
    return word;
}

std::string row_name(const RnnCase& rnn_case) {
    const bool no_tf32 = rnn_case.dtype == Dtype::fp32 && rnn_case.math == MathType::fma;
    return network_name(rnn_case.cell) + " " + std::string(name_of(rnn_case.dtype)) + (no_tf32 ? " no TF32" : "");
}

struct Column {
    std::string_view first, second;
};
constexpr std::array<Column, 7> shape_columns = {{{"plain", ""},
                                                  {"large", ""},
                                                  {"layers or", "directions"},
                                                  {"lengths", "vary"},
                                                  {"persistent", "kernels"},
                                                  {"other", "options"},
                                                  {"training", ""}}};

/// The kind of shape: what is farthest from a plain network decides.
std::size_t column_of(const RnnCase& c) {
    constexpr int large = 512, many_steps = 100;
    if (c.training) return 6;
    if (c.projection > 0 || c.clip > 0 || c.bias != BiasMode::both || c.input_mode == InputMode::skip) return 5;
    if (c.algorithm != Algorithm::standard) return 4;
    if (!c.lengths.empty()) return 3;
    if (c.layers > 1 || c.direction == Direction::bidirectional) return 2;
    return c.hidden >= large || c.input >= large || c.sequence_length >= many_steps ? 1 : 0;
}

struct Grid {
    std::vector<GridRow> rows;
    std::vector<std::vector<std::string>> words;
    std::size_t name_width = 0, width = 0;
    std::array<std::size_t, shape_columns.size()> widths = {};  ///< 0: no case, not drawn
};

/// LSTM before GRU; of a type the networks with TF32 allowed, then those without.
auto row_order(const GridRow& row) {
    for (const Cases& cases : row.cells)
        if (!cases.empty())
            return std::tuple(cases.front()->rnn_case.cell, cases.front()->rnn_case.dtype, row.name.size());
    return std::tuple(Cell::relu, Dtype::bf16, row.name.size());
}

Grid grid_table(const Facts& facts, const Sweep& sweep) {
    Grid table{grid_of(sweep, shape_columns.size(), row_name, column_of), {}};
    std::ranges::stable_sort(table.rows, {}, row_order);
    for (const GridRow& row : table.rows) {
        table.name_width = std::max(table.name_width, row.name.size());
        auto& words = table.words.emplace_back();
        for (const Cases& cases : row.cells) words.push_back(cell_word(facts, cases));
    }
    table.width = table.name_width + 3;
    for (std::size_t i = 0; i < shape_columns.size(); ++i) {
        if (std::ranges::all_of(table.rows, [&](const GridRow& row) { return row.cells[i].empty(); })) continue;
        table.widths[i] = std::max(shape_columns[i].first.size(), shape_columns[i].second.size());
        for (const auto& words : table.words) table.widths[i] = std::max(table.widths[i], words[i].size());
        table.width += table.widths[i] + 2;
    }
    return table;
}

void write_heading(Page& page, const Grid& table, std::string_view Column::*part) {
    std::string line(table.name_width + 3, ' ');
    for (std::size_t i = 0; i < shape_columns.size(); ++i)
        if (table.widths[i] > 0) line += "  " + padded(shape_columns[i].*part, table.widths[i]);
    page.line(line.substr(0, line.find_last_not_of(' ') + 1));
}

void write_table(Page& page, const Grid& table) {
    write_heading(page, table, &Column::first);
    write_heading(page, table, &Column::second);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        std::string line = "   " + padded(table.rows[r].name, table.name_width), gap = "  ";
        for (std::size_t i = 0; i < shape_columns.size(); ++i) {
            if (table.widths[i] == 0) continue;
            const std::string& word = table.words[r][i];
            const Cases& cases = table.rows[r].cells[i];
            line += gap + (cases.empty() ? word : page.styled(style_of(worst_of(cases)), word));
            gap = std::string(table.widths[i] - word.size() + 2, ' ');
        }
        page.line(line);
    }
}

/// Where the page is too narrow for the table: "LSTM fp32  ok: plain, training; WRONG 2/5: lengths vary".
void write_list(Page& page, const Grid& table) {
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        std::map<std::string, std::string> by_word;
        for (std::size_t i = 0; i < shape_columns.size(); ++i) {
            if (table.rows[r].cells[i].empty()) continue;
            std::string& names = by_word[table.words[r][i]];
            names += (names.empty() ? "" : ", ") + std::string(shape_columns[i].first);
            if (!shape_columns[i].second.empty()) names += " " + std::string(shape_columns[i].second);
        }
        std::vector<std::string> parts;
        for (const auto& [word, names] : by_word) parts.push_back(word + ": " + names);
        page.wrap("   " + padded(table.rows[r].name, table.name_width) + "  ", join(parts, "; "));
    }
}

std::string memory_of(const RnnRun& run) {
    return "weights " + mebibytes(run.weight_bytes) + ", workspace " + mebibytes(run.workspace_bytes) +
           (run.rnn_case.training ? ", reserve " + mebibytes(run.reserve_bytes) : "") + " of " +
           (run.free_bytes ? mebibytes(run.free_bytes) + " free" : "an unknown amount free");
}

/// Of a case that was computed.
std::string numbers_of(const RnnRun& run) {
    const auto milliseconds = [](const std::optional<double>& value) {
        return value ? short_number(*value) + " ms" : "?";
    };
    std::vector<std::string> parts;
    if (run.largest_error && run.limit && *run.limit > 0)
        parts.push_back("error " + short_number(*run.largest_error / *run.limit) + " times what is allowed");
    if (run.limit) parts.push_back("y may differ by " + short_number(*run.limit));
    if (run.precision == Precision::tf32) parts.emplace_back("TF32 in use");
    if (run.precision == Precision::fast_math)
        parts.emplace_back("within the limits of fast mathematics (tanh.approx), as cuDNN may compile this kernel");
    if (run.overflow == true) parts.emplace_back("numbers beyond fp16");
    if (run.bitwise_repeatable == false) parts.emplace_back("not bitwise identical when repeated");
    parts.push_back("first run " + milliseconds(run.first_ms) + ", second " + milliseconds(run.repeat_ms));
    if (run.workspace_bytes || run.weight_bytes) parts.push_back(memory_of(run));
    return join(parts, ", ");
}

/// Why a case did not pass.
std::string what_happened(const RnnRun& run) {
    std::string text = run.result ? answer_of(*run.result) : "no reason given";
    if (run.where) text = shown(*run.where);
    if (run.end == RunEnd::incorrect && run.largest_error && run.limit)
        text += ", error " + short_number(*run.largest_error) + " where " + short_number(*run.limit) + " is allowed";
    return text;
}

/// What only `rnncheck lstm` shows: the numbers of a case, and how to run it again.
void write_details(Page& page, const Facts& facts, const RnnRun& run) {
    if (run.end == RunEnd::ok || run.end == RunEnd::incorrect) page.wrap("      ", numbers_of(run));
    if (run.end != RunEnd::ok && run.end != RunEnd::not_supported)
        page.line("      run it again: " + rerun_command(facts, run));
}

void write_cases(Page& page, const Facts& facts, const Sweep& sweep) {
    const bool all = all_spelled_out(facts) || (page.is_verbose() && facts.rnn_request);
    std::size_t left = 0, written = 0;
    for (const RnnRun* run : sweep.runs) {
        if (!all && !is_bad(*run) && !(page.is_verbose() && run->end != RunEnd::ok)) continue;
        if (written == most_spelled_out && !page.is_verbose() && !all) {
            ++left;
            continue;
        }
        const RnnCase& c = run->rnn_case;
        page.wrap("  ",
                  page.styled(style_of(run->end), word_of(facts, *run)) + ": case " + std::to_string(run->number) +
                      ", " + kind_of(c) + " " + shape_of(c) +
                      (run->end == RunEnd::ok ? "" : ": " + what_happened(*run)),
                  6);
        if (facts.rnn_request) write_details(page, facts, *run);
        ++written;
    }
    if (left > 0) page.line("  and " + pluralized(left, "more such case", "more such cases") + " (-v shows all)");
}

/// The path only where several cuDNN installations of one version were tested.
std::string title_of(const Facts& facts, const Sweep& sweep) {
    std::string cudnn = "cuDNN";
    for (const Cudnn& installed : facts.cudnns)
        if (installed.library == sweep.library && installed.version) cudnn += " " + shown(installed.version->text);
    const bool several = facts.cudnns.size() > 1;
    return gpus_in_words(sweep.gpus) + ", " + cudnn + ", " + std::string(name_of(sweep.dialect)) + " API" +
           (several ? ", " + shown(sweep.library) : "") + ": " + counts_of(facts, sweep.runs);
}

std::string how_it_still_ends(RunEnd end) {
    return end == RunEnd::incorrect ? "is still wrong" : end == RunEnd::rejected ? "is still rejected" : "still fails";
}

void write_minimal_case(Page& page, const MinimalCase& minimal) {
    const std::string from = std::to_string(minimal.number);
    page.line();
    if (minimal.alone)
        page.wrap("", "The smallest case that " + how_it_still_ends(minimal.run.end) + " (from case " + from + ", " +
                          pluralized(minimal.trials, "trial", "trials") +
                          (minimal.finished ? "):" : "; out of time, there may be a smaller one):"));
    else
        page.wrap("", "Case " + from + (minimal.run.end == RunEnd::incorrect ? " is wrong" : " fails") +
                          " only after other cases, or not every time: run alone it is correct. All of them again:");
    page.line("  " + shown(minimal.rerun_command));
    if (minimal.alone) page.wrap("      ", what_happened(minimal.run));
}

void write_fit(Page& page, const FitSearch& search) {
    const RnnFit& fit = search.calculated;
    page.wrap("", shown(search.answer), 4);
    page.wrap("    ", kind_of(fit.rnn_case) + ", " + shape_of(fit.rnn_case));
    if (fit.size.value_or(0) > 0)
        page.wrap("    ", "weights " + mebibytes(fit.weight_bytes) + ", workspace " + mebibytes(fit.workspace_bytes) +
                              ", reserve " + mebibytes(fit.reserve_bytes) + ", inputs and outputs " +
                              mebibytes(fit.data_bytes));
    if (fit.free_bytes) page.line("    free " + mebibytes(fit.free_bytes) + " of " + mebibytes(fit.total_bytes));
    if (search.failed && search.failed->size && search.failed->result)
        page.wrap("    ", std::to_string(*search.failed->size) + " did not run: " + answer_of(*search.failed->result));
}

}  // namespace

std::string counts_of(const Facts& facts, const Cases& cases) {
    std::map<std::pair<RunEnd, std::string_view>, std::size_t> numbers;
    std::size_t unsteady = 0;
    for (const RnnRun* run : cases) {
        ++numbers[{run->end, word_of(facts, *run)}];
        unsteady += run->end == RunEnd::ok && run->bitwise_repeatable == false;
    }
    std::vector<std::string> parts;
    for (const auto& [end, number] : numbers) parts.push_back(std::to_string(number) + " " + std::string(end.second));
    if (unsteady > 0) parts.push_back(std::to_string(unsteady) + " not bitwise identical when repeated");
    return join(parts, ", ");
}

void write_sweeps(Page& page, const Facts& facts, bool all, std::string_view heading) {
    const std::vector<Sweep> sweeps = sweeps_of(facts);
    const auto has_bad = [](const Sweep& sweep) {
        return std::ranges::any_of(sweep.runs, [](const RnnRun* run) { return is_bad(*run); });
    };
    if (sweeps.empty() || (!all && std::ranges::none_of(sweeps, has_bad))) return;
    if (!heading.empty()) page.heading(heading);
    for (const Sweep& sweep : sweeps) {
        page.wrap("  ", title_of(facts, sweep), 4);
        if (!all && !has_bad(sweep)) continue;
        const Grid table = grid_table(facts, sweep);
        if (!all_spelled_out(facts)) (table.width <= page.width() ? write_table : write_list)(page, table);
        write_cases(page, facts, sweep);
    }
}

void write_lstm(Page& page, const LstmExtras& extras) {
    if (extras.minimal_case) write_minimal_case(page, *extras.minimal_case);
    if (extras.log_replay || !extras.fits.empty()) page.line();
    for (const FitSearch& search : extras.fits) write_fit(page, search);
    if (!extras.log_replay) return;
    for (const std::string& sentence : extras.log_replay->sentences) page.wrap("", shown(sentence), 2);
}

}  // namespace rnncheck
