// Examines this machine, or judges saved facts.
#include "commands/command.hpp"
#include "commands/doctor_options.hpp"
#include "commands/input.hpp"
#include "commands/log_files.hpp"
#include "commands/matrix_age.hpp"
#include "commands/output.hpp"
#include "commands/progress.hpp"
#include "commands/restrictions.hpp"
#include "facts/facts_json.hpp"

namespace rnncheck::commands::doctor {

static Facts examined(const DoctorOptions& options) {
    if (!options.facts_file.empty()) return read_facts(options.facts_file);
    Facts facts = surveyed(options.survey, options.report.quiet);
    facts.tool.restrictions = restrictions_of(facts);
    return facts;
}

/// A log is read first: a wrong name is told before the machine is examined.
static Facts learn(const DoctorOptions& options, const Matrix& matrix) {
    std::optional<Log> log;
    if (!options.logs.empty()) log = read_log_files(options.logs, matrix);
    Facts facts = examined(options);
    if (options.asked_for) facts.frameworks.push_back(*options.asked_for);
    if (log) facts.log = std::move(log);
    return facts;
}

/// Whether every file that was asked for could be written; those that could not are told.
static bool files_written(const Report& report, const DoctorOptions& options) {
    bool all = true;
    for (const OutputFile& output : options.outputs)
        all &= was_written(
            [&] { write_file(output.path, report_as_text(report, *output.format, options.report, false)); });
    if (!options.save_facts.empty())
        all &= was_written([&] { write_file(options.save_facts, facts_to_text(report.facts, 2) + '\n'); });
    return all;
}

static int run(const DoctorOptions& options) {
    const Matrix matrix = matrix_from(options.matrix_directory);
    Report report = judge(learn(options, matrix), matrix, options.selection);
    add_age(report.tool);
    report = redacted_unless(options.report.show_private, std::move(report));
    const bool files = files_written(report, options);  // a full standard output must not cost them
    const int code = print_redacted(report, options.report);
    return files ? code : usage;
}

static std::function<int()> declare(CLI::App& app) {
    return [read_options = declare_doctor_options(app)] { return run(read_options()); };
}

extern const Command command{.title = "Check this machine and report what to repair", .declare = declare};

}  // namespace rnncheck::commands::doctor
