// The options of `doctor`; `report` and `exec` have some of them.
#pragma once

#include "commands/common_options.hpp"
#include "process/survey.hpp"

namespace rnncheck {

struct InputOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, facts,
                   "FILE: Evaluate saved facts or a saved JSON report instead of this machine (- "
                   "is standard input)");
    RNNCHECK_FIELD(std::string, root, root_option);
    RNNCHECK_FIELD(std::vector<std::string>, log,
                   "FILE: Also analyze this log of the failing program (- is standard input)");
    RNNCHECK_FIELD(std::string, model,
                   "FILE: Also show which recurrent layers of this model use cuDNN");
    RNNCHECK_FIELD_AS(
        std::string, framework, "for",
        "NAME==VERSION: Check this machine against a framework version, e.g. tensorflow==2.15");
    RNNCHECK_FIELDS_END
};

struct ExaminationOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(bool, look_only, "Read files only: open no vendor library, use no GPU") = false;
    RNNCHECK_FIELD(bool, no_run, "Query the libraries, but do not use the GPU") = false;
    RNNCHECK_FIELD(bool, make_nodes,
                   "Allow the driver to create missing device nodes, as a CUDA program does") =
        false;
    /// A gate in CI or a person at a terminal waits no longer than this, whatever hangs; a process
    /// that does not end may add seconds.
    RNNCHECK_FIELD(std::optional<double>, deadline, deadline_option) = 70;
    RNNCHECK_FIELD(std::string, python,
                   "ENV: Check the frameworks of this Python: an interpreter, the directory of an "
                   "environment or of a "
                   "project, python3.11, 3.11, or the name of a conda environment");
    RNNCHECK_FIELDS_END
};

struct GateOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::vector<std::string>, require,
                   "ID: Exit code 3 if any of these rules cannot be decided");
    RNNCHECK_FIELD(std::string, profile,
                   "FILE: Read required and ignored rules, --fail-on and expected versions from "
                   "this file, e.g. "
                   "rnncheck.toml");
    RNNCHECK_FIELD(std::string, save_facts,
                   "FILE: Save the facts, without findings, to this file; --facts reads it");
    RNNCHECK_FIELDS_END
};

struct DoctorOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(InputOptions, input, "Input");
    RNNCHECK_FIELD(ExaminationOptions, examination, "Examination");
    RNNCHECK_FIELD(RuleOptions, rules, "Rules");
    RNNCHECK_FIELD(GateOptions, gate, "Output and exit code");
    RNNCHECK_FIELD(ReportOptions, report, "Output and exit code");
    RNNCHECK_FIELDS_END

    // Set by check().
    SurveyOptions survey;
    Selection selection;
    std::optional<Framework> requested_framework;  ///< a version that --for names
    Matrix matrix = Matrix::bundled();

    /// Call it once the command line is parsed. UsageError for an unknown id or word, with the
    /// closest match; InputError if --python names no Python.
    void check(const CLI::App& app);
};

/// The commands of remedies that run `rnncheck doctor` examine what these options examine: --facts,
/// --root, --python and
/// --for are repeated.
void repeat_question(const DoctorOptions& options, Report& report);

/// What `doctor` does: examine, evaluate, print. Returns the exit code.
int run_doctor(DoctorOptions& options, const CLI::App& app);

}  // namespace rnncheck
