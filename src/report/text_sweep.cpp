// The recurrent-network cases for people: a table of words, and what did not pass spelled out.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "facts/queries.hpp"
#include "facts/rnn_runs.hpp"
#include "report/outline.hpp"
#include "report/sweep.hpp"
#include "report/text.hpp"
#include "report/text_finding.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t most_spelled_out = 3;
constexpr std::size_t few_cases =
    8;  ///< so many requested cases are all spelled out, and need no table

/// Of `rnncheck lstm` with few cases: the numbers of each are what was
/// requested.
bool all_spelled_out(const Facts& facts) {
    return facts.rnn_request && facts.rnn_runs.size() <= few_cases;
}

bool is_bad(const RnnRun& run) {
    return look_of(run.end).is_bad();
}

TextStyle style_of(RunEnd end) {
    constexpr TextStyle by_weight[] = {TextStyle::green, TextStyle::faint, TextStyle::yellow};
    if (look_of(end).is_bad())
        return TextStyle::red;
    return by_weight[look_of(end).weight];
}

/// The end of a process as the result of the case in which it ended.
std::string_view how_it_ended(ProbeEnd end) {
    if (end == ProbeEnd::timed_out || end == ProbeEnd::stuck)
        return "timed out";
    if (end == ProbeEnd::crashed)
        return "crashed";
    return "failed";
}

/// A case whose process ended in it: how, where the probe's runs agree about it.
std::string_view how_it_was_lost(const Facts& facts, const RnnRun& run) {
    std::string_view word;
    const std::string place = concat("GPU ", run.gpu, ' ', run.rnn_api, ' ', run.library);
    for (const ProbeRun& probe : facts.probe_runs) {
        if (probe.completed() || probe.target != place || probe.last_call != run.result->call)
            continue;

        const std::string_view here = how_it_ended(probe.end);
        if (!word.empty() && word != here)
            return "failed";
        word = here;
    }
    if (word.empty())
        return "failed";
    return word;
}

/// Code -1 is not the library's: the process ended before the call returned.
std::string_view word_of(const Facts& facts, const RnnRun& run) {
    const bool was_lost = run.end == RunEnd::failed && run.result && run.result->code == -1;
    if (was_lost)
        return how_it_was_lost(facts, run);
    return look_of(run.end).word;
}

/// "ok"; "WRONG 2/5" where others in the same place ended otherwise; "-" without any case.
std::string cell_word(const Facts& facts, const Cases& cases) {
    if (cases.empty())
        return "-";
    const RunEnd worst = worst_of(cases);
    const auto same = std::ranges::count(cases, worst, &RnnRun::end);
    const std::string word(word_of(facts, **std::ranges::find(cases, worst, &RnnRun::end)));
    if (same < std::ssize(cases))
        return concat(word, ' ', same, '/', cases.size());
    return word;
}

/// "LSTM fp16"; fp32 has two rows, because TF32 is another arithmetic.
std::string row_name(const RnnCase& rnn_case) {
    std::string name = concat(network_name(rnn_case.cell), ' ', rnn_case.dtype);
    if (rnn_case.dtype == Dtype::fp32 && rnn_case.math == MathType::fma)
        name += " no TF32";
    return name;
}

/// Each is headed by one or two words.
const std::vector<std::vector<std::string>> shape_columns = {
    {"plain", ""},
    {"large", ""},
    {"layers or", "directions"},
    {"lengths", "vary"},
    {"persistent", "kernels"},
    {"other", "options"},
    {"training", ""}};

/// The kind of shape: what is farthest from a plain network decides.
std::size_t column_of(const RnnCase& c) {
    constexpr int large = 512, many_steps = 100;
    if (c.training)
        return 6;
    if (c.projection > 0 || c.clip > 0 || c.bias != BiasMode::both ||
        c.input_mode == InputMode::skip)
        return 5;
    if (c.algorithm != Algorithm::standard)
        return 4;
    if (!c.lengths.empty())
        return 3;
    if (c.layers > 1 || c.direction == Direction::bidirectional)
        return 2;
    return c.hidden >= large || c.input >= large || c.sequence_length >= many_steps;
}

/// A kind of network, with the cases of each kind of shape.
struct GridRow {
    std::string name;
    std::vector<Cases> cells = std::vector<Cases>(shape_columns.size());
};

/// LSTM before GRU; of a type the networks with TF32 allowed, then those without.
std::vector<GridRow> grid_of(const Sweep& sweep) {
    auto kinds = grouped(sweep.runs, [](const RnnRun& run) { return row_name(run.rnn_case); });
    // The longer name is the one with "no TF32".
    std::ranges::stable_sort(kinds, {}, [](const auto& kind) {
        const RnnCase& first = kind.second.front()->rnn_case;
        return std::tuple(first.cell, first.dtype, kind.first.size());
    });
    std::vector<GridRow> rows;
    for (const auto& [name, runs] : kinds) {
        rows.push_back({name});
        for (const RnnRun* run : runs)
            rows.back().cells[column_of(run->rnn_case)].push_back(run);
    }
    return rows;
}

