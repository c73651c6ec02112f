// A name that is put together by code is no text in the file; what is known of
// such files was found by reading the wheels.
#include "files/known_openers.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "files/gpu_libraries.hpp"

namespace rnncheck::loader {

namespace {

struct KnownFile {
    std::string_view beginning;  ///< of its name
    std::string_view opens;      ///< "" when it uses no cuDNN
    std::string_view versions;   ///< of what, from when on
};

// Each row was read from the wheels on PyPI, x86_64: ONNX Runtime 1.27.0 needs
// libcudnn.so.9 by its headers, 1.28.0 has the text alone, 1.31.1 neither: there
// the machine code writes "libcudnn.so.9", then "libcudnn.so". CTranslate2 4.6.2
// bundles a front library of cuDNN, 4.6.3 and 4.8.5 neither bundle nor name one.
constexpr KnownFile known_files[] = {
    {"libonnxruntime_providers_cuda.so", "libcudnn.so.9", "ONNX Runtime 1.28 and later"},
    {"libctranslate2", "", "CTranslate2 4.6.3 and later"}};

bool needs_cudnn(const elf::ElfFile& file) {
    return std::ranges::any_of(
        file.needed, [](const std::string& name) { return name.starts_with("libcudnn"); });
}

/// TensorFlow defines cuDNN's functions itself and passes each call on
/// (tsl/cuda/cudnn_stub.cc). The name that it opens has the major version of
/// cuDNN that it was built with; cudnnGetLastErrorString came with cuDNN 9.
std::optional<KnownOpener> stubs_of_cudnn(const Root& root, const std::string& path) {
    if (!elf::defines_symbol(root, path, "cudnnCreate"))
        return std::nullopt;
    std::string name = "libcudnn.so.8";
    if (elf::defines_symbol(root, path, "cudnnGetLastErrorString"))
        name = "libcudnn.so.9";
    return KnownOpener{
        {name}, file_name(path) + " opens " + name + " at the first call of a cuDNN function"};
}

}  // namespace

std::optional<KnownOpener> known_opener(
    const Root& root, const std::string& path, const elf::ElfFile& file) {
    const std::string name = file_name(path);
    if (needs_cudnn(file) || is_cudnn(file.soname.value_or(name)))
        return std::nullopt;
    for (const KnownFile& known : known_files) {
        if (!name.starts_with(known.beginning))
            continue;
        const std::string versions(known.versions);
        if (known.opens.empty())
            return KnownOpener{{}, name + " does not use cuDNN (" + versions + ")"};
        const std::string opens(known.opens);
        return KnownOpener{
            {opens},
            name + " opens " + opens + " by a name that the file does not contain (" + versions +
                ")"};
    }
    return stubs_of_cudnn(root, path);
}

}  // namespace rnncheck::loader
