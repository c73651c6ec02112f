// Names of rules, probes and formats as the user writes them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/format.hpp"

namespace rnncheck {

std::vector<std::string> rule_names();
std::vector<std::string> probe_names();
std::vector<std::string> format_names();

/// The ids in `given`, where one entry may hold several with commas between. UsageError names `option`, the id that is
/// not among `known`, and the nearest that is, or how to list them; `what` they are: "rule", "rule or probe".
std::set<std::string> ids_from(const std::vector<std::string>& given, const std::string& option,
                               const std::string& what, const std::vector<std::string>& known);

/// "; 'rnncheck list rules' tells all".
std::string how_to_list(const std::string& what);

/// UsageError when there is no such format.
const Named<Format>* format_named(const std::string& name);

/// The value of an enumeration. UsageError names `option` and all values.
template <NamedEnum E>
E word_from(const std::string& word, const std::string& option);

[[noreturn]] void complain_about_word(const std::string& word, const std::string& option,
                                      const std::vector<std::string>& words);

template <NamedEnum E>
E word_from(const std::string& word, const std::string& option) {
    if (const auto value = from_name<E>(word)) return *value;
    const auto names = names_of(E{});
    complain_about_word(word, option, {names.begin(), names.end()});
}

}  // namespace rnncheck
