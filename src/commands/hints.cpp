#include "commands/hints.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "commands/names.hpp"

namespace rnncheck {

namespace {

/// What other programs call something that rnncheck has under another name.
struct OtherName {
    std::string_view word, command, does;
};

constexpr OtherName other_names[] = {
    {"version", "rnncheck --version", "prints the version"},
    {"check", "rnncheck doctor", "checks this machine"},
    {"test", "rnncheck doctor", "checks this machine"},
    {"status", "rnncheck doctor", "checks this machine"},
    {"env", "rnncheck report", "prints this machine's report for an issue"},
    {"info", "rnncheck report", "prints this machine's report for an issue"},
    {"collect", "rnncheck report", "prints this machine's report for an issue"},
    {"log", "rnncheck diagnose FILE", "reads a log"},
    {"logs", "rnncheck diagnose FILE", "reads a log"},
    {"plan", "rnncheck matrix plan", "plans an installation"},
    {"rules", "rnncheck list rules", "lists the rules"},
};

enum class FileKind { log, model, facts };

/// By their names alone: a file that is named by mistake may be large, or not exist.
struct Ending {
    std::string_view text;
    FileKind kind;
};

constexpr Ending endings[] = {
    {".log", FileKind::log},
    {".txt", FileKind::log},
    {".out", FileKind::log},
    {".err", FileKind::log},
    {".keras", FileKind::model},
    {".h5", FileKind::model},
    {".hdf5", FileKind::model},
    {".onnx", FileKind::model},
    {".pt", FileKind::model},
    {".pth", FileKind::model},
    {".pt2", FileKind::model},
    {".pb", FileKind::model},
    {".py", FileKind::model},
    {".safetensors", FileKind::model},
    {".ipynb", FileKind::model},
    {".json", FileKind::facts},
};

std::optional<FileKind> kind_of_file(const std::string& name) {
    const std::string lowered = lower(name);
    for (const Ending& ending : endings)
        if (lowered.size() > ending.text.size() && lowered.ends_with(ending.text))
            return ending.kind;
    return std::nullopt;
}

std::string command_for(FileKind kind, const std::string& file) {
    switch (kind) {
        case FileKind::log:
            return "'rnncheck diagnose " + file + "' reads a log";
        case FileKind::model:
            return "'rnncheck model " + file + "' reads a model or a program";
        default:
            return "'rnncheck doctor --facts " + file + "' evaluates saved facts or a saved report";
    }
}

/// The option of several values of which `argument` would be one more: "--ignore" in "--ignore a
/// b".
const CLI::Option* list_before(
    const CLI::App& command,
    const std::string& argument,
    const std::vector<std::string>& arguments) {
    const auto at = std::ranges::find(arguments, argument);
    if (at == arguments.end() || at - arguments.begin() < 2)
        return nullptr;
    const CLI::Option* const option = command.get_option_no_throw(at[-2]);
    const bool is_list = option && option->get_expected_max() > 1;
    if (!is_list || option->results().empty())
        return nullptr;
    return option;
}

}  // namespace

std::string hint_for_command(const std::string& word, const std::vector<std::string>& commands) {
    // Before the closest match: "test" is near no command.
    if (const OtherName* known = find_by(other_names, &OtherName::word, lower(word)))
        return "; '" + std::string(known->command) + "' " + std::string(known->does);
    if (const auto kind = kind_of_file(word))
        return "; " + command_for(*kind, word);
    return did_you_mean(word, commands, "; the commands are " + join_with_and(commands));
}

std::string hint_for_argument(
    const CLI::App& command,
    const std::string& argument,
    const std::vector<std::string>& arguments) {
    if (const CLI::Option* option = list_before(command, argument, arguments)) {
        const std::string name = option->get_name();
        return "; repeat the option for another value: " + name + ' ' + option->results().back() +
               ' ' + name + ' ' + argument;
    }
    // `doctor train.log` may mean either.
    const bool has_log = command.get_option_no_throw("--log") != nullptr;
    const auto kind = kind_of_file(argument);
    if (kind == FileKind::log && has_log)
        return "; " + command_for(*kind, argument) + ", and --log " + argument +
               " adds it to this check";
    if (kind)
        return "; " + command_for(*kind, argument);
    if (contains(argument, "==") && command.get_option_no_throw("--for"))
        return "; --for " + argument + " checks this machine against that version";
    return "";
}

}  // namespace rnncheck
