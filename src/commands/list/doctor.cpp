// Examines this machine, or judges saved facts.
#include <unistd.h>

#include <sstream>

#include "base/log.hpp"
#include "commands/command.hpp"
#include "commands/doctor_options.hpp"
#include "commands/identity.hpp"
#include "commands/input.hpp"
#include "commands/log_files.hpp"
#include "commands/matrix_age.hpp"
#include "commands/output.hpp"
#include "commands/progress.hpp"
#include "commands/restrictions.hpp"
#include "commands/verdict_code.hpp"
#include "facts/facts_json.hpp"

namespace rnncheck::commands::doctor {

static Facts examined(const DoctorOptions& options) {
    if (!options.facts_file.empty()) return read_facts(options.facts_file);
    Progress progress(!options.quiet);
    SurveyOptions how = options.survey;
    how.progress = [&progress](std::string_view text) { progress.tell(text); };
    Facts facts = survey(how);
    facts.tool.restrictions = restrictions_of(facts);
    return facts;
}

/// A log is read first: a wrong name is told before the machine is examined.
static Facts learn(const DoctorOptions& options, const Matrix& matrix) {
    std::optional<Log> log;
    if (!options.logs.empty()) log = read_log_files(options.logs, matrix);
    Facts facts = examined(options);
    if (options.asked_for) facts.frameworks.push_back(*options.asked_for);
    facts.log = log ? std::move(log) : std::move(facts.log);
    return facts;
}

static std::string written(const Report& report, const Named<Format>& format, const DoctorOptions& options,
                           bool color) {
    std::ostringstream out;
    format->write(report, out, {.color = color, .verbose = options.verbose, .quiet = options.quiet});
    return out.str();
}

/// Whether every file that was asked for could be written; those that could not are told.
static bool files_written(const Report& report, const DoctorOptions& options) {
    bool all = true;
    const auto write = [&all](const std::string& path, const std::string& text) {
        try {
            write_file(path, text);
        } catch (const OutputError& error) {
            log::warn(error.what());
            all = false;
        }
    };
    for (const OutputFile& output : options.outputs)
        write(output.path, written(report, *output.format, options, false));
    if (!options.save_facts.empty()) write(options.save_facts, facts_to_text(report.facts, 2) + '\n');
    return all;
}

static int run(const DoctorOptions& options) {
    if (options.verbose) log::set_level(log::Level::verbose);
    const Matrix matrix =
        options.matrix_folder.empty() ? Matrix::bundled() : Matrix::from_folder(options.matrix_folder);
    Report report = judge(learn(options, matrix), matrix, options.selection);
    add_age(report.tool);
    if (!options.show_private) report = redact(std::move(report), this_machine());
    const bool files = files_written(report, options);  // a full standard output must not cost them
    print_document(written(report, *options.format, options, wants_color(options.color, STDOUT_FILENO)));
    return files ? exit_code(report.verdict, options.fail_on) : usage;
}

static std::function<int()> declare(CLI::App& app) {
    return [read_options = declare_doctor_options(app)] { return run(read_options()); };
}

extern const Command command{.title = "Examine this machine and say what to repair", .declare = declare};

}  // namespace rnncheck::commands::doctor
