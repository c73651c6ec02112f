// Options as structures: each member is an option, and its text is what --help shows.
//     RNNCHECK_FIELD(bool, no_run, "Do not use the GPU") = false;                       --no-run
//     RNNCHECK_FIELD(std::string, save_facts, "FILE: Save the facts to this file"); --save-facts
//     FILE RNNCHECK_FIELD_AS(bool, quiet, "-q,--quiet", "Show only the verdict") = false;
//     -q,--quiet RNNCHECK_FIELD_AS(std::string, log, "FILE", "The log"); FILE, which must be given
//     RNNCHECK_FIELD_AS(std::vector<std::string>, logs, "[FILE]", "Logs");              any number
//     of FILEs RNNCHECK_FIELD(ReportOptions, report, "Output"); all options of ReportOptions
//     RNNCHECK_FIELD(ReportOptions, report, "Output: json color");                      only these
//     two of them
// A member that is a structure gives its options the heading before the colon. In a text, "{}"
// means the default value, {formats} and {tables} for their names. A DIR must exist; an option
// that is a list may be repeated.
#pragma once

#include <CLI/CLI.hpp>
#include <set>

#include "base/json.hpp"
#include "base/lists.hpp"
#include "matrix/matrix.hpp"
#include "report/outline.hpp"

namespace rnncheck {

void add_options(CLI::App& app, const Shape& shape, void* options,
                 const std::vector<std::string>& names);

/// All members, or those of these names: {"json", "save-facts"}.
template <Fielded Options>
void add_options(CLI::App& app, Options& options, const std::vector<std::string>& names = {}) {
    add_options(app, shape_of<Options>(), &options, names);
}

/// Declares an option of this name that sets `value`, a member of a structure.
void add_option(CLI::App& app, std::string name, const Shape& shape, void* value, std::string text);

/// "no_run" is --no-run; a name that begins with a dash is unchanged.
std::string option_named(std::string_view member);

/// Declares the options of a command; the returned function runs it with them.
template <Fielded Options, int (*run)(Options&, const CLI::App&)>
std::function<int()> declared(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    add_options(app, *options);
    return [options, &app] { return run(*options, app); };
}

/// Whether the user gave the option; false if this command does not have it.
bool is_given(const CLI::App& app, const std::string& option);

/// UsageError "A and B cannot be used together: why", where `one` is given and one of `others`,
/// which are "--b --c".
void reject_together(const CLI::App& app, const std::string& one, const std::string& others,
                     const std::string& why);

/// Parses the value of an option. UsageError names the option and its values: "--device cannot be
/// 'x'; give a whole number from 0 to 9".
Json value_from(const std::string& option, const std::string& text, const Shape& shape);
template <class T>
T value_from(const std::string& option, const std::string& text) {
    T value{};
    from_json(value_from(option, text, shape_of<T>()), value, option);
    return value;
}

/// The largest number that the option accepts.
double largest_value(const std::string& option);

/// UsageError "--color cannot be 'x'; it is one of auto, always and never".
[[noreturn]] void reject_word(const std::string& word, const std::string& option,
                              const std::vector<std::string>& words);

// Names of rules, probes and formats, and the closest match of a mistyped one.

/// All rules, including the causes in the matrix's table log_causes.
std::vector<std::string> rule_names(const Matrix& matrix);
std::vector<std::string> probe_names();
std::vector<std::string> rule_and_probe_names(const Matrix& matrix);
std::vector<std::string> format_names();

/// The ids in `given`, in which an entry may contain several, separated by commas. UsageError names
/// `option`, an id that `known` does not list (it is called only if an id is given), and the
/// closest match or how to list all. `what` is the kind of id: "rule", "rule or probe".
std::set<std::string> ids_from(const std::vector<std::string>& given, const std::string& option,
                               const std::string& what,
                               const std::function<std::vector<std::string>()>& known);

/// UsageError "unknown rule 'x'; did you mean 'y'?", or how to list all.
[[noreturn]] void reject_id(const std::string& id, const std::string& what,
                            const std::vector<std::string>& known, const std::string& where = "");

/// UsageError if there is no such format.
const Named<Format>* format_named(const std::string& name);

/// The candidate with the fewest typing errors (letters missing, too many, changed or swapped), if
/// they are few for the word's length, or the only one that contains the word.
std::optional<std::string> closest_match(std::string_view word,
                                         const std::vector<std::string>& candidates);

/// "; did you mean 'doctor'?", or `otherwise`.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& otherwise = "");

}  // namespace rnncheck
