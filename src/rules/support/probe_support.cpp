#include "rules/support/probe_support.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck::rules {

std::string subject_of(const ProbeRun& run) {
    return run.target.empty() ? run.probe : run.probe + ' ' + run.target;
}

static std::string library_named(std::string name, const std::optional<std::string>& path) {
    return path ? name + ' ' + escaped(*path) : name;
}

static std::optional<std::string> picked_path(const Facts& facts, LibraryKind kind) {
    const Library* library = picked(facts, kind);
    return library ? std::optional(library->path) : std::nullopt;
}

/// "GPU 0 v8 /path" is told as "cuDNN /path on GPU 0".
static std::string cudnn_on_gpu(const std::string& target) {
    const auto path = target.find('/');
    const auto after_number = target.find(' ', 4);
    return library_named("cuDNN", path == std::string::npos ? std::nullopt : std::optional(target.substr(path))) +
           " on " + escaped(target.substr(0, after_number));
}

std::string examined(const Facts& facts, const ProbeRun& run) {
    const auto target = run.target.empty() ? std::nullopt : std::optional(run.target);
    if (run.probe == "driver_api")
        return library_named("the NVIDIA driver library",
                             facts.driver.library ? facts.driver.library : picked_path(facts, LibraryKind::cuda));
    if (run.probe == "nvml_devices") return library_named("NVML", picked_path(facts, LibraryKind::nvml));
    if (run.probe == "cuda_runtime") return library_named("the CUDA runtime", target);
    if (run.probe == "cudnn_library") return library_named("cuDNN", target);
    if (run.probe == "nvrtc_compile") return library_named("NVRTC", target);
    if (run.probe == "ptx_launch") return "a test kernel on " + escaped(run.target);
    if (run.probe == "rnn_forward") return cudnn_on_gpu(run.target);
    return library_named("the probe " + run.probe, target);
}

std::string in_last_call(const ProbeRun& run) {
    return run.last_call ? " in " + escaped(*run.last_call) : "";
}

static std::string fact_of(const Facts& facts, const ProbeRun& run, const char* field) {
    return "probe_runs[" + std::to_string(&run - facts.probe_runs.data()) + "]." + field;
}

std::vector<Evidence> evidence_of(const Facts& facts, const ProbeRun& run) {
    std::vector<Evidence> evidence{{"end of the process", std::string(name_of(run.end)), fact_of(facts, run, "end")}};
    if (run.last_call) evidence.push_back({"last call", *run.last_call, fact_of(facts, run, "last_call")});
    if (run.reason) evidence.push_back({"reason", *run.reason, fact_of(facts, run, "reason")});
    if (run.output_tail) evidence.push_back({"its last output", *run.output_tail, fact_of(facts, run, "output_tail")});
    return evidence;
}

static Verdict without_findings(const Facts& facts, const std::string& all_well) {
    for (const auto& run : facts.probe_runs)
        if (!run.completed() && run.end != ProbeEnd::skipped)
            return undecided(subject_of(run) + " did not come to its end: " + std::string(name_of(run.end)));
    const bool any = std::any_of(facts.probe_runs.begin(), facts.probe_runs.end(),
                                 [](const ProbeRun& run) { return run.completed(); });
    return any ? pass(all_well) : undecided("no probe was run");
}

Verdict over_probe_ends(const Facts& facts, bool (*is_fault)(ProbeEnd), EndFinding finding,
                        const std::string& all_well) {
    std::vector<Finding> findings;
    for (const auto& run : facts.probe_runs) {
        const std::string subject = subject_of(run);
        const bool told = std::any_of(findings.begin(), findings.end(),
                                      [&](const Finding& other) { return other.subject == subject; });
        if (!is_fault(run.end) || told) continue;
        findings.push_back(finding(facts, run));
        findings.back().subject = subject;
        findings.back().evidence = evidence_of(facts, run);
    }
    return fault_or(std::move(findings), without_findings(facts, all_well));
}

}  // namespace rnncheck::rules
