// The distributions installed in a directory of packages: names, metadata and
// lists of files.
#pragma once

#include <cstdint>

#include "base/files.hpp"
#include "facts/packages.hpp"

namespace rnncheck::python {

// What describes a distribution: its name, and the headers of METADATA or
// PKG-INFO, which have the form of an e-mail (PEP 566, core metadata).

/// Takes the first line off a text.
std::string_view take_line(std::string_view& text);

/// "2.4.1+cu121", "2.15.0.post1", "2.18.0rc1": the numbers at its beginning.
std::optional<Version> leading_version(std::string_view text);

/// "nvidia-cudnn-cu12 (==8.9.4.25) ; extra == 'and-cuda'".
struct Requirement {
    std::string name;    ///< normalised
    std::string bounds;  ///< "==8.9.4.25", ">=9.1,<10.0"; empty for any version
};

/// What the headers show that matters here.
struct Metadata {
    std::string name;  ///< normalised
    std::string version;
    std::vector<Requirement> needs;
};

/// As PEP 503 compares names: lower case, each run of '-', '_' and '.' one '-'.
std::string normalised(std::string_view name);

/// The headers end at the first empty line; what is no header is passed over.
Metadata read_metadata(std::string_view text);

/// The part of a requirement's line behind "Requires-Dist:".
Requirement read_requirement(std::string_view text);

/// What the name of a distribution shows by itself.
struct DistributionName {
    /// as in Framework::name
    std::string framework;
    /// as in the name: cpu, cuda, rocm, directml, cu112; "" if it has none
    std::string build;
    /// extends a framework that is another distribution
    bool plugin = false;
};

/// By a normalised name: "tensorflow-cpu", "jax-cuda12-plugin", "cupy-cuda12x".
std::optional<DistributionName> parse_distribution_name(std::string_view distribution);

/// One of NVIDIA's wheels with libraries that recurrent networks use:
/// cuDNN, cuBLAS, the runtime, NVRTC.
bool is_library_wheel(std::string_view distribution);

/// nvidia-cudnn-cu12 is for CUDA 12.
std::optional<int> cuda_major_of(std::string_view distribution);

// The distributions installed in a directory, and their lists of files.

/// An installed distribution. Its version is empty if the directory's name does
/// not contain it; for conda, its directory is the prefix.
struct Distribution : PythonPackage {
    std::string metadata;  ///< the directory or file that describes it
    bool conda = false;
};

/// Sorted by name. At most 100000 names are looked at.
std::vector<Distribution> distributions_in(const Root& root, const std::string& directory);

/// Those that conda installed, from the names in PREFIX/conda-meta
/// ("name-version-build.json").
std::vector<Distribution> conda_distributions(const Root& root, const std::string& prefix);

/// Its metadata; unset when there is none that could be read. What was not read
/// to its end is named in `left_out`.
std::optional<Metadata> metadata_of(
    const Root& root, const Distribution& distribution, std::vector<std::string>& left_out);

/// A row of RECORD, the list of a distribution's files (PEP 376).
struct RecordedFile {
    /// as written: below the directory that holds the dist-info directory, or absolute
    std::string path;
    /// the size it had when it was installed
    std::optional<std::int64_t> bytes;
};

/// The shared libraries in the text of a RECORD, at most a few thousand.
std::vector<RecordedFile> read_record(std::string_view text);

/// Compares its RECORD with the disk: fills missing_files and changed_files with
/// the shared libraries that are gone or have another size, at most 32 of each. Of
/// a list longer than 32 MiB the beginning counts, which is named in `left_out`.
void compare_files(
    const Root& root, Distribution& distribution, std::vector<std::string>& left_out);

}  // namespace rnncheck::python