/// A heading of two lines, and a line for each row.
std::vector<std::string> table_of(
    const Page& page, const Facts& facts, const std::vector<GridRow>& rows) {
    std::vector<std::vector<std::string>> table = {{" ", ""}, {" ", ""}};
    for (const GridRow& row : rows)
        table.push_back({" ", row.name});
    for (std::size_t i = 0; i < shape_columns.size(); ++i) {
        if (std::ranges::all_of(rows, [&](const GridRow& row) { return row.cells[i].empty(); }))
            continue;
        for (std::size_t line : {0, 1})
            table[line].push_back(shape_columns[i][line]);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const Cases& cases = rows[r].cells[i];
            std::string word = cell_word(facts, cases);
            if (!cases.empty())
                word = page.styled(style_of(worst_of(cases)), word);
            table[r + 2].push_back(std::move(word));
        }
    }
    return aligned(table);
}

/// Where the page is too narrow for the table: "LSTM fp32  ok: plain, training; WRONG 2/5: lengths
/// vary".
void write_list(Page& page, const Facts& facts, const std::vector<GridRow>& rows) {
    std::size_t width = 0;
    for (const GridRow& row : rows)
        width = std::max(width, row.name.size());
    for (const GridRow& row : rows) {
        std::map<std::string, std::vector<std::string>> by_word;
        for (std::size_t i = 0; i < shape_columns.size(); ++i) {
            const std::string name(trim(join(shape_columns[i], " ")));
            if (!row.cells[i].empty())
                by_word[cell_word(facts, row.cells[i])].push_back(name);
        }
        const auto part = [](const auto& entry) {
            return entry.first + ": " + join(entry.second, ", ");
        };
        page.wrap("   " + padded(row.name, width) + "  ", join(mapped(by_word, part), "; "));
    }
}

/// As a table where it fits, else as a list.
void write_grid(Page& page, const Facts& facts, const std::vector<GridRow>& rows) {
    const std::vector<std::string> table = table_of(page, facts, rows);
    if (std::ranges::any_of(
            table, [&](const std::string& line) { return columns_of(line) > page.width(); }))
        return write_list(page, facts, rows);
    for (const std::string& line : table)
        page.line(line);
}

/// What cuDNN requested for the case, of what CUDA reported as free before it.
std::string memory_of(const RnnRun& run) {
    std::string words =
        "weights " + mebibytes(run.weight_bytes) + ", workspace " + mebibytes(run.workspace_bytes);
    if (run.rnn_case.training)
        words += ", reserve " + mebibytes(run.reserve_bytes);
    if (!run.free_bytes)
        return words + " of an unknown amount free";
    return words + " of " + mebibytes(run.free_bytes) + " free";
}

/// In units of the limit: 1 is the largest error that is allowed.
std::string error_of(const RnnRun& run) {
    if (!run.largest_error || !run.limit || *run.limit <= 0)
        return "";
    return "error " + short_number(*run.largest_error / *run.limit) + " times what is allowed";
}

/// Why the numbers of an fp32 case are less exact than fp32, if they are.
std::string precision_of(const RnnRun& run) {
    if (run.precision == Precision::tf32)
        return "TF32 in use";
    if (run.precision == Precision::fast_math)
        return "within the limits of fast mathematics (tanh.approx), as cuDNN may compile this "
               "kernel";
    return "";
}

/// Of a case that was computed.
std::string numbers_of(const RnnRun& run) {
    const auto milliseconds = [](const std::optional<double>& value) {
        if (!value)
            return std::string("?");
        return short_number(*value) + " ms";
    };
    std::vector<std::string> parts = {error_of(run)};
    if (run.limit)
        parts.push_back("y may differ by " + short_number(*run.limit));
    parts.push_back(precision_of(run));
    if (run.overflow == true)
        parts.emplace_back("numbers beyond fp16");
    if (run.bitwise_repeatable == false)
        parts.emplace_back("not bitwise identical when repeated");
    parts.push_back(
        "first run " + milliseconds(run.first_ms) + ", second " + milliseconds(run.repeat_ms));
    if (run.workspace_bytes || run.weight_bytes)
        parts.push_back(memory_of(run));
    return listed(std::move(parts));
}

/// What cases that failed in the same way have in common: the call and its status, or that the
/// numbers are wrong.
std::string reason_of(const RnnRun& run) {
    if (run.end == RunEnd::incorrect)
        return "";
    return why_not_passed(run);
}

