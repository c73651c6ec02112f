#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "compat/given.hpp"
#include "matrix/ranges.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t longest_value = 200;

/// A version of `least` to `most` numbers.
std::optional<Version> version_of(std::string_view text, std::size_t least, std::size_t most) {
    const auto version = parse_version(text);
    if (!version || parts_written(*version) < least || parts_written(*version) > most) return std::nullopt;
    return version;
}

/// What a pattern captures of the whole text, blanks at its ends aside; nothing where it does not match.
std::optional<std::string> captured(std::string_view text, const LazyRE2& pattern) {
    std::string part;
    return re2::RE2::FullMatch(normalized(text), *pattern, &part) ? std::optional(part) : std::nullopt;
}

/// "cu12", "cuda12", "cuda 12.4", "cu124", "cu92": the CUDA of a flavour.
std::optional<Version> flavour_from(std::string_view text) {
    static const LazyRE2 form = {R"((?:for )?cu(?:da)?-? *([0-9.]+))"};
    const std::string number = captured(text, form).value_or("");
    return contains(number, ".") ? version_of(number, 1, 2) : cuda_of_digits(number);
}

/// Longer words first where one begins with another.
constexpr auto framework_words = std::to_array<FrameworkWord>({
    {"tensorflow", "tensorflow"},
    {"tf-nightly", "tensorflow", true},
    {"tf", "tensorflow"},
    {"keras", "keras", false, true},
    {"pytorch", "pytorch"},
    {"libtorch", "pytorch", true},
    {"torch7", "torch7", true},
    {"torch", "pytorch"},
    {"jaxlib", "jax"},
    {"jax", "jax"},
    {"onnxruntime", "onnxruntime"},
    {"paddlepaddle", "paddlepaddle"},
    {"paddle", "paddlepaddle"},
    {"ctranslate2", "ctranslate2"},
    {"faster-whisper", "ctranslate2", true},
    {"whisperx", "ctranslate2", true},
    {"cupy", "cupy"},
    {"mxnet", "mxnet"},
    {"kaldi", "kaldi", true},
    {"chainer", "chainer", true},
    {"caffe", "caffe", true},
    {"theano", "theano", true},
});

constexpr auto linux_words = std::to_array<std::string_view>(
    {"linux",  "ubuntu", "debian", "centos",  "fedora", "red hat", "redhat",  "rhel",
     "rocky",  "alma",   "suse",   "arch",    "mint",   "manjaro", "pop!_os", "pop os",
     "gentoo", "nixos",  "kali",   "cachyos", "colab",  "kaggle",  "docker",  "jetson"});

}  // namespace

std::string normalized(std::string_view text) {
    return lower(trim(text.substr(0, longest_value)));
}

const FrameworkWord* framework_word_at(std::string_view text) {
    return find_where(framework_words, [&](const FrameworkWord& word) {
        return !word.only_in_questions && text.starts_with(word.word);
    });
}

std::optional<Version> driver_from(std::string_view text) {
    constexpr int oldest_branch_with_cuda = 100;
    static const LazyRE2 form = {R"([rv]? *([0-9]{3,4}(?:\.[0-9]+){0,2}))"};
    const auto version = parse_version(captured(text, form).value_or(""));
    return version && version->major() >= oldest_branch_with_cuda ? version : std::nullopt;
}

std::optional<Version> cuda_from(std::string_view text) {
    static const LazyRE2 coded = {"(?:cuda-?|cu|v)? *([0-9]{4,5})"}, glued = {"(?:cuda-?|cu) *([0-9]{2,3})"};
    static const LazyRE2 dotted = {R"((?:cuda-?|cu|v)? *([0-9]{1,2}(?:\.[0-9]+){0,2})(?:\.x)?)"};
    if (const auto code = captured(text, coded)) return cuda_version_from_number(number_from(*code).value_or(0));
    if (const auto digits = captured(text, glued)) return cuda_of_digits(*digits);
    return parse_version(captured(text, dotted).value_or(""));
}

std::optional<CudnnGiven> cudnn_from(std::string_view text) {
    static const LazyRE2 form = {R"((?:cudnn |v)? *([0-9.]*[0-9])(?:\.x)? *[-+_,]?(.*))"};
    std::string digits, rest;
    if (!re2::RE2::FullMatch(normalized(text), *form, &digits, &rest)) return std::nullopt;
    const bool is_coded = is_number(digits) && digits.size() >= 4 && digits.size() <= 6;
    auto version =
        is_coded ? cudnn_version_from_number(number_from<std::size_t>(digits).value_or(0)) : version_of(digits, 1, 4);
    if (!version || version->major() > 99) return std::nullopt;
    if (parts_written(*version) == 4)  // the package's own build number
        version = make_version({version->parts[0], version->parts[1], version->parts[2]});
    if (rest.empty()) return CudnnGiven{*version, {}};
    const auto cuda = flavour_from(rest);
    return cuda ? std::optional<CudnnGiven>({*version, cuda}) : std::nullopt;
}

