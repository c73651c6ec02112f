// Shows the help of a command, or a page about all of them.
#include "commands/command_line.hpp"
#include "commands/common_options.hpp"
#include "report/text.hpp"

namespace rnncheck::commands::help {

static std::string formats() {
    std::string text = "Formats of reports (--format FORMAT, --output FORMAT=FILE)\n\n";
    for (const auto& format : all_formats()) text += padded(format.name, 12) + std::string(format->title) + '\n';
    return text +
           "\nAll other output is text, or JSON with --json. 'rnncheck schema' prints the JSON Schema of every "
           "document.\n";
}

static std::function<int()> declare(CLI::App& app) {
    const auto words = std::make_shared<std::vector<std::string>>();
    app.add_option("TOPIC", *words, "A command, exit-codes, environment or formats");
    return [words, &app]() -> int {
        const std::string topic = join(*words, " ");
        if (topic == "formats") return print_help(formats());
        if (const auto text = page_named(help_topics(), topic); !text.empty()) return print_help(std::string(text));
        const CLI::App* shown = app.get_parent();
        std::string name = shown->get_name();
        for (const std::string& word : *words) {
            const auto commands = shown->get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
            const auto* const command =
                find_where(commands, [&](const CLI::App* one) { return one->get_name() == word; });
            if (!command) {
                std::vector<std::string> known = {"exit-codes", "environment", "formats"};
                for (const CLI::App* one : commands) known.push_back(one->get_name());
                reject_word(word, "TOPIC", known);
            }
            shown = *command;
            name += ' ' + word;
        }
        return print_help(shown->get_formatter()->make_help(shown, name, CLI::AppFormatMode::Normal));
    };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::help
