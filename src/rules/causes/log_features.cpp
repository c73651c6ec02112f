// Long because the words of all topics are found in one walk through a log.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "rules/causes/log_causes.hpp"

namespace rnncheck::rules {

std::optional<Version> version_in_file_name(std::string_view name) {
    const auto so = name.find(".so."), dll = name.find("64_");
    if (so != std::string_view::npos) {
        const std::string_view rest = name.substr(so + 4);
        const std::string_view number = rest.substr(0, rest.find_first_not_of("0123456789."));
        return parse_version(number.substr(0, number.find_last_not_of('.') + 1));
    }
    if (dll == std::string_view::npos)
        return std::nullopt;
    const std::string_view rest = name.substr(dll + 3);
    std::string number(rest.substr(0, rest.find_first_not_of("0123456789")));
    // "90" is CUDA 9.0, "112" 11.2, "12" 12.
    if (number.size() >= 3 || (number.size() == 2 && number[0] != '1'))
        number.insert(number.size() - 1, ".");
    return parse_version(number);
}

std::optional<int> major_in_file_name(std::string_view name) {
    const auto version = version_in_file_name(name);
    return version ? std::optional(version->major()) : std::nullopt;
}

std::optional<std::string> missing_library(const LogContext& log, std::string_view signature) {
    for (const char* field : {"library", "library2", "library3", "library4", "library5"})
        if (auto name = log.field(signature, field))
            return name->substr(
                0, name->find_last_not_of('.') + 1);  // "failed to open libnvrtc-builtins.so.11.3."
    return std::nullopt;
}

bool names_the_toolkit(std::string_view library) {
    return contains(library, "cudart") || contains(library, "cublas");
}

namespace {

void add_missing_cudnn(LogContext& log) {
    const auto name = missing_library(log, "missing_cudnn");
    const auto wanted = major_in_file_name(name.value_or(""));
    if (!wanted) {
        if (log.hints.stack.cudnn)
            log.add("cudnn_given", "cuDNN " + log.hints.stack.cudnn->text + " is installed");
        return;
    }
    if (const auto there = log.field("cudnn_file_listed", "major", std::to_string(*wanted)))
        log.add(
            *there == std::to_string(*wanted) ? "cudnn_same_major_found"
                                              : "cudnn_other_major_found",
            "a cuDNN " + *there + " file is installed, " + *name + " is required");
    if (log.hints.stack.cudnn)
        log.add(
            log.hints.stack.cudnn->major() == *wanted ? "cudnn_same_major_found"
                                                      : "cudnn_other_major_found",
            "cuDNN " + log.hints.stack.cudnn->text + " is installed, " + *name + " is required");
    const stack::Framework* torch = log.hints.framework("pytorch");
    if (!torch || !torch->version)
        return;
    if (const auto row = log.matrix.framework_cuda("pytorch", *torch->version))
        log.add(
            row->cudnn_major == *wanted ? "cudnn_same_major_found" : "cudnn_other_major_bundled",
            "PyTorch " + torch->version->text + " bundles cuDNN " +
                std::to_string(row->cudnn_major) + ", " + *name + " is required");
}

/// Before CUDA 11 every minor release had a name of its own: libcudart.so.10.1, cudart64_101.dll.
bool has_version(const Version& installed, const Version& wanted) {
    const bool by_minor =
        wanted.major() < 11 && contains(wanted.text, ".") && contains(installed.text, ".");
    return installed.major() == wanted.major() &&
           (!by_minor || installed.minor() == wanted.minor());
}

void add_missing_cuda(LogContext& log) {
    if (log.has("loader_error_other_library"))
        log.add("missing_by_cudnn", "a library that cuDNN needs is missing");
    const auto name = missing_library(log, "missing_cuda_library");
    if (!name || !names_the_toolkit(*name))
        return;
    const auto wanted = version_in_file_name(*name);
    if (!wanted)
        return;
    if (log.hints.stack.cuda)
        log.add(
            has_version(*log.hints.stack.cuda, *wanted) ? "cuda_same_major_given"
                                                        : "cuda_other_major_given",
            "CUDA " + log.hints.stack.cuda->text + " is installed, " + *name + " is required");
    if (const auto build = build_cuda(log); build && build->major() != wanted->major())
        log.add(
            "cuda_other_major_built",
            "the framework was built with CUDA " + build->text + ", " + *name + " is required");
    const auto opened = log.field(
        "tf_library_opened", "library", "libcudart.so." + std::to_string(wanted->major()));
    if (opened && names_the_toolkit(*opened) && major_in_file_name(*opened) == wanted->major())
        log.add(
            "cuda_same_major_opened",
            *opened + " was found, which is of the CUDA that the program needs");
}

std::optional<double> number(const std::optional<std::string>& text) {
    if (!text)
        return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc{})
        return std::nullopt;
    const std::string_view unit =
        trim({end, static_cast<std::size_t>(text->data() + text->size() - end)});
    if (unit.starts_with('K'))
        value *= 1024.0;
    if (unit.starts_with('M'))
        value *= 1024.0 * 1024.0;
    if (unit.starts_with('G'))
        value *= 1024.0 * 1024.0 * 1024.0;
    return value;
}

/// Asserted, and not denied: "not a container", "without docker".
bool is_asserted(std::string_view words, std::string_view word) {
    constexpr std::string_view denials[] = {
        " no ",
        " not ",
        " not a ",
        " not in ",
        " not in a ",
        " not inside ",
        " without ",
        " outside ",
        " outside of "};
    for (auto at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1))
        if (std::ranges::none_of(
                denials, [&](auto denial) { return words.substr(0, at).ends_with(denial); }))
            return true;
    return false;
}

