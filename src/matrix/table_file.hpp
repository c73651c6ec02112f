// The files of a matrix, before anything in them is understood.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace rnncheck {

struct TableFiles {
    std::string place;                                ///< where they lie, for messages
    std::map<std::string, std::string_view> content;  ///< by stem
    std::map<std::string, std::string> owned;         ///< holds the text of files that were read
    std::string digest;                               ///< "sha256:..."
    std::string date;                                 ///< newest "seen" date of all sources; "" without any

    std::string path_of(const std::string& stem) const { return place + "/" + stem + ".json"; }
};

/// The files compiled into the program.
TableFiles bundled_table_files();

/// Every *.json of a folder. InputError when it cannot be read.
TableFiles table_files_of(const std::string& folder);

/// Whether a table is byte for byte the bundled one, which the build has verified.
bool same_as_bundled(const TableFiles& files, const std::string& stem);

/// "2026-11-21": the form only, not the calendar.
bool is_iso_date(std::string_view text);

/// A day of the calendar in this form, in the years that tables about CUDA can be of: 2007 to 2099.
bool is_date(std::string_view text);

/// Newest "seen" date of a table's sources, found without parsing; "" when there is none.
std::string newest_date(std::string_view table);

}  // namespace rnncheck
