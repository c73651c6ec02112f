// The distributions installed in a directory of packages, by the names of their metadata, and their lists of files.
#pragma once

#include <cstdint>
#include <functional>

#include "base/files.hpp"
#include "facts/packages.hpp"
#include "files/python/metadata.hpp"

namespace rnncheck::python {

struct Distribution {
    std::string name;       ///< normalised
    std::string version;    ///< as written; empty when the directory's name does not tell
    std::string directory;  ///< where it is installed: site-packages, or the prefix for conda
    std::string metadata;   ///< the directory or file that describes it
    bool conda = false;
};

/// Sorted by name. At most 100000 names are looked at.
std::vector<Distribution> distributions_in(const Root& root, const std::string& directory);

/// Those that conda installed, from the names in PREFIX/conda-meta ("name-version-build.json").
std::vector<Distribution> conda_distributions(const Root& root, const std::string& prefix);

/// Its metadata; unset when there is none that could be read. What was not read to its end is told in `left_out`.
std::optional<Metadata> metadata_of(const Root& root, const Distribution& distribution,
                                    std::vector<std::string>& left_out);

/// A row of RECORD, the list of a distribution's files (PEP 376).
struct RecordedFile {
    std::string path;  ///< as written: below the directory that holds the dist-info directory, or absolute
    std::optional<std::int64_t> bytes;  ///< the size it had when it was installed
};

/// Calls `found` for every shared library in the list, at most a few thousand.
void read_record(std::string_view text, const std::function<void(const RecordedFile&)>& found);

/// Compares its RECORD with the disk: fills missing_files and changed_files with the shared libraries that are gone or
/// have another size, at most 32 of each. Of a list longer than 32 MiB the beginning counts, which is told in
/// `left_out`.
void compare_files(const Root& root, const Distribution& distribution, PythonPackage& package,
                   std::vector<std::string>& left_out);

}  // namespace rnncheck::python
