#include "rules/causes/log_features.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace rnncheck::rules {

std::optional<int> major_in_file_name(std::string_view name) {
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
    // "90" is CUDA 9.0, "112" 11.2, "12" 12.
    const bool has_minor = end >= 3 || (end == 2 && skip == 3 && digits[0] != '1');
    const std::string_view whole = digits.substr(0, has_minor ? end - 1 : end);
    int value = 0;
    return std::from_chars(whole.data(), whole.data() + whole.size(), value).ec == std::errc{} ? std::optional(value)
                                                                                               : std::nullopt;
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

/// "libcudart.so.10.1", "libcublas.so.9.0", "cudart64_101.dll": before CUDA 11 every minor release had a name of its
/// own.
std::optional<Version> full_version_in_name(std::string_view name) {
    if (const auto at = name.find(".so."); at != std::string_view::npos) {
        auto release = parse_version(name.substr(at + 4));
        return release && release->text.find('.') != std::string::npos && release->major() < 11 ? release
                                                                                                : std::nullopt;
    }
    const auto at = name.find("64_");
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view digits = name.substr(at + 3, name.find('.', at) - at - 3);
    if (digits.size() == 2 && digits[0] != '1') return parse_version(std::string{digits[0], '.', digits[1]});
    if (digits.size() == 3 && digits.starts_with("10")) return parse_version(std::string("10.") + digits[2]);
    return std::nullopt;
}

bool has_version(const Version& installed, const std::string& library, int wanted_major) {
    const auto release = full_version_in_name(library);
    if (!release || installed.text.find('.') == std::string::npos) return installed.major() == wanted_major;
    return installed.major() == release->major() && installed.parts[1] == release->parts[1];
}

void add_missing_cuda(Features& t) {
    if (t.seen("loader_error_other_library")) t.add("missing_by_cudnn", "a library that cuDNN needs is missing");
    const auto name = missing_library(t, "missing_cuda_library");
    if (!name || !names_the_toolkit(*name)) return;
    const auto wanted = major_in_file_name(*name);
    if (!wanted) return;
    const ParsedHints& said = t.out.said;
    if (said.cuda)
        t.add(has_version(*said.cuda, *name, *wanted) ? "cuda_same_major_given" : "cuda_other_major_given",
              "CUDA " + said.cuda->text + " is installed, " + *name + " is required");
    if (const auto build = build_cuda(t); build && build->major() != *wanted)
        t.add("cuda_other_major_built",
              "the framework was built with CUDA " + build->text + ", " + *name + " is required");
}

}  // namespace

void add_library_features(Features& t) {
    add_missing_cudnn(t);
    add_missing_cuda(t);
}

namespace {

constexpr auto denials = std::to_array<std::string_view>(
    {" no ", " not ", " not a ", " not in ", " not in a ", " not inside ", " without ", " outside ", " outside of "});

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
    for (auto at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
        const std::string_view before = words.substr(0, at);
        const bool is_denied =
            std::ranges::any_of(denials, [&](std::string_view denial) { return before.ends_with(denial); });
        if (!is_denied) return true;
    }
    return false;
}

