// There is no cuDNN anywhere.
#include "rules/rule.hpp"

namespace rnncheck::rules::cudnn_not_installed {

static Verdict check(const Facts& facts, const Matrix&) {
    if (!cudnn_copies(facts).empty()) return pass("cuDNN is installed");
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");

    const bool parts_only = std::ranges::any_of(
        facts.libraries, [](const Library& library) { return library.kind == LibraryKind::cudnn_part; });
    return fault(
        {.severity = driver_answers(facts) || kernel_side_seen(facts) ? Severity::error : Severity::warning,
         .subject = "cuDNN",
         .message = parts_only ? "cuDNN is installed only in part: its main library libcudnn.so was not found"
                               : "cuDNN is not installed: no libcudnn.so was found",
         .evidence = {{"libcudnn.so", "not in the loader's search path, toolkit directories or Python packages",
                       "libraries"}},
         .remedies = {for_cuda_here(
             facts, installing_cudnn(
                        facts, nullptr,
                        {.action = Action::install_package,
                         .text = "Install the cuDNN major version that your framework was built for and that matches "
                                 "its CUDA major version, from NVIDIA's package repository or as a Python package",
                         .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"}))},
         .symptoms = {"cudnn"}});
}

extern const Rule rule{.title = "cuDNN is not installed",
                       .layer = Layer::cudnn,
                       .stage = Stage::look,
                       .check = check,
                       .yields_to = {"library_file_damaged", "library_for_other_machine"}};

}  // namespace rnncheck::rules::cudnn_not_installed
