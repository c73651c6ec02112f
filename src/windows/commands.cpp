// In place of the commands and options that Windows does not have yet.
#include <CLI/CLI.hpp>

#include "base/program.hpp"
#include "commands/command.hpp"
#include "files/python/environments.hpp"
#include "windows/pythons.hpp"

namespace rnncheck {

namespace {

[[noreturn]] void reject() {
    throw UsageError(
        "this cannot be done on Windows yet; 'rnncheck exec -- COMMAND' checks the machine before "
        "the command, and 'rnncheck diagnose LOG' evaluates what it has written");
}

std::function<int()> declare_rejected(CLI::App& app) {
    app.description("Not on Windows yet; rnncheck for Linux has it, also in WSL2");
    app.allow_extras();
    return []() -> int { reject(); };
}

}  // namespace

namespace commands::run {
extern const Command command{declare_rejected};
}

namespace python {

Variables variables_of_process() {
    return {};
}

std::string path_of_python(const Root&, const Variables&, const std::string& text) {
    return windows::environment_named(windows::disk_of_machine(), text).prefix;
}

}  // namespace python

}  // namespace rnncheck
