// Where copies of the GPU libraries are looked for, and what their names say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elf/loader.hpp"
#include "facts/libraries.hpp"

namespace rnncheck::probes {

struct Candidate {
    std::string path;
    FoundVia via = FoundVia::default_folder;
    LibraryKind kind = LibraryKind::cuda;
};

/// The kind of library that a file of this name is ("libcudnn_adv.so.9" is a part of cuDNN); nothing for others.
std::optional<LibraryKind> kind_of_name(std::string_view file_name);

/// Every name of every copy, in the loader's order first, then toolkits, WSL, conda and Python wheels. Bounded.
std::vector<Candidate> find_candidates(const Root& root, const elf::Loader& loader);

}  // namespace rnncheck::probes
