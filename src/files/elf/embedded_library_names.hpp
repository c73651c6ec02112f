// Library names that stand as texts in a file's read-only data: what it may open with dlopen while it runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"

namespace rnncheck::elf {

/// Texts of the form libNAME.so or libNAME.so.NUMBERS, each once, in the file's order. Looks into the read-only data
/// sections, 64 MiB at most; without a table of sections into the first 16 MiB. Nothing for a file that cannot be read.
std::vector<std::string> embedded_library_names(const Root& root, std::string_view path);

/// The same in bytes; a name counts when a NUL stands at both ends.
void add_library_names(std::string_view bytes, std::vector<std::string>& names);

/// libcudnn.so.9, _pywrap.so, libfoo.so.2.18.0; a path's last part counts.
bool is_shared_library(std::string_view path);

}  // namespace rnncheck::elf