/// What only `rnncheck lstm` shows: the numbers of a case, and how to run it again.
void write_details(Page& page, const Facts& facts, const RnnRun& run) {
    if (run.end == RunEnd::ok || run.end == RunEnd::incorrect)
        page.wrap("      ", numbers_of(run));
    if (run.end != RunEnd::ok && run.end != RunEnd::not_supported)
        page.line("      run it again: " + rerun_command(facts, run));
}

/// `others` is how many more cases ended in the same way.
void write_case(Page& page, const Facts& facts, const RnnRun& run, std::size_t others = 0) {
    const RnnCase& network = run.rnn_case;
    std::string alike, why;
    if (others > 0)
        alike = " (and " + pluralized(others, "other case", "other cases") + ')';
    if (run.end != RunEnd::ok)
        why = ": " + why_not_passed(run);
    page.wrap(
        "  ",
        concat(
            page.styled(style_of(run.end), word_of(facts, run)),
            ": case ",
            run.number,
            alike,
            ", ",
            kind_of(network),
            ' ',
            shape_of(network),
            why),
        6);
    if (facts.rnn_request)
        write_details(page, facts, run);
}

/// Every case that is wanted by itself: with -v what did not pass, of requested cases all.
void write_each_case(Page& page, const Facts& facts, const Sweep& sweep) {
    const bool all = all_spelled_out(facts) || facts.rnn_request;
    for (const RnnRun* run : sweep.runs)
        if (all || run->end != RunEnd::ok)
            write_case(page, facts, *run);
}

/// What did not pass: the cases that failed in the same way together.
std::vector<Cases> kinds_of_failure(const Facts& facts, const Sweep& sweep) {
    Cases failed;
    std::ranges::copy_if(
        sweep.runs, std::back_inserter(failed), [](const RnnRun* run) { return is_bad(*run); });
    const auto kind = [&](const RnnRun& run) {
        return std::pair(std::string(word_of(facts, run)), reason_of(run));
    };
    return mapped(grouped(failed, kind), [](const auto& alike) { return alike.second; });
}

void write_kinds_of_failure(Page& page, const Facts& facts, const Sweep& sweep) {
    const std::vector<Cases> kinds = kinds_of_failure(facts, sweep);
    std::size_t written = 0;
    for (const Cases& alike : kinds) {
        if (written++ == most_spelled_out)
            break;
        write_case(page, facts, *alike.front(), alike.size() - 1);
    }
    const std::size_t left = kinds.size() - std::min(kinds.size(), most_spelled_out);
    if (left > 0)
        page.line(
            "  and " + pluralized(left, "other kind of failure", "other kinds of failure") +
            " (-v)");
}

void write_cases(Page& page, const Facts& facts, const Sweep& sweep) {
    if (page.is_verbose() || all_spelled_out(facts))
        write_each_case(page, facts, sweep);
    else
        write_kinds_of_failure(page, facts, sweep);
}

Mark mark_of(RunEnd end) {
    constexpr Mark by_weight[] = {Mark::passed, Mark::not_run, Mark::warning};
    if (look_of(end).is_bad())
        return Mark::failed;
    return by_weight[look_of(end).weight];
}

/// The table of a page for formats that draw tables.
OutlineTable grid_table(const Facts& facts, const std::vector<GridRow>& rows) {
    OutlineTable table{.columns = {"Network"}};
    table.rows =
        mapped(rows, [](const GridRow& row) { return std::vector<OutlineCell>{{row.name}}; });
    for (std::size_t i = 0; i < shape_columns.size(); ++i) {
        if (std::ranges::all_of(rows, [&](const GridRow& row) { return row.cells[i].empty(); }))
            continue;
        table.columns.emplace_back(trim(join(shape_columns[i], " ")));
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const Cases& cases = rows[r].cells[i];
            const Mark mark = cases.empty() ? Mark::not_run : mark_of(worst_of(cases));
            table.rows[r].push_back({cell_word(facts, cases), mark});
        }
    }
    return table;
}

std::vector<OutlineCell> row_of_case(
    const Facts& facts, const RnnRun& run, std::size_t others = 0) {
    const bool was_computed = run.end == RunEnd::ok || run.end == RunEnd::incorrect;
    std::vector<std::string> details;
    if (others > 0)
        details.push_back("the same in " + pluralized(others, "other case", "other cases"));
    if (run.end != RunEnd::ok)
        details.push_back(why_not_passed(run));
    if (facts.rnn_request && was_computed)
        details.push_back(numbers_of(run));
    if (facts.rnn_request && run.end != RunEnd::ok && run.end != RunEnd::not_supported)
        details.push_back("run it again: " + rerun_command(facts, run));
    return {
        {std::to_string(run.number)},
        {kind_of(run.rnn_case) + ' ' + shape_of(run.rnn_case)},
        {std::string(word_of(facts, run)), mark_of(run.end)},
        {join(details, "\n")}};
}