void add_systems(Features& t) {
    const ParsedHints& said = t.out.said;
    const bool wsl = said.says("wsl") || t.seen("wsl_symlink");
    if (wsl) t.add("os_wsl", "Windows Subsystem for Linux");
    bool windows = t.seen("windows_library_name") || t.seen("windows_path");
    for (const char* word : {"windows", "win7", "win8", "win10", "win11", "win 10", "win 11"})
        windows = windows || said.says(word);
    if (!wsl && windows) t.add("os_windows", "Windows");
    for (const char* word : {"mac os", "macos", "os x", "osx"})
        if (said.says(word)) t.add("os_macos", "macOS");
    for (const char* word : {"docker", "podman", "container", "kubernetes", "singularity", "image)"})
        if (says_so(said.words, word)) t.add("in_container", "container (from --given)");
    if (t.seen("container_in_log")) t.add("in_container", "container (from the log)");
    if (said.says("colab") || t.seen("colab")) t.add("on_colab", "Google Colab");
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

void add_said_words(Features& t) {
    const ParsedHints& said = t.out.said;
    const auto any = [&](std::initializer_list<const char*> words) {
        return std::ranges::any_of(words, [&](const char* word) { return said.says(word); });
    };
    if (any({" amp ", "amp)", "(amp", "+ amp", "fp16", "half", "mixed precision", "autocast", "apex"}))
        t.add("said_amp", "mixed precision (from --given)");
    if (any({"directml"})) t.add("said_directml", "DirectML plugin (from --given)");
    if (any({"tensorflow-gpu", "tensorflow gpu"})) t.add("said_gpu_package", "GPU package (from --given)");
    if (any({"both tensorflow"}) || names_both_packages(said.words))
        t.add("said_both_packages", "both packages (from --given)");
    if (any({"lstm", "gru", "rnn", "seq2seq", "recurrent"})) t.add("said_rnn", "recurrent network (from --given)");
    if (any({"inference", "serving", "prediction", "deploy", "savedmodel", "saved model"}))
        t.add("said_inference", "inference with a trained model (from --given)");
    if (any({"caffe", "darknet", "openpose"}) || t.seen("convolutional_program"))
        t.add("convolutions_only", "a program without cuDNN recurrent layers");
    if (any({"jetson", "tegra", "xavier", " tx1", " tx2"}))
        t.add("gpu_jetson", "Jetson, which few builds have code for");
}

void add_frameworks(Features& t) {
    static const std::map<std::string_view, const char*> features = {{"tensorflow", "fw_tensorflow"},
                                                                     {"pytorch", "fw_pytorch"},
                                                                     {"jax", "fw_jax"},
                                                                     {"ctranslate2", "fw_ctranslate2"},
                                                                     {"onnxruntime", "fw_onnxruntime"},
                                                                     {"paddlepaddle", "fw_paddlepaddle"},
                                                                     {"mxnet", "fw_mxnet"},
                                                                     {"kaldi", "fw_kaldi"},
                                                                     {"chainer", "fw_chainer"}};
    int big = 0;
    for (const NamedFramework& framework : t.out.said.frameworks) {
        if (const auto found = features.find(framework.name); found != features.end())
            t.add(found->second, framework.name);
        big += framework.name == "tensorflow" || framework.name == "pytorch" || framework.name == "jax";
    }
    if (big > 1 || (t.seen("two_frameworks_named") && !t.out.has("fw_tensorflow")))
        t.add("several_frameworks", "two frameworks");
}

void add_devices(Features& t) {
    const auto& devices = t.log.registered_devices;
    if (devices.empty()) return;
    const auto has = [&](const char* name) { return std::ranges::find(devices, name) != devices.end(); };
    if (has("GPU"))
        t.add("devices_gpu", "TensorFlow lists a GPU device");
    else
        t.add("devices_no_gpu", "TensorFlow lists no GPU device");
    if (has("XLA_GPU")) t.add("devices_xla_gpu", "TensorFlow lists an XLA_GPU device");
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
    const auto any = [&](LogKind kind) {
        return std::ranges::any_of(t.log.events, [&](const LogEvent& e) { return e.kind == kind; });
    };
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

std::vector<std::string> all_features() {
    return split(
        "any_error batch_large convolutions_only cuda_other_major_built cuda_other_major_given cuda_same_major_given "
        "cuda_newer_than_release cudnn_given cudnn_given_fits_build cudnn_given_older_than_build cudnn_loaded_newer "
        "cudnn_loaded_older cudnn_masked_range cudnn_not_for_cuda cudnn_other_major_bundled cudnn_other_major_given "
        "cudnn_other_major_on_disk cudnn_other_major_than_release cudnn_same_major_bundled cudnn_same_major_given "
        "cudnn_same_major_on_disk devices_gpu devices_no_gpu devices_xla_gpu driver_fits_build driver_library_newer "
        "driver_older_than_build driver_versions_reported fw_chainer fw_ctranslate2 fw_jax fw_kaldi fw_mxnet "
        "fw_onnxruntime fw_paddlepaddle fw_pytorch fw_tensorflow gpu_ampere gpu_between_list gpu_fits_build "
        "gpu_jetson gpu_minor_newer_than_build gpu_newer_than_build gpu_newer_than_list gpu_old gpu_older_than_build "
        "gpu_older_than_list gpu_recent gpu_without_cudnn in_container little_free_at_start memory_free_high "
        "memory_free_low memory_usage_told missing_by_cudnn on_colab only_harmless os_macos os_windows os_wsl "
        "said_amp said_both_packages said_directml said_gpu_package said_inference said_rnn sequence_long "
        "several_frameworks small_gpu_memory some_harmless",
        ' ');
}

}  // namespace rnncheck::rules
