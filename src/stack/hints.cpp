// Reads what users write about their machine in free words (`diagnose --given`), and what a log
// shows of versions. Unlike given.cpp it takes the part that it understands.
#include <re2/re2.h>

#include <algorithm>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "stack/given.hpp"

namespace rnncheck::stack {

namespace {

/// What the first match captures; "" where there is none.
std::string first_match(std::string_view text, const LazyRE2& pattern) {
    std::string part;
    re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern, &part);
    return part;
}

/// The version that follows a framework's name within the next few words; nothing after '<', which
/// names another one.
std::optional<Version> version_after(std::string_view name) {
    static const LazyRE2 form = {
        R"(^(?:[^0-9a-zA-Z</,(]*[a-zA-Z]){0,11}[^0-9a-zA-Z</,(]*([0-9]+(?:\.[0-9]+)*))"};
    return parse_version(first_match(name, form));
}

/// The first version of a framework counts.
void add_framework(Given& hints, std::string_view name, std::optional<Version> version) {
    Framework* const known = find_by(hints.stack.frameworks, &Framework::name, name);
    if (!known)
        hints.stack.frameworks.push_back({std::string(name), std::move(version)});
    else if (!known->version)
        known->version = std::move(version);
}

/// All that the text names: "TF 2.10 and keras".
void read_frameworks(Given& hints, const std::string& text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (at > 0 && is_letter(text[at - 1]))
            continue;
        const FrameworkWord* found = framework_word_at(std::string_view(text).substr(at));
        if (!found)
            continue;
        const std::size_t end = at + found->word.size();
        if (found->word == "tf" && end < text.size() && is_letter(text[end]))
            continue;  // tflite, tfjs
        const bool has_own_version = found->word != "faster-whisper" && found->word != "whisperx";
        std::optional<Version> version;
        if (has_own_version)
            version = version_after(std::string_view(text).substr(end));
        add_framework(hints, found->name, std::move(version));
        at = end - 1;
    }
}

/// "cu118", "cuda11": 11.8 and 11.
std::optional<Version> cuda_of_flavour(std::string_view text) {
    static const LazyRE2 form = {"(?:^|[^a-z])cu(?:da)?([0-9]{2,3})(?:[^0-9]|$)"};
    return cuda_of_digits(first_match(text, form));
}

/// "(CUDA 10 build)".
std::optional<Version> cuda_of_build_words(std::string_view text) {
    static const LazyRE2 form = {".*cuda(.{0,12}?)build"};
    return find_version(first_match(text, form), 1);
}

/// Versions that a log prints; without any framework by name, those whose
/// messages are in it.
void read_events(Given& hints, const Log& log) {
    constexpr std::pair<const char*, const char*> fields[] = {
        {"tf_version", "tensorflow"}, {"torch_version", "pytorch"}, {"jax_version", "jax"}};
    for (const LogEvent& event : log.events)
        for (const LogField& field : event.captures) {
            for (const auto& [signature, name] : fields)
                if (field.name == "version" && event.signature == signature)
                    add_framework(hints, name, parse_version(field.value));
            if (field.name == "build" && !hints.build_cuda)
                hints.build_cuda = cuda_of_flavour(field.value);
        }
    const std::pair<const char*, const char*> in_use[] = {
        {"tensorflow_in_use", "tensorflow"},
        {"torch_in_use", "pytorch"},
        {"jax_in_use", "jax"},
        {"paddle_in_use", "paddlepaddle"},
        {"chainer_in_use", "chainer"},
        {"ctranslate2_in_use", "ctranslate2"},
        {"onnxruntime_in_use", "onnxruntime"}};
    if (!hints.stack.frameworks.empty())
        return;
    const auto seen = [&](std::string_view wanted) {
        return find_by(log.events, &LogEvent::signature, wanted);
    };
    // jaxlib's own files are below a directory called tensorflow.
    const bool is_jaxlib = seen("jaxlib_path");
    if (is_jaxlib)
        add_framework(hints, "jax", {});
    for (const auto& [signature, name] : in_use)
        if (seen(signature) && !(is_jaxlib && std::string_view(name) == "tensorflow"))
            add_framework(hints, name, {});
}

