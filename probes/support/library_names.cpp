#include "support/library_names.hpp"

#include <algorithm>

namespace rnncheck::probes {

namespace {

std::optional<LibraryKind> kind_of(std::string_view stem) {
    constexpr std::pair<std::string_view, LibraryKind> kinds[] = {
        {"libcuda", LibraryKind::cuda},     {"libnvidia-ml", LibraryKind::nvml},
        {"libcudart", LibraryKind::cudart}, {"libcudnn", LibraryKind::cudnn},
        {"libcublas", LibraryKind::cublas}, {"libcublasLt", LibraryKind::cublaslt},
        {"libnvrtc", LibraryKind::nvrtc},   {"libnvrtc-builtins", LibraryKind::nvrtc_builtins}};
    for (const auto& [name, kind] : kinds)
        if (stem == name) return kind;
    if (stem.starts_with("libcudnn_") && stem.find('.') == std::string_view::npos) return LibraryKind::cudnn_part;
    return std::nullopt;
}

std::string_view without_hash(std::string_view stem) {
    constexpr std::size_t digits = 8;
    if (stem.size() <= digits + 1 || stem[stem.size() - digits - 1] != '-') return stem;
    const bool hash = stem.find_first_not_of("0123456789abcdef", stem.size() - digits) == std::string_view::npos;
    return hash ? stem.substr(0, stem.size() - digits - 1) : stem;
}

bool are_numbers(std::string_view text) {
    return !text.empty() && text.front() != '.' && text.back() != '.' &&
           text.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

std::optional<LibraryName> library_name(std::string_view file_name) {
    constexpr std::string_view marker = ".so";
    if (!file_name.starts_with("libcu") && !file_name.starts_with("libnv")) return std::nullopt;
    const auto at = file_name.find(marker);
    if (at == std::string_view::npos) return std::nullopt;
    const auto kind = kind_of(without_hash(file_name.substr(0, at)));
    const auto rest = file_name.substr(at + marker.size());
    if (!kind) return std::nullopt;
    if (rest.empty()) return LibraryName{*kind, std::nullopt, true};
    if (rest.front() != '.' || !are_numbers(rest.substr(1))) return std::nullopt;
    return LibraryName{*kind, parse_version(rest.substr(1)), false};
}

std::optional<std::string_view> fixed_name(LibraryKind kind) {
    if (kind == LibraryKind::cuda) return "libcuda.so.1";
    if (kind == LibraryKind::nvml) return "libnvidia-ml.so.1";
    return std::nullopt;
}

}  // namespace rnncheck::probes
