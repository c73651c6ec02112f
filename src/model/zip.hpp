// The files in a ZIP archive, by its central directory (PKWARE's APPNOTE 6.3.10, https://pkware.com/appnote).
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "model/bytes.hpp"

namespace rnncheck::model {

class ZipArchive {
  public:
    /// InputError where `bytes` are no archive.
    explicit ZipArchive(std::string_view bytes);

    struct Entry {
        std::string name;
        std::uint64_t header = 0, packed_size = 0, size = 0, method = 0;
    };
    const std::vector<Entry>& entries() const { return entries_; }

    /// The last whose name is `name` or ends in "/name"; null when there is none.
    const Entry* find(std::string_view name) const;

    /// The content of an entry: a part of the archive, or inflated; at most 64 MiB for all entries together.
    std::string_view content(const Entry& entry) const;

  private:
    std::string_view bytes_;
    std::vector<Entry> entries_;
    mutable std::deque<std::string> inflated_;
    mutable std::uint64_t inflated_bytes_ = 0;
};

}  // namespace rnncheck::model