/// "GeForce GT 620 (2.1)", "RTX 50 series (compute capability 12.0)".
std::optional<Version> capability_in_figures(std::string_view text) {
    static const LazyRE2 named = {R"(capability ([0-9]+\.[0-9]+))"},
                         in_brackets = {R"(\( *([0-9]+\.[0-9]+) *\))"};
    const auto capability = parse_version(first_match(text, named));
    if (capability)
        return capability;
    return parse_version(first_match(text, in_brackets));
}

/// The GPUs of a list as users write it: "GTX 1080 Ti, 2x RTX 3090", "Tesla T4 (fails), 4 x Tesla
/// K80 (works)".
std::vector<std::string> names_in_list(std::string_view text) {
    static const LazyRE2 separator = {"[;/()+]"}, count = {"^[0-9 ]+[xX*]"};
    std::string list(text);
    re2::RE2::GlobalReplace(&list, *separator, ",");
    std::vector<std::string> names = split(list, ',');
    for (std::string& name : names) {
        name = trim(name);
        re2::RE2::Replace(&name, *count, "");
    }
    return names;
}

}  // namespace

std::optional<Version> capability_named(std::string_view text, const Matrix& matrix) {
    for (const std::string& name : names_in_list(text))
        if (const auto product = matrix.gpu_product(name))
            return product->capability;
    return std::nullopt;
}

namespace {

/// The newest GPU with this name, if the name does not determine which GPU it is.
std::optional<Version> newest_capability_named(std::string_view text, const Matrix& matrix) {
    std::optional<Version> newest;
    for (const std::string& name : names_in_list(text))
        for (const GpuProduct& product : matrix.gpu_products_named(name))
            if (!newest || product.capability > *newest)
                newest = product.capability;
    return newest;
}

/// "RTX 50", "GTX 10xx", "RTX 3000 series": all cards of one series of GeForce; none where they
/// differ.
std::optional<Version> capability_of_series(std::string_view text, const Matrix& matrix) {
    static const LazyRE2 form = {
        "(?i)([gr]tx) ?([0-9]{1,2})(?:(?:x{1,2})?$|(?:0{1,2}|x{1,2})?[- ]?series)"};
    std::string kind, series;
    if (!re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *form, &kind, &series))
        return std::nullopt;
    const std::string begin = "geforce " + lower(kind) + " " + series;
    std::optional<Version> common;
    for (const GpuProduct& product : matrix.gpu_products()) {
        const std::string name = lower(product.name);
        // Two digits and no third: "GTX 1080" is of series 10, not of 1.
        const std::string_view rest =
            std::string_view(name).substr(std::min(begin.size(), name.size()));
        const auto end = std::min(rest.find_first_not_of("0123456789"), rest.size());
        if (!name.starts_with(begin) || end != 2)
            continue;
        if (common && *common != product.capability)
            return std::nullopt;
        common = product.capability;
    }
    return common;
}

/// Unless it is already known.
void take(std::optional<Known>& known, const std::optional<Known>& also) {
    if (!known)
        known = also;
}

/// "GT 710" is three chips: known is the newest of them. What is known exactly takes its place.
void take_capability(
    Given& hints,
    const std::optional<Version>& capability,
    Exactness exactness,
    const Matrix& matrix) {
    std::vector<Gpu>& gpus = hints.stack.gpus;
    const bool is_known = !gpus.empty() && gpus.front().capability->exactness != Exactness::range;
    if (!capability || is_known)
        return;
    Gpu gpu{.capability = known_capability(*capability, matrix)};
    if (exactness == Exactness::range)
        gpu.capability->exactness = exactness;
    gpus = {gpu};
}

/// What was read strictly from an item, or what a machine shows.
void take(Given& hints, const Stack& stack, const Matrix& matrix) {
    take(hints.stack.driver, stack.driver);
    take(hints.stack.cuda, stack.cuda);
    take(hints.stack.cudnn, stack.cudnn);
    if (const Gpu* gpu = gpu_of(stack))
        take_capability(hints, *gpu->capability, Exactness::exact, matrix);
    if (stack.wsl)
        hints.words += " wsl ;";
}

