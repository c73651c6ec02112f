// In place of the commands and options that Windows does not have yet.
#include "base/program.hpp"
#include "commands/command.hpp"
#include "files/python/environments.hpp"

namespace rnncheck {

namespace {

[[noreturn]] void reject() {
    throw UsageError(
        "this cannot be done on Windows yet, where 'rnncheck doctor' examines the driver, the "
        "libraries and the GPU alone; run rnncheck for Linux in WSL2, or 'rnncheck diagnose LOG' "
        "on a log of the program that failed");
}

std::function<int()> declare_rejected(CLI::App& app) {
    app.description("Not on Windows yet; rnncheck for Linux has it, also in WSL2");
    app.allow_extras();
    return []() -> int { reject(); };
}

}  // namespace

namespace commands {

namespace exec {
extern const Command command{declare_rejected};
}
namespace run {
extern const Command command{declare_rejected};
}
namespace which {
extern const Command command{declare_rejected};
}

}  // namespace commands

namespace python {

Variables variables_of_process() {
    return {};
}

std::string path_of_python(const Root&, const Variables&, const std::string&) {
    reject();
}

}  // namespace python

}  // namespace rnncheck
