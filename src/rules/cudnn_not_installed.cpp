// There is no cuDNN anywhere.
#include <algorithm>

#include "rules/rule.hpp"
#include "rules/support/cudnn_support.hpp"
#include "rules/support/driver_support.hpp"
#include "rules/support/packages.hpp"

namespace rnncheck::rules::cudnn_not_installed {

static Verdict check(const Facts& facts, const Matrix&) {
    if (!cudnn_copies(facts).empty()) return pass("cuDNN is installed");
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    for (const auto& library : facts.libraries)
        if (library.kind == LibraryKind::cudnn)
            return not_applicable("the cuDNN that was found cannot be used: " + library.path);

    const bool parts_only = std::any_of(facts.libraries.begin(), facts.libraries.end(),
                                        [](const Library& library) { return library.kind == LibraryKind::cudnn_part; });
    Finding finding;
    finding.severity = driver_answers(facts) || kernel_side_seen(facts) ? Severity::error : Severity::warning;
    finding.subject = "cuDNN";
    finding.message = parts_only ? "cuDNN is installed only in part: its main library libcudnn.so was not found"
                                 : "cuDNN is not installed: no libcudnn.so was found";
    finding.evidence = {
        {"libcudnn.so", "not in the loader's search path, toolkit directories or Python packages", "libraries"}};
    finding.remedies = for_cuda_here(
        facts,
        {installing_cudnn(facts, nullptr,
                          {.text = "Install the cuDNN major version that your framework was built for and that matches "
                                   "its CUDA major version, from NVIDIA's package repository or as a Python package",
                           .commands = {},
                           .verify = "rnncheck doctor --only cudnn_not_installed",
                           .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"})});
    return fault(std::move(finding));
}

extern const Rule rule{.title = "cuDNN is not installed",
                       .layer = Layer::cudnn,
                       .worst = Severity::error,
                       .needs = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::cudnn_not_installed
