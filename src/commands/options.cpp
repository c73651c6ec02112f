#include "commands/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "process/apart.hpp"

namespace rnncheck {

namespace {

/// How the sentence about a value continues after the option's name.
std::string rejected(const std::string& value, const std::string& instead) {
    return "cannot be '" + value + "'; " + instead;
}

}  // namespace

CLI::Validator whole_number(int least, int most) {
    const std::string range = concat("give a whole number from ", least, " to ", most);
    const auto check = [=](std::string& value) -> std::string {
        const auto number = number_from<int>(value);
        if (!number || *number < least || *number > most)
            return rejected(value, range);
        // Without leading zeros, which CLI11 takes for a sign of octal numbers.
        value = std::to_string(*number);
        return "";
    };
    return {check, ""};
}

CLI::Validator number(double least, double most, const std::string& wanted) {
    const auto check = [=](const std::string& value) -> std::string {
        const auto number = number_from<double>(value);
        // Not a number is in no range.
        if (number && least <= *number && *number <= most)
            return "";
        return rejected(value, "give " + wanted);
    };
    return {check, ""};
}

CLI::Validator seconds() {
    constexpr double above_0 = std::numeric_limits<double>::denorm_min(), year = 31'536'000;
    return number(above_0, year, "seconds above 0 and up to 31536000 (a year), e.g. 10 or 0.5");
}

CLI::Validator existing_directory() {
    const auto check = [](const std::string& path) -> std::string {
        // In a process of its own: the file system may be one of a network that is gone.
        const std::string why = process::apart([&] { return CLI::ExistingDirectory(path); });
        if (why.empty())
            return "";
        return rejected(path, "give a directory that exists");
    };
    return {check, ""};
}

CLI::Option* add_choice(
    CLI::App& app,
    const std::string& name,
    std::span<const std::string_view> words,
    const std::function<void(std::size_t)>& choose,
    const std::string& about) {
    const auto check = [words](const std::string& word) -> std::string {
        if (includes(words, word))
            return "";
        return rejected(word, "it is one of " + join_with_and({words.begin(), words.end()}));
    };
    const auto take = [words, choose](const std::string& word) {
        choose(static_cast<std::size_t>(std::ranges::find(words, word) - words.begin()));
    };
    return app.add_option_function<std::string>(name, take, about)
        ->type_name(join({words.begin(), words.end()}, "|"))
        ->check(check);
}

bool is_given(const CLI::App& app, const std::string& option) {
    const CLI::Option* const known = app.get_option_no_throw(option);
    return known && known->count() > 0;
}

void reject_together(
    const CLI::App& app,
    const std::string& one,
    const std::vector<std::string>& others,
    const std::string& why) {
    for (const std::string& other : others)
        if (is_given(app, one) && is_given(app, other))
            throw UsageError(one + " and " + other + " cannot be used together: " + why);
}

void reject_empty_values(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        // A flag expects no value, a list any number of them.
        const bool takes_one = option->get_items_expected_max() == 1;
        if (!takes_one || option->count() == 0 || !option->results().front().empty())
            continue;
        const bool is_argument = option->get_lnames().empty();
        if (is_argument)
            throw UsageError(option->get_name() + " is empty");
        throw UsageError(option->get_name() + " needs a value: give " + option->get_type_name());
    }
}

}  // namespace rnncheck
