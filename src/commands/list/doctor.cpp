// Examines this machine, or judges saved facts.
#include <unistd.h>

#include "base/log.hpp"
#include "commands/command.hpp"
#include "commands/examination.hpp"
#include "commands/output.hpp"
#include "commands/verdict_code.hpp"

namespace rnncheck::commands {

static int run(const DoctorOptions& options) {
    if (options.verbose) log::set_level(log::Level::verbose);
    const Report report = examination(options);
    const bool files = write_files(report, options);  // a full standard output must not cost them
    print_document(written(report, *options.format, options, wants_color(options.color, STDOUT_FILENO)));
    return files ? exit_code(report.verdict, options.fail_on) : usage;
}

static std::function<int()> declare(CLI::App& app) {
    return [read_options = declare_doctor_options(app)] { return run(read_options()); };
}

extern const Command doctor{.title = "Examine this machine and say what to repair", .declare = declare};

}  // namespace rnncheck::commands
