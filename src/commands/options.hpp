// What the options need beside CLI11: checks of values with a sentence of our own, and options
// whose value is a name of an enumeration.
//     app.add_option("--device", device, "Use only this GPU")
//         ->type_name("N")
//         ->transform(whole_number(0, 63));
//     add_choice(app, "--color", color, "Use color");
// A check returns how the sentence continues that begins with the option's name, and
// parse_arguments() makes a UsageError of it: "--device cannot be 'x'; give a whole number from 0
// to 63".
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace rnncheck {

/// For transform(), in decimal; with check(), CLI11 would take "010" for an octal 8.
CLI::Validator whole_number(int least, int most);

/// For check(). `wanted` completes "give": "a probability above 0 and below 1".
CLI::Validator number(double least, double most, const std::string& wanted);

/// For check(): seconds above 0, at most a year, with fractions.
CLI::Validator seconds();

/// For check(). InputError where the file system of the directory does not respond.
CLI::Validator existing_directory();

/// Declares an option that accepts these words. `choose` gets the place of the word in `words`,
/// which must outlive `app`.
CLI::Option* add_choice(
    CLI::App& app,
    const std::string& name,
    std::span<const std::string_view> words,
    const std::function<void(std::size_t)>& choose,
    const std::string& about);

/// The same for the names of an enumeration: --color auto|always|never.
template <NamedEnum E>
CLI::Option* add_choice(
    CLI::App& app, const std::string& name, E& choice, const std::string& about) {
    const auto choose = [&choice](std::size_t place) { choice = static_cast<E>(place); };
    return add_choice(app, name, names_of(E{}), choose, about);
}

/// The same; without the option, `choice` keeps its value.
template <NamedEnum E>
CLI::Option* add_choice(
    CLI::App& app, const std::string& name, std::optional<E>& choice, const std::string& about) {
    const auto choose = [&choice](std::size_t place) { choice = static_cast<E>(place); };
    return add_choice(app, name, names_of(E{}), choose, about);
}

/// Whether the user gave the option; false if this command does not have it.
bool is_given(const CLI::App& app, const std::string& option);

/// UsageError "A and B cannot be used together: why", where `one` is given and one of `others`.
void reject_together(
    const CLI::App& app,
    const std::string& one,
    const std::vector<std::string>& others,
    const std::string& why);

/// UsageError "--facts needs a value: give FILE" if an option of `app` got an empty text, which
/// CLI11 accepts. Options that can be repeated check their values themselves.
void reject_empty_values(const CLI::App& app);

}  // namespace rnncheck
