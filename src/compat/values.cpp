#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "compat/given.hpp"
#include "matrix/ranges.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t longest_value = 200;

std::string without(std::string text, std::initializer_list<std::string_view> prefixes) {
    for (const std::string_view prefix : prefixes)
        if (text.starts_with(prefix)) return std::string(trim(std::string_view(text).substr(prefix.size())));
    return text;
}

/// A version of `least` to `most` numbers.
std::optional<Version> version_of(std::string_view text, std::size_t least, std::size_t most) {
    const auto version = parse_version(text);
    if (!version || parts_written(*version) < least || parts_written(*version) > most) return std::nullopt;
    return version;
}

/// "cu12", "cuda12", "cuda 12.4", "cu124", "cu92": the CUDA of a flavour.
std::optional<Version> flavour_from(std::string_view text) {
    const std::string word = without(std::string(trim(text)), {"for "});
    const std::string number = without(word, {"cuda-", "cuda", "cu"});
    if (number == word) return std::nullopt;
    return contains(number, ".") ? version_of(number, 1, 2) : cuda_of_digits(number);
}

/// Where the version ends and something else begins.
std::size_t end_of_version(std::string_view text) {
    return std::min(text.find_first_not_of("0123456789."), text.size());
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

/// How the builds begin that the names of packages and their extras tell.
constexpr auto build_words =
    std::to_array<std::string_view>({"gpu", "cpu", "cu", "and-cuda", "directml", "metal", "rocm"});

constexpr auto linux_words = std::to_array<std::string_view>(
    {"linux",  "ubuntu", "debian", "centos",  "fedora", "red hat", "redhat",  "rhel",
     "rocky",  "alma",   "suse",   "arch",    "mint",   "manjaro", "pop!_os", "pop os",
     "gentoo", "nixos",  "kali",   "cachyos", "colab",  "kaggle",  "docker",  "jetson"});

}  // namespace

std::string normalized(std::string_view text) {
    return lower(trim(text.substr(0, longest_value)));
}

const FrameworkWord* framework_word_at(std::string_view text) {
    const auto found = std::ranges::find_if(framework_words, [&](const FrameworkWord& word) {
        return !word.only_in_questions && text.starts_with(word.word);
    });
    return found == framework_words.end() ? nullptr : &*found;
}

std::optional<Version> driver_from(std::string_view text) {
    constexpr int oldest_branch_with_cuda = 100, newest_plausible = 9999;
    const auto version = version_of(without(normalized(text), {"r", "v"}), 1, 3);
    if (!version || version->major() < oldest_branch_with_cuda || version->major() > newest_plausible)
        return std::nullopt;
    return version;
}

/// "12.x": any version of 12.
static std::string without_x(std::string value) {
    if (value.ends_with(".x")) value.resize(value.size() - 2);
    return value;
}

std::optional<Version> cuda_from(std::string_view text) {
    const std::string word = normalized(text), value = without(word, {"cuda-", "cuda", "cu", "v"});
    if (is_number(value) && value != word && value.size() < 4 && word.front() == 'c')
        return value.size() == 1 ? parse_version(value) : cuda_of_digits(value);
    if (is_number(value) && (value.size() == 4 || value.size() == 5))
        return cuda_version_from_number(number_from(value).value_or(0));
    const auto version = version_of(without_x(value), 1, 3);
    return version && version->major() < 100 ? version : std::nullopt;
}

std::optional<CudnnGiven> cudnn_from(std::string_view text) {
    const std::string value = without_x(without(normalized(text), {"cudnn ", "v"}));
    const std::size_t end = end_of_version(value);
    const std::string_view digits = std::string_view(value).substr(0, end);
    CudnnGiven given;
    if (is_number(digits) && digits.size() >= 4 && digits.size() <= 6) {
        const auto version = cudnn_version_from_number(static_cast<std::size_t>(number_from(digits).value_or(0)));
        if (!version) return std::nullopt;
        given.version = *version;
    } else {
        const auto version = version_of(digits, 1, 4);
        if (!version || version->major() > 99) return std::nullopt;
        given.version = *version;
        if (parts_written(*version) == 4)  // the package's own build number
            given.version = make_version({version->parts[0], version->parts[1], version->parts[2]});
    }
    const std::string rest = without(std::string(trim(std::string_view(value).substr(end))), {"+", "-", "_", ","});
    if (rest.empty()) return given;
    given.built_for_cuda = flavour_from(rest);
    return given.built_for_cuda ? std::optional(given) : std::nullopt;
}

