#include "given/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"

namespace rnncheck {

namespace {

/// One of several words for one thing.
struct Word {
    std::string_view written, meant;
};

constexpr auto platforms = std::to_array<Word>({{"wsl", "linux"},
                                                {"darwin", "macos"},
                                                {"mac", "macos"},
                                                {"osx", "macos"},
                                                {"win", "windows"},
                                                {"linux", "linux"},
                                                {"ubuntu", "linux"},
                                                {"debian", "linux"},
                                                {"centos", "linux"},
                                                {"fedora", "linux"},
                                                {"rhel", "linux"},
                                                {"red hat", "linux"},
                                                {"rocky", "linux"},
                                                {"suse", "linux"},
                                                {"arch", "linux"},
                                                {"mint", "linux"},
                                                {"manjaro", "linux"},
                                                {"docker", "linux"},
                                                {"colab", "linux"}});

constexpr auto dtypes = std::to_array<Word>({{"fp32", "fp32"},
                                             {"float32", "fp32"},
                                             {"float", "fp32"},
                                             {"tf32", "fp32"},
                                             {"fp16", "fp16"},
                                             {"float16", "fp16"},
                                             {"half", "fp16"},
                                             {"bf16", "bf16"},
                                             {"bfloat16", "bf16"},
                                             {"fp64", "fp64"},
                                             {"float64", "fp64"},
                                             {"double", "fp64"}});

/// Words for frameworks; the flavour that a distribution's name tells stands in `framework_as_written`.
constexpr auto frameworks = std::to_array<Word>({{"tensorflow", "tensorflow"},
                                                 {"tf", "tensorflow"},
                                                 {"pytorch", "pytorch"},
                                                 {"torch", "pytorch"},
                                                 {"libtorch", "pytorch"},
                                                 {"keras", "keras"},
                                                 {"jax", "jax"},
                                                 {"jaxlib", "jax"},
                                                 {"onnxruntime", "onnxruntime"},
                                                 {"paddlepaddle", "paddlepaddle"},
                                                 {"paddle", "paddlepaddle"},
                                                 {"ctranslate2", "ctranslate2"},
                                                 {"cupy", "cupy"},
                                                 {"mxnet", "mxnet"}});

constexpr auto framework_names = [] {
    std::array<std::string_view, frameworks.size()> names{};
    std::transform(frameworks.begin(), frameworks.end(), names.begin(), [](const Word& word) { return word.written; });
    return names;
}();

/// What a distribution's name says about its build: tensorflow-cpu, onnxruntime-directml.
constexpr auto builds = std::to_array<std::string_view>({"cpu", "directml", "rocm", "metal"});

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The text from its first digit on, when only letters and a separator stand before it.
std::string without_words(const std::string& text) {
    const auto digit = std::find_if(text.begin(), text.end(), is_digit);
    const bool plain = std::all_of(text.begin(), digit, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' || c == '_' || c == '-' || c == '=';
    });
    return plain ? std::string(digit, text.end()) : text;
}

/// At most as many numbers as a Version holds, without what follows them ("2.15.0.post1", "1.8.0a0+17f8c32").
std::string leading_numbers(const std::string& text) {
    std::size_t end = 0, dots = 0;
    while (end < text.size() &&
           (is_digit(text[end]) || (text[end] == '.' && end + 1 < text.size() && is_digit(text[end + 1]))))
        if (text[end++] == '.' && ++dots == 4) return text.substr(0, end - 1);
    return text.substr(0, end);
}

template <std::size_t n>
std::optional<std::string> beginning_with(const std::array<Word, n>& words, const std::string& text) {
    for (const Word& word : words)
        if (contains(text, word.written)) return std::string(word.meant);
    return std::nullopt;
}

}  // namespace

std::optional<Version> version_as_written(const std::string& text) {
    return parse_version(without_words(text));
}

std::optional<Version> driver_as_written(const std::string& text) {
    const auto version = version_as_written(text);
    return version && version->major() >= 100 ? version : std::nullopt;  // "12.2" is a CUDA, which nvidia-smi shows too
}

std::optional<Version> cudnn_as_written(const std::string& text) {
    const std::string numbers = without_words(text);
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(numbers.data(), numbers.data() + numbers.size(), number);
    const bool whole = error == std::errc() && end == numbers.data() + numbers.size();
    if (whole && number >= 1000) return cudnn_version_from_number(number);
    return parse_version(numbers);
}

std::optional<Version> capability_as_written(const std::string& text) {
    const std::string word = lower(text), numbers = without_words(word);
    const bool names_code = word.starts_with("sm") || word.starts_with("compute");
    const bool plain = word == numbers || word.starts_with("cc");
    if (!names_code && !plain) return std::nullopt;
    if (contains(numbers, ".")) {
        const auto version = parse_version(numbers);
        return version && version->major() < 100 ? version : std::nullopt;
    }
    const std::string digits = leading_numbers(numbers);
    const bool letter_behind = numbers.size() == digits.size() + 1 && (numbers.back() == 'a' || numbers.back() == 'f');
    if (!names_code || digits.size() < 2 || digits.size() > 3 || (numbers != digits && !letter_behind))
        return std::nullopt;
    return parse_version(digits.substr(0, digits.size() - 1) + '.' + digits.back());
}

std::optional<std::string> platform_as_written(const std::string& text) {
    return beginning_with(platforms, lower(text));
}

std::optional<std::string> dtype_as_written(const std::string& text) {
    for (const Word& word : dtypes)
        if (word.written == lower(text)) return std::string(word.meant);
    return std::nullopt;
}

std::optional<Framework> framework_as_written(const std::string& text) {
    const std::string words = lower(text);
    const auto end =
        std::find_if_not(words.begin(), words.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
    std::string name(words.begin(), end);
    if (name == "ctranslate" && end != words.end() && *end == '2') name = "ctranslate2";
    Framework framework;
    for (const std::string_view build : builds)
        if (contains(name, build)) framework.build = std::string(build);
    const auto known = std::find_if(frameworks.begin(), frameworks.end(), [&](const Word& word) {
        return name == word.written || name.starts_with(std::string(word.written) + '-');
    });
    if (known == frameworks.end()) return std::nullopt;
    framework.name = std::string(known->meant);
    const std::string rest = words.substr(name.size());
    const std::string release = without_words(rest);
    framework.version = parse_version(leading_numbers(release));
    if (const auto plus = release.find('+'); framework.version && plus != std::string::npos)
        framework.build = release.substr(plus + 1);
    return framework;
}

std::span<const std::string_view> framework_words() {
    return framework_names;
}

std::string what_it_may_mean(const std::vector<GpuProduct>& products) {
    std::vector<std::string> meanings;
    for (const GpuProduct& product : products) meanings.push_back(product.name + " (" + product.capability.text + ")");
    return "it may be " + listing(meanings);
}

}  // namespace rnncheck
