// The options of `doctor`.
#pragma once

#include "commands/common_options.hpp"
#include "process/survey.hpp"

namespace rnncheck {

/// Checked and ready to use.
struct DoctorOptions {
    SurveyOptions survey;
    Selection selection;
    ReportOptions report;
    std::optional<Framework> asked_for;  ///< a version that --for names
    std::string facts_file;              ///< judge these facts instead of this machine; empty for none
    std::vector<std::string> logs;       ///< files to join with what is found
    std::string save_facts;              ///< empty for nowhere
    std::string model;                   ///< a model's file whose layers are judged too; empty for none
    std::string matrix_directory;        ///< empty for the bundled matrix
};

/// Declares the options; the result reads them, once the command line is parsed. It throws UsageError where an id or a
/// word does not exist, naming the closest, and InputError where there is no Python.
std::function<DoctorOptions()> declare_doctor_options(CLI::App& app);

/// Those of them that make sense before a command: this machine, reported as text.
std::function<DoctorOptions()> declare_preflight_options(CLI::App& app);

/// What `doctor` does: examines, judges, prints. Gives the exit code.
int run_doctor(const DoctorOptions& options);

}  // namespace rnncheck
