// Libraries that open cuDNN by a name which they put together while they run,
// so that neither their headers nor their texts show it; and those that do not
// use cuDNN although people expect it.
#pragma once

#include "files/elf/elf_file.hpp"

namespace rnncheck::loader {

/// What such a library opens, and how that is known.
struct KnownOpener {
    /// libcudnn.so.9; none where cuDNN is not used
    std::vector<std::string> opens;
    /// one sentence for people
    std::string note;
};

/// By the file's name ("libonnxruntime_providers_cuda.so") or by cuDNN's
/// functions that it defines (TensorFlow). Nothing for a file that needs cuDNN
/// by its headers, or that is not known.
std::optional<KnownOpener> known_opener(
    const Root& root, const std::string& path, const elf::ElfFile& file);

}  // namespace rnncheck::loader
