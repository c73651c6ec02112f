// Checks this machine, or evaluates saved facts.
#include "commands/command.hpp"
#include "commands/doctor_options.hpp"
#include "commands/input.hpp"
#include "commands/survey_here.hpp"
#include "commands/tables.hpp"
#include "facts/facts_json.hpp"

namespace rnncheck {

/// A log is read first: a wrong name is reported before the machine is examined.
static Facts learn(const DoctorOptions& options, const Matrix& matrix) {
    std::optional<Log> log;
    if (!options.logs.empty()) log = read_log_files(options.logs, matrix);
    Facts facts = options.facts_file.empty() ? surveyed_with_restrictions(options.survey, options.report.quiet)
                                             : read_facts(options.facts_file);
    if (options.asked_for) facts.frameworks.push_back(*options.asked_for);
    if (log) facts.log = std::move(log);
    return facts;
}

int run_doctor(const DoctorOptions& options) {
    const Matrix matrix = matrix_from(options.matrix_directory);
    std::optional<JudgedModel> model;
    if (!options.model.empty())
        model = judged_model(options.model, read_model_file(options.model, false), {}, {}, matrix);
    Report judged = judge(learn(options, matrix), matrix, options.selection);
    if (model) judged.verdict = worse(judged.verdict, verdict_of(model->layers));
    judged.model = std::move(model);
    const Report report = finished(std::move(judged), options.report);
    const bool saved = options.save_facts.empty() ||
                       was_written([&] { write_file(options.save_facts, facts_to_text(report.facts, 2) + '\n'); });
    const int code = print_report(report, options.report);
    return saved ? code : usage;
}

namespace commands::doctor {

static std::function<int()> declare(CLI::App& app) {
    return [read_options = declare_doctor_options(app)] { return run_doctor(read_options()); };
}

extern const Command command{.title = "Check this machine and report what to repair",
                             .examples =
                                 "rnncheck doctor\n"
                                 "rnncheck doctor --for tensorflow==2.15 --log train.log\n"
                                 "rnncheck doctor --look-only --output json=report.json",
                             .declare = declare};

}  // namespace commands::doctor

}  // namespace rnncheck