void add_systems(LogContext& log) {
    const auto any = [](std::initializer_list<const char*> words, auto mentions) {
        return std::ranges::any_of(words, mentions);
    };
    const auto mentions = [&](const char* word) { return log.hints.mentions(word); };
    if (log.hints.mentions("wsl") || log.has("wsl_symlink"))
        log.add("os_wsl", "Windows Subsystem for Linux");
    else if (
        log.has("windows_library_name") || log.has("windows_path") ||
        any({"windows", "win7", "win8", "win10", "win11", "win 10", "win 11"}, mentions))
        log.add("os_windows", "Windows");
    if (any({"docker", "podman", "container", "kubernetes", "singularity", "image)"},
            [&](const char* word) { return is_asserted(log.hints.words, word); }))
        log.add("in_container", "container (from --given)");
    if (find_by(log.parsed.user_hints, &UserHint::key, "image"))
        log.add("in_container", "a container image (from --given)");
    if (log.has("container_in_log"))
        log.add("in_container", "container (from the log)");
    if (any({"linux", "ubuntu", "debian", "fedora", "centos", "rhel", "jetpack"}, mentions) ||
        log.has("in_container"))
        log.add("os_linux", "Linux");
}

/// What the user specified in one of these words, or a line of the log shows.
void add_hint_words(LogContext& log) {
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
        {"said_directml", "the DirectML plugin", {"directml"}, "directml"},
        {"said_gpu_package", "GPU package (from --given)", {"tensorflow-gpu", "tensorflow gpu"}},
        {"said_both_packages", "both packages (from --given)", {"both tensorflow"}},
        {"said_rnn",
         "recurrent network (from --given)",
         {"lstm", "gru", "rnn", "seq2seq", "recurrent"}},
        {"said_inference",
         "inference with a trained model (from --given)",
         {"inference", "serving", "prediction", "deploy", "savedmodel", "saved model"}},
        {"convolutions_only",
         "a program without cuDNN recurrent layers",
         {"caffe", "darknet", "openpose"},
         "convolutional_program"},
        {"gpu_jetson",
         "Jetson, which few builds have code for",
         {"jetson", "jetpack", "tegra", "xavier", " orin", "l4t", " tx1", " tx2"},
         "jetson_in_log"},
        {"gpu_amd",
         "an AMD GPU (from --given)",
         {"radeon",
          " gfx9",
          " gfx10",
          " gfx11",
          " gfx12",
          "instinct",
          "amd gpu",
          "amd graphics",
          " mi100",
          " mi210",
          " mi250",
          " mi300"}},
        {"in_slurm", "a Slurm job", {"slurm", "hpc", "cluster"}, "slurm_in_log"},
        {"in_kubernetes",
         "Kubernetes",
         {"kubernetes", "k8s", "openshift", " eks", " gke", " aks"},
         "kubernetes_in_log"},
        {"in_conda", "a conda environment", {"conda", "mamba", "micromamba"}, "conda_in_path"},
        {"about_audio",
         "a program that reads audio or whole files",
         {"audio", "minutes", "rvc", "whisper", "applio"},
         "audio_in_log"}};
    for (const Row& row : rows)
        if (log.has(row.signature) ||
            std::ranges::any_of(row.words, [&](auto word) { return log.hints.mentions(word); }))
            log.add(row.feature, row.why);
    if (log.hints.names_both_packages())
        log.add("said_both_packages", "both packages (from --given)");
}

