// Shows the help of a command, or a page about all of them.
#include <CLI/CLI.hpp>

#include "commands/command_line.hpp"
#include "commands/common_options.hpp"
#include "report/text.hpp"

namespace rnncheck::commands::help {

/// From the formats themselves, so that a new one is in it.
static std::string formats() {
    std::string text = "Formats of reports (--format FORMAT, --output FORMAT=FILE)\n\n";
    for (const auto& format : all_formats())
        text += padded(format.name, 12) + std::string(format->title) + '\n';
    return text +
           "\nAll other output is text, or JSON with --json. 'rnncheck schema' prints the JSON "
           "Schema of every "
           "document.\n";
}

/// "exit codes" is the page exit-codes.
static std::string page_on(const std::vector<std::string>& words) {
    if (join(words, " ") == "formats")
        return formats();
    return std::string(page_named(help_topics(), join(words, "-")));
}

/// Topics that another command or another page has.
static std::string place_of(const std::string& topic) {
    constexpr std::pair<std::string_view, const char*> places[] = {
        {"rules", "'rnncheck list rules' lists them, 'rnncheck explain ID' describes one"},
        {"probes", "'rnncheck list probes' lists them, 'rnncheck explain ID' describes one"},
        {"tables", "'rnncheck list tables' lists them, 'rnncheck matrix show TABLE' prints one"},
        {"keys", "'rnncheck matrix check --help' lists the keys and their values"},
        {"given", "'rnncheck matrix check --help' lists the keys and their values"},
        {"profile", "'rnncheck doctor --help' describes --profile, docs/formats.md its file"},
        {"profiles", "'rnncheck doctor --help' describes --profile, docs/formats.md its file"},
        {"version", "'rnncheck --version' prints the version"}};
    for (const auto& [name, place] : places)
        if (name == topic)
            return place;
    return "";
}

static std::function<int()> declare(CLI::App& app) {
    const auto words = std::make_shared<std::vector<std::string>>();
    app.add_option("TOPIC", *words, "A command, exit-codes, environment or formats");
    // The options of all commands are declared if the first argument is "help".
    return [words, &app]() -> int {
        if (const std::string page = page_on(*words); !page.empty())
            return print_help(page);
        // "matrix plan" walks down the commands.
        const CLI::App* shown = app.get_parent();
        std::string name = shown->get_name();
        for (const std::string& word : *words) {
            // Hidden commands are for processes that rnncheck starts itself.
            const auto commands = shown->get_subcommands(
                [](const CLI::App* one) { return !one->get_group().empty(); });
            const auto* const command =
                find_where(commands, [&](const CLI::App* one) { return one->get_name() == word; });
            if (!command) {
                if (const std::string place = place_of(word); !place.empty())
                    throw UsageError("there is no help page '" + word + "'; " + place);
                std::vector<std::string> known = {"exit-codes", "environment", "formats"};
                for (const CLI::App* one : commands)
                    known.push_back(one->get_name());
                reject_word(word, "TOPIC", known);
            }
            shown = *command;
            name += ' ' + word;
        }
        return print_help(
            shown->get_formatter()->make_help(shown, name, CLI::AppFormatMode::Normal));
    };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::help
