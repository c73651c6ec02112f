// No CUDA runtime library is installed.
#include "rules/rule.hpp"

namespace rnncheck::rules::cuda_runtime_missing {

static Verdict check(const Facts& facts, const Matrix&) {
    if (!usable_copies(facts, LibraryKind::cudart).empty() || !facts.runtimes.empty())
        return pass("a CUDA runtime was found");
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    if (const auto why = lower_cause(facts)) return not_applicable(*why);
    return fault(
        {.subject = "CUDA runtime",
         .message =
             "no CUDA runtime (libcudart) was found; programs work only if they bundle their own, as many framework "
             "packages do",
         .evidence = {{"libcudart", "not in the loader's search path, toolkit directories or Python packages",
                       "libraries"}},
         .remedies = {for_cuda_here(
             facts, {.action = Action::install_package,
                     .text = "No action is needed if your framework bundles CUDA; otherwise install the "
                             "runtime for your driver, for example as a Python package",
                     .commands = {"pip install nvidia-cuda-runtime-cu12"},
                     .link = "https://docs.nvidia.com/cuda/cuda-installation-guide-linux/"})},
         .symptoms = {"cudart"}});
}

extern const Rule rule{.title = "No CUDA runtime is installed",
                       .layer = Layer::runtime,
                       .max_severity = Severity::note,
                       .stage = Stage::look,
                       .check = check,
                       .yields_to = {"library_file_damaged", "library_for_other_machine"}};

}  // namespace rnncheck::rules::cuda_runtime_missing
