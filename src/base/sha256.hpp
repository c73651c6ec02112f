// SHA-256 (FIPS 180-4), for naming the exact content of a set of files. Not for secrets.
#pragma once

#include <string>
#include <string_view>

namespace rnncheck {

/// The digest as 64 lower-case hexadecimal digits, as `sha256sum` prints it.
std::string sha256_hex(std::string_view data);

}  // namespace rnncheck
