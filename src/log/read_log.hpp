// Reads logs, in one pass and bounded memory, whatever their size. Judges nothing, opens nothing.
#pragma once

#include <functional>

#include "facts/log.hpp"
#include "matrix/matrix.hpp"

namespace rnncheck {

/// Puts up to `size` bytes at `to` and says how many; 0 at the end.
using ReadBytes = std::function<std::size_t(char* to, std::size_t size)>;

struct LogInput {
    std::string name;  ///< as the user named it
    ReadBytes read;
};

/// All inputs, one after the other.
Log read_logs(const std::vector<LogInput>& inputs, const Matrix& matrix);

/// A log that is at hand as text.
Log read_log_text(std::string_view text, const Matrix& matrix, const std::string& name = "log");

}  // namespace rnncheck
