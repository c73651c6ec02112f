#include "rules/support/log_traits.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.hpp"

namespace rnncheck::rules {

namespace {

/// One pass over what is known; each function below adds the traits of one subject.
struct Traits {
    const Log& log;
    const Matrix& matrix;
    LogWords& out;

    bool seen(std::string_view signature) const { return out.has(signature); }
    void add(const char* trait, const std::string& why) { out.words.emplace(trait, why); }

    std::optional<std::string> told(std::string_view signature, std::string_view name) const {
        for (const LogEvent& event : log.events)
            if (event.signature == signature)
                for (const LogField& field : event.told)
                    if (field.name == name && !field.value.empty()) return field.value;
        return std::nullopt;
    }
};

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

void add_systems(Traits& t) {
    const SaidReading& said = t.out.said;
    const bool wsl = said.says("wsl") || t.seen("wsl_symlink");
    if (wsl) t.add("os_wsl", "Windows Subsystem for Linux");
    if (!wsl && (said.says("windows") || t.seen("windows_library_name") || t.seen("windows_path"))) t.add("os_windows", "Windows");
    for (const char* word : {"docker", "podman", "container", "kubernetes", "singularity", "image)"})
        if (said.says(word)) t.add("in_container", "in a container, as was said");
    if (t.seen("container_in_log")) t.add("in_container", "in a container, as the log shows");
    if (said.says("colab") || t.seen("colab")) t.add("on_colab", "Google Colab");
}

void add_said_words(Traits& t) {
    const SaidReading& said = t.out.said;
    const auto any = [&](std::initializer_list<const char*> words) {
        return std::any_of(words.begin(), words.end(), [&](const char* word) { return said.says(word); });
    };
    if (any({"amp", "fp16", "half", "mixed precision", "autocast", "apex"})) t.add("said_amp", "mixed precision is in use, as was said");
    if (any({"directml"})) t.add("said_directml", "the DirectML plugin is in use, as was said");
    if (any({"tensorflow-gpu", "tensorflow gpu"})) t.add("said_gpu_package", "the GPU package was installed, as was said");
    if (any({"tensorflow-gpu and tensorflow", "tensorflow and tensorflow-gpu", "both tensorflow"})) t.add("said_both_packages", "both packages are installed, as was said");
    if (any({"inference", "serving", "prediction", "deploy"})) t.add("said_inference", "a trained model is being used, as was said");
}

void add_frameworks(Traits& t) {
    static const std::map<std::string_view, const char*> traits = {
        {"tensorflow", "fw_tensorflow"}, {"pytorch", "fw_pytorch"}, {"jax", "fw_jax"}, {"ctranslate2", "fw_ctranslate2"},
        {"onnxruntime", "fw_onnxruntime"}, {"paddlepaddle", "fw_paddlepaddle"}, {"mxnet", "fw_mxnet"}, {"kaldi", "fw_kaldi"}, {"chainer", "fw_chainer"}};
    int big = 0;
    for (const NamedFramework& framework : t.out.said.frameworks) {
        if (const auto found = traits.find(framework.name); found != traits.end()) t.add(found->second, framework.name);
        big += framework.name == "tensorflow" || framework.name == "pytorch" || framework.name == "jax";
    }
    if (big > 1 || (t.seen("two_frameworks_named") && !t.out.has("fw_tensorflow"))) t.add("several_frameworks", "two frameworks are in use");
}

void add_devices(Traits& t) {
    const auto& devices = t.log.registered_devices;
    if (devices.empty()) return;
    const auto has = [&](const char* name) { return std::find(devices.begin(), devices.end(), name) != devices.end(); };
    if (has("GPU")) t.add("devices_gpu", "TensorFlow has a device called GPU");
    else t.add("devices_no_gpu", "TensorFlow has no GPU");
    if (has("XLA_GPU")) t.add("devices_xla_gpu", "TensorFlow has XLA_GPU");
}

/// "8.0.5"; "(8, 7, 0)"; "7003", "91002": numbers without dots are cuDNN's own coding.
std::optional<Version> cudnn_version(const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    std::string plain;
    for (const char c : *text)
        if (c == ',') plain += '.';
        else if (c != '(' && c != ')' && c != ' ') plain += c;
    if (plain.find('.') == std::string::npos && plain.size() >= 4)
        if (const auto value = number(plain)) return cudnn_version_from_number(static_cast<std::size_t>(*value));
    return parse_version(plain);
}

void add_cudnn_loaded(Traits& t) {
    for (const char* signature : {"cudnn_version_mismatch", "torch_cudnn_versions", "jax_found_cudnn", "paddle_cudnn_versions"}) {
        const auto loaded = cudnn_version(t.told(signature, "loaded")), built = cudnn_version(t.told(signature, "built"));
        if (!loaded || !built) continue;
        const std::string why = "cuDNN " + loaded->text + " was loaded, the build wants " + built->text;
        if (*loaded < *built) t.add("cudnn_loaded_older", why);
        if (*loaded > *built) t.add("cudnn_loaded_newer", why);
    }
    if (t.out.said.cudnn && *t.out.said.cudnn >= make_version({8, 1}) && *t.out.said.cudnn < make_version({8, 9, 2}))
        t.add("cudnn_masked_range", "cuDNN " + t.out.said.cudnn->text + " has a known defect with masks");
}

void add_memory(Traits& t) {
    if (const auto free = number(t.told("cudnn_memory_usage", "free")), total = number(t.told("cudnn_memory_usage", "total")); free && total && *total > 0) {
        const std::string why = short_number(*free / 1048576.0) + " MiB of " + short_number(*total / 1048576.0) + " MiB were free";
        t.add("memory_usage_told", why);
        if (*free > 0.4 * *total) t.add("memory_free_high", why);
        if (*free < 0.15 * *total) t.add("memory_free_low", why);
    }
    if (const auto free = number(t.told("tf_memory_at_start", "free")), total = number(t.told("tf_memory_at_start", "total")); free && total && *free < 0.5 * *total)
        t.add("little_free_at_start", "less than half of the GPU's memory was free at the start");
    if (const auto memory = number(t.told("tf_device_created", "memory")); memory && *memory < 2048)
        t.add("small_gpu_memory", "TensorFlow got only " + short_number(*memory) + " MiB of GPU memory");
    if (t.log.rnn_config) {
        const LogRnnConfig& config = *t.log.rnn_config;
        if (config.batch && *config.batch >= 2048) t.add("batch_large", "the batch holds " + std::to_string(*config.batch) + " sequences");
        if (config.sequence_length && *config.sequence_length > 65535) t.add("sequence_long", "the sequences have " + std::to_string(*config.sequence_length) + " steps");
    }
}

/// "1.x" is no release; CTranslate2's majors are enough.
bool says_minor(const NamedFramework& framework) {
    return contains(framework.version->text, ".") || framework.name == "ctranslate2";
}

/// The CUDA that the framework was built with: as its flavour says, as its release was, else as installed.
std::optional<Version> build_cuda(const Traits& t) {
    const SaidReading& said = t.out.said;
    if (said.build_cuda) return said.build_cuda;
    std::optional<Version> cuda;
    for (const NamedFramework& framework : said.frameworks)
        if (framework.version && !cuda && says_minor(framework))
            if (const auto row = t.matrix.framework_cuda(framework.name, *framework.version)) cuda = row->newest_cuda;
    if (!cuda || (said.cuda && !said.says("system") && *said.cuda < *cuda)) return said.cuda;
    return cuda;
}

std::optional<Version> capability(const Traits& t) {
    if (t.out.said.capability) return t.out.said.capability;
    for (const char* signature : {"torch_gpu_capability", "tf_device_created", "tf_device_found", "tf_capability_too_low"}) {
        if (const auto text = t.told(signature, "capability")) return parse_version(*text);
        if (const auto name = t.told(signature, "gpu"))
            if (auto known = capability_named(*name, t.matrix)) return known;
    }
    return std::nullopt;
}

/// "sm_120" is 12.0, "sm_61" is 6.1.
std::optional<Version> capability_of_sm(std::string_view digits) {
    while (!digits.empty() && (digits.back() < '0' || digits.back() > '9')) digits.remove_suffix(1);
    if (digits.size() < 2) return std::nullopt;
    return parse_version(std::string(digits.substr(0, digits.size() - 1)) + "." + digits.back());
}

void add_gpu_against_list(Traits& t) {
    const auto text = t.told("torch_gpu_not_compatible", "capability");
    const auto gpu = capability_of_sm(text.value_or(""));
    const auto list = t.told("torch_architectures", "list");
    if (!gpu || !list) return;
    std::optional<Version> oldest, newest;
    for (std::size_t at = list->find('_'); at != std::string::npos; at = list->find('_', at + 1)) {
        std::size_t end = at + 1;
        while (end < list->size() && (*list)[end] >= '0' && (*list)[end] <= '9') ++end;
        const auto one = capability_of_sm(std::string_view(*list).substr(at + 1, end - at - 1));
        if (one && (!oldest || *one < *oldest)) oldest = one;
        if (one && (!newest || *one > *newest)) newest = one;
    }
    if (!oldest) return;
    const std::string why = "the GPU has capability " + gpu->text + ", the build has code for " + oldest->text + " to " + newest->text;
    if (*gpu > *newest) t.add("gpu_newer_than_list", why);
    else if (*gpu < *oldest) t.add("gpu_older_than_list", why);
    else t.add("gpu_between_list", why);
}

void add_gpu(Traits& t) {
    add_gpu_against_list(t);
    const auto gpu = capability(t);
    if (!gpu) return;
    if (*gpu >= make_version({8, 0})) t.add("gpu_ampere", "the GPU has capability " + gpu->text);
    if (*gpu >= make_version({7, 5})) t.add("gpu_recent", "the GPU has capability " + gpu->text);
    if (*gpu < make_version({7, 0})) t.add("gpu_old", "the GPU has capability " + gpu->text);
    const auto cuda = build_cuda(t);
    const auto architecture = t.matrix.architecture(*gpu);
    if (!cuda || !architecture) return;
    if (architecture->first_cuda > *cuda && architecture->first_cuda.major() > 0)
        t.add("gpu_newer_than_build", "the GPU has capability " + gpu->text + " and needs CUDA " + architecture->first_cuda.text + ", the build has " + cuda->text);
    if (architecture->last_cuda && *architecture->last_cuda < *cuda)
        t.add("gpu_older_than_build", "the GPU has capability " + gpu->text + ", which CUDA left after " + architecture->last_cuda->text + "; the build has " + cuda->text);
}

void add_driver(Traits& t) {
    const auto cuda = build_cuda(t);
    if (!cuda || !t.out.said.driver) return;
    const auto needs = t.matrix.driver_for_cuda(*cuda);
    if (needs && *t.out.said.driver < needs->oldest_driver)
        t.add("driver_older_than_build", "CUDA " + cuda->text + " needs driver " + needs->oldest_driver.text + ", there is " + t.out.said.driver->text);
}

/// 8 of "libcudnn_ops_infer.so.8", "cudnn_ops64_9.dll", 11 of "cublas64_11.dll", "cudart64_110.dll".
std::optional<int> major_in_name(std::string_view name) {
    auto at = name.find(".so.");
    std::size_t skip = 4;
    if (at == std::string_view::npos) {
        at = name.find("64_");
        skip = 3;
    }
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view digits = name.substr(at + skip);
    std::size_t end = 0;
    while (end < digits.size() && digits[end] >= '0' && digits[end] <= '9') ++end;
    const std::string_view whole = end >= 3 ? digits.substr(0, 2) : digits.substr(0, end);
    int value = 0;
    return std::from_chars(whole.data(), whole.data() + whole.size(), value).ec == std::errc{} ? std::optional(value) : std::nullopt;
}

std::optional<std::string> missing_library(const Traits& t, std::string_view signature) {
    for (const char* field : {"library", "library2", "library3"})
        if (auto name = t.told(signature, field)) return name;
    return std::nullopt;
}

void add_missing_cudnn(Traits& t) {
    const auto name = missing_library(t, "missing_cudnn");
    const auto wanted = major_in_name(name.value_or(""));
    if (!wanted) return;
    const SaidReading& said = t.out.said;
    if (said.cudnn) t.add(said.cudnn->major() == *wanted ? "cudnn_same_major_given" : "cudnn_other_major_given", "cuDNN " + said.cudnn->text + " is there, " + *name + " is wanted");
    const NamedFramework* torch = said.framework("pytorch");
    if (!torch || !torch->version) return;
    if (const auto row = t.matrix.framework_cuda("pytorch", *torch->version))
        t.add(row->cudnn_major == *wanted ? "cudnn_same_major_bundled" : "cudnn_other_major_bundled",
              "PyTorch " + torch->version->text + " brings cuDNN " + std::to_string(row->cudnn_major) + ", " + *name + " is wanted");
}

/// Only these libraries carry the toolkit's major in their names in every release.
bool names_the_toolkit(std::string_view library) {
    return contains(library, "cudart") || contains(library, "cublas");
}

void add_missing_cuda(Traits& t) {
    if (t.seen("loader_error_other_library")) t.add("missing_by_cudnn", "a library that cuDNN asks for is missing");
    const auto name = missing_library(t, "missing_cuda_library");
    if (!name || !names_the_toolkit(*name)) return;
    const auto wanted = major_in_name(*name);
    if (!wanted) return;
    const SaidReading& said = t.out.said;
    if (said.cuda) t.add(said.cuda->major() == *wanted ? "cuda_same_major_given" : "cuda_other_major_given", "CUDA " + said.cuda->text + " is there, " + *name + " is wanted");
    if (const auto build = build_cuda(t); build && build->major() != *wanted)
        t.add("cuda_other_major_built", "the framework was built with CUDA " + build->text + ", " + *name + " is wanted");
}

void add_summary(Traits& t) {
    const auto any = [&](LogKind kind) {
        return std::any_of(t.log.events.begin(), t.log.events.end(), [&](const LogEvent& e) { return e.kind == kind; });
    };
    if (any(LogKind::error) || any(LogKind::consequence) || any(LogKind::unknown)) t.add("any_error", "the log holds an error");
    if (!any(LogKind::harmless)) return;
    t.add("some_harmless", "some lines look like errors and are none");
    if (!t.out.has("any_error")) t.add("only_harmless", "nothing else in the log is an error");
}

/// "pytorch<=1.6": name, comparison, version.
std::optional<bool> compared(const SaidReading& said, std::string_view word) {
    const auto at = word.find_first_of("<>=");
    if (at == std::string_view::npos || at + 2 >= word.size() || word[at + 1] != '=') return std::nullopt;
    const auto limit = parse_version(word.substr(at + 2));
    const NamedFramework* framework = said.framework(word.substr(0, at));
    if (!limit || !framework || !framework->version) return false;
    // "pytorch<=1.6" takes in 1.6.1: only as many numbers as the limit has are compared.
    Version release = *framework->version;
    for (auto n = static_cast<std::size_t>(std::count(limit->text.begin(), limit->text.end(), '.')) + 1; n < release.parts.size(); ++n) release.parts[n] = 0;
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
    out.said = read_said(facts, matrix);
    for (const LogEvent& event : facts.log->events) out.words.emplace(event.signature, "");
    Traits traits{*facts.log, matrix, out};
    add_systems(traits);
    add_said_words(traits);
    add_frameworks(traits);
    add_devices(traits);
    add_cudnn_loaded(traits);
    add_memory(traits);
    add_gpu(traits);
    add_driver(traits);
    add_missing_cudnn(traits);
    add_missing_cuda(traits);
    add_summary(traits);
    return out;
}

std::vector<std::string_view> all_traits() {
    return {"any_error", "batch_large", "cuda_other_major_built", "cuda_other_major_given", "cuda_same_major_given", "cudnn_loaded_newer", "cudnn_loaded_older",
            "cudnn_masked_range", "cudnn_other_major_bundled", "cudnn_other_major_given", "cudnn_same_major_bundled", "cudnn_same_major_given",
            "devices_gpu", "devices_no_gpu", "devices_xla_gpu", "driver_older_than_build", "fw_chainer", "fw_ctranslate2", "fw_jax", "fw_kaldi",
            "fw_mxnet", "fw_onnxruntime", "fw_paddlepaddle", "fw_pytorch", "fw_tensorflow", "gpu_ampere", "gpu_between_list", "gpu_newer_than_build",
            "gpu_newer_than_list", "gpu_old", "gpu_older_than_build", "gpu_older_than_list", "gpu_recent", "in_container", "little_free_at_start",
            "memory_free_high", "memory_free_low", "memory_usage_told", "missing_by_cudnn", "on_colab", "only_harmless", "os_windows", "os_wsl",
            "said_amp", "said_both_packages", "said_directml", "said_gpu_package", "said_inference", "sequence_long", "several_frameworks", "small_gpu_memory", "some_harmless"};
}

}  // namespace rnncheck::rules