/// The value of gpu= names no GPU of NVIDIA and one of these words. Elsewhere they may be about the
/// processor: "os=Ubuntu on AMD Ryzen".
bool names_gpu_of(const Log& log, std::initializer_list<std::string_view> words) {
    constexpr std::string_view of_nvidia[] = {"nvidia", "geforce", "rtx", "gtx", "quadro", "tesla"};
    for (const UserHint& hint : log.user_hints) {
        const std::string value = concat(" ", lower(hint.value), " ");
        const auto is_in_value = [&](std::string_view word) { return contains(value, word); };
        if (hint.key == "gpu" && std::ranges::any_of(words, is_in_value) &&
            std::ranges::none_of(of_nvidia, is_in_value))
            return true;
    }
    return false;
}

void add_gpus_of_other_makers(LogContext& log) {
    if (names_gpu_of(log.parsed, {" amd ", " rx "}))
        log.add("gpu_amd", "an AMD GPU (from --given)");
    if (names_gpu_of(log.parsed, {" intel ", " apple ", " m1 ", " m2 ", " m3 ", " m4 "}))
        log.add("gpu_apple_or_intel", "a GPU of Apple or Intel (from --given)");
}

void add_frameworks(LogContext& log) {
    int big = 0;
    for (const stack::Framework& framework : log.hints.stack.frameworks) {
        log.add("fw_" + framework.name, framework.name);
        // They contain no cuDNN and open the one that is installed.
        if (includes(
                std::to_array<std::string_view>({"ctranslate2", "onnxruntime", "paddlepaddle"}),
                framework.name))
            log.add("uses_installed_cudnn", framework.name + " opens the cuDNN that is installed");
        big += framework.name == "tensorflow" || framework.name == "pytorch" ||
               framework.name == "jax";
    }
    if (big > 1 || (log.has("two_frameworks_named") && !log.has("fw_tensorflow")))
        log.add("several_frameworks", "two frameworks");
}

void add_devices(LogContext& log) {
    const auto& devices = log.parsed.registered_devices;
    if (devices.empty())
        return;
    // TensorFlow 1.15 for DirectML has the name DML for its GPUs:
    // https://github.com/microsoft/tensorflow-directml
    if (includes(devices, "GPU") || includes(devices, "DML"))
        log.add("devices_gpu", "TensorFlow lists a GPU device");
    else
        log.add("devices_no_gpu", "TensorFlow lists no GPU device");
    if (includes(devices, "XLA_GPU"))
        log.add("devices_xla_gpu", "TensorFlow lists an XLA_GPU device");
}

/// What is neither free nor reserved by this process is in use by others.
/// https://github.com/pytorch/pytorch/blob/main/c10/cuda/CUDACachingAllocator.cpp
void add_memory_of_others(LogContext& log) {
    for (const char* signature : {"memory_amounts", "memory_amounts_of_processes"}) {
        const auto total = number(log.field(signature, "total")),
                   reserved = number(log.field(signature, "reserved")),
                   free = number(log.field(signature, "free"));
        if (!total || !reserved || !free)
            continue;
        const double others = *total - *reserved - *free;
        if (others > 0.5 * *total)
            log.add(
                "memory_held_by_others",
                concat(
                    std::llround(others / 1048576.0),
                    " MiB of ",
                    std::llround(*total / 1048576.0),
                    " MiB are in use by other processes"));
    }
}

