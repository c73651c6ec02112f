// The survey of this machine as commands run it: with a line of progress, and with what restricted
// it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "process/survey.hpp"
#include "report/report.hpp"

namespace rnncheck {

/// A line on the terminal while a run takes long: the last text shown, on stderr, if that is a
/// terminal and more than a second has passed; removed at the end of its life.
class Progress {
  public:
    explicit Progress(bool wanted);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(std::string_view text);

  private:
    bool wanted_;
    std::string last_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// survey() with a line of progress.
Facts surveyed(SurveyOptions how, bool quiet);

/// The same with facts.tool.restrictions: a sandbox, a container, a full process table.
Facts surveyed_with_restrictions(const SurveyOptions& how, bool quiet);

/// What cannot be examined where a directory of the system, one of host.hidden_directories, shows
/// nothing.
std::string without_directory(const std::string& directory);

/// What follows when no file can be created in process::temporary_directory(), for the reason
/// given.
std::string without_temporary_files(const std::string& reason);

/// Of a report about this machine: root needs no sudo, which containers do not have.
void fit_commands_to_user(Report& report);

}  // namespace rnncheck
