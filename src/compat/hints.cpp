#include <algorithm>

#include "base/text.hpp"
#include "compat/given.hpp"
#include "matrix/ranges.hpp"

namespace rnncheck {

namespace {

/// The version that follows a framework's name within the next few words; nothing after '<', which names another one.
std::optional<Version> version_after(std::string_view text, std::size_t at) {
    std::size_t letters = 0;
    for (; at < text.size() && letters < 12; ++at) {
        if (text[at] == '<' || text[at] == '/' || text[at] == ',' || text[at] == '(') return std::nullopt;
        if (is_digit(text[at])) {
            std::size_t end = at;
            while (end < text.size() &&
                   (is_digit(text[end]) || (text[end] == '.' && end + 1 < text.size() && is_digit(text[end + 1]))))
                ++end;
            return parse_version(text.substr(at, end - at));
        }
        letters += is_letter(text[at]);
    }
    return std::nullopt;
}

void add_framework(ParsedHints& hints, std::string_view name, std::optional<Version> version) {
    NamedFramework* const known = find_by(hints.frameworks, &NamedFramework::name, name);
    if (!known)
        hints.frameworks.push_back({std::string(name), std::move(version)});
    else if (!known->version)
        known->version = std::move(version);
}

void read_frameworks(ParsedHints& hints, const std::string& text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool starts_word = at == 0 || !is_letter(text[at - 1]);
        if (!starts_word) continue;
        const FrameworkWord* found = framework_word_at(std::string_view(text).substr(at));
        if (!found) continue;
        const std::size_t end = at + found->word.size();
        if (found->word == "tf" && end < text.size() && is_letter(text[end])) continue;  // tflite, tfjs
        const bool has_own_version = found->word != "faster-whisper" && found->word != "whisperx";
        add_framework(hints, found->name, has_own_version ? version_after(text, end) : std::nullopt);
        at = end - 1;
    }
}

/// "cu118", "cuda11": 11.8 and 11.
std::optional<Version> cuda_of_flavour(std::string_view text) {
    for (std::size_t at = text.find("cu"); at != std::string_view::npos; at = text.find("cu", at + 2)) {
        if (at > 0 && is_letter(text[at - 1])) continue;
        std::size_t digits = at + (text.substr(at, 4) == "cuda" ? 4 : 2), end = digits;
        while (end < text.size() && is_digit(text[end])) ++end;
        if (end - digits < 2 || end - digits > 3) continue;
        return cuda_of_digits(text.substr(digits, end - digits));
    }
    return std::nullopt;
}

/// "(CUDA 10 build)".
std::optional<Version> cuda_of_build_words(std::string_view text) {
    const auto build = text.find("build");
    const auto cuda = text.rfind("cuda", build);
    if (build == std::string_view::npos || cuda == std::string_view::npos || build - cuda > 16) return std::nullopt;
    return find_version(text.substr(cuda, build - cuda), 1);
}

void read_events(ParsedHints& hints, const Log& log) {
    constexpr std::pair<const char*, const char*> told[] = {
        {"tf_version", "tensorflow"}, {"torch_version", "pytorch"}, {"jax_version", "jax"}};
    for (const LogEvent& event : log.events)
        for (const LogField& field : event.captures) {
            for (const auto& [signature, name] : told)
                if (field.name == "version" && event.signature == signature)
                    add_framework(hints, name, parse_version(field.value));
            if (field.name == "build" && !hints.build_cuda) hints.build_cuda = cuda_of_flavour(field.value);
        }
    const std::pair<const char*, const char*> in_use[] = {
        {"tensorflow_in_use", "tensorflow"}, {"torch_in_use", "pytorch"},   {"jax_in_use", "jax"},
        {"paddle_in_use", "paddlepaddle"},   {"chainer_in_use", "chainer"}, {"ctranslate2_in_use", "ctranslate2"}};
    if (!hints.frameworks.empty()) return;
    const auto seen = [&](std::string_view wanted) { return find_by(log.events, &LogEvent::signature, wanted); };
    // jaxlib's own files are below a directory called tensorflow.
    const bool is_jaxlib = seen("jaxlib_path");
    if (is_jaxlib) add_framework(hints, "jax", {});
    for (const auto& [signature, name] : in_use)
        if (seen(signature) && !(is_jaxlib && std::string_view(name) == "tensorflow")) add_framework(hints, name, {});
}

/// "GeForce GT 620 (2.1)", "RTX 50 series (compute capability 12.0)".
std::optional<Version> capability_in_figures(std::string_view text) {
    constexpr std::string_view capability = "capability ";
    if (const auto at = text.find(capability); at != std::string_view::npos)
        if (auto given = find_version(text.substr(at + capability.size(), 5), 1); given && given->text.size() >= 3)
            return given;
    const auto open = text.find('(');
    const auto close = text.find(')', open);
    if (open != std::string_view::npos && close != std::string_view::npos)
        if (auto inside = parse_version(trim(text.substr(open + 1, close - open - 1)));
            inside && inside->text.size() >= 3)
            return inside;
    return std::nullopt;
}

/// Parts of a list of GPUs as people write it: "GTX 1080 Ti, RTX 3090", "Tesla T4 (fails), Tesla K80 (works)".
std::vector<std::string> names_in_list(std::string_view text) {
    std::vector<std::string> names(1);
    for (const char c : text)
        if (c == ',' || c == ';' || c == '/' || c == '(' || c == ')' || c == '+')
            names.emplace_back();
        else
            names.back() += c;
    return names;
}

/// "2x TITAN RTX", "4 x V100", "8*A100".
std::string without_count(std::string_view name) {
    const auto sign = name.find_first_not_of("0123456789 ");
    if (sign == 0 || sign == std::string_view::npos || (name[sign] != 'x' && name[sign] != 'X' && name[sign] != '*'))
        return std::string(name);
    return std::string(trim(name.substr(sign + 1)));
}

}  // namespace

