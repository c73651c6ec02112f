// A distribution's RECORD: the list of its files (PEP 376), as rows of comma-separated values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace rnncheck::packages {

struct RecordedFile {
    std::string path;                   ///< as written: below the folder that holds the dist-info folder, or absolute
    std::optional<std::int64_t> bytes;  ///< the size it had when it was installed
};

/// Calls `found` for every shared library in the list, at most a few thousand.
void read_record(std::string_view text, const std::function<void(const RecordedFile&)>& found);

/// libcudnn.so.9, _pywrap.so, libfoo.so.2.18.0.
bool is_shared_library(std::string_view path);

}  // namespace rnncheck::packages
