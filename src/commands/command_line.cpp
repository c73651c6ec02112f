#include "commands/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <new>
#include <system_error>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/hints.hpp"
#include "commands/input.hpp"
#include "process/apart.hpp"
#include "process/survey.hpp"

namespace rnncheck {

namespace {

constexpr const char* exit_codes =
    "Exit codes: 0 healthy, 1 a problem was found, 2 incorrect usage, or a file that cannot be "
    "read or written, 3 "
    "undetermined, 4 warnings (with --fail-on warning), 70 a bug in rnncheck; 'rnncheck exec' and "
    "'rnncheck run' exit "
    "with the code of their command, 'exec' with 125 if the check found a problem.";

/// https://nagios-plugins.org/doc/guidelines.html, "Plugin Return Codes"
constexpr int unknown_to_nagios = 3;

Arguments after_dashes;

/// Adds "Examples:" and these lines to what --help shows.
void add_examples(CLI::App& app, std::string_view examples) {
    std::string text = "Examples:";
    for (const std::string& line : split(examples, '\n'))
        text += "\n  " + line;
    app.footer(text + if_any("\n\n", app.get_footer()));
}

/// The "--" of `exec` and `run`: what follows are the arguments of another program.
Arguments::const_iterator end_of_own(const Arguments& arguments) {
    const bool has_command =
        !arguments.empty() && (arguments.front() == "exec" || arguments.front() == "run");
    if (has_command)
        return std::find(arguments.begin(), arguments.end(), "--");
    return arguments.end();
}

/// Those with a long name: "--json".
std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

/// Those that `rnncheck --help` lists; the others are for processes that rnncheck starts itself.
std::vector<std::string> shown_commands() {
    std::vector<std::string> names;
    for (const auto& command : all_commands())
        if (!text_of_command(command.name).title.empty())
            names.emplace_back(command.name);
    return names;
}

/// "matrix check" is the command check of matrix.
const CLI::App* chosen_command(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    if (chosen.empty())
        return nullptr;
    const CLI::App* const inner = chosen_command(*chosen.front());
    if (inner)
        return inner;
    return chosen.front();
}

/// What was typed before a command belongs to the program itself.
const CLI::App& command_or(const CLI::App* command, const CLI::App& program) {
    if (command)
        return *command;
    return program;
}

/// "rnncheck matrix check"
std::string full_name(const CLI::App* command) {
    std::string name = command->get_name();
    for (const CLI::App* parent = command->get_parent(); parent; parent = parent->get_parent())
        name = parent->get_name() + ' ' + name;
    return name;
}

/// "--json" before the command, or one that another command has.
std::string owning_command(const std::string& option) {
    for (const std::string& name : shown_commands()) {
        // Declared again: the options of commands that were not named are not declared.
        CLI::App app;
        (*find_named(all_commands(), name))->declare(app);
        if (includes(options_of(app), option))
            return "; it is an option of '" + name + "': rnncheck " + name + ' ' + option;
    }
    return "";
}

/// "-V" is short for the only option that begins with v.
std::string hint_for(const std::string& option, const std::vector<std::string>& known) {
    // One letter is too short for typing errors: it would be near every other letter.
    if (option.size() != 2)
        return did_you_mean(option, known);
    const std::string begin = "--" + lower(option.substr(1));
    const auto begins = [&](const std::string& name) { return name.starts_with(begin); };
    const auto found = std::ranges::find_if(known, begins);
    if (std::ranges::count_if(known, begins) != 1)
        return "";
    return "; did you mean '" + *found + "'?";
}

/// Names the closest option of this command, else a command that has it, else where all are listed.
[[noreturn]] void reject_option(
    const CLI::App& app, const CLI::App* command, const std::string& argument) {
    const std::string option = argument.substr(0, argument.find('='));
    const CLI::App& of = command_or(command, app);
    std::string hint = hint_for(option, options_of(of));
    if (hint.empty())
        hint = owning_command(option);
    if (hint.empty())
        hint = "; '" + full_name(&of) + " --help' lists the options";
    std::string whose;
    if (command)
        whose = " of '" + full_name(command) + "'";
    throw UsageError("unknown option '" + option + "'" + whose + hint);
}

/// Of `matrix`: check, plan, show, verify; empty for a command without commands of its own.
std::vector<std::string> names_of_commands(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({}))
        names.push_back(command->get_name());
    return names;
}

[[noreturn]] void reject_command_of(const CLI::App& command, const std::string& word) {
    const std::vector<std::string> names = names_of_commands(command);
    throw UsageError(
        "unknown command '" + word + "' of '" + full_name(&command) + "'" +
        did_you_mean(word, names, "; its commands are " + join_with_and(names)));
}

/// `command` is null for what comes before a command.
[[noreturn]] void reject_argument(
    const CLI::App& app,
    const CLI::App* command,
    const std::string& argument,
    const Arguments& arguments) {
    if (argument.size() > 1 && argument[0] == '-')
        reject_option(app, command, argument);
    if (!command)
        throw UsageError(
            "unknown command '" + argument + "'" + hint_for_command(argument, shown_commands()));
    // `matrix shwo`: a group of commands takes no other arguments.
    if (!names_of_commands(*command).empty())
        reject_command_of(*command, argument);
    std::string hint = hint_for_argument(*command, argument, arguments);
    if (command->get_name() == "exec" || command->get_name() == "run")
        hint = "; write '--' before the command that it runs: " + full_name(command) + " -- " +
               argument + " ...";
    throw UsageError("'" + full_name(command) + "' takes no argument '" + argument + "'" + hint);
}

/// The option's name and text, as --help shows them: "--format F: Format of the report: text, json
/// and html".
std::string described(const CLI::Option& option) {
    return option.get_name() + ' ' + option.get_type_name() + ": " + option.get_description();
}

/// CLI11 names the option and counts its values: "--format: 1 required F missing".
[[noreturn]] void reject_mismatch(const CLI::App* command, const CLI::ArgumentMismatch& error) {
    const std::string text = error.what(), name = text.substr(0, text.find(':'));
    const CLI::Option* option = nullptr;
    std::string where;
    if (command) {
        option = command->get_option_no_throw(name);
        where = "'" + full_name(command) + "': ";
    }

    // With results, it has too many values, or a flag has one.
    if (!option || !option->results().empty())
        throw UsageError(where + text);
    throw UsageError(where + name + " needs a value; " + described(*option));
}

/// CLI11 puts a colon between the option's name and what a validator returned, which continues the
/// name: "--device: cannot be 'x'; give a whole number from 0 to 9".
std::string sentence_of(const CLI::ValidationError& error) {
    std::string text = error.what();
    const auto colon = text.find(": ");
    if (colon != std::string::npos)
        text.erase(colon, 1);
    return text;
}

/// Of several errors the first that a user would have to correct: an empty value may be an unset
/// variable of a script, and makes others follow.
[[noreturn]] void reject_arguments(
    const CLI::App& app, const CLI::ParseError& error, const Arguments& arguments) {
    const CLI::App* const command = chosen_command(app);
    reject_empty_values(command_or(command, app));
    if (const auto* invalid = dynamic_cast<const CLI::ValidationError*>(&error))
        throw UsageError(sentence_of(*invalid));
    if (const auto before = app.remaining(); !before.empty())
        reject_argument(app, nullptr, before.front(), arguments);
    if (const auto after = app.remaining(true); !after.empty())
        reject_argument(app, command, after.front(), arguments);
    if (const auto* mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error))
        reject_mismatch(command, *mismatch);
    std::string where;
    if (command)
        where = "'" + full_name(command) + "': ";
    throw UsageError(where + error.what());
}

