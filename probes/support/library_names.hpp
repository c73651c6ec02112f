// Which GPU library a file is by its name.
#pragma once

#include <optional>
#include <string_view>

#include "facts/libraries.hpp"

namespace rnncheck::probes {

struct LibraryName {
    LibraryKind kind;
    std::optional<Version> version;  ///< libcudart.so.12.4.99 gives 12.4.99, libcudnn.so.9 gives 9
    bool development = false;        ///< libcudnn.so: for linking, no program names it at run time
};

/// Takes libNAME.so and libNAME.so.NUMBERS, with the eight hexadecimal digits that wheels put behind a name
/// (libcudart-d0da41ae.so.11.0) or without. Static libraries and backups (libcudnn.so.9.bak) are no names.
std::optional<LibraryName> library_name(std::string_view file_name);

/// The name programs open whatever the version, for the kinds that have one: libcuda.so.1, libnvidia-ml.so.1.
std::optional<std::string_view> fixed_name(LibraryKind kind);

}  // namespace rnncheck::probes
