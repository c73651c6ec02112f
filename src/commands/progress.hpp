// A line on the terminal while a run takes long.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "process/survey.hpp"

namespace rnncheck {

/// Shows the last text told, on stderr, if that is a terminal and more than a second has passed; takes it away at the
/// end of its life.
class Progress {
  public:
    explicit Progress(bool wanted);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void tell(std::string_view text);

  private:
    bool wanted_;
    std::string last_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// survey() with a line of progress.
Facts surveyed(SurveyOptions how, bool quiet);

}  // namespace rnncheck
