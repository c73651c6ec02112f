// What is wrong with commands, links and the versions that texts name: advice that would do harm, or cannot be
// followed.
#include <set>

#include "matrix/shells.hpp"
#include "matrix/verify.hpp"

namespace rnncheck::lint {

namespace {

void check_placeholders(const std::string& command, const Row& row, const Report& report) {
    for (auto at = command.find('{'); at != std::string::npos; at = command.find('{', at + 1)) {
        if (at > 0 && command[at - 1] == '$') continue;
        const std::string name = command.substr(at + 1, command.find('}', at) - at - 1);
        if (name != "plan" && !name.starts_with("nvidia-"))
            report(row, "'command': {} is not known; write {plan} or {nvidia-cudnn}", "{" + name + "}");
    }
}

/// The package of a log's CUDA is not the same for every log.
bool installs_for_one_cuda(const std::string& command) {
    return contains(command, "install nvidia-") || contains(command, "install \"nvidia-");
}

void check_cause(const LogCause& row, const Report& report) {
    for (const auto& [column, text] : cells_of(row))
        for (const std::string& fault : faults_of_commands(text)) report(row, "'{}': {}", column, fault);
    check_placeholders(row.command, row, report);
    if (installs_for_one_cuda(row.command))
        report(row, "'command' names one CUDA version for every log; write {nvidia-cudnn} for the package");
    for (const std::string& command : {row.windows_check_command, row.windows_command})
        if (is_for_unix(command)) report(row, "'{}' does not run on Windows", command);
    if (row.command.empty() && contains(row.remedy, "the command"))
        report(row, "'remedy' speaks of a command, but there is none");
    if (contains(row.command, "{nvidia-") && !contains(row.remedy, "LD_LIBRARY_PATH"))
        report(row, "'remedy' must name LD_LIBRARY_PATH, for programs that do not search Python packages");
    const bool is_on_windows = row.layer == "cudnn" || row.layer == "runtime" || row.layer == "rnn";
    if (is_on_windows && is_for_unix(row.check_command) && row.windows_check_command.empty())
        report(row, "'check_command' is for Unix; add 'windows_check_command'");
}

/// What is advised about a status or an event.
template <class R>
void check_remedies(const Table<R>& table, std::vector<Issue>& all) {
    for (const R& row : table.read().rows)
        for (const std::string& fault : faults_of_commands(row.remedy))
            Report{all, table.stem()}(row, "column 'remedy': {}", fault);
}

void check_build(const FrameworkBuild& row, const Report& report) {
    for (const std::string& fault : faults_of_commands(row.install)) report(row, "column 'install': {}", fault);
}

/// Versions and limits in a text: "8.0.5", "65535"; not plain counts.
std::set<std::string> figures_in(std::string_view text) {
    constexpr std::size_t long_number = 5;
    std::set<std::string> found;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!is_digit(text[at]) || (at > 0 && is_letter_or_digit(text[at - 1]))) continue;
        std::size_t end = at;
        while (end < text.size() &&
               (is_digit(text[end]) || (text[end] == '.' && end + 1 < text.size() && is_digit(text[end + 1]))))
            ++end;
        const std::string figure(text.substr(at, end - at));
        if (contains(figure, ".") || figure.size() >= long_number) found.insert(figure);
        at = end;
    }
    return found;
}

/// All that the rows of a limit or defect say of versions, as one text.
template <class R>
void add_cells(const std::vector<R>& rows, std::string R::*id, const std::string& wanted, std::string& told) {
    for (const R& row : rows)
        if (row.*id == wanted)
            for (const auto& [column, text] : cells_of(row)) told += text + " " + row.note + " ";
}

/// A cause and the row that it rests on must not contradict each other.
void check_grounds(const Tables& all, const LogCause& row, const Report& report) {
    if (row.rests_on.empty()) return;
    std::string told;
    add_cells(all.rnn_limits.read().rows, &RnnLimit::feature, row.rests_on, told);
    add_cells(all.rnn_defects.read().rows, &RnnDefect::id, row.rests_on, told);
    if (told.empty())
        return report(row, "rests_on: neither rnn_limits nor rnn_defects has '{}'; correct one of them", row.rests_on);
    const std::set<std::string> known = figures_in(told);
    for (const std::string& figure : figures_in(row.message + " " + row.means + " " + row.knows)) {
        const bool is_told = known.contains(figure) || std::ranges::any_of(known, [&](const std::string& other) {
                                 return other.starts_with(figure + ".");
                             });
        if (!is_told)
            report(row, "the text names {}, which the rows of '{}' do not; correct one of them", figure, row.rests_on);
    }
}

}  // namespace

void check_advice(const Tables& tables, std::vector<Issue>& all) {
    for (const LogCause& row : tables.log_causes.read().rows) {
        check_cause(row, {all, tables.log_causes.stem()});
        check_grounds(tables, row, {all, tables.log_causes.stem()});
    }
    for (const FrameworkBuild& row : tables.framework_builds.read().rows)
        check_build(row, {all, tables.framework_builds.stem()});
    check_remedies(tables.status_names, all);
    check_remedies(tables.xid, all);
    tables.each([&](const auto& table) {
        for (const auto& [id, source] : table.read().sources)
            if (const std::string fault = fault_of_link(source.url); !fault.empty())
                Report{all, table.stem()}.whole("source '{}': {}", id, fault);
    });
}

}  // namespace rnncheck::lint
