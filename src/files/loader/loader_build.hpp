// What a program's interpreter (ld-linux-x86-64.so.2) was built with, told by the texts inside its file, and which
// subdirectories it uses on this processor. Distributions differ in the default directories, and so does every glibc
// that is installed beside the system's own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"

namespace rnncheck::loader {

struct LoaderBuild {
    std::vector<std::string> default_directories;  ///< in order: "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"
    std::string cache;                             ///< "/etc/ld.so.cache"
    std::string preload_file;                      ///< "/etc/ld.so.preload"
    bool hwcaps = true;                            ///< searches glibc-hwcaps subdirectories: since glibc 2.33
    bool legacy = false;  ///< searches subdirectories such as tls and haswell: before glibc 2.37
};

/// Nothing when the file cannot be read or is not glibc's loader (musl's has its own rules).
std::optional<LoaderBuild> read_loader_build(const Root& root, std::string_view interpreter);

/// For a file system without an interpreter that could tell.
LoaderBuild guessed_build(const Root& root);

/// The interpreter of ordinary programs on this processor: "/lib64/ld-linux-x86-64.so.2".
std::string_view usual_interpreter();

/// What $PLATFORM stands for: the kernel's name for the processor, "haswell" where glibc knows better.
std::string processor_platform();

/// Subdirectories of before glibc 2.37, best first: "tls/haswell/x86_64", ..., "x86_64".
std::vector<std::string> legacy_hwcap_directories();

/// "x86-64-v4", "x86-64-v3", "x86-64-v2" as far as the processor goes, best first; none on other machines.
std::vector<std::string> hwcaps();

}  // namespace rnncheck::loader
