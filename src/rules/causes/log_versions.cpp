#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "rules/causes/log_causes.hpp"
#include "stack/questions.hpp"

namespace rnncheck::rules {

namespace {

/// "8.0.5"; "(8, 7, 0)"; "7003", "91002": numbers without dots are cuDNN's own coding.
std::optional<Version> cudnn_version(std::string plain) {
    std::erase_if(plain, [](char c) { return c == '(' || c == ')' || c == ' '; });
    std::ranges::replace(plain, ',', '.');
    const auto version = parse_version(plain);
    return version && plain.size() >= 4 && !contains(plain, ".")
               ? cudnn_version_from_number(static_cast<std::size_t>(version->major()))
               : version;
}

/// Lines of one kind that name the cuDNN that the program was built with; some also the one that
/// was loaded.
constexpr const char* lines_with_built_cudnn[] = {
    "cudnn_version_mismatch",
    "torch_cudnn_versions",
    "jax_found_cudnn",
    "jax_outdated_cudnn",
    "paddle_cudnn_versions",
    "paddle_header_unmatched",
    "mxnet_cudnn_versions"};
std::optional<Version> cudnn_of_line(
    const LogContext& log, const char* signature, const char* field) {
    return cudnn_version(log.field(signature, field).value_or(""));
}

/// The cuDNN that the person specifies, or the header in the log shows, is installed.
std::optional<Version> installed_cudnn(const LogContext& log) {
    if (log.hints.stack.cudnn)
        return log.hints.stack.cudnn;
    const auto major = log.field("cudnn_header_version", "major"),
               minor = log.field("cudnn_header_version", "minor");
    return major && minor ? parse_version(*major + "." + *minor) : std::nullopt;
}

void add_cudnn_loaded(LogContext& log) {
    const auto installed = installed_cudnn(log);
    for (const char* signature : lines_with_built_cudnn) {
        const auto loaded = cudnn_of_line(log, signature, "loaded"),
                   built = cudnn_of_line(log, signature, "built");
        if (!loaded || !built)
            continue;
        const std::string why =
            "cuDNN " + loaded->text + " was loaded, the build needs " + built->text;
        if (*loaded < *built)
            log.add("cudnn_loaded_older", why);
        if (*loaded > *built)
            log.add("cudnn_loaded_newer", why);
        if (installed && *loaded < *built && installed->major() == built->major() &&
            installed->minor() >= built->minor() && installed->minor() > loaded->minor())
            log.add(
                "cudnn_given_fits_build",
                "cuDNN " + installed->text + " is installed and suitable; " + why);
    }
    if (log.hints.stack.cudnn && *log.hints.stack.cudnn >= make_version({8, 1}) &&
        *log.hints.stack.cudnn < make_version({8, 9, 2}))
        log.add(
            "cudnn_masked_range",
            "cuDNN " + log.hints.stack.cudnn->text + " has a known defect with masked sequences");
}

/// A line names the CUDA of the program and its cuDNN: no package of that cuDNN is for that CUDA.
void add_cudnn_for_cuda(LogContext& log) {
    const auto number = log.version("darknet_versions", "cuda"),
               cudnn = log.version("darknet_versions", "cudnn");
    const auto cuda = number ? cuda_version_from_number(number->major()) : std::nullopt;
    if (!cuda || !cudnn)
        return;
    bool is_known = false;
    for (const CudnnBuild& build : log.matrix.cudnn_builds()) {
        if (!may_be_of(build, *cudnn))
            continue;
        is_known = true;
        // From CUDA 11 on a minor version runs what is built for another one.
        const bool fits = cuda->major() >= 11 || is_between(*cuda, build.cuda_min, build.cuda_max);
        if (build.cuda_major == cuda->major() && fits)
            return;
    }
    if (is_known)
        log.add(
            "cudnn_not_for_cuda",
            "there is no cuDNN " + cudnn->text + " for CUDA " + cuda->text +
                ", which the program was built with");
}

/// The frameworks named with a version; "1.x" is none, of CTranslate2 the major is enough.
std::vector<stack::Framework> framework_versions(const LogContext& log) {
    std::vector<stack::Framework> frameworks = log.hints.stack.frameworks;
    std::erase_if(frameworks, [](const stack::Framework& framework) {
        return !framework.version ||
               (!contains(framework.version->text, ".") && framework.name != "ctranslate2");
    });
    return frameworks;
}

/// What the first of them that the data know was built with.
std::optional<FrameworkCuda> built_with(const LogContext& log) {
    for (const stack::Framework& framework : framework_versions(log))
        if (const auto row = log.matrix.framework_cuda(framework.name, *framework.version))
            return *row;
    return std::nullopt;
}

/// Of a name that several GPUs have, only the newest that it may be is known.
bool is_exact(const stack::Known& capability) {
    return capability.exactness != stack::Exactness::range;
}

std::optional<Version> capability(const LogContext& log) {
    if (const auto& gpus = log.hints.stack.gpus;
        !gpus.empty() && is_exact(*gpus.front().capability))
        return gpus.front().capability;
    for (const char* signature :
         {"torch_gpu_capability",
          "tf_device_created",
          "tf_device_found",
          "tf_capability_too_low",
          "paddle_gpu",
          "kaldi_active_gpu",
          "ct2_gpu",
          "torch_triton_gpu",
          "tf_no_kernel_binaries",
          "xla_ptxas_old",
          "ngc_gpu_not_yet",
          "ngc_gpu_maybe_not_yet",
          "ngc_gpu_unsupported",
          "env_gpu",
          "smi_gpu"}) {
        if (const auto text = log.field(signature, "capability"))
            return parse_version(*text);
        if (const auto name = log.field(signature, "gpu"))
            if (auto known = stack::capability_named(*name, log.matrix))
                return known;
    }
    return std::nullopt;
}

/// "sm_120" is 12.0, "sm_61" is 6.1.
std::optional<Version> capability_of_sm(std::string_view digits) {
    while (!digits.empty() && !is_digit(digits.back()))
        digits.remove_suffix(1);
    return capability_of_digits(digits);
}

/// The GPUs that the build has code for, as a list, or as a range: there a newer minor runs the
/// code of an older one of the same major.
void add_gpu_against_list(LogContext& log) {
    auto gpu = capability_of_sm(log.field("torch_gpu_not_compatible", "capability").value_or(""));
    const auto list = gpu ? targets_of(log.field("torch_architectures", "list").value_or(""))
                          : std::vector<Target>();
    std::optional<Version> oldest, newest;
    if (list.empty()) {
        gpu = log.version("torch_gpu_capability", "capability");
        oldest = log.version("torch_capability_range", "minimum");
        newest = log.version("torch_capability_range", "maximum");
    } else {
        const auto [first, last] = std::ranges::minmax(list, {}, &Target::capability);
        oldest = first.capability;
        newest = last.capability;
    }
    if (!gpu || !oldest || !newest)
        return;
    const std::string why = "the GPU has compute capability " + gpu->text +
                            ", the build has code for " + oldest->text + " to " + newest->text;
    if (list.empty() ? gpu->major() > newest->major() : *gpu > *newest)
        log.add("gpu_newer_than_list", why);
    else if (*gpu < *oldest)
        log.add("gpu_older_than_list", why);
    else if (!list.empty())
        log.add("gpu_between_list", why);
}

/// A build or a cuDNN that runs the newest GPUs fails on an older one: what the versions show where
/// no line names a GPU.
void add_newest_gpus(LogContext& log) {
    const auto& products = log.matrix.gpu_products();
    const auto cuda = build_cuda(log);
    const bool runs_all = cuda && std::ranges::all_of(products, [&](const GpuProduct& product) {
                              const auto row = log.matrix.architecture(product.capability);
                              return !row || row->first_cuda <= *cuda;
                          });
    if (runs_all)
        log.add(
            "build_runs_newest_gpu",
            "CUDA " + cuda->text + " of the build supports the newest GPUs");
    auto installed = installed_cudnn(log);
    for (const char* field : {"version", "version2"})
        if (const auto shown = log.field("cudnn_version_shown", field); shown && !installed)
            installed = cudnn_version(*shown);
    if (!installed)
        return;
    std::optional<Version> oldest_gpu, oldest_of_major;
    for (const CudnnBuild& build : log.matrix.cudnn_builds()) {
        if (build.cudnn.major() != installed->major())
            continue;
        if (!oldest_of_major || build.capability_min < *oldest_of_major)
            oldest_of_major = build.capability_min;
        if (may_be_of(build, *installed) && (!oldest_gpu || build.capability_min < *oldest_gpu))
            oldest_gpu = build.capability_min;
    }
    if (oldest_gpu && *oldest_gpu > *oldest_of_major)
        log.add(
            "cudnn_dropped_gpus",
            "cuDNN " + installed->text + " has no code for GPUs before compute capability " +
                oldest_gpu->text + ", which earlier versions support");
}

/// The feature for what the engine answers about the GPU and the CUDA of the build; "" if one of
/// them is unknown.
std::string_view gpu_against_build(const LogContext& log, const Version& gpu) {
    const auto cuda = build_cuda(log);
    const auto row = log.matrix.architecture(gpu);
    if (!cuda || !row)
        return "";
    const bool is_newer = row->first_cuda > *cuda;
    const Fit fit = stack::cuda_on_gpu(*cuda, gpu, log.matrix).fit;
    if (fit == Fit::works)
        return is_newer ? "gpu_minor_newer_than_build" : "gpu_fits_build";
    // For Turing with CUDA 9 the engine leaves it open; cuDNN for CUDA 9, which has code for Volta,
    // fails there (lquirosd/P2PaLA issue 11).
    if (is_newer)
        return "gpu_newer_than_build";
    return fit == Fit::does_not_work ? "gpu_older_than_build" : "";
}

/// `feature` is that of gpu_against_build().
void add_gpu_against_build(
    LogContext& log, std::string_view feature, const Version& gpu, const std::string& has) {
    if (feature.empty())
        return;
    const std::string cuda = build_cuda(log)->text;
    const auto row = log.matrix.architecture(gpu);
    if (feature == "gpu_fits_build")
        log.add(
            "gpu_fits_build",
            "CUDA " + cuda + " of the build supports the GPU's compute capability " + gpu.text);
    else if (feature == "gpu_older_than_build")
        log.add(
            "gpu_older_than_build",
            has + ", which CUDA supported up to " + row->last_cuda->text + "; the build uses " +
                cuda);
    else
        log.add(
            std::string(feature),
            has + " and needs CUDA " + row->first_cuda.text + ", the build uses " + cuda);
}

/// Of a name that several GPUs have.
void add_gpus_of_one_name(LogContext& log) {
    const Version volta = make_version({7, 0}), turing = make_version({7, 5});
    if (const auto& named = log.hints.stack.gpus;
        !named.empty() && !is_exact(*named.front().capability)) {
        const Version& newest = *named.front().capability;
        // "GT 710" is three chips, all of them too old for what the newest of them is too old for.
        const std::string have = "GPUs of this name have at most compute capability " + newest.text;
        if (newest < volta)
            log.add("gpu_old", have);
        const std::string_view feature = gpu_against_build(log, newest);
        if (feature == "gpu_older_than_build")
            add_gpu_against_build(log, feature, newest, have);
    }
    // "RTX", "an RTX card": whichever it is, none is older than Turing.
    const std::string has = "an RTX GPU has at least compute capability " + turing.text;
    const std::string_view feature = gpu_against_build(log, turing);
    if (!log.hints.mentions("rtx") || feature != "gpu_newer_than_build")
        return;
    add_gpu_against_build(log, feature, turing, has);
    log.add("gpu_recent", has);
}

void add_gpu(LogContext& log) {
    add_gpu_against_list(log);
    const auto gpu = capability(log);
    if (!gpu) {
        add_gpus_of_one_name(log);
        return;
    }
    const std::string has = "the GPU has compute capability " + gpu->text;
    if (*gpu >= make_version({8, 0}))
        log.add("gpu_ampere", has);
    if (*gpu >= make_version({7, 5}))
        log.add("gpu_recent", has);
    if (*gpu < make_version({7, 0}))
        log.add("gpu_old", has);
    if (std::ranges::all_of(log.matrix.cudnn_builds(), [&](const CudnnBuild& build) {
            return *gpu < build.capability_min;
        }))
        log.add("gpu_without_cudnn", has + ", which no known cuDNN supports");
    add_gpu_against_build(log, gpu_against_build(log, *gpu), *gpu, has);
}

/// As one line shows both, or a line each.
void add_driver_versions(LogContext& log) {
    const auto version_in = [&](const char* own_line, const char* field) {
        auto version = log.version(own_line, "version");
        if (!version)
            version = log.version(own_line, "version2");
        return version ? version : log.version("driver_versions_differ", field);
    };
    const auto kernel = version_in("kernel_reported", "kernel"),
               library = version_in("libcuda_reported", "library");
    if (!kernel || !library || *kernel == *library)
        return;
    const std::string why =
        "libcuda is of driver version " + library->text + ", the kernel module of " + kernel->text;
    log.add("driver_versions_reported", why);
    if (*library > *kernel)
        log.add("driver_library_newer", why);
}

/// Against the CUDA of the build; of a framework without a version a driver that runs its newest
/// one is new enough.
void add_driver(LogContext& log) {
    const auto cuda = build_cuda(log), version = driver_in_log(log);
    auto newest = cuda;
    for (const FrameworkCuda& row : log.matrix.framework_cuda())
        if (!cuda && log.hints.framework(row.framework))
            newest = std::max(newest, std::optional(row.newest_cuda));
    if (!newest || !version)
        return;
    const bool is_of_windows = log.has("os_windows") || log.has("os_wsl");
    const stack::Driver driver = {
        .version = version, .cuda = {}, .os = is_of_windows ? "windows" : "linux"};
    const auto needs = stack::drivers_for(*newest, driver.os, log.matrix);
    if (!needs)
        return;
    const std::string why = "CUDA " + newest->text + " needs driver " + needs->oldest_driver.text +
                            ", installed is " + version->text;
    const Fit fit = stack::driver_runs_cuda(driver, *newest, log.matrix).fit;
    if (fit == Fit::works)
        log.add("driver_fits_build", why);
    if (fit == Fit::does_not_work && cuda)
        log.add("driver_older_than_build", why);
}

/// The cuDNN of the release's builds that is the oldest, of those that take it from the system.
std::optional<Version> oldest_cudnn_of_builds(
    const LogContext& log, const stack::Framework& framework) {
    std::optional<Version> oldest;
    for (const FrameworkBuild& build : log.matrix.framework_builds())
        if (build.framework == framework.name && build.cudnn && build.libraries == "system" &&
            covers(build.first, build.last, *framework.version) &&
            (!oldest || *build.cudnn < *oldest))
            oldest = build.cudnn;
    return oldest;
}

/// A CUDA that is newer than any the release was built with; a cuDNN of another major, or older
/// than that of every build.
void add_version(LogContext& log) {
    const auto &cuda = log.hints.stack.cuda, &cudnn = log.hints.stack.cudnn;
    for (const stack::Framework& framework : framework_versions(log)) {
        const std::string built =
            ", " + framework.name + " " + framework.version->text + " was built with ";
        const std::string cudnn_is = cudnn ? "cuDNN " + cudnn->text + " is installed" + built : "";
        const auto row = log.matrix.framework_cuda(framework.name, *framework.version);
        if (row && cudnn && cudnn->major() != row->cudnn_major)
            log.add(
                "cudnn_other_major_than_release",
                cudnn_is + "cuDNN " + std::to_string(row->cudnn_major));
        if (row && cuda && !log.hints.build_cuda && *cuda > row->newest_cuda)
            log.add(
                "cuda_newer_than_release",
                "CUDA " + cuda->text + " is installed" + built + "CUDA " + row->newest_cuda.text +
                    " at most");
        const auto oldest = oldest_cudnn_of_builds(log, framework);
        if (oldest && cudnn && contains(cudnn->text, ".") && cudnn->major() == oldest->major() &&
            cudnn->minor() < oldest->minor())
            log.add("cudnn_given_older_than_build", cudnn_is + oldest->text);
    }
}

}  // namespace

std::optional<Version> build_cuda(const LogContext& log) {
    const stack::Given& hints = log.hints;
    if (hints.build_cuda)
        return hints.build_cuda;
    if (const auto cuda = log.version("env_build_cuda", "cuda"))
        return cuda;
    const auto row = built_with(log);
    const auto& installed = hints.stack.cuda;
    const bool is_older =
        row && installed && !hints.mentions("system") && *installed < row->newest_cuda;
    if (!row || is_older)
        return installed;
    return row->newest_cuda;
}

std::optional<Version> wanted_cuda(const LogContext& log) {
    const auto build = build_cuda(log);
    const auto nvrtc = missing_library(log, "missing_nvrtc"),
               cuda = missing_library(log, "missing_cuda_library");
    if (const auto version = version_in_file_name(nvrtc.value_or(""))) {
        // "libnvrtc-builtins.so.12.4", "nvrtc-builtins64_124.dll": of this CUDA and no other.
        if (contains(*nvrtc, "builtins"))
            return version;
        return build && build->major() == version->major() ? build
                                                           : make_version({version->major()});
    }
    if (const auto major =
            cuda && names_the_toolkit(*cuda) ? major_in_file_name(*cuda) : std::nullopt)
        return make_version({*major});
    return build;
}

std::optional<Version> wanted_cudnn(const LogContext& log) {
    if (const auto major = major_in_file_name(missing_library(log, "missing_cudnn").value_or("")))
        return make_version({*major});
    for (const char* major : {"major", "major2"})
        if (const auto field = log.field("apt_cudnn_unknown", major))
            return parse_version(*field);
    for (const char* signature : lines_with_built_cudnn)
        if (const auto built = cudnn_of_line(log, signature, "built"))
            return shortened(*built, 2);
    const auto row = built_with(log);
    return row ? std::optional(make_version({row->cudnn_major})) : std::nullopt;
}

std::optional<Version> driver_in_log(const LogContext& log) {
    std::optional<Version> driver = log.hints.stack.driver;
    for (const char* signature :
         {"driver_insufficient_hint", "smi_header", "smi_header_without_cuda", "env_driver"})
        if (!driver)
            driver = log.version(signature, "driver");
    return driver;
}

std::optional<Version> gpu_capability(const LogContext& log) {
    const auto named =
        capability_of_sm(log.field("torch_gpu_not_compatible", "capability").value_or(""));
    return named ? named : capability(log);
}

void add_version_features(LogContext& log) {
    add_cudnn_loaded(log);
    add_cudnn_for_cuda(log);
    add_gpu(log);
    add_newest_gpus(log);
    add_driver_versions(log);
    add_driver(log);
    add_version(log);
}

}  // namespace rnncheck::rules
