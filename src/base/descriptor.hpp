// Reading an open file, in the same way on every system.
#pragma once

#include "base/files.hpp"

namespace rnncheck {

/// At most `most` bytes of an open file, from where it is read next;
/// nothing if it cannot be read.
std::optional<std::string> content_of(const Descriptor& file, std::size_t most);

}  // namespace rnncheck
