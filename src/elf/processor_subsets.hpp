// Which glibc-hwcaps subfolders the loader uses on this processor.
#pragma once

#include <string>
#include <vector>

namespace rnncheck::elf {

/// "x86-64-v4", "x86-64-v3", "x86-64-v2" as far as the processor goes, best first; none on other machines.
std::vector<std::string> processor_subsets();

}  // namespace rnncheck::elf
