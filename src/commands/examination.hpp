// What `doctor` and `exec` do alike: learn, judge, write.
#pragma once

#include "commands/doctor_options.hpp"

namespace rnncheck {

/// This machine or the saved facts, judged, with private things hidden unless asked for.
Report examination(const DoctorOptions& options);

/// The report in one of the formats.
std::string written(const Report& report, const Named<Format>& format, const DoctorOptions& options, bool color);

/// Writes every file that was asked for; whether all could be written. Those that could not are told.
bool write_files(const Report& report, const DoctorOptions& options);

}  // namespace rnncheck
