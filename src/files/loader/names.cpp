#include "files/loader/names.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "support/library_names.hpp"

namespace rnncheck::which {

namespace {

constexpr std::string_view marker = ".so";
constexpr std::string_view part_start = "libcudnn_";

std::string_view stem_of(std::string_view name) {
    return name.substr(0, name.find(marker));
}

/// ".9" of "libcudnn.so.9", as far as its first number goes.
std::string number_of(std::string_view name) {
    const auto at = name.find(marker);
    if (at == std::string_view::npos) return "";
    const std::string_view rest = name.substr(at + marker.size());
    return std::string(rest.substr(0, rest.find('.', 1)));
}

}  // namespace

bool concerns_gpu(std::string_view name) {
    // Beside the kinds that the probes examine; beginnings, since versions and variants stand behind them.
    constexpr std::string_view others[] = {
        "libcufft",     "libcurand",        "libcusolver", "libcusparse", "libcufile",     "libcupti",
        "libcudadevrt", "libcudadebugger",  "libcudla",    "libcutensor", "libnvToolsExt", "libnvJitLink",
        "libnvfatbin",  "libnvptxcompiler", "libnvvm",     "libnvblas",   "libnvjpeg",     "libnvshmem",
        "libnvinfer",   "libnvonnxparser",  "libnvidia-",  "libnpp",      "libnccl"};
    if (!contains(name, marker)) return false;
    if (probes::library_name(name)) return true;
    return stem_of(name) == "libz" ||
           std::any_of(std::begin(others), std::end(others), [&](auto start) { return name.starts_with(start); });
}

bool is_opened_by_programs(std::string_view name) {
    const auto known = probes::library_name(name);
    return known && !known->development && known->kind != LibraryKind::cudnn_part &&
           known->kind != LibraryKind::nvrtc_builtins;
}

bool is_cudnn(std::string_view name) {
    const auto known = probes::library_name(name);
    return known && known->kind == LibraryKind::cudnn;
}

bool is_part_of_cudnn(std::string_view name) {
    return name.starts_with(part_start) && contains(name, marker);
}

std::vector<std::string> parts_of_cudnn(const Root& root, const std::string& name, const std::string& path,
                                        const std::vector<std::string>& names_inside) {
    const std::string number = number_of(name);
    std::vector<std::string> parts;
    const auto add = [&](const std::string& part) {
        if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
    };
    for (const auto& inside : names_inside)
        if (inside.starts_with(part_start)) add(number_of(inside).empty() ? inside + number : inside);
    for (const auto& beside : root.names_in(folder_of(path)))
        if (beside.starts_with(part_start) && beside == std::string(stem_of(beside)) + ".so" + number) add(beside);
    return parts;
}

}  // namespace rnncheck::which
