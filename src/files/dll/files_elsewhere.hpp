// The GPU libraries in directories that Windows does not search.
#pragma once

#include "files/dll/process.hpp"

namespace rnncheck::dll {

/// Answers what a user could use instead of a DLL that was not
/// found, or that was found first.
class FilesElsewhere {
  public:
    FilesElsewhere(const Disk& disk, const std::vector<std::string>& directories);

    /// Files of the name that was requested, other than the one that was found, and where
    /// there are none those of another number: cudnn64_9.dll for cudnn64_8.dll. At most 32.
    std::vector<std::string> of(const Answer& answer) const;

  private:
    using ByKey = std::map<std::string, std::vector<std::string>>;
    ByKey by_name_;  ///< in lower case
    ByKey by_stem_;  ///< what is in front of the number
};

}  // namespace rnncheck::dll
