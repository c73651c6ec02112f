// The GPU libraries as Windows names them. Read from the wheels of NVIDIA for win_amd64:
// cuDNN 8.9.4 to 9.28.1, cudart 12.9 and 13.5, NVRTC 12.9, cuBLAS 12.9.
#include "files/gpu_libraries.hpp"

#include <re2/re2.h>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::loader {

namespace {

/// Stems without "64" and numbers: cudart64_12.dll is of "cudart".
using NamedKind = std::pair<std::string_view, LibraryKind>;
constexpr NamedKind kinds[] = {
    {"nvcuda", LibraryKind::cuda},
    {"nvml", LibraryKind::nvml},
    {"cudart", LibraryKind::cudart},
    {"cudnn", LibraryKind::cudnn},
    {"cublas", LibraryKind::cublas},
    {"cublaslt", LibraryKind::cublaslt},
    {"nvrtc", LibraryKind::nvrtc},
    {"nvrtc-builtins", LibraryKind::nvrtc_builtins}};

constexpr std::string_view part_start = "cudnn_";

/// "110" of cudart64_110 is 11.0, "120_0" of nvrtc64_120_0 is 12.0, "12" is 12
/// and "9" is 9.
std::optional<Version> version_of(std::string_view number) {
    const std::string digits(number.substr(0, number.find('_')));
    if (digits.size() < 3)
        return parse_version(digits);
    return parse_version(digits.substr(0, 2) + '.' + digits.substr(2));
}

}  // namespace

std::optional<LibraryName> library_name(std::string_view file_name) {
    static const re2::RE2 form(
        R"(((?:cu|nv)[a-z_-]*?)(?:64)?(?:_([0-9_]*[0-9])|([0-9]+))?\.dll)", re2::RE2::Latin1);
    std::string stem, number, number_of_builtins;
    if (!re2::RE2::FullMatch(lower(file_name), form, &stem, &number, &number_of_builtins))
        return std::nullopt;
    const NamedKind* const known = find_by(kinds, &NamedKind::first, stem);
    if (!known && !stem.starts_with(part_start))
        return std::nullopt;
    return LibraryName{
        known ? known->second : LibraryKind::cudnn_part,
        version_of(number.empty() ? number_of_builtins : number)};
}

/// No driver has its version in the name of its library.
std::optional<Version> LibraryName::product_version() const {
    return version;
}

bool is_cudnn(std::string_view name) {
    const auto known = library_name(name);
    return known && known->kind == LibraryKind::cudnn;
}

bool is_part_of_cudnn(std::string_view name) {
    const auto known = library_name(name);
    return known && known->kind == LibraryKind::cudnn_part;
}

}  // namespace rnncheck::loader
