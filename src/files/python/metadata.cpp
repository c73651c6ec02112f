#include "files/python/metadata.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"

namespace rnncheck::python {

namespace {

constexpr std::size_t most_needs = 1024, longest_field = 512;

bool is_distribution_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
}

std::string without_blanks(std::string_view text) {
    std::string bounds;
    for (const char c : text)
        if (c != ' ' && c != '\t' && c != '(' && c != ')') bounds += c;
    return bounds;
}

/// extra == 'and-cuda', wherever it stands in the marker.
std::string extra_in(std::string_view marker) {
    const auto at = marker.find("extra");
    if (at == std::string_view::npos) return "";
    const auto begin = marker.find_first_of("'\"", at);
    if (begin == std::string_view::npos) return "";
    const auto end = marker.find(marker[begin], begin + 1);
    return end == std::string_view::npos ? "" : std::string(marker.substr(begin + 1, end - begin - 1));
}

struct PublishedName {
    std::string_view distribution, framework, build;
    bool plugin = false;
};

constexpr auto names = std::to_array<PublishedName>({
    {"tensorflow", "tensorflow", ""},
    {"tensorflow-gpu", "tensorflow", "cuda"},
    {"tensorflow-cpu", "tensorflow", "cpu"},
    {"tensorflow-cpu-aws", "tensorflow", "cpu"},
    {"tensorflow-aarch64", "tensorflow", "cpu"},
    {"tensorflow-intel", "tensorflow", "cpu"},
    {"intel-tensorflow", "tensorflow", "cpu"},
    {"tensorflow-macos", "tensorflow", "cpu"},
    {"tensorflow-rocm", "tensorflow", "rocm"},
    {"tensorflow-directml", "tensorflow", "directml"},
    {"tf-nightly", "tensorflow", ""},
    {"tf-nightly-gpu", "tensorflow", "cuda"},
    {"tf-nightly-cpu", "tensorflow", "cpu"},
    {"tf-nightly-intel", "tensorflow", "cpu"},
    {"tensorflow-directml-plugin", "tensorflow", "directml", true},
    {"tensorflow-metal", "tensorflow", "metal", true},
    {"keras", "keras", ""},
    {"keras-nightly", "keras", ""},
    {"torch", "pytorch", ""},
    {"jaxlib", "jax", ""},
    {"jax-metal", "jax", "metal", true},
    {"onnxruntime", "onnxruntime", "cpu"},
    {"ort-nightly", "onnxruntime", "cpu"},
    {"onnxruntime-gpu", "onnxruntime", "cuda"},
    {"ort-nightly-gpu", "onnxruntime", "cuda"},
    {"onnxruntime-directml", "onnxruntime", "directml"},
    {"onnxruntime-rocm", "onnxruntime", "rocm"},
    {"onnxruntime-openvino", "onnxruntime", "openvino"},
    {"paddlepaddle", "paddlepaddle", "cpu"},
    {"paddlepaddle-gpu", "paddlepaddle", ""},
    {"ctranslate2", "ctranslate2", ""},
    {"cupy", "cupy", ""},
    {"mxnet", "mxnet", "cpu"},
});

/// mxnet-cu112, mxnet-cu102mkl.
std::string flavour_of_mxnet(std::string_view behind) {
    const auto end = std::min(behind.find_first_not_of("0123456789", 2), behind.size());
    return std::string(behind.substr(0, end));
}

std::optional<DistributionName> numbered(std::string_view name) {
    constexpr std::string_view cupy = "cupy-cuda", mxnet = "mxnet-cu", jax = "jax-cuda", jax_rocm = "jax-rocm";
    if (name.starts_with(cupy)) return DistributionName{"cupy", std::string(name.substr(5))};
    if (name.starts_with("cupy-rocm")) return DistributionName{"cupy", "rocm"};
    if (name.starts_with(mxnet)) return DistributionName{"mxnet", flavour_of_mxnet(name.substr(6))};
    if (name.starts_with(jax) && (name.ends_with("-plugin") || name.ends_with("-pjrt")))
        return DistributionName{"jax", std::string(name.substr(4, name.find('-', 4) - 4)), true};
    if (name.starts_with(jax_rocm)) return DistributionName{"jax", "rocm", true};
    return std::nullopt;
}

}  // namespace

std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

std::optional<Version> leading_version(std::string_view text) {
    auto end = std::min(text.find_first_not_of("0123456789."), text.size());
    while (end > 0 && text[end - 1] == '.') --end;
    return parse_version(text.substr(0, end));
}

std::string normalised(std::string_view name) {
    std::string text;
    for (const char c : lower(name.substr(0, longest_field))) {
        const bool separator = c == '-' || c == '_' || c == '.';
        if (!separator)
            text += c;
        else if (!text.empty() && text.back() != '-')
            text += '-';
    }
    return text;
}

Requirement read_requirement(std::string_view text) {
    text = trim(text.substr(0, longest_field));
    const auto behind_name = std::ranges::find_if_not(text, is_distribution_char);
    const auto length = static_cast<std::size_t>(behind_name - text.begin());
    Requirement need;
    need.name = normalised(text.substr(0, length));
    text.remove_prefix(length);
    if (const auto end = text.find(']'); trim(text).starts_with('[') && end != std::string_view::npos)
        text.remove_prefix(end + 1);
    const auto marker = std::min(text.find(';'), text.size());
    need.bounds = without_blanks(text.substr(0, marker));
    need.extra = extra_in(text.substr(marker));
    return need;
}

Metadata read_metadata(std::string_view text) {
    Metadata metadata;
    while (!text.empty()) {
        const std::string_view line = trim(take_line(text).substr(0, longest_field));
        if (line.empty()) break;
        const auto colon = std::min(line.find(':'), line.size());
        const std::string_view field = line.substr(0, colon);
        const std::string_view value = colon < line.size() ? trim(line.substr(colon + 1)) : std::string_view();
        if (field == "Name" && metadata.name.empty())
            metadata.name = normalised(value);
        else if (field == "Version" && metadata.version.empty())
            metadata.version = value;
        else if (field == "Requires-Dist" && metadata.needs.size() < most_needs)
            metadata.needs.push_back(read_requirement(value));
    }
    return metadata;
}

std::optional<DistributionName> parse_distribution_name(std::string_view distribution) {
    for (const PublishedName& name : names)
        if (name.distribution == distribution)
            return DistributionName{std::string(name.framework), std::string(name.build), name.plugin};
    return numbered(distribution);
}

std::string_view module_of(std::string_view framework) {
    if (framework == "pytorch") return "torch";
    if (framework == "jax") return "jaxlib";
    if (framework == "paddlepaddle") return "paddle";
    return framework;
}

bool is_library_wheel(std::string_view distribution) {
    constexpr std::string_view stems[] = {"nvidia-cudnn", "nvidia-cublas", "nvidia-cuda-runtime", "nvidia-cuda-nvrtc"};
    return std::ranges::any_of(stems, [&](std::string_view stem) { return distribution.starts_with(stem); });
}

std::optional<int> cuda_major_of(std::string_view distribution) {
    const auto at = distribution.rfind("-cu");
    if (!distribution.starts_with("nvidia-") || at == std::string_view::npos) return std::nullopt;
    const std::string_view digits = distribution.substr(at + 3);
    int major = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, major);
    if (digits.empty() || error != std::errc() || stopped != end) return std::nullopt;
    return major > 100 ? major / 10 : major;
}

}  // namespace rnncheck::python
