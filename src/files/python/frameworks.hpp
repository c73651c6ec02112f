// The frameworks of a Python environment and their packages.
#pragma once

#include <map>

#include "facts/packages.hpp"
#include "files/python/distributions.hpp"

namespace rnncheck::python {

/// Lists what is installed, at most a hundred thousand names in each directory,
/// and fills distributions, packages and left_out of the environment. The lists
/// of files are compared with the disk in the active environment alone.
std::vector<Framework> frameworks_of(const Root& root, PythonEnvironment& environment);

// What a framework was built for, from its own files. Nothing of it is executed.

/// A framework on disk: its distributions and the directory of packages
/// that `import` takes it from.
struct Installed {
    /// as in Framework::name
    std::string name;
    /// the directory of packages
    std::string directory;
    std::vector<Distribution> distributions;
    std::vector<Distribution> plugins;
    /// one of NVIDIA's cuDNN wheels is in the same environment
    bool bundles_cudnn = false;
};

/// Fills uses_cuda, evidence, build, core, cuda, cudnn, cudnn_wanted and
/// targets; what the files do not show stays unset.
void read_framework_files(
    const Root& root,
    const Installed& installed,
    Framework& framework,
    std::vector<std::string>& left_out);

// Values that a generated Python file gives to names, read as text: what a build was
// made for. Nothing is executed, and what is not a plain literal is passed over.

/// Texts without their quotes, numbers, True, False and None as
/// written; a list has several values.
struct Literals {
    /// The one value of a name; nothing when there is none, or
    /// several, or the name is not given.
    std::optional<std::string> one(std::string_view name) const;
    /// "True" and "False" alone.
    std::optional<bool> yes_no(std::string_view name) const;
    std::vector<std::string> all(std::string_view name) const;

    std::map<std::string, std::vector<std::string>, std::less<>> values;
};

/// Takes `name = 'value'` and `name: annotation = 'value'` at the beginning of a line,
/// and pairs ('name', 'value') and ('name', ['value', ...]) wherever they are. The
/// first value of a name counts. Reads 64 KiB at the most.
Literals read_literals(std::string_view text);

}  // namespace rnncheck::python
