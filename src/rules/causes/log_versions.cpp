#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "rules/causes/log_features.hpp"

namespace rnncheck::rules {

namespace {

/// "8.0.5"; "(8, 7, 0)"; "7003", "91002": numbers without dots are cuDNN's own coding.
std::optional<Version> cudnn_version(const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    std::string plain;
    for (const char c : *text)
        if (c == ',')
            plain += '.';
        else if (c != '(' && c != ')' && c != ' ')
            plain += c;
    if (plain.find('.') == std::string::npos && plain.size() >= 4)
        if (const auto coded = parse_version(plain))
            return cudnn_version_from_number(static_cast<std::size_t>(coded->major()));
    return parse_version(plain);
}

constexpr const char* cudnn_pairs[] = {"cudnn_version_mismatch", "torch_cudnn_versions",    "jax_found_cudnn",
                                       "paddle_cudnn_versions",  "paddle_header_unmatched", "mxnet_cudnn_versions"};

/// The cuDNN that the person says, or the header in the log shows, is installed.
std::optional<Version> installed_cudnn(const KnownOfLog& t) {
    if (t.out.said.cudnn) return t.out.said.cudnn;
    const auto major = t.told("cudnn_header_version", "major"), minor = t.told("cudnn_header_version", "minor");
    return major && minor ? parse_version(*major + "." + *minor) : std::nullopt;
}

void add_cudnn_loaded(Features& t) {
    const auto installed = installed_cudnn(t);
    for (const char* signature : cudnn_pairs) {
        const auto loaded = cudnn_version(t.told(signature, "loaded")),
                   built = cudnn_version(t.told(signature, "built"));
        if (!loaded || !built) continue;
        const std::string why = "cuDNN " + loaded->text + " was loaded, the build needs " + built->text;
        if (*loaded < *built) t.add("cudnn_loaded_older", why);
        if (*loaded > *built) t.add("cudnn_loaded_newer", why);
        if (installed && *loaded < *built && installed->major() == built->major() &&
            installed->minor() >= built->minor() && installed->minor() > loaded->minor())
            t.add("cudnn_given_fits_build", "cuDNN " + installed->text + " is installed and suitable; " + why);
    }
    if (t.out.said.cudnn && *t.out.said.cudnn >= make_version({8, 1}) && *t.out.said.cudnn < make_version({8, 9, 2}))
        t.add("cudnn_masked_range", "cuDNN " + t.out.said.cudnn->text + " has a known defect with masked sequences");
}

/// A line names the CUDA of the program and its cuDNN: no package of that cuDNN is for that CUDA.
void add_cudnn_for_cuda(Features& t) {
    const auto number = parse_version(t.told("darknet_versions", "cuda").value_or(""));
    const auto cudnn = parse_version(t.told("darknet_versions", "cudnn").value_or(""));
    const auto cuda = number ? cuda_version_from_number(number->major()) : std::nullopt;
    if (!cuda || !cudnn) return;
    bool is_known = false;
    for (const CudnnBuild& build : t.matrix.cudnn_builds()) {
        if (!may_be_of(build, *cudnn)) continue;
        is_known = true;
        // From CUDA 11 on a minor version runs what is built for another one.
        const bool fits = cuda->major() >= 11 || is_between(*cuda, build.cuda_min, build.cuda_max);
        if (build.cuda_major == cuda->major() && fits) return;
    }
    if (is_known)
        t.add("cudnn_not_for_cuda",
              "there is no cuDNN " + cudnn->text + " for CUDA " + cuda->text + ", which the program was built with");
}

/// "1.x" is no release; CTranslate2's majors are enough.
bool says_minor(const NamedFramework& framework) {
    return contains(framework.version->text, ".") || framework.name == "ctranslate2";
}

std::optional<Version> capability(const KnownOfLog& t) {
    if (t.out.said.capability) return t.out.said.capability;
    for (const char* signature :
         {"torch_gpu_capability", "tf_device_created", "tf_device_found", "tf_capability_too_low", "paddle_gpu",
          "kaldi_active_gpu", "ct2_gpu", "torch_triton_gpu", "tf_no_kernel_binaries", "xla_ptxas_old",
          "ngc_gpu_not_yet", "ngc_gpu_maybe_not_yet", "ngc_gpu_unsupported", "env_gpu", "smi_gpu"}) {
        if (const auto text = t.told(signature, "capability")) return parse_version(*text);
        if (const auto name = t.told(signature, "gpu"))
            if (auto known = capability_named(*name, t.matrix)) return known;
    }
    return std::nullopt;
}

/// "sm_120" is 12.0, "sm_61" is 6.1.
std::optional<Version> capability_of_sm(std::string_view digits) {
    while (!digits.empty() && !is_digit(digits.back())) digits.remove_suffix(1);
    return capability_of_digits(digits);
}

/// A newer minor runs the code of an older one of the same major.
void add_gpu_against_range(Features& t) {
    const auto gpu = parse_version(t.told("torch_gpu_capability", "capability").value_or(""));
    const auto oldest = parse_version(t.told("torch_capability_range", "minimum").value_or(""));
    const auto newest = parse_version(t.told("torch_capability_range", "maximum").value_or(""));
    if (!gpu || !oldest || !newest) return;
    const std::string why = "the GPU has compute capability " + gpu->text + ", the build has code for " + oldest->text +
                            " to " + newest->text;
    if (gpu->major() > newest->major()) t.add("gpu_newer_than_list", why);
    if (*gpu < *oldest) t.add("gpu_older_than_list", why);
}

void add_gpu_against_list(Features& t) {
    const auto text = t.told("torch_gpu_not_compatible", "capability");
    const auto gpu = capability_of_sm(text.value_or(""));
    const auto list = t.told("torch_architectures", "list");
    if (!gpu || !list) return add_gpu_against_range(t);
    std::optional<Version> oldest, newest;
    for (std::size_t at = list->find('_'); at != std::string::npos; at = list->find('_', at + 1)) {
        std::size_t end = at + 1;
        while (end < list->size() && is_digit((*list)[end])) ++end;
        const auto one = capability_of_sm(std::string_view(*list).substr(at + 1, end - at - 1));
        if (one && (!oldest || *one < *oldest)) oldest = one;
        if (one && (!newest || *one > *newest)) newest = one;
    }
    if (!oldest) return;
    const std::string why = "the GPU has compute capability " + gpu->text + ", the build has code for " + oldest->text +
                            " to " + newest->text;
    if (*gpu > *newest)
        t.add("gpu_newer_than_list", why);
    else if (*gpu < *oldest)
        t.add("gpu_older_than_list", why);
    else
        t.add("gpu_between_list", why);
}

/// From Ampere on cuDNN runs the code of the first architecture of a major on its later ones; on Turing the cuDNN of
/// CUDA 9, which has code for Volta, fails (lquirosd/P2PaLA issue 11).
bool runs_older_code(const Version& gpu, const Version& cuda, const Matrix& matrix) {
    const auto first = matrix.architecture(make_version({gpu.major(), 0}));
    return gpu.major() >= 8 && first && first->first_cuda.major() > 0 && first->first_cuda <= cuda;
}

/// "RTX", "an RTX card": whichever it is, none is older than Turing.
void add_unnamed_rtx(Features& t) {
    const Version turing = make_version({7, 5});
    const auto cuda = build_cuda(t);
    const auto architecture = t.matrix.architecture(turing);
    if (!t.out.said.says("rtx") || !cuda || !architecture || architecture->first_cuda <= *cuda) return;
    t.add("gpu_recent", "an RTX GPU has at least compute capability " + turing.text);
    t.add("gpu_newer_than_build",
          "an RTX GPU needs at least CUDA " + architecture->first_cuda.text + ", the build uses " + cuda->text);
}

/// "GT 710" is three chips, all of them too old for what the newest of them is too old for.
void add_ambiguous_gpu(Features& t) {
    const auto newest = t.out.said.capability_at_most;
    if (!newest) return;
    const std::string why = "GPUs of this name have at most compute capability " + newest->text;
    if (*newest < make_version({7, 0})) t.add("gpu_old", why);
    const auto cuda = build_cuda(t);
    const auto architecture = t.matrix.architecture(*newest);
    if (cuda && architecture && architecture->last_cuda && *architecture->last_cuda < *cuda)
        t.add("gpu_older_than_build",
              why + ", which CUDA supported up to " + architecture->last_cuda->text + "; the build uses " + cuda->text);
}

void add_gpu(Features& t) {
    add_gpu_against_list(t);
    const auto gpu = capability(t);
    if (!gpu) add_ambiguous_gpu(t);
    if (!gpu) return add_unnamed_rtx(t);
    const std::string has = "the GPU has compute capability " + gpu->text;
    if (*gpu >= make_version({8, 0})) t.add("gpu_ampere", has);
    if (*gpu >= make_version({7, 5})) t.add("gpu_recent", has);
    if (*gpu < make_version({7, 0})) t.add("gpu_old", has);
    if (std::ranges::all_of(t.matrix.cudnn_builds(),
                            [&](const CudnnBuild& build) { return *gpu < build.capability_min; }))
        t.add("gpu_without_cudnn", has + ", which no known cuDNN supports");
    const auto cuda = build_cuda(t);
    const auto architecture = t.matrix.architecture(*gpu);
    if (!cuda || !architecture) return;
    if (architecture->first_cuda > *cuda && architecture->first_cuda.major() > 0)
        t.add(runs_older_code(*gpu, *cuda, t.matrix) ? "gpu_minor_newer_than_build" : "gpu_newer_than_build",
              has + " and needs CUDA " + architecture->first_cuda.text + ", the build uses " + cuda->text);
    else if (architecture->last_cuda && *architecture->last_cuda < *cuda)
        t.add("gpu_older_than_build",
              has + ", which CUDA supported up to " + architecture->last_cuda->text + "; the build uses " + cuda->text);
    else
        t.add("gpu_fits_build",
              "CUDA " + cuda->text + " of the build supports the GPU's compute capability " + gpu->text);
}

/// As one line tells both, or a line each.
void add_driver_versions(Features& t) {
    const auto version = [&](const char* signature, const char* field) {
        return parse_version(t.told(signature, field).value_or(""));
    };
    const auto reported = version("kernel_reported", "version"), libcuda = version("libcuda_reported", "version");
    const auto kernel = reported ? reported : version("driver_versions_differ", "kernel"),
               library = libcuda ? libcuda : version("driver_versions_differ", "library");
    if (!kernel || !library || *kernel == *library) return;
    const std::string why = "libcuda is of driver version " + library->text + ", the kernel module of " + kernel->text;
    t.add("driver_versions_reported", why);
    if (*library > *kernel) t.add("driver_library_newer", why);
}

/// The CUDA of the build; of a framework without a version that of its newest one.
std::optional<Version> newest_build_cuda(const KnownOfLog& t) {
    if (const auto cuda = build_cuda(t)) return cuda;
    std::optional<Version> newest;
    for (const FrameworkCuda& row : t.matrix.framework_cuda())
        if (t.out.said.framework(row.framework) && (!newest || *newest < row.newest_cuda)) newest = row.newest_cuda;
    return newest;
}

void add_driver(Features& t) {
    const auto cuda = build_cuda(t), newest = newest_build_cuda(t);
    const auto driver = driver_in_log(t);
    if (!newest || !driver) return;
    const auto needs = t.matrix.driver_for_cuda(*newest);
    if (!needs) return;
    const std::string why =
        "CUDA " + newest->text + " needs driver " + needs->oldest_driver.text + ", installed is " + driver->text;
    if (reaches(*driver, needs->oldest_driver))
        t.add("driver_fits_build", why);
    else if (cuda)
        t.add("driver_older_than_build", why);
}

/// A cuDNN of the right major that is older than the one of every build of the release.
void add_cudnn_given_older(Features& t, const NamedFramework& framework) {
    const auto& given = t.out.said.cudnn;
    if (!given || !contains(given->text, ".")) return;
    std::optional<Version> oldest;
    for (const FrameworkBuild& build : t.matrix.framework_builds())
        if (build.framework == framework.name && build.cudnn && build.libraries == "system" &&
            covers(build.first, build.last, *framework.version) && (!oldest || *build.cudnn < *oldest))
            oldest = build.cudnn;
    if (oldest && given->major() == oldest->major() && given->minor() < oldest->minor())
        t.add("cudnn_given_older_than_build", "cuDNN " + given->text + " is installed, " + framework.name + " " +
                                                  framework.version->text + " was built with " + oldest->text);
}

/// A CUDA that is newer than any the release was built with; a cuDNN of another major, or older.
void add_release(Features& t) {
    const ParsedHints& said = t.out.said;
    for (const NamedFramework& framework : said.frameworks) {
        if (!framework.version || !says_minor(framework)) continue;
        add_cudnn_given_older(t, framework);
        const auto row = t.matrix.framework_cuda(framework.name, *framework.version);
        if (row && said.cudnn && said.cudnn->major() != row->cudnn_major)
            t.add("cudnn_other_major_than_release", "cuDNN " + said.cudnn->text + " is installed, " + framework.name +
                                                        " " + framework.version->text + " was built with cuDNN " +
                                                        std::to_string(row->cudnn_major));
        if (row && said.cuda && !said.build_cuda && *said.cuda > row->newest_cuda)
            t.add("cuda_newer_than_release", "CUDA " + said.cuda->text + " is installed, " + framework.name + " " +
                                                 framework.version->text + " was built with CUDA " +
                                                 row->newest_cuda.text + " at most");
    }
}

}  // namespace

std::optional<Version> build_cuda(const KnownOfLog& t) {
    const ParsedHints& said = t.out.said;
    if (said.build_cuda) return said.build_cuda;
    auto cuda = parse_version(t.told("env_build_cuda", "cuda").value_or(""));
    if (cuda) return cuda;
    for (const NamedFramework& framework : said.frameworks)
        if (framework.version && !cuda && says_minor(framework))
            if (const auto row = t.matrix.framework_cuda(framework.name, *framework.version)) cuda = row->newest_cuda;
    if (!cuda || (said.cuda && !said.says("system") && *said.cuda < *cuda)) return said.cuda;
    return cuda;
}

/// "libnvrtc-builtins.so.12.4", "nvrtc-builtins64_124.dll": of this CUDA and no other.
static std::optional<Version> cuda_of_builtins(std::string_view name) {
    if (!contains(name, "builtins")) return std::nullopt;
    if (const auto at = name.find(".so."); at != std::string_view::npos) return parse_version(name.substr(at + 4));
    const auto at = name.find("64_");
    return at == std::string_view::npos ? std::nullopt : cuda_of_digits(name.substr(at + 3, 3));
}

std::optional<Version> wanted_cuda(const KnownOfLog& t) {
    if (const auto name = missing_library(t, "missing_nvrtc"); name && major_in_file_name(*name)) {
        const auto build = build_cuda(t);
        if (const auto exact = cuda_of_builtins(*name)) return exact;
        return build && build->major() == major_in_file_name(*name) ? build
                                                                    : make_version({*major_in_file_name(*name)});
    }
    if (const auto name = missing_library(t, "missing_cuda_library"); name && names_the_toolkit(*name))
        if (const auto major = major_in_file_name(*name)) return make_version({*major});
    return build_cuda(t);
}

std::optional<Version> wanted_cudnn(const KnownOfLog& t) {
    if (const auto major = major_in_file_name(missing_library(t, "missing_cudnn").value_or("")))
        return make_version({*major});
    for (const char* major : {"major", "major2"})
        if (const auto told = t.told("apt_cudnn_unknown", major)) return parse_version(*told);
    for (const char* signature : cudnn_pairs)
        if (const auto built = cudnn_version(t.told(signature, "built")))
            return make_version({built->major(), built->minor()});
    for (const NamedFramework& framework : t.out.said.frameworks)
        if (framework.version && says_minor(framework))
            if (const auto row = t.matrix.framework_cuda(framework.name, *framework.version))
                return make_version({row->cudnn_major});
    return std::nullopt;
}

std::optional<Version> driver_in_log(const KnownOfLog& t) {
    auto driver = t.out.said.driver;
    for (const char* signature : {"driver_insufficient_hint", "smi_header", "env_driver"})
        if (!driver) driver = parse_version(t.told(signature, "driver").value_or(""));
    return driver;
}

std::optional<Version> gpu_capability(const KnownOfLog& t) {
    if (const auto named = capability_of_sm(t.told("torch_gpu_not_compatible", "capability").value_or("")))
        return named;
    return capability(t);
}

void add_version_features(Features& t) {
    add_cudnn_loaded(t);
    add_cudnn_for_cuda(t);
    add_gpu(t);
    add_driver_versions(t);
    add_driver(t);
    add_release(t);
}

}  // namespace rnncheck::rules
