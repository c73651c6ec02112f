// PTX code from a newer CUDA meets a driver whose compiler does not know it.
#include "rules/rule.hpp"

namespace rnncheck::rules::ptx_newer_than_driver {

static std::vector<Remedy> remedies(const Facts& facts, const std::optional<Version>& needed = {}) {
    return {{.action = Action::install_package,
             .text = "Use a build with machine code for this GPU or a build compiled with an older CUDA version, or "
                     "update the driver to one that supports the CUDA version that compiled the PTX, if it still "
                     "supports the GPU",
             .commands = driver_install_commands(facts, needed),
             .risk = Risk::disruptive,
             .link = "https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html"}};
}

static bool rejects_ptx(const CallResult& call) {
    return is_cuda_failure(call, cuda_unsupported_ptx_version) ||
           contains(call.text, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
}

static Finding newer_compiler(const Facts& facts, const Matrix& matrix, const Nvrtc& nvrtc) {
    Finding finding;
    finding.severity = Severity::warning;
    finding.subject = nvrtc.library;
    if (nvrtc.version->major() > facts.driver.cuda_version->major())
        finding.symptoms = {cuda_for_driver(nvrtc.version->major())};
    finding.message = "PTX compiled by NVRTC " + nvrtc.version->text + " at " + nvrtc.library +
                      " cannot be loaded by this driver, which supports CUDA up to " + facts.driver.cuda_version->text;
    finding.evidence = {
        {"NVRTC", nvrtc.version->text, "nvrtcs"},
        {"newest CUDA version supported by the driver", facts.driver.cuda_version->text, "driver.cuda_version"}};
    const auto row = compat::drivers_for(*nvrtc.version, driver_asked(facts).os, matrix);
    finding.remedies = remedies(facts, row ? std::optional(row->full_driver) : std::nullopt);
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    Finding refused;
    refused.message =
        "the driver rejected PTX code of a newer CUDA version than it supports (CUDA_ERROR_UNSUPPORTED_PTX_VERSION)";
    refused.remedies = remedies(facts);
    auto findings = findings_for(failures_where(facts, rejects_ptx), refused);
    if (findings.empty() && driver_library_absent(facts)) return not_applicable("no driver library was found");
    std::string open;
    for (const auto& nvrtc : facts.nvrtcs) {
        if (!facts.driver.cuda_version)
            open = "the CUDA version that the driver supports is unknown";
        else if (!nvrtc.version)
            open = "NVRTC at " + nvrtc.library + " did not report its version";
        else if (*nvrtc.version > *facts.driver.cuda_version)
            findings.push_back(newer_compiler(facts, matrix, nvrtc));
    }
    if (!findings.empty()) return fault_or(std::move(findings), {});
    if (!open.empty()) return undecided(open);
    if (!failures_are_known(facts)) return undecided("a run on the GPU failed for an unknown reason");
    if (!facts.kernel_runs.empty()) return pass("the driver loaded PTX code");
    if (!facts.nvrtcs.empty()) return pass("no NVRTC is newer than the CUDA version that the driver supports");
    if (const auto why = lower_cause(facts)) return not_applicable(*why);
    if (facts.driver.init && facts.cuda_devices.empty()) return not_applicable("there is no GPU to load code on");
    return undecided("no code was loaded on a GPU");
}

extern const Rule rule{.title = "PTX code is newer than the driver supports",
                       .layer = Layer::driver,
                       .stage = Stage::run,
                       .check = check,
                       .repaired_by_versions = true,
                       .yields_to = {"driver_too_old"}};

}  // namespace rnncheck::rules::ptx_newer_than_driver
