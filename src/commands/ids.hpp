// Names of rules, probes, formats and other words as the user writes them, and what a mistyped one may have meant.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/matrix.hpp"
#include "report/outline.hpp"

namespace rnncheck {

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

/// UsageError "--color cannot be 'x'; it is one of auto, always and never".
[[noreturn]] void reject_word(const std::string& word, const std::string& option,
                              const std::vector<std::string>& words);

/// The value of an enumeration. UsageError names `option` and all values.
template <NamedEnum E>
E word_from(const std::string& word, const std::string& option) {
    if (const auto value = from_name<E>(word)) return *value;
    const auto names = names_of(E{});
    reject_word(word, option, {names.begin(), names.end()});
}

/// The candidate with the fewest typing errors (letters missing, too many, changed or swapped), if they are few for the
/// word's length, or the only one that contains the word.
std::optional<std::string> closest_match(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'doctor'?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace rnncheck