/// With the compatibility data, on whose age the verdicts depend as well.
void print_version(bool as_json) {
    const TableFiles files = bundled_table_files();
    const VersionDocument document{{.tool = stamp_with(files.date, files.digest)}};
    const Style style = ReportOptions().style();
    if (as_json)
        print_document(json_text(document, style.json_lines));
    else
        print_document(text_of(document, style));
}

/// Whether this option was given this value, by the bare arguments.
bool wants(const Arguments& arguments, const std::string& option, const std::string& value) {
    // Before the options are read, which may fail.
    const auto end = end_of_own(arguments);
    const std::string in_two_words[] = {option, value};
    return std::find(arguments.begin(), end, option + '=' + value) != end ||
           std::search(arguments.begin(), end, std::begin(in_two_words), std::end(in_two_words)) !=
               end;
}

/// The seconds of --deadline, by the bare arguments: it must hold while the options are read, which
/// may name files.
std::optional<double> deadline_in(const Arguments& arguments) {
    const std::string option = "--deadline";
    std::string value;
    for (auto at = arguments.begin(); at != end_of_own(arguments); ++at) {
        if (at->starts_with(option + '='))
            value = at->substr(option.size() + 1);
        if (at != arguments.begin() && at[-1] == option)
            value = *at;
    }
    const auto seconds = number_from<double>(value);
    constexpr double most = 1e6;  // what is above is rejected later, or no limit
    if (seconds && *seconds > 0 && *seconds < most)
        return seconds;
    return std::nullopt;
}

