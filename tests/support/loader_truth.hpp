// What the dynamic loader itself states it would load for a file, and the prediction in the same
// form.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "files/loader/process.hpp"

namespace rnncheck::test {

struct LoaderVariables {
    std::string library_path = {};
    std::string preload = {};
    std::string working_directory = "/";
};

/// The libraries in the order of loading: the name requested and the real file, empty for "not
/// found".
struct Truth {
    bool fails = false;  ///< the loader stops: a file it met is unusable
    std::vector<std::pair<std::string, std::string>> libraries = {};

    bool operator==(const Truth& other) const {
        return fails == other.fails && (fails || libraries == other.libraries);
    }
    std::string in_words() const;
};

/// Queries ld.so, as ldd does. The vDSO and the loader itself are left out.
Truth loader_result(const std::string& path, const LoaderVariables& variables);
Truth prediction(const std::string& path, const LoaderVariables& variables);

/// What dlopen(name) gives in a plain program, as predicted.
loader::Lookup in_plain_program(const loader::Loader& loader, const std::string& name);

/// Runs one hidden test of this very program in a process of its own, whose loader then goes by the
/// variables as they are now; what that test printed behind `marker`, the last time. "" when it
/// printed nothing.
std::string output_of_child(const std::string& test, const std::string& marker);

/// The real paths of all regular ELF files of this machine's own kind below a directory.
void collect_elf_files(const std::string& top, std::set<std::string>& files);

}  // namespace rnncheck::test
