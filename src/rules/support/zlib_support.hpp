// Copies of cuDNN that lack the zlib which a part of theirs needs. Pure.
#pragma once

#include "rules/support/cudnn_support.hpp"

namespace rnncheck::rules {

/// "libz.so.1" where the loader finds none for this file; null when it needs none or finds one.
const std::string* missing_zlib(const Library& library);

/// The loader gives this file, or it lies beside the cuDNN that a framework gets; unset where it is unknown which one
/// a framework gets.
std::optional<bool> is_used(const Facts& facts, const Library& part);

/// A used part of the cuDNN in this directory lacks zlib: zlib_missing tells it.
bool lacks_zlib(const Facts& facts, const std::string& directory);

/// What the run examined is a copy of cuDNN; its directory, else "".
std::string cudnn_directory_of(const ProbeRun& run);

}  // namespace rnncheck::rules
