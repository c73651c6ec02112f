#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "rules/causes/log_causes.hpp"

namespace rnncheck::rules {

std::optional<Version> version_in_file_name(std::string_view name) {
    const auto so = name.find(".so."), dll = name.find("64_");
    if (so != std::string_view::npos) {
        const std::string_view rest = name.substr(so + 4);
        const std::string_view number = rest.substr(0, rest.find_first_not_of("0123456789."));
        return parse_version(number.substr(0, number.find_last_not_of('.') + 1));
    }
    if (dll == std::string_view::npos) return std::nullopt;
    const std::string_view rest = name.substr(dll + 3);
    std::string number(rest.substr(0, rest.find_first_not_of("0123456789")));
    // "90" is CUDA 9.0, "112" 11.2, "12" 12.
    if (number.size() >= 3 || (number.size() == 2 && number[0] != '1')) number.insert(number.size() - 1, ".");
    return parse_version(number);
}

std::optional<int> major_in_file_name(std::string_view name) {
    const auto version = version_in_file_name(name);
    return version ? std::optional(version->major()) : std::nullopt;
}

std::optional<std::string> missing_library(const KnownOfLog& t, std::string_view signature) {
    for (const char* field : {"library", "library2", "library3", "library4"})
        if (auto name = t.told(signature, field))
            return name->substr(0, name->find_last_not_of('.') + 1);  // "failed to open libnvrtc-builtins.so.11.3."
    return std::nullopt;
}

bool names_the_toolkit(std::string_view library) {
    return contains(library, "cudart") || contains(library, "cublas");
}

namespace {

void add_missing_cudnn(Features& t) {
    const auto name = missing_library(t, "missing_cudnn");
    const auto wanted = major_in_file_name(name.value_or(""));
    if (!wanted) {
        if (t.out.said.cudnn) t.add("cudnn_given", "cuDNN " + t.out.said.cudnn->text + " is installed");
        return;
    }
    if (const auto there = t.told("cudnn_file_listed", "major", std::to_string(*wanted)))
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

/// Before CUDA 11 every minor release had a name of its own: libcudart.so.10.1, cudart64_101.dll.
bool has_version(const Version& installed, const Version& wanted) {
    const bool by_minor = wanted.major() < 11 && contains(wanted.text, ".") && contains(installed.text, ".");
    return installed.major() == wanted.major() && (!by_minor || installed.minor() == wanted.minor());
}

void add_missing_cuda(Features& t) {
    if (t.seen("loader_error_other_library")) t.add("missing_by_cudnn", "a library that cuDNN needs is missing");
    const auto name = missing_library(t, "missing_cuda_library");
    if (!name || !names_the_toolkit(*name)) return;
    const auto wanted = version_in_file_name(*name);
    if (!wanted) return;
    const ParsedHints& said = t.out.said;
    if (said.cuda)
        t.add(has_version(*said.cuda, *wanted) ? "cuda_same_major_given" : "cuda_other_major_given",
              "CUDA " + said.cuda->text + " is installed, " + *name + " is required");
    if (const auto build = build_cuda(t); build && build->major() != wanted->major())
        t.add("cuda_other_major_built",
              "the framework was built with CUDA " + build->text + ", " + *name + " is required");
}

}  // namespace

void add_library_features(Features& t) {
    add_missing_cudnn(t);
    add_missing_cuda(t);
}

namespace {

std::optional<double> number(const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc{}) return std::nullopt;
    const std::string_view unit = trim({end, static_cast<std::size_t>(text->data() + text->size() - end)});
    if (unit.starts_with('K')) value *= 1024.0;
    if (unit.starts_with('M')) value *= 1024.0 * 1024.0;
    if (unit.starts_with('G')) value *= 1024.0 * 1024.0 * 1024.0;
    return value;
}

/// Told, and not denied: "not a container", "without docker".
bool says_so(std::string_view words, std::string_view word) {
    constexpr std::string_view denials[] = {" no ",         " not ",     " not a ",   " not in ",    " not in a ",
                                            " not inside ", " without ", " outside ", " outside of "};
    for (auto at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1))
        if (std::ranges::none_of(denials, [&](auto denial) { return words.substr(0, at).ends_with(denial); }))
            return true;
    return false;
}

void add_systems(Features& t) {
    const ParsedHints& said = t.out.said;
    const auto any = [&](std::initializer_list<const char*> words, auto says) {
        return std::ranges::any_of(words, says);
    };
    const auto says = [&](const char* word) { return said.says(word); };
    if (said.says("wsl") || t.seen("wsl_symlink"))
        t.add("os_wsl", "Windows Subsystem for Linux");
    else if (t.seen("windows_library_name") || t.seen("windows_path") ||
             any({"windows", "win7", "win8", "win10", "win11", "win 10", "win 11"}, says))
        t.add("os_windows", "Windows");
    if (any({"docker", "podman", "container", "kubernetes", "singularity", "image)"},
            [&](const char* word) { return says_so(said.words, word); }))
        t.add("in_container", "container (from --given)");
    if (t.seen("container_in_log")) t.add("in_container", "container (from the log)");
}

/// "tensorflow 1.4.0 and tensorflow-gpu 1.4.0", "tensorflow-gpu + tensorflow": one after the other, with and without
/// GPU.
bool names_both_packages(std::string_view words) {
    static constexpr std::string_view name = "tensorflow", with_gpu = "-gpu";
    for (std::size_t at = words.find(name); at != std::string_view::npos;) {
        const bool first_has = words.substr(at + name.size(), with_gpu.size()) == with_gpu;
        const std::size_t start = at + name.size() + (first_has ? with_gpu.size() : 0), next = words.find(name, start);
        if (next == std::string_view::npos) return false;
        const std::string_view between = words.substr(start, next - start);
        const bool second_has = words.substr(next + name.size(), with_gpu.size()) == with_gpu;
        const bool only_joined = between.find_first_not_of("0123456789.=+&,and ") == std::string_view::npos;
        if (first_has != second_has && only_joined && between.find_first_of("+&,a") != std::string_view::npos)
            return true;
        at = next;
    }
    return false;
}

/// What the user specified in one of these words, or a line of the log shows.
void add_said_words(Features& t) {
    struct Row {
        const char *feature, *why;
        std::vector<const char*> words;
        const char* signature = "";
    };
    static const Row rows[] = {
        {"os_macos", "macOS", {"mac os", "macos", "os x", "osx"}},
        {"on_colab", "Google Colab", {"colab"}, "colab"},
        {"said_amp",
         "mixed precision (from --given)",
         {" amp ", "amp)", "(amp", "+ amp", "fp16", "half", "mixed precision", "autocast", "apex"}},
        {"said_directml", "DirectML plugin (from --given)", {"directml"}},
        {"said_gpu_package", "GPU package (from --given)", {"tensorflow-gpu", "tensorflow gpu"}},
        {"said_both_packages", "both packages (from --given)", {"both tensorflow"}},
        {"said_rnn", "recurrent network (from --given)", {"lstm", "gru", "rnn", "seq2seq", "recurrent"}},
        {"said_inference",
         "inference with a trained model (from --given)",
         {"inference", "serving", "prediction", "deploy", "savedmodel", "saved model"}},
        {"convolutions_only",
         "a program without cuDNN recurrent layers",
         {"caffe", "darknet", "openpose"},
         "convolutional_program"},
        {"gpu_jetson", "Jetson, which few builds have code for", {"jetson", "tegra", "xavier", " tx1", " tx2"}}};
    const ParsedHints& said = t.out.said;
    for (const Row& row : rows)
        if (t.seen(row.signature) || std::ranges::any_of(row.words, [&](auto word) { return said.says(word); }))
            t.add(row.feature, row.why);
    if (names_both_packages(said.words)) t.add("said_both_packages", "both packages (from --given)");
}

void add_frameworks(Features& t) {
    int big = 0;
    for (const NamedFramework& framework : t.out.said.frameworks) {
        t.add("fw_" + framework.name, framework.name);
        big += framework.name == "tensorflow" || framework.name == "pytorch" || framework.name == "jax";
    }
    if (big > 1 || (t.seen("two_frameworks_named") && !t.out.has("fw_tensorflow")))
        t.add("several_frameworks", "two frameworks");
}

void add_devices(Features& t) {
    const auto& devices = t.log.registered_devices;
    if (devices.empty()) return;
    if (includes(devices, "GPU"))
        t.add("devices_gpu", "TensorFlow lists a GPU device");
    else
        t.add("devices_no_gpu", "TensorFlow lists no GPU device");
    if (includes(devices, "XLA_GPU")) t.add("devices_xla_gpu", "TensorFlow lists an XLA_GPU device");
}

void add_memory(Features& t) {
    if (const auto free = number(t.told("cudnn_memory_usage", "free")),
        total = number(t.told("cudnn_memory_usage", "total"));
        free && total && *total > 0) {
        const auto mebibytes = [](double bytes) { return std::to_string(std::llround(bytes / 1048576.0)); };
        const std::string why = mebibytes(*free) + " MiB of " + mebibytes(*total) + " MiB were free";
        t.add("memory_usage_told", why);
        if (*free > 0.4 * *total) t.add("memory_free_high", why);
        if (*free < 0.15 * *total) t.add("memory_free_low", why);
    }
    if (const auto free = number(t.told("tf_memory_at_start", "free")),
        total = number(t.told("tf_memory_at_start", "total"));
        free && total && *free < 0.5 * *total)
        t.add("little_free_at_start", "less than half of the GPU's memory was free at the start");
    if (const auto memory = number(t.told("tf_device_created", "memory")); memory && *memory < 2048)
        t.add("small_gpu_memory", "TensorFlow could use only " + short_number(*memory) + " MiB of GPU memory");
    if (t.log.rnn_config) {
        const LogRnnConfig& config = *t.log.rnn_config;
        if (config.batch && *config.batch >= 2048)
            t.add("batch_large", "the batch has " + std::to_string(*config.batch) + " sequences");
        if (config.sequence_length && *config.sequence_length > 65535)
            t.add("sequence_long", "the sequences have " + std::to_string(*config.sequence_length) + " steps");
    }
}

void add_summary(Features& t) {
    const auto any = [&](LogKind kind) { return find_by(t.log.events, &LogEvent::kind, kind); };
    if (any(LogKind::error) || any(LogKind::consequence) || any(LogKind::unknown))
        t.add("any_error", "the log contains an error");
    if (!any(LogKind::harmless)) return;
    t.add("some_harmless", "some lines look like errors but are harmless");
    if (!t.out.has("any_error")) t.add("only_harmless", "the log contains no error");
}

/// "pytorch<=1.6": name, comparison, version.
std::optional<bool> compared(const ParsedHints& said, std::string_view word) {
    const auto at = word.find_first_of("<>=");
    if (at == std::string_view::npos || at + 2 >= word.size() || word[at + 1] != '=') return std::nullopt;
    const auto limit = parse_version(word.substr(at + 2));
    const NamedFramework* framework = said.framework(word.substr(0, at));
    if (!limit || !framework || !framework->version) return false;
    // "pytorch<=1.6" takes in 1.6.1: only as many numbers as the limit has are compared.
    Version release = *framework->version;
    for (auto n = static_cast<std::size_t>(std::ranges::count(limit->text, '.')) + 1; n < release.parts.size(); ++n)
        release.parts[n] = 0;
    return word[at] == '<' ? release <= *limit : word[at] == '>' ? release >= *limit : release == *limit;
}

}  // namespace

bool LogWords::holds(std::string_view word) const {
    if (word.starts_with('!')) return !holds(word.substr(1));
    if (const auto answer = compared(said, word)) return *answer;
    return has(word);
}

LogWords log_words(const Facts& facts, const Matrix& matrix) {
    LogWords out;
    out.said = parsed_hints(facts, matrix);
    for (const LogEvent& event : facts.log->events) out.words.emplace(event.signature, "");
    Features features{{*facts.log, matrix, out}, out};
    add_systems(features);
    add_said_words(features);
    add_frameworks(features);
    add_devices(features);
    add_memory(features);
    add_version_features(features);
    add_library_features(features);
    add_summary(features);
    return out;
}

}  // namespace rnncheck::rules
