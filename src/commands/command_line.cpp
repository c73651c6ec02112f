#include "commands/command_line.hpp"

#include <algorithm>
#include <map>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/behind_mark.hpp"
#include "commands/command.hpp"
#include "commands/nearest.hpp"
#include "commands/output.hpp"

namespace rnncheck {

namespace {

Arguments behind_mark;

/// Those of `exec` up to "--"; what stands behind is kept for it.
Arguments own_arguments(const Arguments& arguments) {
    const bool of_exec = !arguments.empty() && arguments.front() == "exec";
    const auto mark = of_exec ? std::find(arguments.begin(), arguments.end(), "--") : arguments.end();
    if (mark != arguments.end()) behind_mark = {mark + 1, arguments.end()};
    return {arguments.begin(), mark};
}

bool is_option(const std::string& argument) {
    return argument.size() > 1 && argument[0] == '-';
}

std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

std::vector<std::string> shown_commands() {
    std::vector<std::string> names;
    for (const auto& command : all_commands())
        if (!command->hidden) names.emplace_back(command.name);
    return names;
}

const CLI::App* chosen_command(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? nullptr : chosen.front();
}

/// "--json" before the command, or one that another command has.
std::string whose_option(const CLI::App& app, const std::string& option) {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        const auto options = options_of(*command);
        if (!command->get_group().empty() && std::find(options.begin(), options.end(), option) != options.end())
            return "; it is an option of '" + command->get_name() + "': rnncheck " + command->get_name() + ' ' + option;
    }
    return "";
}

[[noreturn]] void complain_about_option(const CLI::App& app, const CLI::App* command, const std::string& argument) {
    const std::string option = argument.substr(0, argument.find('='));
    const std::string where =
        command ? "'rnncheck " + command->get_name() + "' has no option '" : "rnncheck has no option '";
    std::string hint = did_you_mean(option, options_of(command ? *command : app));
    if (hint.empty()) hint = whose_option(app, option);
    throw UsageError(where + option + "'" + hint);
}

/// `command` is null for what stands before a command.
[[noreturn]] void complain_about(const CLI::App& app, const CLI::App* command, const std::string& argument) {
    if (is_option(argument)) complain_about_option(app, command, argument);
    if (command) throw UsageError("'rnncheck " + command->get_name() + "' takes no argument '" + argument + "'");
    const std::string hint = did_you_mean(argument, shown_commands());
    throw UsageError("there is no command '" + argument + "'" +
                     (hint.empty() ? "; the commands are " + join_with_and(shown_commands()) : hint));
}

void replace_in(std::string& text, std::string_view part, std::string_view by) {
    if (const auto at = text.find(part); at != std::string::npos) text.replace(at, part.size(), by);
}

/// The library's own words, which name the option, as a sentence of ours.
std::string in_our_words(const CLI::App& app, std::string text) {
    if (contains(text, ": 1 required ")) {
        replace_in(text, ": 1 required ", " needs ");
        replace_in(text, " missing", "");
    }
    replace_in(text, ": needs", " needs");
    const CLI::App* command = chosen_command(app);
    return (command ? "'rnncheck " + command->get_name() + "': " : "") + text;
}

void parse(CLI::App& app, const Arguments& arguments) {
    try {
        app.parse(Arguments(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        throw;
    } catch (const CLI::CallForVersion&) {
        throw;
    } catch (const CLI::ParseError& error) {
        const CLI::App* command = chosen_command(app);
        if (const auto before = app.remaining(); !before.empty()) complain_about(app, nullptr, before.front());
        if (const auto behind = app.remaining(true); !behind.empty()) complain_about(app, command, behind.front());
        throw UsageError(in_our_words(app, error.what()));
    }
}

std::string program_help(const CLI::App& app) {
    return app.help() +
           "\nExit codes: 0 healthy, 1 a problem was found, 2 wrong usage or unusable file, 3 could not be\n"
           "determined, 4 warnings (with --fail-on warning), 70 a bug in rnncheck; 'rnncheck exec' gives those of\n"
           "its command, or 125 when the check stopped it.\n";
}

}  // namespace

const Arguments& arguments_behind_mark() {
    return behind_mark;
}

int run_command_line(const Arguments& arguments) {
    CLI::App app("Finds out why recurrent networks (cuDNN LSTM) fail on this machine: rnncheck doctor", "rnncheck");
    const std::string version = "rnncheck " + std::string(version_of_rnncheck());
    app.set_version_flag("--version", version, "Show the version and exit");
    app.require_subcommand(0, 1);
    app.get_formatter()->label("SUBCOMMAND", "COMMAND");
    app.set_help_flag("-h,--help", "Show this help and exit");
    std::map<const CLI::App*, std::function<int()>> runs;
    for (const auto& command : all_commands()) {
        CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command->title));
        sub->group(command->hidden ? "" : "Commands");
        runs[sub] = command->declare(*sub);
    }
    try {
        parse(app, own_arguments(arguments));
    } catch (const CLI::CallForVersion&) {
        print_document(version + '\n');
        return healthy;
    } catch (const CLI::CallForHelp&) {
        print_document(chosen_command(app) ? app.help() : program_help(app));
        return healthy;
    }
    const CLI::App* const command = chosen_command(app);
    if (!command)
        throw UsageError("a command is needed: 'rnncheck doctor' examines this machine, 'rnncheck --help' lists all");
    return runs.at(command)();
}

bool wants_json(const Arguments& arguments) {
    const bool of_another = !arguments.empty() && arguments.front() == "exec";  // its arguments are not ours
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (of_another && argument == "--") return false;
        if (argument == "--json" || argument == "--format=json") return true;
        if (argument == "--format" && i + 1 < arguments.size() && arguments[i + 1] == "json") return true;
    }
    return false;
}

}  // namespace rnncheck
