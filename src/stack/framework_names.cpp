// Frameworks as people and packages name them: "pytorch 1.4", "tensorflow-gpu==1.15",
// "jax[cuda12]==0.4.30".
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "stack/given.hpp"

namespace rnncheck::stack {

namespace {

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

}  // namespace

/// The word that a text begins with, among those that users write.
const FrameworkWord* framework_word_at(std::string_view text) {
    return find_where(framework_words, [&](const FrameworkWord& word) {
        return !word.only_in_questions && text.starts_with(word.word);
    });
}

/// The flavour that a conda build string names: "py3.9_cuda11.8_cudnn8.7.0_0",
/// "cuda118py310h5e7c1c9_0", "cpu_py39h...".
static std::optional<std::string> conda_flavour(const std::string& build) {
    static const LazyRE2 form = {R"(cuda([0-9]+)\.?([0-9]+))"};
    std::string major, minor;
    if (re2::RE2::PartialMatch(build, *form, &major, &minor))
        return "cu" + major + minor;
    if (!contains(build, "cpu"))
        return std::nullopt;
    return "cpu";
}

/// "2.4.0+cu124", "==1.15", "2.4.0=py3.9_cuda11.8_0" of conda; pre-releases are
/// in no table.
std::optional<Framework> framework_version_from(std::string_view text) {
    static const LazyRE2 form = {
        R"((?:==|v)? *([0-9]+(?:\.[0-9]+){1,3})(?: *=(.*)|[-+[( ]+([a-z0-9._-]+)[]) ]*)?)"};
    std::string version, conda, build;
    if (!re2::RE2::FullMatch(normalized(text), *form, &version, &conda, &build) ||
        build.starts_with("rc") || build.starts_with("dev"))
        return std::nullopt;
    Framework framework;
    framework.version = parse_version(version);
    if (!conda.empty() || contains(build, "_"))
        framework.build = conda_flavour(conda + build);
    if (!framework.build && !build.empty())
        framework.build = build;
    if (framework.version && (conda.empty() || framework.build))
        return framework;
    return std::nullopt;
}

/// "tensorflow-gpu", "jax[cuda12]", "cupy-cuda12x": the rest of the name is the
/// build.
std::optional<Framework> framework_named(std::string_view name) {
    /// The build that the rest of a package's name or its extra names: "-gpu", "-cuda12x",
    /// "[and-cuda]", and of older JAX "[cuda12_pip]".
    static const LazyRE2 form = {
        R"([-[]((?:gpu|cpu|cu|and-cuda|directml|metal|rocm)[^]_]*)[^]]*]?)"};
    const std::string word = normalized(name);
    std::string build;
    for (const FrameworkWord& known : framework_words) {
        if (!word.starts_with(known.word) || known.only_in_hints)
            continue;
        Framework framework;
        framework.name = known.name;
        if (word == known.word)
            return framework;
        if (re2::RE2::FullMatch(word.substr(known.word.size()), *form, &build)) {
            framework.build = build;
            return framework;
        }
    }
    return std::nullopt;
}

/// Packages that exist only beside a framework, which they thereby name.
std::string_view framework_of_package(std::string_view package) {
    static constexpr std::pair<std::string_view, std::string_view> packages[] = {
        {"dm-haiku", "jax"},
        {"flax", "jax"},
        {"haiku", "jax"},
        {"lightning", "pytorch"},
        {"optax", "jax"},
        {"pytorch-lightning", "pytorch"},
        {"tensorflow-addons", "tensorflow"},
        {"tensorflow-probability", "tensorflow"},
        {"tensorflow-text", "tensorflow"},
        {"torchaudio", "pytorch"},
        {"torchtext", "pytorch"},
        {"torchvision", "pytorch"}};
    const auto* known = find_where(packages, [&](const auto& one) { return one.first == package; });
    if (!known)
        return {};
    return known->second;
}

std::optional<Framework> framework_from(std::string_view text) {
    const std::string value = normalized(text);
    const std::size_t end = std::min(value.find_first_of(" ="), value.size());
    auto framework = framework_named(value.substr(0, end));
    if (!framework || end == value.size())
        return framework;
    const std::size_t version = std::min(value.find_first_not_of(" =", end), value.size());
    const auto named = framework_version_from(std::string_view(value).substr(version));
    if (!named)
        return std::nullopt;
    framework->version = named->version;
    if (named->build)
        framework->build = named->build;
    return framework;
}

}  // namespace rnncheck::stack
