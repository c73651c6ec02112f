// Reads logs, in one pass and bounded memory, whatever their size. Judges nothing, opens nothing.
#pragma once

#include <functional>
#include <memory>

#include "facts/log.hpp"
#include "matrix/tables.hpp"

namespace rnncheck {

namespace log_reader {
class Signatures;
}

/// Writes up to `size` bytes to `to` and returns their number; 0 at the end.
using ReadBytes = std::function<std::size_t(char* to, std::size_t size)>;

struct LogInput {
    std::string name;  ///< as the user named it
    ReadBytes read;
};

/// A log that is in memory: `text` must stay there until it has been read.
LogInput text_as_log(std::string name, std::string_view text);

/// Knows the signatures of a table; made ready once, it reads any number of logs.
class LogReader {
  public:
    /// InputError when the table is wrong.
    explicit LogReader(const Matrix& matrix);

    /// All inputs, one after the other.
    Log read(const std::vector<LogInput>& inputs) const;

  private:
    std::shared_ptr<const log_reader::Signatures> signatures_;
};

Log read_logs(const std::vector<LogInput>& inputs, const Matrix& matrix);

/// What is wrong with the kinds and patterns of the table log_signatures, by row. Rows that cannot
/// be read are left out: verify() names those.
std::vector<Issue> verify_signatures(const Tables& tables);

}  // namespace rnncheck
