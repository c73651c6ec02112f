// Names that users type: of rules, probes, formats and of values. What is mistyped gets its closest
// match.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "matrix/matrix.hpp"
#include "report/outline.hpp"

namespace rnncheck {

/// All rules, including the causes in the matrix's table log_causes.
std::vector<std::string> rule_names(const Matrix& matrix);

/// Those of probes/, e.g. "driver_api".
std::vector<std::string> probe_names();

/// What --skip and `explain` accept: the rules, then the probes.
std::vector<std::string> rule_and_probe_names(const Matrix& matrix);

/// What --format accepts, in alphabetical order: "csv", "github".
std::vector<std::string> format_names();

/// The ids in `given`, in which an entry may contain several, separated by commas. UsageError names
/// `option`, an id that `known` does not list (it is called only if an id is given), and the
/// closest match or how to list all. `what` is the kind of id: "rule", "rule or probe".
std::set<std::string> ids_from(
    const std::vector<std::string>& given,
    const std::string& option,
    const std::string& what,
    const std::function<std::vector<std::string>()>& known);

/// UsageError "unknown rule 'x'; did you mean 'y'?", or how to list all.
[[noreturn]] void reject_id(
    const std::string& id,
    const std::string& what,
    const std::vector<std::string>& known,
    const std::string& where = "");

/// Never null: UsageError lists all formats if there is none of this name.
const Named<Format>* format_named(const std::string& name);

/// UsageError "--color cannot be 'x'; it is one of auto, always and never".
[[noreturn]] void reject_word(
    const std::string& word, const std::string& option, const std::vector<std::string>& words);

/// The value of this name: FailOn::never of "never". UsageError as reject_word().
template <NamedEnum E>
E value_named(const std::string& word, const std::string& option) {
    if (const auto value = from_name<E>(word))
        return *value;
    const auto names = names_of(E{});
    reject_word(word, option, {names.begin(), names.end()});
}

/// The candidate with the fewest typing errors (letters missing, too many, changed or swapped), if
/// they are few for the word's length, or the only one that contains the word.
std::optional<std::string> closest_match(
    std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'doctor'?", or `otherwise`.
std::string did_you_mean(
    std::string_view word,
    const std::vector<std::string>& candidates,
    const std::string& otherwise = "");

}  // namespace rnncheck
