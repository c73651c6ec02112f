// A copy of NVRTC is there and does not compile.
#include "rules/rule.hpp"

namespace rnncheck::rules::nvrtc_unusable {

static Finding unusable(const Facts& facts, const Nvrtc& nvrtc) {
    const std::string why = nvrtc.failure ? ": " + in_words(*nvrtc.failure) : "";
    Finding finding;
    finding.subject = nvrtc.library;
    finding.message = "NVRTC at " + nvrtc.library + " does not compile a test kernel" + why;
    finding.evidence = {{"NVRTC", if_known(nvrtc.version), "nvrtcs"},
                        {"compiles", "no", "nvrtcs"},
                        {"failed call", if_known(nvrtc.failure), "nvrtcs"}};
    const Remedy remedy = {
        .action = Action::install_package,
        .text =
            "Install libnvrtc and libnvrtc-builtins of the same CUDA version into one directory of the loader's "
            "search path, or as a Python package",
        .commands = {"/sbin/ldconfig -p | grep libnvrtc", "pip install nvidia-cuda-nvrtc-cu12"},
        .link = "https://docs.nvidia.com/cuda/nvrtc/index.html"};
    finding.remedies = {nvrtc.version ? for_cuda_major(nvrtc.version->major(), remedy) : for_cuda_here(facts, remedy)};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    VerdictBuilder answers;
    for (const auto& nvrtc : facts.nvrtcs) {
        if (is_shadowed(facts, nvrtc.library)) continue;
        if (nvrtc.compiles.value_or(false))
            answers.passed("every NVRTC installation works");
        else if (nvrtc.failure && was_not_opened(*nvrtc.failure))
            answers.no_pass(leads_to_a_pipe);
        else if (lacks_builtins(facts, nvrtc))
            answers.no_pass(builtins_of(nvrtc) + " was not found");
        else if (nvrtc.compiles || nvrtc.failure)
            answers.fault(unusable(facts, nvrtc));
        else
            answers.unknown("NVRTC at " + nvrtc.library + " did not respond");
    }
    const std::string silent = silent_copy(facts, LibraryKind::nvrtc);
    if (!silent.empty()) answers.unknown("NVRTC at " + silent + " did not respond");
    if (!libraries_listed(facts)) answers.unknown("the library directories could not be searched");
    answers.irrelevant("no NVRTC was found");
    return answers.close();
}

extern const Rule rule{.title = "The runtime compiler NVRTC does not work",
                       .layer = Layer::runtime,
                       .max_severity = Severity::warning,
                       .stage = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::nvrtc_unusable
