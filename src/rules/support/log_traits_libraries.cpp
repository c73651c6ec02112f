#include <charconv>

#include "base/text.hpp"
#include "rules/support/log_traits_parts.hpp"

namespace rnncheck::rules {

namespace {

/// 8 of "libcudnn_ops_infer.so.8", "cudnn_ops64_9.dll", 11 of "cublas64_11.dll", "cudart64_110.dll".
std::optional<int> major_in_name(std::string_view name) {
    auto at = name.find(".so.");
    std::size_t skip = 4;
    if (at == std::string_view::npos) {
        at = name.find("64_");
        skip = 3;
    }
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view digits = name.substr(at + skip);
    std::size_t end = 0;
    while (end < digits.size() && is_digit(digits[end])) ++end;
    const std::string_view whole = end >= 3 ? digits.substr(0, 2) : digits.substr(0, end);
    int value = 0;
    return std::from_chars(whole.data(), whole.data() + whole.size(), value).ec == std::errc{} ? std::optional(value)
                                                                                               : std::nullopt;
}

std::optional<std::string> missing_library(const Traits& t, std::string_view signature) {
    for (const char* field : {"library", "library2", "library3", "library4"})
        if (auto name = t.told(signature, field)) return name;
    return std::nullopt;
}

void add_missing_cudnn(Traits& t) {
    const auto name = missing_library(t, "missing_cudnn");
    const auto wanted = major_in_name(name.value_or(""));
    if (!wanted) return;
    if (const auto there = t.told("cudnn_file_listed", "major"))
        t.add(*there == std::to_string(*wanted) ? "cudnn_same_major_on_disk" : "cudnn_other_major_on_disk",
              "a cuDNN " + *there + " file is installed, " + *name + " is required");
    const ParsedHints& said = t.out.said;
    if (said.cudnn)
        t.add(said.cudnn->major() == *wanted ? "cudnn_same_major_given" : "cudnn_other_major_given",
              "cuDNN " + said.cudnn->text + " is installed, " + *name + " is required");
    const NamedFramework* torch = said.framework("pytorch");
    if (!torch || !torch->version) return;
    if (const auto row = t.matrix.framework_cuda("pytorch", *torch->version))
        t.add(row->cudnn_major == *wanted ? "cudnn_same_major_bundled" : "cudnn_other_major_bundled",
              "PyTorch " + torch->version->text + " bundles cuDNN " + std::to_string(row->cudnn_major) + ", " + *name +
                  " is required");
}

/// Only these libraries carry the toolkit's major in their names in every release.
bool names_the_toolkit(std::string_view library) {
    return contains(library, "cudart") || contains(library, "cublas");
}

/// "libcudart.so.10.1", "libcublas.so.9.0", "cudart64_101.dll": before CUDA 11 every minor release had a name of its
/// own.
std::optional<Version> release_in_name(std::string_view name) {
    if (const auto at = name.find(".so."); at != std::string_view::npos) {
        auto release = parse_version(name.substr(at + 4));
        return release && release->text.find('.') != std::string::npos && release->major() < 11 ? release
                                                                                                : std::nullopt;
    }
    const auto at = name.find("64_");
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view digits = name.substr(at + 3, name.find('.', at) - at - 3);
    if (digits.size() == 2) return parse_version(std::string{digits[0], '.', digits[1]});
    if (digits.size() == 3 && digits.starts_with("10")) return parse_version(std::string("10.") + digits[2]);
    return std::nullopt;
}

bool has_release(const Version& installed, const std::string& library, int wanted_major) {
    const auto release = release_in_name(library);
    if (!release || installed.text.find('.') == std::string::npos) return installed.major() == wanted_major;
    return installed.major() == release->major() && installed.parts[1] == release->parts[1];
}

void add_missing_cuda(Traits& t) {
    if (t.seen("loader_error_other_library")) t.add("missing_by_cudnn", "a library that cuDNN needs is missing");
    const auto name = missing_library(t, "missing_cuda_library");
    if (!name || !names_the_toolkit(*name)) return;
    const auto wanted = major_in_name(*name);
    if (!wanted) return;
    const ParsedHints& said = t.out.said;
    if (said.cuda)
        t.add(has_release(*said.cuda, *name, *wanted) ? "cuda_same_major_given" : "cuda_other_major_given",
              "CUDA " + said.cuda->text + " is installed, " + *name + " is required");
    if (const auto build = build_cuda(t); build && build->major() != *wanted)
        t.add("cuda_other_major_built",
              "the framework was built with CUDA " + build->text + ", " + *name + " is required");
}

}  // namespace

void add_library_traits(Traits& t) {
    add_missing_cudnn(t);
    add_missing_cuda(t);
}

}  // namespace rnncheck::rules
