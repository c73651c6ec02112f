// The CUDA runtime and NVRTC.
#include "base/if_any.hpp"
#include "rules/rule.hpp"

namespace rnncheck::rules {

/// No libcudart is where a program or framework could load it from. A warning of
/// little weight: frameworks link or bundle their own, which is why a runtime
/// that any probe opened counts, too, and not only the files of the search path.
Verdict cuda_runtime_missing(const Facts& facts, const Matrix&) {
    if (!usable_copies(facts, LibraryKind::cudart).empty() || !facts.runtimes.empty())
        return pass("a CUDA runtime was found");
    if (!libraries_listed(facts))
        return undecided("the library directories could not be searched");
    if (const auto why = lower_cause(facts))
        return not_applicable(*why);
    return fault({
        .subject = "CUDA runtime",
        .message = "no CUDA runtime (libcudart) was found; programs work only if they bundle "
                   "their own, as many framework "
                   "packages do",
        .evidence =
            {{"libcudart",
              "not in the loader's search path, toolkit directories or Python packages",
              "libraries"}},
        .remedies = {remedy(
            "cuda_runtime_missing", {wheel("nvidia-cuda-runtime", cuda_major_here(facts))})},
        .symptoms = {"cudart"},
    });
}

/// What every rule about the installations of one kind ends with.
static Verdict verdict_on(
    const Facts& facts, LibraryKind kind, const std::string& name, VerdictBuilder& result) {
    const std::string silent = unresponsive_library(facts, kind);
    std::string what;
    if (kind == LibraryKind::nvrtc)
        what = "NVRTC at ";
    if (!silent.empty())
        result.unknown(what + silent + " did not respond");
    if (!libraries_listed(facts))
        result.unknown("the library directories could not be searched");
    result.not_applicable("no " + name + " was found");
    return result.finish();
}

/// A CUDA runtime cannot be opened, or does not report its version for a reason
/// that is its own. Before CUDA 12.0 cudaRuntimeGetVersion initializes CUDA, so
/// codes about the driver or the GPU are no fault of the runtime.
Verdict cuda_runtime_unusable(const Facts& facts, const Matrix&) {
    // Answers about the driver and the GPU (driver_types.h): rules of lower layers report those.
    constexpr std::int64_t about_the_driver[] = {
        3, 30, 34, 35, 36, 38, 46, 100, 101, 802, 803, 804, 999};
    VerdictBuilder result;
    for (const auto& runtime : facts.runtimes) {
        if (is_shadowed(facts, runtime.library))
            continue;
        if (runtime.version)
            result.passed("every CUDA runtime reports its version");
        else if (!runtime.failure)
            result.unknown(runtime.library + " did not respond");
        else if (was_not_opened(*runtime.failure))
            result.block_pass(leads_to_a_pipe);
        else if (includes(about_the_driver, runtime.failure->code))
            result.block_pass("the runtime cannot access the driver");
        else
            result.fault({
                .severity = error_if(is_first_choice(facts, LibraryKind::cudart, runtime.library)),
                .subject = runtime.library,
                .message =
                    "the CUDA runtime " + runtime.library + ' ' + why_unusable(*runtime.failure),
                .evidence = {{"failed call", in_words(*runtime.failure), "runtimes"}},
                .remedies = {remedy("cuda_runtime_unusable")},
            });
    }
    return verdict_on(facts, LibraryKind::cudart, "CUDA runtime", result);
}

/// CUDA runtimes of more than one version are there: worth knowing, no fault.
/// Programs open a runtime by its soname, and CUDA majors do not share one.
Verdict several_cuda_runtimes(const Facts& facts, const Matrix&) {
    std::vector<std::pair<std::string, Version>> installed;
    std::vector<std::string>
        given;  // the loader has one choice per soname, so one per CUDA major from 12 on
    for (const auto& runtime : facts.runtimes) {
        if (!runtime.version || is_shadowed(facts, runtime.library))
            continue;
        installed.emplace_back(runtime.library, *runtime.version);
        const Library* library = library_at(facts, runtime.library);
        if (library && library->picked_by_loader)
            given.push_back(runtime.version->text);
    }
    auto several = note_several(
        "the CUDA runtime", installed, given, "runtimes", remedy("several_cuda_runtimes"));
    if (several)
        return fault(std::move(*several));
    VerdictBuilder result;
    if (!std::ranges::all_of(
            facts.runtimes, [](const Runtime& runtime) { return runtime.version.has_value(); }))
        result.unknown("a CUDA runtime did not report its version");
    if (!installed.empty())
        result.passed("every CUDA runtime is of version " + installed.front().second.text);
    return verdict_on(facts, LibraryKind::cudart, "CUDA runtime", result);
}

/// Name of the builtins library that belongs to an NVRTC, "libnvrtc-builtins.so.12.4"; empty when
/// not known.
static std::string builtins_of(const Nvrtc& nvrtc) {
    if (!nvrtc.version)
        return "";
    return "libnvrtc-builtins.so." + std::to_string(nvrtc.version->major()) + '.' +
           std::to_string(nvrtc.version->minor());
}

/// It did not compile, and those builtins were found nowhere.
/// It did not compile, and the builtins of its own version were found nowhere:
/// NVRTC opens libnvrtc-builtins by a name with major and minor version.
static bool lacks_builtins(const Facts& facts, const Nvrtc& nvrtc) {
    const std::string name = builtins_of(nvrtc);
    if (name.empty() || nvrtc.compiles.value_or(false) || !libraries_listed(facts))
        return false;
    return std::ranges::none_of(
        usable_copies(facts, LibraryKind::nvrtc_builtins), [&](const Library* library) {
            return file_name(library->path).starts_with(name) || library->soname == name;
        });
}

/// About libnvrtc or its builtins; `needed_by` is cuDNN or the NVRTC that needs
/// it.
static Finding missing(
    LibraryKind kind, const std::string& library, const std::string& needed_by, int cuda) {
    return {
        .subject = library,
        .message =
            library + " was not found; " + needed_by + " needs it to compile kernels at runtime",
        .evidence =
            {{library,
              "not in the loader's search path, toolkit directories or Python packages",
              "libraries"}},
        .remedies = {remedy("nvrtc_missing", {wheel("nvidia-cuda-nvrtc", cuda)})},
        .symptoms = {std::string(name_of(kind))},
    };
}

/// One that compiles is enough; else each must have its builtins.
/// One NVRTC that compiles is enough; else each must have its builtins, because
/// it is unknown which of them cuDNN will load.
static void judge_builtins(const Facts& facts, VerdictBuilder& result) {
    const auto works = [](const Nvrtc& nvrtc) { return nvrtc.compiles.value_or(false); };
    if (std::ranges::any_of(facts.nvrtcs, works))
        return result.passed("NVRTC works");
    for (const auto& nvrtc : facts.nvrtcs) {
        if (lacks_builtins(facts, nvrtc))
            result.fault(missing(
                LibraryKind::nvrtc_builtins,
                builtins_of(nvrtc),
                "NVRTC " + nvrtc.version->text + " at " + nvrtc.library,
                nvrtc.version->major()));
        else if (!nvrtc.version && !nvrtc.failure)
            result.unknown("the version of NVRTC at " + nvrtc.library + " is unknown");
        else if (!nvrtc.compiles)
            result.unknown(
                "whether NVRTC at " + nvrtc.library + " finds its builtins library is unknown");
        else
            result.block_pass("NVRTC is installed but does not work");
    }
    if (facts.nvrtcs.empty())
        result.unknown("NVRTC is installed but did not respond");
}

/// cuDNN 8 and 9 compile some kernels at run time, and the compiler library, or
/// its builtins, is nowhere. They open it by name only when they need it, so
/// that it is in no list of required libraries; cuDNN 7 compiles none.
Verdict nvrtc_missing(const Facts& facts, const Matrix&) {
    auto installations = cudnn_installations(facts);
    if (installations.empty())
        return without_cudnn(facts);
    std::erase_if(installations, [](const CudnnInstallation& installation) {
        return installation.major > 0 && installation.major < 8;
    });
    if (installations.empty())
        return not_applicable("cuDNN 7 does not need NVRTC");
    VerdictBuilder result;
    if (!usable_copies(facts, LibraryKind::nvrtc).empty() || !facts.nvrtcs.empty())
        judge_builtins(facts, result);
    else if (!libraries_listed(facts))
        result.unknown("the library directories could not be searched");
    else if (const auto why = lower_cause(facts))
        return not_applicable(*why);
    else if (installations.front().major == 0)
        result.unknown("the version of " + name_of(installations.front()) + " is unknown");
    else
        result.fault(missing(
            LibraryKind::nvrtc,
            "libnvrtc",
            name_of(installations.front()),
            cuda_major_of(installations.front())));
    return result.finish();
}

/// With the package for the CUDA of this NVRTC, or of the machine if it is
/// unknown.
static Finding does_not_compile(const Facts& facts, const Nvrtc& nvrtc) {
    int cuda = cuda_major_here(facts);
    if (nvrtc.version)
        cuda = nvrtc.version->major();
    const std::string failure = if_known(nvrtc.failure);
    return {
        .subject = nvrtc.library,
        .message =
            "NVRTC at " + nvrtc.library + " does not compile a test kernel" + if_any(": ", failure),
        .evidence =
            {{"NVRTC", if_known(nvrtc.version), "nvrtcs"},
             {"compiles", "no", "nvrtcs"},
             {"failed call", failure, "nvrtcs"}},
        .remedies = {remedy("nvrtc_unusable", {wheel("nvidia-cuda-nvrtc", cuda)})},
    };
}

/// NVRTC is there and does not compile the smallest kernel. Silent where only
/// its builtins are missing, which nvrtc_missing reports with the package to
/// install.
Verdict nvrtc_unusable(const Facts& facts, const Matrix&) {
    VerdictBuilder result;
    for (const auto& nvrtc : facts.nvrtcs) {
        if (is_shadowed(facts, nvrtc.library))
            continue;
        if (nvrtc.compiles.value_or(false))
            result.passed("every NVRTC installation works");
        else if (nvrtc.failure && was_not_opened(*nvrtc.failure))
            result.block_pass(leads_to_a_pipe);
        else if (lacks_builtins(facts, nvrtc))
            result.block_pass(builtins_of(nvrtc) + " was not found");
        else if (nvrtc.compiles || nvrtc.failure)
            result.fault(does_not_compile(facts, nvrtc));
        else
            result.unknown("NVRTC at " + nvrtc.library + " did not respond");
    }
    return verdict_on(facts, LibraryKind::nvrtc, "NVRTC", result);
}

}  // namespace rnncheck::rules
