// Shows the help of a command, or a page about all of them.

#include "commands/command_line.hpp"
#include "commands/common_options.hpp"
#include "report/text.hpp"

namespace rnncheck::commands::help {

namespace {

constexpr std::string_view exit_codes = R"(Exit codes, the same in every format

0    healthy; warnings are allowed
1    a problem was found; diff: a difference that matters; which: a needed library has no usable file
2    incorrect usage, an invalid input file, or an output that could not be written
3    undetermined: a check that could find a problem could not be decided, and nothing worse was found
4    warnings and nothing worse, only with --fail-on warning
70   a bug in rnncheck
125  exec: the check found a problem, so the command was not started
126  exec: the command could not be started
127  exec: the command was not found

With --exit-style nagios, as monitoring plugins: 0 OK, 1 WARNING (warnings), 2 CRITICAL (problems), 3 UNKNOWN (undetermined, incorrect usage, an invalid input file, or an output that could not be written).
)";

constexpr std::string_view environment =
    R"(Environment variables that rnncheck reads. Those of the output and of private names change only how results are shown; the others change what is found as they change what CUDA programs find.

Output
NO_COLOR               not empty: no color, unless --color always is given
CLICOLOR_FORCE         neither empty nor 0: color even if the output is not a terminal
CLICOLOR               0: no color
TERM                   dumb: no color, only ASCII characters
GITHUB_STEP_SUMMARY    --output appends to this file instead of replacing it
LC_ALL LC_CTYPE LANG   not UTF-8: only ASCII characters
COLUMNS                line width, instead of that of the terminal

Search paths
PATH                   programs, and Python interpreters
LD_LIBRARY_PATH LD_PRELOAD
                       libraries, as the loader finds them
HOME                   Python environments below the home directory
VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT PYENV_VERSION PYTHONPATH PYTHONUSERBASE PYTHONNOUSERSITE XDG_DATA_HOME
                       Python environments and their packages
TMPDIR                 temporary files
CUDA_HOME CUDA_PATH    the CUDA toolkit
CUDA_MPS_PIPE_DIRECTORY
                       the control daemon of MPS

Private names
USER LOGNAME SUDO_USER HOME
                       reports hide these names

Reports also record the variables that affect CUDA, cuDNN and frameworks, in facts.host.environment.
)";

std::string formats() {
    std::string text = "Formats of reports (--format FORMAT, --output FORMAT=FILE)\n\n";
    for (const auto& format : all_formats()) text += padded(format.name, 12) + std::string(format->title) + '\n';
    return text +
           "\nAll other output is text, or JSON with --json. 'rnncheck schema' prints the JSON Schema of every "
           "document.\n";
}

std::function<int()> declare(CLI::App& app) {
    const auto words = std::make_shared<std::vector<std::string>>();
    app.add_option("TOPIC", *words, "A command, exit-codes, environment or formats");
    return [words, &app]() -> int {
        const std::string topic = join(*words, " ");
        if (topic == "exit-codes") return print_help(std::string(exit_codes));
        if (topic == "environment") return print_help(std::string(environment));
        if (topic == "formats") return print_help(formats());
        const CLI::App* shown = app.get_parent();
        std::string name = shown->get_name();
        for (const std::string& word : *words) {
            const auto commands = shown->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
            if (commands.empty()) {
                std::vector<std::string> known = {"exit-codes", "environment", "formats"};
                for (const CLI::App* one :
                     shown->get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
                    known.push_back(one->get_name());
                reject_word(word, "TOPIC", known);
            }
            shown = commands.front();
            name += ' ' + word;
        }
        return print_help(shown->get_formatter()->make_help(shown, name, CLI::AppFormatMode::Normal));
    };
}

}  // namespace

extern const Command command{.title = "Show the help of a command, or about exit codes, the environment or formats",
                             .examples =
                                 "rnncheck help doctor\n"
                                 "rnncheck help exit-codes",
                             .declare = declare};

}  // namespace rnncheck::commands::help