/// From figures over a name and a series to a name that several chips have.
void take_gpu_by_words(Given& hints, const std::string& value, const Matrix& matrix) {
    auto capability = capability_in_figures(value);
    if (!capability)
        capability = capability_named(value, matrix);
    if (!capability)
        capability = capability_of_series(value, matrix);
    if (capability)
        return take_capability(hints, capability, Exactness::exact, matrix);
    take_capability(hints, newest_capability_named(value, matrix), Exactness::range, matrix);
}

/// Strictly, and if that fails, by its words. Frameworks only by their words: an item may name
/// several.
void read_item(Given& hints, const GivenValue& item, const Matrix& matrix) {
    const std::string value = lower(item.value);
    hints.words += " " + value + " ;";
    const Stack strict = read_given({item}, matrix).stack;
    take(hints, strict, matrix);
    Stack& stack = hints.stack;
    if (item.key == "framework") {
        read_frameworks(hints, value);
        hints.build_cuda = cuda_of_flavour(value);
        if (!hints.build_cuda)
            hints.build_cuda = cuda_of_build_words(value);
    } else if (item.key == "cuda") {
        if (const auto version = find_version(value, 1); version && !stack.cuda)
            stack.cuda = known_cuda(*version, matrix);
    } else if (item.key == "cudnn") {  // "installed for CUDA 11", "8.2 (CUDA 11.3)": that number is
                                       // not cuDNN's
        if (const auto version = find_version(value.substr(0, value.find("cuda")), 1);
            version && !stack.cudnn)
            stack.cudnn = known_cudnn(*version, matrix);
    } else if (item.key == "driver") {
        if (const auto version = find_version(value, 1); version && !stack.driver)
            stack.driver = known_driver(*version, matrix);
    } else if (item.key == "image") {  // the number in its tag is no version of its framework
        for (const Framework& framework : strict.frameworks)
            add_framework(hints, framework.name, framework.version);
    } else if (item.key == "gpu") {
        if (strict.gpus.empty())
            take_gpu_by_words(hints, value, matrix);
    } else {
        read_frameworks(hints, item.key + " " + value);
    }
}

}  // namespace

bool Given::names_both_packages() const {
    static const LazyRE2 form = {
        "tensorflow[0-9.=+&,and ]*[+&,a][0-9.=+&,and ]*tensorflow-gpu|"
        "tensorflow-gpu[0-9.=+&,and ]*[+&,a][0-9.=+&,and "
        "]*tensorflow(?:[^-]|-[^g]|-g[^p]|-gp[^u])"};
    return re2::RE2::PartialMatch(words, *form);
}

/// A hint is understood if it shows something about the stack, or that the GPU is
/// another maker's.
UserHint user_hint_from(const GivenValue& item, const Matrix& matrix) {
    const Given strict = read_given({item}, matrix);
    if (strict.not_understood.empty())
        return {item.key, item.value, {}};
    Given hints;
    read_item(hints, item, matrix);
    const bool a_number = item.key == "python" && find_version(item.value, 1);
    // Of another maker: nothing is known about it but that.
    static const LazyRE2 amd = {
        "(?i)radeon|\\bgfx[0-9]{3}|instinct|\\bamd\\b|\\bmi[1-4][0-9]{2}\\b"};
    const bool is_amd = item.key == "gpu" && re2::RE2::PartialMatch(item.value, *amd);
    const Stack& stack = hints.stack;
    const bool has_exact_gpu =
        !stack.gpus.empty() && stack.gpus.front().capability->exactness != Exactness::range;
    if (is_amd || a_number || !stack.frameworks.empty() || hints.build_cuda || stack.cuda ||
        stack.cudnn || stack.driver || has_exact_gpu)
        return {item.key, item.value, {}};
    return {item.key, item.value, strict.not_understood.front().expected};
}

/// What the user wrote takes precedence over what the log shows.
Given given_with_log(const Facts& facts, const Matrix& matrix) {
    Given hints;
    if (!facts.log)
        return hints;
    for (const UserHint& item : facts.log->user_hints)
        read_item(hints, {item.key, item.value}, matrix);
    take(hints, stack_of_document(facts, matrix), matrix);
    read_events(hints, *facts.log);
    return hints;
}

}  // namespace rnncheck::stack
