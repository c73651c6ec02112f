// Files that the user names: facts, logs, profiles, models, compatibility tables. The
// only reader of the calendar.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.hpp"
#include "log/read_log.hpp"
#include "matrix/matrix.hpp"
#include "matrix/tables.hpp"
#include "model/found_model.hpp"
#include "report/report.hpp"

namespace rnncheck {

/// "-" is standard input; pipes are read to their end. InputError when it cannot be read, is larger
/// than 64 MiB or contains no facts; fields not known here are reported on stderr.
Facts read_facts(const std::string& path);

/// The text of such a file. InputError when it cannot be read or is larger than 64 MiB.
std::string read_document(const std::string& path);

/// "-" is standard input; pipes are read to their end. InputError when a file cannot be read.
Log read_log_files(const std::vector<std::string>& paths, const Matrix& matrix);

/// So many numbers of a model's layers are read, for an answer of the process that reads it has at
/// most 16 MiB.
inline constexpr std::size_t most_weights = 600'000;

/// Reads the file in a separate process without privileges. InputError states why it cannot be
/// read.
ModelFile read_model_file(const std::string& path, bool with_weights);

/// Every model in it, where it is an archive or a directory.
std::vector<FoundModel> read_model_files(const std::string& path, bool with_weights);

/// Whether a layer receives a mask; nothing where the file does not contain it.
std::optional<Network> network_of(const ModelFile& file);

/// Reads rnncheck.toml, which contains what a gate requires of its machines; `rules` are all rule
/// ids. InputError or UsageError names the file, the line and what is allowed there.
Profile read_profile(const std::string& path, const std::vector<std::string>& rules);

/// The tables in `directory`, or the bundled ones where it is empty.
Matrix matrix_from(const std::string& directory);
TableFiles table_files_from(const std::string& directory);

/// What is wrong with them, the patterns of log messages included.
std::vector<Issue> issues_in(const Tables& tables);

/// Days from an ISO date to `today`; nothing for a date that is none or lies in the future.
std::optional<int> days_from(std::string_view date, std::chrono::sys_days today);

/// This rnncheck with a matrix of this date and digest, and its age by the system's clock in UTC.
ToolStamp stamp_with(std::string matrix_date, std::string matrix_digest);

}  // namespace rnncheck
