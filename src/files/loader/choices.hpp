// From a played-through process to one answer per library, each with what else was found and why that is not the one.
#pragma once

#include <functional>

#include "files/loader/process.hpp"

namespace rnncheck::loader {

using Wanted = std::function<bool(std::string_view name)>;

/// For every name asked for that `wanted` takes, in the order of asking.
std::vector<LibraryChoice> choices_of(const Process& process, const Wanted& wanted);

/// "RPATH of libtorch_cuda.so": what `rule` is called where this object asks.
std::string in_words(const Process& process, LoaderRule rule, std::size_t owner);

/// The path with every link resolved, where there is such a file.
std::string real_or_same(const Root& root, const std::string& path);

/// Adds the files of these names in these directories to the answers as found elsewhere, where the loader does not
/// look.
void add_elsewhere(const Root& root, const std::vector<std::string>& directories, std::vector<LibraryChoice>& choices);

}  // namespace rnncheck::loader
