// cuDNN 8 and 9 compile some kernels at run time, and the compiler library, or its builtins, is nowhere.
#include "rules/rule.hpp"

namespace rnncheck::rules::nvrtc_missing {

static bool compiles_kernels(const CudnnCopy& copy) {
    return copy.major == 0 || copy.major >= 8;
}

static Finding missing(LibraryKind kind, const std::string& library, const std::string& needed_by, Remedy remedy) {
    return {
        .subject = library,
        .message = library + " was not found; " + needed_by + " needs it to compile kernels at runtime",
        .evidence = {{library, "not in the loader's search path, toolkit directories or Python packages", "libraries"}},
        .remedies = {std::move(remedy)},
        .symptoms = {std::string(name_of(kind))}};
}

/// As the package of CUDA 12.
static Remedy install() {
    return {.action = Action::install_package,
            .text =
                "Install NVRTC of the CUDA version that cuDNN was built for, for example as a Python package or "
                "with the CUDA Toolkit",
            .commands = {"pip install nvidia-cuda-nvrtc-cu12"},
            .link = "https://docs.nvidia.com/cuda/nvrtc/index.html"};
}

/// One that compiles is enough; else each must have its builtins.
static void judge_builtins(const Facts& facts, VerdictBuilder& answers) {
    const auto works = [](const Nvrtc& nvrtc) { return nvrtc.compiles.value_or(false); };
    if (std::ranges::any_of(facts.nvrtcs, works)) return answers.passed("NVRTC works");
    for (const auto& nvrtc : facts.nvrtcs) {
        if (lacks_builtins(facts, nvrtc))
            answers.fault(missing(LibraryKind::nvrtc_builtins, builtins_of(nvrtc),
                                  "NVRTC " + nvrtc.version->text + " at " + nvrtc.library,
                                  for_cuda_major(nvrtc.version->major(), install())));
        else if (!nvrtc.version && !nvrtc.failure)
            answers.unknown("the version of NVRTC at " + nvrtc.library + " is unknown");
        else if (!nvrtc.compiles)
            answers.unknown("whether NVRTC at " + nvrtc.library + " finds its builtins library is unknown");
        else
            answers.no_pass("NVRTC is installed but does not work");
    }
    if (facts.nvrtcs.empty()) answers.unknown("NVRTC is installed but did not respond");
}

static Verdict check(const Facts& facts, const Matrix&) {
    auto copies = cudnn_copies(facts);
    if (copies.empty()) return without_cudnn(facts);
    std::erase_if(copies, [](const CudnnCopy& copy) { return !compiles_kernels(copy); });
    if (copies.empty()) return not_applicable("cuDNN 7 does not need NVRTC");
    VerdictBuilder answers;
    if (!usable_copies(facts, LibraryKind::nvrtc).empty() || !facts.nvrtcs.empty())
        judge_builtins(facts, answers);
    else if (!libraries_listed(facts))
        answers.unknown("the library directories could not be searched");
    else if (const auto why = lower_cause(facts))
        return not_applicable(*why);
    else if (copies.front().major == 0)
        answers.unknown("the version of " + name_of(copies.front()) + " is unknown");
    else
        answers.fault(
            missing(LibraryKind::nvrtc, "libnvrtc", name_of(copies.front()), for_cuda_of(copies.front(), install())));
    return answers.close();
}

extern const Rule rule{.title = "The runtime compiler NVRTC is missing",
                       .layer = Layer::runtime,
                       .max_severity = Severity::warning,
                       .stage = Stage::ask,
                       .check = check,
                       .yields_to = {"library_file_damaged", "library_for_other_machine"}};

}  // namespace rnncheck::rules::nvrtc_missing
