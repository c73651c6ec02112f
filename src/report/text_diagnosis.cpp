// The text report about a log, cause by cause.
#include <algorithm>
#include <span>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/outline.hpp"
#include "report/text_finding.hpp"

namespace rnncheck {

namespace {

/// So many causes fill the screen.
constexpr std::size_t many_causes = 4;

/// How long the parts of a diagnosis may be, in columns: whole where there is room, one or two
/// lines where there is none.
struct Room {
    std::size_t quote = 240, error = 240, known = 1000, reason = 1000, first_check = 1000,
                check = 1000;
};
constexpr Room beside_many_causes = {
    .quote = 100,
    .error = 100,
    .known = 65,
    .reason = 130,
    .first_check = 130,
    .check = 72,
};

/// "lines 12, 14 and 20"; no more than fit into a line.
std::string lines_of(const Log& log, LogKind kind) {
    constexpr std::size_t most_lines = 8;
    std::vector<std::string> lines;
    for (const LogEvent& event : log.events)
        if (event.kind == kind && lines.size() < most_lines)
            add_once(lines, std::to_string(event.line));
    if (lines.empty())
        return "";
    std::string word = "lines ";
    if (lines.size() == 1)
        word = "line ";
    return word + join_with_and(lines);
}

/// The network as TensorFlow prints it when a call for it fails.
std::string network_in_words(const LogRnnConfig& config) {
    const auto number = [](const char* name, const std::optional<std::int64_t>& value) {
        if (!value)
            return std::string();
        return concat(name, ' ', *value);
    };
    return shown(listed(
        {config.cell.value_or("cell unknown"),
         config.direction.value_or(""),
         number("layers", config.layers),
         number("input", config.input_size),
         number("units", config.units),
         number("longest sequence", config.sequence_length),
         number("batch", config.batch),
         if_any("not in the log: ", join_with_and(config.missing))}));
}

/// What --given named, and what of it was not understood.
std::string given_in_words(const Log& log) {
    std::vector<std::string> words;
    for (const UserHint& hint : log.user_hints) {
        std::string_view left_out;
        if (hint.expected)
            left_out = " (not understood, left out)";
        words.push_back(concat(hint.key, '=', hint.value, left_out));
    }
    return shown(join(words, ", "));
}

/// The lines of the log and the other facts that indicate the cause, each line once, and the first
/// error if it is another line.
void write_lines(Page& page, const Finding& cause, const Log& log, const Room& room) {
    std::vector<std::string> known, excluded;
    std::vector<LogPlace> quoted;
    for (const Evidence& item : cause.evidence) {
        if (item.source == "log.first_error")
            continue;
        const auto place = quoted_line(item, log);
        if (!place && item.what == what_is_ruled_out)
            excluded.push_back(shown(item.value));
        else if (!place)
            known.push_back(shown(item.value));
        if (!place || includes(quoted, *place))
            continue;
        page.wrap("  ", shortened(shown(item.value), room.quote), 4);
        quoted.push_back(*place);
    }
    std::erase_if(
        known, [&](const std::string& one) { return contains(join(excluded, " "), one); });
    page.labelled("Known", shortened(join(known, ", "), room.known));
    for (const std::string& other : excluded)
        page.labelled("Ruled out", shortened(other, room.reason));
    if (!log.first_error_line)
        return;
    if (find_by(quoted, &LogPlace::line, *log.first_error_line))
        return;
    const std::string first =
        concat("line ", *log.first_error_line, ": ", shown(log.first_error.value_or("")));
    page.labelled("Error", shortened(first, room.error));
}

/// What a check costs: a command that only looks, one that searches or needs root, one that runs
/// the program, a change of the program.
int cost_of(const DecidingCheck& check) {
    if (!check.is_needed)
        return 0;
    if (check.command.empty())
        return 3;
    if (contains(check.command, "your_program"))
        return 2;
    return contains(check.command, "find /") || contains(check.command, "sudo ");
}

/// Where no cause is likely: the cheapest check of the first ones.
const Finding& cheapest_to_check(std::span<const Finding> causes) {
    // A cheap check of an unlikely cause is no use.
    constexpr std::size_t most_tried = 3;
    const auto cost = [](const Finding& cause) {
        if (!cause.decided_by)
            return 4;  // more than any check
        return cost_of(*cause.decided_by);
    };
    return *std::ranges::min_element(causes.first(std::min(causes.size(), most_tried)), {}, cost);
}

/// The command, then what its output would mean.
void write_first_check(Page& page, const Finding& cause, const Room& room) {
    std::string_view word = "Check";
    if (!cause.decided_by->command.empty()) {
        page.command(word, cause.decided_by->command);
        word = "";
    }
    page.labelled(word, shortened(shown(cause.decided_by->text), room.first_check));
}

/// One check for each cause that is open, the most likely one first; that of `shown_before` is
/// known already.
void write_checks(
    Page& page, const std::vector<Finding>& causes, const Finding* shown_before, const Room& room) {
    page.heading(
        shown_before ? "Possible causes, each with its check:"
                     : "To find out which cause it is, check in this order:");
    for (std::size_t i = 0; i < causes.size(); ++i) {
        const std::string number = "  " + std::to_string(i + 1) + "  ";
        const bool is_above = &causes[i] == shown_before;
        std::string title = shown(title_of(causes[i]));
        if (is_above)
            title += ": above";
        const std::string with_rule = title + " (" + shown(causes[i].rule) + ")";
        const bool fits = columns_of(number + with_rule) <= page.width();
        page.wrap(number, fits || causes.size() < many_causes ? with_rule : title);
        if (!causes[i].decided_by || is_above)
            continue;
        const std::string& command = causes[i].decided_by->command;
        if (!command.empty())
            page.line("     " + page.styled(TextStyle::bold, shown(command)));
        if (command.empty() || !shown_before)
            page.wrap("     ", shortened(shown(causes[i].decided_by->text), room.check));
    }
}

/// What else can be printed about the causes.
std::string or_verbose(const Page& page, std::size_t causes) {
    if (page.is_verbose())
        return "";
    if (causes == 1)
        return ", or -v";
    return ", or -v for the fix of each cause";
}

/// How much was read, and the lines that look like errors and need no
/// attention.
void write_about_log(Page& page, const Log& log, bool fills_screen) {
    if (log.files.empty())
        return;  // a command that printed nothing
    std::string text = pluralized(log.lines, "line", "lines") + " of " +
                       shown(join_with_and(log.files)) + " read.";
    if (const std::string lines = lines_of(log, LogKind::consequence); !lines.empty())
        text += " Follow-up errors: " + lines + ".";
    if (const std::string lines = lines_of(log, LogKind::harmless); !lines.empty())
        text += " Harmless: " + lines + ".";
    if (!fills_screen)
        page.line();
    page.wrap("", text);
}

/// No cause is certain or likely, so that the report begins with a check.
bool is_guess_among(const std::vector<Finding>& causes) {
    const Finding& first = causes.front();
    return first.decided_by && first.severity != Severity::note &&
           first.confidence == Confidence::possible;
}

/// The fix of a cause that is certain or likely; otherwise first the cheapest check, for a fix of a
/// guess helps nobody.
void write_way_out(Page& page, const std::vector<Finding>& causes, const Room& room) {
    constexpr std::size_t most_with_fix =
        2;  ///< causes, beside which the page has room for the fix of the first
    const Finding& first = causes.front();
    const bool is_open = first.decided_by && first.severity != Severity::note;
    const bool is_guess = is_guess_among(causes);
    if (first.severity != Severity::error && !is_open)
        page.wrap("  ", shown(first.message));
    const Finding* const checked = is_guess ? &cheapest_to_check(causes) : nullptr;
    if (checked && checked->decided_by)
        write_first_check(page, *checked, room);
    if (!is_guess && !first.remedies.empty())
        write_remedy(page, "Fix", first.remedies.front());
    if (is_open && causes.size() > 1)
        write_checks(page, causes, checked, room);
    if (is_open && causes.size() == 1 && !is_guess)
        write_confirmation(page, *first.decided_by);
    if (is_guess && causes.size() <= most_with_fix && !first.remedies.empty()) {
        page.heading(causes.size() == 1 ? "If this is the cause:" : "If it is the first:");
        write_remedy(page, "Fix", first.remedies.front());
    }
}

}  // namespace

/// The likeliest cause with its lines, the way out, then how much was read.
/// Many guesses are cut to what fits on a screen.
void write_diagnosis(Page& page, const Report& report) {
    const Log& log = *report.facts.log;
    const std::vector<Finding>& causes = report.findings;
    const bool fills_screen =
        !causes.empty() && is_guess_among(causes) && causes.size() >= many_causes;
    const Room room = fills_screen ? beside_many_causes : Room();
    page.wrap("", headline(report, page), 2);
    if (!causes.empty()) {
        page.line();
        write_lines(page, causes.front(), log, room);
        if (log.rnn_config)
            page.labelled("Network", network_in_words(*log.rnn_config));
        if (!log.user_hints.empty())
            page.labelled("Given", given_in_words(log));
        write_way_out(page, causes, room);
        if (page.is_verbose())
            for (const Finding& cause : causes)
                write_finding(page, {&cause, 1});
    }
    write_about_log(page, log, fills_screen);
    if (const std::string hidden = hidden_on_page(report); !hidden.empty())
        page.wrap("", hidden);
    if (fills_screen && !page.is_verbose())
        page.line("More: -v shows the fix of each cause");
    else if (!causes.empty())
        page.line(
            "More: rnncheck explain " + shown(causes.front().rule) +
            or_verbose(page, causes.size()));
}

}  // namespace rnncheck