std::optional<Version> capability_named(std::string_view text, const Matrix& matrix) {
    for (const std::string& name : names_in_list(text))
        if (const auto product = matrix.gpu_product(without_count(trim(name)))) return product->capability;
    return std::nullopt;
}

namespace {

/// The newest of the GPUs of one name, where the name alone does not tell which it is.
std::optional<Version> newest_capability_named(std::string_view text, const Matrix& matrix) {
    std::optional<Version> newest;
    for (const std::string& name : names_in_list(text))
        for (const GpuProduct& product : matrix.gpu_products_named(without_count(trim(name))))
            if (!newest || product.capability > *newest) newest = product.capability;
    return newest;
}

/// "installed for CUDA 11", "8.2 (CUDA 11.3)": that number is not cuDNN's.
std::string_view without_cuda(std::string_view value) {
    return value.substr(0, value.find("cuda"));
}

/// What the strict reading gives, else the first version in the words.
std::optional<Version> version_in_hint(std::optional<Version> strict, std::string_view words) {
    return strict ? strict : find_version(words, 1);
}

void read_item(ParsedHints& hints, const GivenValue& item, const Matrix& matrix) {
    const std::string value = lower(item.value);
    hints.words += " " + value + " ;";
    if (item.key == "framework") {
        read_frameworks(hints, value);
        hints.build_cuda = cuda_of_flavour(value);
        if (!hints.build_cuda) hints.build_cuda = cuda_of_build_words(value);
    } else if (item.key == "cuda") {
        hints.cuda = version_in_hint(cuda_from(value), value);
    } else if (item.key == "cudnn") {
        const auto cudnn = cudnn_from(value);
        hints.cudnn = version_in_hint(cudnn ? std::optional(cudnn->version) : std::nullopt, without_cuda(value));
    } else if (item.key == "driver") {
        hints.driver = version_in_hint(driver_from(value), value);
    } else if (item.key == "gpu") {
        hints.capability = capability_from(value);
        if (!hints.capability) hints.capability = capability_in_figures(value);
        if (!hints.capability) hints.capability = capability_named(value, matrix);
        if (!hints.capability) hints.capability_at_most = newest_capability_named(value, matrix);
    } else {
        read_frameworks(hints, item.key + " " + value);
    }
}

/// What was not given is the machine's, when there is one.
void read_machine(ParsedHints& hints, const Facts& facts) {
    if (!hints.driver) hints.driver = facts.driver.library_version;
    if (!hints.cuda && !facts.runtimes.empty()) hints.cuda = facts.runtimes.front().version;
    if (!hints.cudnn && !facts.cudnns.empty()) hints.cudnn = facts.cudnns.front().version;
    if (!hints.capability && !facts.cuda_devices.empty())
        hints.capability = facts.cuda_devices.front().compute_capability;
    if (facts.host.wsl.value_or(false)) hints.words += " wsl ;";
}

}  // namespace

UserHint user_hint_from(const GivenValue& item, const Matrix& matrix) {
    const Given strict = read_given({item}, matrix);
    if (strict.not_understood.empty()) return {item.key, item.value, {}};
    ParsedHints hints;
    read_item(hints, item, matrix);
    const bool a_number = item.key == "python" && find_version(item.value, 1);
    if (a_number || !hints.frameworks.empty() || hints.build_cuda || hints.cuda || hints.cudnn || hints.driver ||
        hints.capability)
        return {item.key, item.value, {}};
    return {item.key, item.value, strict.not_understood.front().expected};
}

ParsedHints parsed_hints(const Facts& facts, const Matrix& matrix) {
    ParsedHints hints;
    if (!facts.log) return hints;
    for (const UserHint& item : facts.log->user_hints) read_item(hints, {item.key, item.value}, matrix);
    read_machine(hints, facts);
    read_events(hints, *facts.log);
    return hints;
}

}  // namespace rnncheck