std::optional<Version> capability_from(std::string_view text) {
    static const LazyRE2 coded = {"(?:sm_?|compute_) *([0-9]+)[af]*"}, dotted = {R"((?:cc)? *([0-9]{1,2}\.[0-9]+))"};
    if (const auto digits = captured(text, coded)) return capability_of_digits(*digits);
    return parse_version(captured(text, dotted).value_or(""));
}

std::optional<Version> python_from(std::string_view text) {
    static const LazyRE2 glued = {"(?:python|cp|py)? *([0-9]{2,3})"};
    static const LazyRE2 dotted = {R"((?:python|cp|py)? *([0-9]+(?:\.[0-9]+){1,2}))"};
    if (const auto digits = captured(text, glued)) return parse_version(digits->substr(0, 1) + "." + digits->substr(1));
    return parse_version(captured(text, dotted).value_or(""));
}

/// The flavour that a conda build string names: "py3.9_cuda11.8_cudnn8.7.0_0", "cuda118py310h5e7c1c9_0",
/// "cpu_py39h...".
static std::optional<std::string> conda_flavour(const std::string& build) {
    static const LazyRE2 form = {R"(cuda([0-9]+)\.?([0-9]+))"};
    std::string major, minor;
    if (re2::RE2::PartialMatch(build, *form, &major, &minor)) return "cu" + major + minor;
    return contains(build, "cpu") ? std::optional<std::string>("cpu") : std::nullopt;
}

std::optional<Framework> framework_version_from(std::string_view text) {
    static const LazyRE2 form = {R"((?:==|v)? *([0-9]+(?:\.[0-9]+){1,3})(?: *=(.*)|[-+[( ]+([a-z0-9._-]+)[]) ]*)?)"};
    std::string version, conda, build;
    if (!re2::RE2::FullMatch(normalized(text), *form, &version, &conda, &build) || build.starts_with("rc") ||
        build.starts_with("dev"))
        return std::nullopt;
    Framework framework;
    framework.version = parse_version(version);
    if (!conda.empty() || contains(build, "_")) framework.build = conda_flavour(conda + build);
    if (!framework.build && !build.empty()) framework.build = build;
    return framework.version && (conda.empty() || framework.build) ? std::optional(framework) : std::nullopt;
}

std::optional<Framework> framework_named(std::string_view name) {
    /// The build that the rest of a package's name or its extra names: "-gpu", "-cuda12x", "[and-cuda]", and of older
    /// JAX "[cuda12_pip]".
    static const LazyRE2 form = {R"([-[]((?:gpu|cpu|cu|and-cuda|directml|metal|rocm)[^]_]*)[^]]*]?)"};
    const std::string word = normalized(name);
    for (const FrameworkWord& known : framework_words) {
        if (!word.starts_with(known.word) || known.only_in_hints) continue;
        Framework framework;
        framework.name = known.name;
        if (word == known.word) return framework;
        framework.build = captured(word.substr(known.word.size()), form);
        if (framework.build) return framework;
    }
    return std::nullopt;
}

std::optional<Framework> framework_from(std::string_view text) {
    const std::string value = normalized(text);
    const std::size_t end = std::min(value.find_first_of(" ="), value.size());
    auto framework = framework_named(value.substr(0, end));
    if (!framework || end == value.size()) return framework;
    const std::size_t version = std::min(value.find_first_not_of(" =", end), value.size());
    const auto release = framework_version_from(std::string_view(value).substr(version));
    if (!release) return std::nullopt;
    framework->version = release->version;
    if (release->build) framework->build = release->build;
    return framework;
}

std::optional<SystemGiven> system_from(std::string_view text) {
    const std::string value = normalized(text);
    if (contains(value, "wsl")) return SystemGiven{"linux", true};
    if (value.starts_with("win")) return SystemGiven{"windows"};
    if (value.starts_with("mac") || value.starts_with("os x") || value == "darwin") return SystemGiven{"macos"};
    if (std::ranges::any_of(linux_words, [&](std::string_view word) { return contains(value, word); }))
        return SystemGiven{"linux"};
    return std::nullopt;
}

std::optional<Dtype> dtype_from(std::string_view text) {
    const std::string value = normalized(text);
    if (const auto dtype = from_name<Dtype>(value)) return dtype;
    constexpr std::pair<std::string_view, Dtype> others[] = {
        {"bfloat16", Dtype::bf16}, {"float16", Dtype::fp16}, {"half", Dtype::fp16},    {"float32", Dtype::fp32},
        {"float", Dtype::fp32},    {"single", Dtype::fp32},  {"float64", Dtype::fp64}, {"double", Dtype::fp64}};
    for (const auto& [word, dtype] : others)
        if (value == word) return dtype;
    return std::nullopt;
}

std::optional<bool> yes_no_from(std::string_view text) {
    const std::string value = normalized(text);
    if (value == "yes" || value == "true" || value == "1") return true;
    if (value == "no" || value == "false" || value == "0") return false;
    return std::nullopt;
}

}  // namespace rnncheck