std::optional<Version> capability_from(std::string_view text) {
    const std::string value = normalized(text);
    const std::string code = without(value, {"sm_", "compute_", "sm"});
    if (code != value) return capability_of_digits(code.substr(0, code.find_last_not_of("af") + 1));
    const auto version = version_of(without(value, {"cc ", "cc"}), 2, 2);
    return version && version->major() < 100 ? version : std::nullopt;
}

std::optional<Version> python_from(std::string_view text) {
    const std::string value = without(normalized(text), {"python ", "python", "cp", "py"});
    if (is_number(value) && value.size() >= 2 && value.size() <= 3)
        return parse_version(value.substr(0, 1) + "." + value.substr(1));
    return version_of(value, 2, 3);
}

/// The flavour that a conda build string names: "py3.9_cuda11.8_cudnn8.7.0_0", "cuda118py310h5e7c1c9_0",
/// "cpu_py39h...".
static std::optional<std::string> conda_flavour(std::string_view build) {
    constexpr std::string_view cuda = "cuda";
    const auto at = build.find(cuda);
    if (at == std::string_view::npos) return contains(build, "cpu") ? std::optional<std::string>("cpu") : std::nullopt;
    const std::string_view rest = build.substr(at + cuda.size());
    const auto version = parse_version(rest.substr(0, end_of_version(rest)));
    if (!version || version->text.size() < 2) return std::nullopt;
    const bool dotted = parts_written(*version) > 1;
    return "cu" + std::to_string(version->major()) + (dotted ? std::to_string(version->minor()) : std::string());
}

std::optional<Framework> framework_version_from(std::string_view text) {
    const std::string value = without(normalized(text), {"==", "v"});
    const std::size_t end = end_of_version(value);
    const auto version = version_of(value.substr(0, end), 2, 4);
    if (!version) return std::nullopt;
    Framework framework;
    framework.version = version;
    std::string_view rest = trim(std::string_view(value).substr(end));
    if (rest.empty()) return framework;
    if (rest.front() == '=') {
        framework.build = conda_flavour(rest);
        return framework.build ? std::optional(framework) : std::nullopt;
    }
    const bool is_set_off =
        value[end] == '+' || value[end] == '-' || value[end] == ' ' || value[end] == '[' || value[end] == '(';
    const auto first = rest.find_first_not_of("+-[( "), last = rest.find_last_not_of("]) ");
    if (!is_set_off || first == std::string_view::npos) return std::nullopt;
    rest = rest.substr(first, last + 1 - first);
    const bool is_word = std::ranges::all_of(
        rest, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_'; });
    if (!is_word || rest.starts_with("rc") || rest.starts_with("dev")) return std::nullopt;
    framework.build = contains(rest, "_") ? conda_flavour(rest).value_or(std::string(rest)) : std::string(rest);
    return framework;
}

/// The build that the rest of a package's name or its extra names: "-gpu", "-cuda12x", "[and-cuda]".
static std::optional<std::string> build_of_package(std::string_view rest) {
    if (rest.size() < 2 || (rest.front() != '-' && (rest.front() != '[' || rest.back() != ']'))) return std::nullopt;
    const std::string build(rest.substr(1, rest.find_last_not_of(']')));
    const auto begins = [&](std::string_view word) { return build.starts_with(word); };
    if (!std::ranges::any_of(build_words, begins)) return std::nullopt;
    return build.substr(0, build.find('_'));  // "cuda12_pip" of older JAX
}

std::optional<Framework> framework_named(std::string_view name) {
    const std::string word = normalized(name);
    for (const FrameworkWord& known : framework_words) {
        if (!word.starts_with(known.word) || known.only_in_hints) continue;
        Framework framework;
        framework.name = known.name;
        if (word == known.word) return framework;
        framework.build = build_of_package(std::string_view(word).substr(known.word.size()));
        if (framework.build) return framework;
    }
    return std::nullopt;
}

std::optional<Framework> framework_from(std::string_view text) {
    const std::string value = normalized(text);
    const std::size_t end = std::min(value.find_first_of(" ="), value.size());
    auto framework = framework_named(value.substr(0, end));
    if (!framework) return std::nullopt;
    const std::string rest(trim(std::string_view(value).substr(end)));
    if (rest.empty()) return framework;
    const auto release = framework_version_from(without(rest, {"==", "="}));
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
