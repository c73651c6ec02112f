// Ranges of versions as the tables write them. A range's end is as exact as it is written: 2.4 covers every 2.4.x.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/version.hpp"

namespace rnncheck {

/// How many numbers the version was written with: 2 for "12.4".
std::size_t parts_written(const Version& version);

/// Where both are written out, they agree: 12.4 and 12.4.1 do, 12.4 and 12.5 do not, 12 agrees with both.
bool agree(const Version& a, const Version& b);

/// Whether `version` is not beyond `last`, read with `last`'s exactness.
bool within(const Version& version, const Version& last);

/// `first` to `last`; without `last` that one release, as exactly as it is written.
bool covers(const Version& first, const std::optional<Version>& last, const Version& version);

/// Whether a driver given as release or as branch is at least this release; of a branch, its newest release counts.
bool reaches(const Version& driver, const Version& release);

/// Two columns of a table that hold the ends of a range.
struct RangeColumns {
    std::string_view word;  ///< what a filter calls a value inside it; the name of a column or a word of its own
    std::string_view first;
    std::string_view last;
    /// What a row without `last` covers.
    enum class Open { one_release, all_later } without_last = Open::all_later;
    bool excludes_last = false;
};

/// The ranges of the table `stem`, possibly none.
std::span<const RangeColumns> ranges_of(std::string_view stem);

}  // namespace rnncheck
