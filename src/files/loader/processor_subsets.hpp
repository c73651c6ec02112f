// Which subfolders the loader uses on this processor.
#pragma once

#include <string>
#include <vector>

namespace rnncheck::elf {

/// What $PLATFORM stands for: the kernel's name for the processor, "haswell" where glibc knows better.
std::string processor_platform();

/// Subfolders of before glibc 2.37, best first: "tls/haswell/x86_64", ..., "x86_64".
std::vector<std::string> legacy_subfolders();

/// "x86-64-v4", "x86-64-v3", "x86-64-v2" as far as the processor goes, best first; none on other machines.
std::vector<std::string> processor_subsets();

}  // namespace rnncheck::elf