/// Returns the exit code. The sentence goes to standard error in any case.
int report_failure(const Arguments& arguments, FailureKind kind, const std::string& sentence) {
    print_message(sentence);
    if (wants(arguments, "--exit-style", "nagios")) {
        print_document("RNNCHECK UNKNOWN: " + escaped(redacted_message(sentence)) + '\n');
        return unknown_to_nagios;
    }
    // A script that reads JSON gets its error as JSON, too.
    if (wants_json(arguments))
        try {
            const FailureDocument document{{}, {kind, redacted_message(sentence)}};
            print_document(json_text(document, ReportOptions().style().json_lines));
        } catch (const std::exception& error) {
            print_message(error.what());
        }
    if (kind == FailureKind::bug)
        return bug;
    return usage;
}

}  // namespace

const Arguments& command_after_dashes() {
    return after_dashes;
}

void parse_arguments(CLI::App& app, const Arguments& arguments) {
    try {
        app.parse(Arguments(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        // Of `rnncheck matrix chekc --help` CLI11 would show the help of matrix, as if it were
        // right.
        const CLI::App* command = chosen_command(app);
        const auto unknown = app.remaining(true);
        const bool has_commands = command && !names_of_commands(*command).empty();
        if (has_commands && !unknown.empty())
            reject_command_of(*command, unknown.front());
        throw;
    } catch (const CLI::Success&) {
        throw;  // --version
    } catch (const CLI::ParseError& error) {
        reject_arguments(app, error, arguments);
    }
    reject_empty_values(command_or(chosen_command(app), app));
}

CommandText text_of_command(std::string_view name) {
    const std::string_view text = page_named(command_texts(), name);
    const auto end = std::min(text.find("\n\n"), text.size());
    return {std::string(text.substr(0, end)), std::string(trim(text.substr(end)))};
}

std::function<int()> declare_subcommands(
    CLI::App& app, std::span<const std::pair<const char*, Command>> commands) {
    app.require_subcommand(1);
    // Which of them was named is known only when the command runs.
    std::map<const CLI::App*, std::function<int()>> runs;
    for (const auto& [name, command] : commands) {
        const auto [title, examples] = text_of_command(app.get_name() + '_' + name);
        CLI::App* const sub = app.add_subcommand(name, title);
        runs[sub] = command.declare(*sub);
        add_examples(*sub, examples);
    }
    return [runs, &app] { return runs.at(app.get_subcommands().front())(); };
}

namespace {

/// CLI11 does not know of what is cut off before it reads the arguments.
struct UsageWithCommand : CLI::Formatter {
    std::string make_usage(const CLI::App* app, std::string name) const override {
        const std::string usual = CLI::Formatter::make_usage(app, name);
        const auto line_end = usual.find_last_not_of('\n') + 1;
        return usual.substr(0, line_end) + " -- COMMAND [ARGUMENTS]" + usual.substr(line_end);
    }
};

}  // namespace

void show_command_after_dashes(CLI::App& app) {
    app.formatter(std::make_shared<UsageWithCommand>());
}

int run_command_line(const Arguments& arguments) {
    const CommandText about = text_of_command("rnncheck");
    CLI::App app(about.title, "rnncheck");
    app.set_version_flag("--version", "", "Show the version and exit; with --json as JSON");
    app.require_subcommand(0, 1);
    app.option_defaults()->disable_flag_override();  // no --json=false; commands inherit it
    app.get_formatter()->label("SUBCOMMAND", "COMMAND");
    app.get_formatter()->label("Positionals", "Arguments");
    app.set_help_flag("-h,--help", "Show this help and exit");
    std::function<int()> run;
    std::string first;
    if (!arguments.empty())
        first = arguments.front();
    for (const auto& command : all_commands()) {
        const auto [title, examples] = text_of_command(command.name);
        CLI::App* sub = app.add_subcommand(std::string(command.name), title);
        sub->group("Commands");
        if (title.empty())
            sub->group("");  // hidden
        // The options of all commands take 2 ms, as long as a short command; `help` shows any.
        if (first != command.name && first != "help")
            continue;
        auto declared = command->declare(*sub);
        if (first == command.name)
            run = std::move(declared);
        if (!examples.empty())
            add_examples(*sub, examples);
    }
    app.footer(exit_codes);  // after the commands, which would inherit it
    add_examples(app, about.examples);
    try {
        const auto end = end_of_own(arguments);
        if (end != arguments.end())
            after_dashes = {end + 1, arguments.end()};
        parse_arguments(app, {arguments.begin(), end});
    } catch (const CLI::CallForVersion&) {
        print_version(wants_json(arguments));
        return healthy;
    } catch (const CLI::CallForHelp&) {
        return print_help(app.help());
    }
    if (!run)
        throw UsageError(
            "no command was given; 'rnncheck doctor' checks this machine, 'rnncheck --help' lists "
            "the commands");
    return run();
}

bool wants_json(const Arguments& arguments) {
    const auto end = end_of_own(arguments);
    return std::find(arguments.begin(), end, "--json") != end ||
           wants(arguments, "--format", "json");
}

constexpr const char* beyond_limit =
    "a limit of this process is too low for rnncheck, which found no more memory, threads or open "
    "files; raise it "
    "('ulimit -a' shows the limits), or the memory of the container or job";

/// Errors that a process gets from the system when one of its limits is reached.
static bool is_limit(const std::error_code& error) {
    return error == std::errc::resource_unavailable_try_again ||
           error == std::errc::not_enough_memory || error == std::errc::too_many_files_open;
}

int run_safely(const Arguments& arguments, int (*work)(const Arguments&)) {
    open_missing_streams();  // first: a file opened with number 1 would get the report
    keep_private_in_messages(
        std::find(arguments.begin(), end_of_own(arguments), "--show-private") !=
        end_of_own(arguments));
    process::end_work_apart_at(deadline_after(deadline_in(arguments)));
    try {
        return work(arguments);
    } catch (const UsageError& error) {
        return report_failure(arguments, FailureKind::usage, error.what());
    } catch (const InputError& error) {
        return report_failure(arguments, FailureKind::input, error.what());
    } catch (const OutputError& error) {
        print_message(error.what());
        if (wants(arguments, "--exit-style", "nagios"))
            return unknown_to_nagios;
        return usage;
    } catch (const std::bad_alloc&) {
        return report_failure(arguments, FailureKind::limit, beyond_limit);
    } catch (const std::system_error& error) {
        if (is_limit(error.code()))
            return report_failure(arguments, FailureKind::limit, beyond_limit);
        return report_failure(
            arguments, FailureKind::bug, "this is a bug in rnncheck: " + std::string(error.what()));
    } catch (const std::exception& error) {
        return report_failure(
            arguments, FailureKind::bug, "this is a bug in rnncheck: " + std::string(error.what()));
    } catch (...) {
        return report_failure(
            arguments, FailureKind::bug, "this is a bug in rnncheck: an exception of unknown type");
    }
}

}  // namespace rnncheck
