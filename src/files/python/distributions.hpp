// The distributions installed in a folder of packages, by the names of their metadata folders.
#pragma once

#include <optional>

#include "base/files.hpp"
#include "base/version.hpp"
#include "files/python/metadata.hpp"

namespace rnncheck::packages {

struct Distribution {
    std::string name;      ///< normalised
    std::string version;   ///< as written; empty when the folder's name does not tell
    std::string folder;    ///< where it is installed: site-packages, or the prefix for conda
    std::string metadata;  ///< the folder or file that describes it
    bool conda = false;
};

/// Sorted by name. At most 100000 names are looked at.
std::vector<Distribution> distributions_in(const Root& root, const std::string& folder);

/// Those that conda installed, from the names in PREFIX/conda-meta ("name-version-build.json").
std::vector<Distribution> conda_distributions(const Root& root, const std::string& prefix);

/// Its metadata; unset when there is none that could be read. What was not read to its end is told in `left_out`.
std::optional<Metadata> metadata_of(const Root& root, const Distribution& distribution,
                                    std::vector<std::string>& left_out);

/// "2.4.1+cu121", "2.15.0.post1", "2.18.0rc1": the numbers at its beginning.
std::optional<Version> release_of(std::string_view version);

}  // namespace rnncheck::packages