void add_memory(LogContext& log) {
    add_memory_of_others(log);
    if (const auto free = number(log.field("cudnn_memory_usage", "free")),
        total = number(log.field("cudnn_memory_usage", "total"));
        free && total && *total > 0) {
        const auto mebibytes = [](double bytes) {
            return std::to_string(std::llround(bytes / 1048576.0));
        };
        const std::string why =
            mebibytes(*free) + " MiB of " + mebibytes(*total) + " MiB were free";
        log.add("memory_usage_told", why);
        if (*free > 0.4 * *total)
            log.add("memory_free_high", why);
        if (*free < 0.15 * *total)
            log.add("memory_free_low", why);
    }
    if (const auto free = number(log.field("tf_memory_at_start", "free")),
        total = number(log.field("tf_memory_at_start", "total"));
        free && total && *free < 0.5 * *total)
        log.add("little_free_at_start", "less than half of the GPU's memory was free at the start");
    if (const auto memory = number(log.field("tf_device_created", "memory"));
        memory && *memory < 2048)
        log.add(
            "small_gpu_memory",
            "TensorFlow could use only " + short_number(*memory) + " MiB of GPU memory");
    if (log.parsed.rnn_config) {
        const LogRnnConfig& config = *log.parsed.rnn_config;
        if (config.batch && *config.batch >= 2048)
            log.add("batch_large", "the batch has " + std::to_string(*config.batch) + " sequences");
        if (config.sequence_length && *config.sequence_length > 65535)
            log.add(
                "sequence_long",
                "the sequences have " + std::to_string(*config.sequence_length) + " steps");
    }
}

/// Programs that print only the number of an error of CUDA: the signatures that the same error in
/// words would match. Left out are numbers that CUDA 10.1 gave another meaning.
void add_error_numbers(LogContext& log) {
    constexpr std::pair<int, std::string_view> same_as[] = {
        {2, "out_of_memory"},
        {3, "initialization_error"},
        {34, "error_stub_library"},
        {35, "driver_insufficient"},
        {36, "call_requires_newer_driver"},
        {38, "no_cuda_device"},
        {46, "devices_busy"},
        {48, "no_kernel_image"},
        {100, "no_cuda_device"},
        {101, "invalid_device_ordinal"},
        {209, "no_kernel_image"},
        {214, "ecc_error"},
        {218, "ptx_jit_failed"},
        {221, "jit_compiler_missing"},
        {222, "ptx_unsupported"},
        {303, "missing_libcuda"},
        {304, "error_304"},
        {500, "error_500"},
        {700, "illegal_address"},
        {702, "launch_timeout"},
        {710, "device_assert"},
        {719, "launch_failed"},
        {802, "error_802"},
        {803, "error_803"},
        {804, "error_804"},
        {999, "cuda_unknown_error"}};
    for (const LogEvent& event : log.parsed.events) {
        if (event.signature != "cuda_error_number")
            continue;
        for (const LogField& field : event.captures) {
            const auto code = number_from<std::int64_t>(field.value);
            const auto* row = std::ranges::find(
                same_as, code.value_or(0), &std::pair<int, std::string_view>::first);
            if (row == std::end(same_as))
                continue;
            const StatusName* name =
                find_where(log.matrix.status_names(), [&](const StatusName& status) {
                    return status.code == *code &&
                           (status.library == "cuda" || status.library == "cudart");
                });
            log.add(
                std::string(row->second),
                concat("CUDA's error ", *code, name ? " is " + name->name : ""));
        }
    }
}

