// A forward-compatibility libcuda, usually from a container image, is found before the driver's own and does not
// work here.
#include "rules/rule.hpp"

namespace rnncheck::rules::container_cuda_newer_than_driver {

static Finding compat_fails(const Facts& facts, const Library* compat, bool refused) {
    const std::string path = compat ? compat->path : libcuda_in_use(facts);
    return {
        .subject = path,
        .message = refused
                       ? "the forward-compatibility library " + path + " is not supported on this GPU (CUDA error 804)"
                       : "the forward-compatibility library " + path +
                             " is used instead of the driver's own libcuda and fails",
        .evidence = {{"libcuda in use", path, "libraries"},
                     {"cuInit", if_known(facts.driver.init), "driver.init"},
                     {"kernel module", if_known(facts.driver.kernel_version), "driver.kernel_version"}},
        .remedies = {{.action = Action::change_environment,
                      .text = "Remove the compatibility library's directory from the loader's search path, then use "
                              "a CUDA version that the host's driver supports or update the host's driver",
                      .commands = {"/sbin/ldconfig -p | grep libcuda.so.1", "printenv LD_LIBRARY_PATH"},
                      .link = "https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html"}},
        .confidence = refused ? Confidence::certain : Confidence::likely,
        .explains = {"driver.init"}};
}

static Verdict check(const Facts& facts, const Matrix&) {
    const Library* library = driver_library(facts);
    const Library* compat = library && library->compat ? library : nullptr;
    const auto refusals = cuda_failures(facts, cuda_compat_not_supported);
    if (!refusals.empty()) {
        auto finding = compat_fails(facts, compat, true);
        finding.evidence.push_back(evidence_of(refusals.front()));
        for (const FailedCall& refusal : refusals) append(finding.explains, refusal.explains);
        return fault(std::move(finding));
    }
    if (!failures_are_known(facts)) return undecided("a run on the GPU failed for an unknown reason");
    if (driver_answers(facts))
        return compat ? pass("the forward-compatibility library works")
                      : not_applicable("the driver's own libcuda works");
    if (const auto verdict = without_cuinit(facts)) return *verdict;
    if (!compat) return not_applicable("no forward-compatibility library is in use");
    if (facts.driver.init->code == cuda_no_device || facts.driver.init->code == cuda_system_not_ready)
        return not_applicable("cuInit failed for another reason");
    return fault(compat_fails(facts, compat, false));
}

extern const Rule rule{.title = "The forward-compatibility libcuda does not work on this machine",
                       .layer = Layer::driver,
                       .stage = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::container_cuda_newer_than_driver
