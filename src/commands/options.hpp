// Options as structures: a member is an option, its text what --help shows.
//     RNNCHECK_FIELD(bool, no_run, "Do not use the GPU") = false;                       --no-run
//     RNNCHECK_FIELD(std::string, save_facts, "FILE: Save the facts to this file");     --save-facts FILE
//     RNNCHECK_FIELD_AS(bool, quiet, "-q,--quiet", "Show only the verdict") = false;    -q,--quiet
//     RNNCHECK_FIELD_AS(std::string, log, "FILE", "The log");                           FILE, which must be given
//     RNNCHECK_FIELD_AS(std::vector<std::string>, logs, "[FILE]", "Logs");              any number of FILEs
//     RNNCHECK_FIELD(ReportOptions, report, "Output");                                  those of ReportOptions, as a
//     group RNNCHECK_FIELD(ReportOptions, report, "Output: json color");                      two of them
// In a text "{}" is the value that the member begins with, {formats} and {tables} are their names. A DIR must exist; an
// option that is a list may be repeated.
#pragma once

#include <CLI/CLI.hpp>
#include <set>

#include "base/json.hpp"
#include "base/lists.hpp"
#include "matrix/matrix.hpp"
#include "report/format.hpp"

namespace rnncheck {

void add_options(CLI::App& app, const Shape& shape, void* options, const std::vector<std::string>& names);

/// All members, or those of these names: {"json", "save-facts"}.
template <Fielded Options>
void add_options(CLI::App& app, Options& options, const std::vector<std::string>& names = {}) {
    add_options(app, shape_of<Options>(), &options, names);
}

/// An option of this name for a member of a structure.
void add_option(CLI::App& app, std::string name, const Shape& shape, void* value, std::string text);

/// "no_run" is --no-run; what begins with a dash stays.
std::string option_named(std::string_view member);

/// What a command with these options declares.
template <Fielded Options, int (*run)(Options&, const CLI::App&)>
std::function<int()> declared(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    add_options(app, *options);
    return [options, &app] { return run(*options, app); };
}

/// Whether the command line has the option, which this command may lack.
bool is_given(const CLI::App& app, const std::string& option);

/// UsageError "A and B cannot be used together: why", where `one` is given and one of `others`, which are "--b --c".
void refuse_together(const CLI::App& app, const std::string& one, const std::string& others, const std::string& why);

/// The value that a text is. UsageError "--device cannot be 'x'; give a whole number from 0 to 9" names the option and
/// what its values are.
Json value_from(const std::string& option, const std::string& text, const Shape& shape);
template <class T>
T value_from(const std::string& option, const std::string& text) {
    T value{};
    from_json(value_from(option, text, shape_of<T>()), value, option);
    return value;
}

/// Of a number.
double largest_value(const std::string& option);

/// UsageError "--color cannot be 'x'; it is one of auto, always and never".
[[noreturn]] void reject_word(const std::string& word, const std::string& option,
                              const std::vector<std::string>& words);

// Names of rules, probes and formats as the user writes them, and what a mistyped one may have meant.

/// The causes of the matrix's logs included.
std::vector<std::string> rule_names(const Matrix& matrix);
std::vector<std::string> probe_names();
std::vector<std::string> rule_and_probe_names(const Matrix& matrix);
std::vector<std::string> format_names();

/// The ids in `given`, where one entry may hold several with commas between. UsageError names `option`, the id that is
/// not among those that `known` lists (called only when an id is given), and the closest that is, or how to list them;
/// `what` they are: "rule", "rule or probe".
std::set<std::string> ids_from(const std::vector<std::string>& given, const std::string& option,
                               const std::string& what, const std::function<std::vector<std::string>()>& known);

/// UsageError "unknown rule 'x'; did you mean 'y'?", or how to list all.
[[noreturn]] void reject_id(const std::string& id, const std::string& what, const std::vector<std::string>& known,
                            const std::string& where = "");

/// UsageError when there is no such format.
const Named<Format>* format_named(const std::string& name);

/// The candidate with the fewest typing errors (letters missing, too many, changed or swapped), if they are few for the
/// word's length, or the only one that contains the word.
std::optional<std::string> closest_match(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'doctor'?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace rnncheck
