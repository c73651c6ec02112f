// cuDNN's DLLs show their version in different places: the resource, texts that
// its build left, the names of the DLLs that it opens.
#include "files/pe/cudnn_build.hpp"

#include <re2/re2.h>

#include "files/gpu_code.hpp"
#include "files/pe/pe_image.hpp"

namespace rnncheck::pe {

namespace {

/// What the texts of a file show: "cudnn_version_9_10_2_21_36061468_" of
/// cudnn_graph64_9.dll 9.1.0 to 9.28.1, "cudnn_nvrtc_version_12_9_86" of that of 9.28.
struct Texts {
    std::optional<Version> version;
    std::optional<int> cuda_major;
};

Texts texts_of(const PeImage& image) {
    static const re2::RE2 version(R"(cudnn_version_(\d+)_(\d+)_(\d+)_(\d+)_\w*)", re2::RE2::Latin1);
    static const re2::RE2 nvrtc(R"(cudnn_nvrtc_version_(\d+)_[\d_]+)", re2::RE2::Latin1);
    Texts found;
    const auto look_at = [&](std::string_view text) {
        int one = 0, two = 0, three = 0, four = 0;
        if (re2::RE2::FullMatch(text, version, &one, &two, &three, &four))
            found.version = make_version({one, two, three, four});
        else if (re2::RE2::FullMatch(text, nvrtc, &one))
            found.cuda_major = one;
    };
    search_texts(image.pieces(), data_of(image), {"version_", look_at});
    return found;
}

/// .nv_fatb is .nv_fatbin, cut to the eight characters that a
/// section's name may have in a PE file.
std::optional<int> cuda_major_of_gpu_code(const PeImage& image) {
    constexpr std::array<char, 8> with_gpu_code = {'.', 'n', 'v', '_', 'f', 'a', 't', 'b'};
    for (const SectionHeader& section : image.sections())
        if (section.name == with_gpu_code)
            return cuda_major_of_ptx(image.pieces(), {section.offset, section.file_size});
    return std::nullopt;
}

/// "cublasLt64_12.dll" is that of CUDA 12.
std::optional<int> cuda_major_of_cublas(const std::vector<std::string>& names) {
    static const re2::RE2 cublas(R"((?i)cublas(?:Lt)?64_(\d+)\.dll)", re2::RE2::Latin1);
    for (const std::string& name : names)
        if (int major = 0; re2::RE2::FullMatch(name, cublas, &major))
            return major;
    return std::nullopt;
}

}  // namespace

/// The most exact source first; the name of cuBLAS, which has the major alone, last.
CudnnBuild cudnn_build(const Root& root, std::string_view path) {
    const PeImage image(root, path);
    if (image.problem())
        return {};
    CudnnBuild build;
    if (const auto resource = version_resource(root, path))
        build.version = resource->file;
    build.cuda_major = cuda_major_of_gpu_code(image);
    if (!build.version) {
        const Texts texts = texts_of(image);
        build.version = texts.version;
        if (!build.cuda_major)
            build.cuda_major = texts.cuda_major;
    }
    if (!build.cuda_major)
        build.cuda_major = cuda_major_of_cublas(embedded_library_names(root, path));
    return build;
}

}  // namespace rnncheck::pe
