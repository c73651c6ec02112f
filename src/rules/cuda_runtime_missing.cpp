// No CUDA runtime library stands anywhere.
#include "rules/rule.hpp"
#include "rules/support/driver_support.hpp"
#include "rules/support/packages.hpp"

namespace rnncheck::rules::cuda_runtime_missing {

static Verdict check(const Facts& facts, const Matrix&) {
    if (!usable_copies(facts, LibraryKind::cudart).empty() || !facts.runtimes.empty())
        return pass("a CUDA runtime was found");
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    for (const auto& library : facts.libraries)
        if (library.kind == LibraryKind::cudart)
            return not_applicable("the CUDA runtime that was found cannot be used");
    if (const auto why = lower_cause(facts)) return not_applicable(*why);
    Finding finding;
    finding.severity = Severity::note;
    finding.subject = "CUDA runtime";
    finding.message =
        "no CUDA runtime (libcudart) was found; programs work only if they bundle their own, as many framework "
        "packages do";
    finding.evidence = {
        {"libcudart", "not in the loader's search path, toolkit directories or Python packages", "libraries"}};
    finding.remedies =
        for_cuda_here(facts, {{.text = "No action is needed if your framework bundles CUDA; otherwise install the "
                                       "runtime for your driver, for example as a Python package",
                               .commands = {"pip install nvidia-cuda-runtime-cu12"},
                               .verify = "rnncheck doctor --only cuda_runtime_missing",
                               .link = "https://docs.nvidia.com/cuda/cuda-installation-guide-linux/"}});
    return fault(std::move(finding));
}

extern const Rule rule{.title = "No CUDA runtime is installed",
                       .layer = Layer::runtime,
                       .worst = Severity::note,
                       .needs = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::cuda_runtime_missing