void add_summary(LogContext& log) {
    const auto is_recurrent = [&log](const char* word) { return log.has(word); };
    if (log.has("other_layer_failed") &&
        std::ranges::none_of(
            std::to_array({"stack_rnn", "rnn_cudnn_call", "rnn_call_failed", "said_rnn"}),
            is_recurrent))
        log.add("names_no_rnn", "the log names a layer that is not recurrent");
    const auto any = [&](LogKind kind) {
        return find_by(log.parsed.events, &LogEvent::kind, kind);
    };
    if (any(LogKind::error) || any(LogKind::consequence) || any(LogKind::unknown))
        log.add("any_error", "the log contains an error");
    if (!any(LogKind::harmless))
        return;
    log.add("some_harmless", "some lines look like errors but are harmless");
    if (!log.has("any_error"))
        log.add("only_harmless", "the log contains no error");
}

/// The symptoms of the signatures that were seen. A line that others supersede has none.
void add_symptoms(LogContext& log) {
    std::vector<const LogSignature*> seen;
    for (const LogSignature& signature : log.matrix.log_signatures())
        if (log.has(signature.id))
            seen.push_back(&signature);
    for (const LogSignature* signature : seen)
        for (std::string& word : split(signature->supersedes, ' '))
            log.superseded.insert(std::move(word));
    for (const LogSignature* signature : seen) {
        if (log.superseded.contains(signature->id))
            continue;
        for (std::string& symptom : split(signature->symptoms, ' ')) {
            log.signatures_of[symptom].push_back(signature->id);
            log.add(symptom, log.words[signature->id]);
        }
    }
}

/// "pytorch<=1.6": name, comparison, version; it takes in 1.6.1.
std::optional<bool> compared(const stack::Given& hints, std::string_view word) {
    const auto at = word.find_first_of("<>=");
    if (at == std::string_view::npos || at + 2 >= word.size() || word[at + 1] != '=')
        return std::nullopt;
    const auto limit = parse_version(word.substr(at + 2));
    const stack::Framework* framework = hints.framework(word.substr(0, at));
    if (!limit || !framework || !framework->version)
        return false;
    const Version& version = *framework->version;
    if (word[at] == '<')
        return within(version, *limit);
    return version >= *limit && (word[at] == '>' || within(version, *limit));
}

}  // namespace

bool LogContext::holds(std::string_view word) const {
    if (word.starts_with('!'))
        return !holds(word.substr(1));
    return compared(hints, word).value_or(has(word));
}

bool LogContext::all_hold(const std::string& conditions) const {
    return std::ranges::all_of(
        split(conditions, ' '), [&](const std::string& word) { return holds(word); });
}

bool LogContext::indicates(std::string_view symptom) const {
    return has(symptom) && !superseded.contains(symptom);
}

std::size_t LogContext::count_of(std::string_view symptom) const {
    const auto* signatures = look_up(signatures_of, symptom);
    return signatures ? signatures->size() : 0;
}

const LogEvent* LogContext::first_event(std::string_view word) const {
    if (const LogEvent* event = find_by(parsed.events, &LogEvent::signature, word))
        return event;
    const auto* signatures = look_up(signatures_of, word);
    if (!signatures)
        return nullptr;
    const LogEvent* first = nullptr;
    for (const LogEvent& event : parsed.events)
        if (includes(*signatures, event.signature) && (!first || event.line < first->line))
            first = &event;
    return first;
}

LogContext log_context(const Facts& facts, const Matrix& matrix) {
    LogContext log{*facts.log, matrix, stack::given_with_log(facts, matrix)};
    for (const LogEvent& event : log.parsed.events)
        log.words.emplace(event.signature, "");
    if (is_log_only(facts))
        log.add("log_alone", "no machine was examined");
    add_error_numbers(log);
    add_systems(log);
    add_hint_words(log);
    add_gpus_of_other_makers(log);
    add_frameworks(log);
    add_devices(log);
    add_memory(log);
    add_version_features(log);
    if (driver_in_log(log))
        log.add("driver_known", "the version of the driver");
    add_missing_cudnn(log);
    add_missing_cuda(log);
    add_summary(log);
    add_symptoms(log);
    return log;
}

}  // namespace rnncheck::rules
