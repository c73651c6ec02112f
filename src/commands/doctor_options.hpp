// The options of `doctor`; `report` and `exec` have some of them.
#pragma once

#include "commands/common_options.hpp"
#include "process/survey.hpp"

namespace rnncheck {

/// What is examined instead of this machine, or in addition to it. Empty for what was not given.
struct InputOptions {
    std::string facts;             ///< file; "-" is standard input
    std::string root;              ///< directory
    std::vector<std::string> log;  ///< files; "-" is standard input
    std::string model;             ///< file
    std::string framework;         ///< "tensorflow==2.15"
};

/// How far this machine is examined.
struct ExaminationOptions {
    bool look_only = false;
    bool no_run = false;
    bool make_nodes = false;
    /// In seconds. A gate in CI or a person at a terminal waits no longer than this, whatever
    /// hangs; a process that does not end may add seconds.
    std::optional<double> deadline = 70;
    std::string python;  ///< empty for the active environment
};

/// What a gate requires, and what it keeps.
struct GateOptions {
    std::vector<std::string> require;
    std::string profile;     ///< file
    std::string save_facts;  ///< file
};

struct DoctorOptions {
    InputOptions input;
    ExaminationOptions examination;
    RuleOptions rules;
    GateOptions gate;
    ReportOptions report;

    // Set by check().
    SurveyOptions survey;
    Selection selection;
    std::optional<Framework> requested_framework;  ///< a version that --for names
    Matrix matrix = Matrix::bundled();

    /// Call it once the command line is parsed. UsageError for an unknown id or word, with the
    /// closest match; InputError if --python names no Python.
    void check(const CLI::App& app);
};

/// Those of `doctor`, each group below its heading.
void add_doctor_options(CLI::App& app, DoctorOptions& options);

// Those that `exec` and `run` have as well.
void add_look_only_option(CLI::App& app, ExaminationOptions& options);
void add_python_option(CLI::App& app, ExaminationOptions& options);
void add_examination_options(CLI::App& app, ExaminationOptions& options);
void add_machine_rule_options(CLI::App& app, RuleOptions& options);  ///< with --allow-no-gpu

/// The commands of remedies that run `rnncheck doctor` examine what these options examine: --facts,
/// --root, --python and --for are repeated.
void repeat_question(const DoctorOptions& options, Report& report);

/// What `doctor` does: examine, evaluate, print. Returns the exit code.
int run_doctor(DoctorOptions& options, const CLI::App& app);

}  // namespace rnncheck
