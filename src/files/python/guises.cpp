#include "files/python/guises.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace rnncheck::packages {

namespace {

struct Name {
    std::string_view distribution, framework, build;
    bool plugin = false;
};

constexpr auto published_names = std::to_array<Name>({
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

std::optional<Guise> numbered(std::string_view name) {
    constexpr std::string_view cupy = "cupy-cuda", mxnet = "mxnet-cu", jax = "jax-cuda", jax_rocm = "jax-rocm";
    if (name.starts_with(cupy)) return Guise{"cupy", std::string(name.substr(5))};
    if (name.starts_with("cupy-rocm")) return Guise{"cupy", "rocm"};
    if (name.starts_with(mxnet)) return Guise{"mxnet", flavour_of_mxnet(name.substr(6))};
    if (name.starts_with(jax) && (name.ends_with("-plugin") || name.ends_with("-pjrt")))
        return Guise{"jax", std::string(name.substr(4, name.find('-', 4) - 4)), true};
    if (name.starts_with(jax_rocm)) return Guise{"jax", "rocm", true};
    return std::nullopt;
}

}  // namespace

std::optional<Guise> guise_of(std::string_view distribution) {
    for (const Name& name : published_names)
        if (name.distribution == distribution)
            return Guise{std::string(name.framework), std::string(name.build), name.plugin};
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
    return std::any_of(std::begin(stems), std::end(stems),
                       [&](std::string_view stem) { return distribution.starts_with(stem); });
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

}  // namespace rnncheck::packages