/// Of requested cases each in a row; else each kind of failure.
OutlineTable table_of_cases(const Facts& facts, const Sweep& sweep) {
    OutlineTable table{.columns = {"Case", "Network", "Result", "Details"}};
    if (facts.rnn_request) {
        for (const RnnRun* run : sweep.runs)
            if (all_spelled_out(facts) || is_bad(*run))
                table.rows.push_back(row_of_case(facts, *run));
        return table;
    }
    for (const Cases& alike : kinds_of_failure(facts, sweep))
        table.rows.push_back(row_of_case(facts, *alike.front(), alike.size() - 1));
    return table;
}

/// The table is worth its lines only where kinds of networks fared differently.
bool needs_table(const Page& page, const Facts& facts, const Sweep& sweep) {
    if (all_spelled_out(facts))
        return false;
    if (page.is_verbose() || facts.rnn_request)
        return true;
    std::set<RunEnd> ends;
    for (const RnnRun* run : sweep.runs)
        ends.insert(run->end);
    // What ran out of memory depends on the order of cases, not on their kind.
    return ends.size() > 1 && !ends.contains(RunEnd::out_of_memory);
}

/// The path only where several cuDNN installations of one version were tested.
std::string title_of(const Facts& facts, const Sweep& sweep) {
    std::string which;
    if (facts.cudnns.size() > 1)
        which = shown(sweep.library);
    return concat(
        gpus_in_words(sweep.gpus),
        ", ",
        cudnn_in_words(facts, sweep.library),
        ", ",
        sweep.rnn_api,
        " API",
        if_any(", ", which),
        ": ",
        counts_of(facts, sweep.runs));
}

}  // namespace

std::string why_not_passed(const RnnRun& run) {
    if (run.end == RunEnd::incorrect)
        return shown(how_wrong(run));
    if (run.where)
        return shown(*run.where);
    if (run.result)
        return shown(in_words(*run.result));
    return "no reason given";
}

/// The numbers of a case that passed, the reason of one that did not.
std::string how_it_went(const RnnRun& run) {
    const std::string_view word = look_of(run.end).word;
    if (run.end == RunEnd::ok)
        return concat(word, ": ", numbers_of(run));
    return concat(word, ": ", why_not_passed(run));
}

/// By what matters, the good ones first; results that vary count separately.
std::string counts_of(const Facts& facts, const Cases& cases) {
    std::map<std::pair<RunEnd, std::string_view>, std::size_t> numbers;
    std::size_t unsteady = 0;
    for (const RnnRun* run : cases) {
        ++numbers[{run->end, word_of(facts, *run)}];
        unsteady += run->end == RunEnd::ok && run->bitwise_repeatable == false;
    }
    std::vector<CountedThing> things;
    for (const auto& [end, number] : numbers)
        things.push_back({number, end.second, end.second});
    things.push_back(
        {unsteady, "not bitwise identical when repeated", "not bitwise identical when repeated"});
    return counts_in_words(things);
}

/// Sweeps without a failure have one line, unless all are wanted.
void write_sweeps(Page& page, const Facts& facts, bool all, std::string_view heading) {
    const std::vector<Sweep> sweeps = sweeps_of(facts);
    const auto has_bad = [](const Sweep& sweep) {
        return std::ranges::any_of(sweep.runs, [](const RnnRun* run) { return is_bad(*run); });
    };
    if (sweeps.empty() || (!all && std::ranges::none_of(sweeps, has_bad)))
        return;
    if (!heading.empty())
        page.heading(heading);
    for (const Sweep& sweep : sweeps) {
        page.wrap("  ", title_of(facts, sweep), 4);
        if (!all && !has_bad(sweep))
            continue;
        if (needs_table(page, facts, sweep))
            write_grid(page, facts, grid_of(sweep));
        write_cases(page, facts, sweep);
    }
}

/// The grid, then the cases that did not pass; few requested cases need no
/// grid.
std::vector<OutlineTable> tables_of_sweeps(const Facts& facts) {
    std::vector<OutlineTable> tables;
    for (const Sweep& sweep : sweeps_of(facts)) {
        if (!all_spelled_out(facts))
            tables.push_back(grid_table(facts, grid_of(sweep)));
        OutlineTable cases = table_of_cases(facts, sweep);
        const std::string title = title_of(facts, sweep);
        if (!all_spelled_out(facts))
            tables.back().title = title;
        cases.title = all_spelled_out(facts) ? title : "Cases that did not pass";
        if (!cases.rows.empty())
            tables.push_back(std::move(cases));
    }
    return tables;
}

}  // namespace rnncheck
