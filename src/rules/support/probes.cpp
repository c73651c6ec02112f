#include "rules/support/probes.hpp"

#include <algorithm>

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

/// "GPU 0 v8 /path" is shown as "cuDNN /path on GPU 0".
static std::string cudnn_on_gpu(const std::string& target) {
    const auto path = target.find('/');
    const auto after_number = target.find(' ', 4);
    return library_named("cuDNN", path == std::string::npos ? std::nullopt : std::optional(target.substr(path))) +
           " on " + escaped(target.substr(0, after_number));
}

/// Nothing for a probe that opens no vendor library.
static std::optional<std::string> library_examined(const Facts& facts, const ProbeRun& run) {
    const auto target = run.target.empty() ? std::nullopt : std::optional(run.target);
    if (run.probe == "driver_api")
        return library_named("the NVIDIA driver library",
                             facts.driver.library ? facts.driver.library : picked_path(facts, LibraryKind::cuda));
    if (run.probe == "nvml_devices" || run.probe == "hang_witness")
        return library_named("NVML", picked_path(facts, LibraryKind::nvml));
    if (run.probe == "cuda_runtime") return library_named("the CUDA runtime", target);
    if (run.probe == "cudnn_library") return library_named("cuDNN", target);
    if (run.probe == "nvrtc_compile") return library_named("NVRTC", target);
    if (run.probe == "ptx_launch") return "a test kernel on " + escaped(run.target);
    if (run.probe == "rnn_forward" || run.probe == "rnn_fit" || run.probe == "rnn_dropout")
        return cudnn_on_gpu(run.target);
    return std::nullopt;
}

bool is_own_probe(const Facts& facts, const ProbeRun& run) {
    return !library_examined(facts, run);
}

std::string examined(const Facts& facts, const ProbeRun& run) {
    return library_examined(facts, run)
        .value_or(library_named("rnncheck's own probe " + run.probe,
                                run.target.empty() ? std::nullopt : std::optional(run.target)));
}

/// The case that failed because the process did not survive it.
static bool is_last_case(const ProbeRun& run, const RnnRun& rnn_run) {
    if (run.probe != "rnn_forward") return false;
    const std::string target =
        "GPU " + std::to_string(rnn_run.gpu) + ' ' + std::string(name_of(rnn_run.dialect)) + ' ' + rnn_run.library;
    return rnn_run.end == RunEnd::failed && rnn_run.result && rnn_run.result->code < 0 && target == run.target &&
           rnn_run.result->call == run.last_call;
}

bool ended_in(const ProbeRun& run, const RnnRun& rnn_run) {
    return run.end != ProbeEnd::stuck && !run.completed() && is_last_case(run, rnn_run);
}

static bool ended_in_a_case(const Facts& facts, const ProbeRun& run) {
    return std::ranges::any_of(facts.rnn_runs, [&](const RnnRun& rnn_run) { return ended_in(run, rnn_run); });
}

bool was_cut_short(const ProbeRun& run) {
    return run.end == ProbeEnd::crashed || run.end == ProbeEnd::quit_early || run.end == ProbeEnd::timed_out ||
           run.end == ProbeEnd::stuck;
}

std::string in_last_call(const ProbeRun& run) {
    return run.last_call ? " in " + escaped(*run.last_call) : "";
}

static std::string fact_of(const Facts& facts, const ProbeRun& run, const char* field) {
    return place_of(facts, run) + '.' + field;
}

std::vector<Evidence> evidence_of(const Facts& facts, const ProbeRun& run) {
    std::vector<Evidence> evidence = {{"process status", std::string(name_of(run.end)), fact_of(facts, run, "end")},
                                      {"last call", if_known(run.last_call), fact_of(facts, run, "last_call")},
                                      {"reason", if_known(run.reason), fact_of(facts, run, "reason")}};
    if (run.reason || run.hang) append(evidence, evidence_of_hang(facts, run));
    evidence.push_back({"its last output", if_known(run.output_tail), fact_of(facts, run, "output_tail")});
    return evidence;
}

/// NVML's record of the GPU that the probe looked at.
static const Board* board_of(const Facts& facts, const ProbeRun& run) {
    const auto index = gpu_of_target(run.target);
    const Gpu* gpu = index ? gpu_at(facts, *index) : nullptr;
    return gpu ? board_of(facts, *gpu) : nullptr;
}

static std::string where_it_is(const Hang& hang) {
    const std::string function =
        hang.kernel_function ? " in the kernel function " + escaped(*hang.kernel_function) : "";
    return hang.state + function;
}

/// Those that the driver reported while the process ran, on its GPU where that is known: an old one explains nothing.
static std::vector<const XidEvent*> xids_meanwhile(const Facts& facts, const ProbeRun& run) {
    constexpr double slack_s = 60;
    const Board* board = board_of(facts, run);
    std::vector<const XidEvent*> found;
    for (const XidEvent& event : facts.driver.xids) {
        const bool recent = event.seconds_ago && *event.seconds_ago <= run.elapsed_ms / 1000 + slack_s;
        const bool elsewhere = board && board->pci && event.pci && !board->pci->starts_with(*event.pci);
        if (recent && !elsewhere) found.push_back(&event);
    }
    return found;
}

std::vector<Evidence> evidence_of_hang(const Facts& facts, const ProbeRun& run) {
    std::vector<Evidence> evidence;
    if (run.hang) {
        evidence.push_back({"state of the process", where_it_is(*run.hang), fact_of(facts, run, "hang.state")});
        if (!run.hang->kernel_stack.empty())
            evidence.push_back(
                {"kernel stack", join(run.hang->kernel_stack, ", "), fact_of(facts, run, "hang.kernel_stack")});
    }
    const Board* board = board_of(facts, run);
    if (board && board->busy_percent)
        evidence.push_back({"GPU utilization meanwhile", std::to_string(*board->busy_percent) + " %",
                            "nvml_devices[" + std::to_string(board - facts.nvml_devices.data()) + "].busy_percent"});
    for (const XidEvent* event : xids_meanwhile(facts, run))
        evidence.push_back({"kernel log", event->text, "driver.xids"});
    if (run.hang && facts.driver.kernel_log_read == false)
        evidence.push_back({"kernel log", "no permission to read it", "driver.kernel_log_read"});
    return evidence;
}

std::string cause_of_hang(const Facts& facts, const ProbeRun& run) {
    if (!run.hang) return "";
    const Hang& hang = *run.hang;
    const Board* board = board_of(facts, run);
    const int busy = board && board->busy_percent ? *board->busy_percent : -1;
    if (const auto xids = xids_meanwhile(facts, run); !xids.empty())
        return "the driver reported Xid " + std::to_string(xids.back()->code) + " meanwhile";
    if (hang.state == "uninterruptible") return "it waits in the kernel, so the driver or the hardware is at fault";
    if (hang.state == "stopped") return "the process was stopped";
    if (facts.driver.mps_pipe) return "it uses the MPS server, which may hang";
    if (busy >= 90 && !board->processes.empty()) return "the GPU is busy with other processes";
    if (busy >= 90) return "the GPU is busy: a kernel does not finish";
    if (hang.state == "running" && 2 * hang.processor_ms.value_or(0) > run.elapsed_ms)
        return "it uses the CPU: a library compiles code for this GPU or is in an endless loop";
    if (busy >= 0 && busy <= 10)
        return "the GPU is idle: the driver or the library waits for an event that does not occur";
    return "the reason for the wait is unknown";
}

std::string ending_of(const ProbeRun& run) {
    std::string how(name_of(run.end));
    replace_all(how, "_", " ");
    return "did not finish (" + how + (run.reason ? ", " + escaped(*run.reason, 200) : "") + ")";
}

static std::string why_no_end(const ProbeRun& run) {
    if (run.end != ProbeEnd::not_started) return subject_of(run) + ' ' + ending_of(run);
    return "rnncheck could not start its process for " + subject_of(run) +
           (run.reason ? ": " + escaped(*run.reason, 200) : "");
}

static Verdict without_findings(const Facts& facts, const std::string& all_well) {
    for (const auto& run : facts.probe_runs) {
        if (run.completed() || run.end == ProbeEnd::skipped) continue;
        if (ended_in_a_case(facts, run)) return not_applicable("the affected case is reported as failed");
        return undecided(why_no_end(run));
    }
    const bool any = std::ranges::any_of(facts.probe_runs, [](const ProbeRun& run) { return run.completed(); });
    return any ? pass(all_well) : undecided("no probe was run");
}

/// What could not end well because the process of this run did not.
static std::vector<std::string> ended_by(const Facts& facts, const ProbeRun& run) {
    if (const auto gpu = gpu_of_target(run.target); gpu && run.probe == "ptx_launch" && was_cut_short(run))
        return places_on(facts, *gpu);
    std::vector<std::string> places;
    for (const RnnRun& rnn_run : facts.rnn_runs)
        if (run.end == ProbeEnd::stuck && is_last_case(run, rnn_run)) places.push_back(place_of(facts, rnn_run));
    return places;
}

/// What the run examined is a copy of cuDNN; its directory, else "".
static std::string cudnn_directory_of(const ProbeRun& run) {
    if (run.probe != "cudnn_library" && run.probe != "rnn_forward") return "";
    const auto path = run.target.find('/');
    return path == std::string::npos ? "" : directory_of(run.target.substr(path));
}

std::vector<std::string> crashes_of_cudnn_in(const Facts& facts, const std::string& directory) {
    std::vector<std::string> places;
    for (const ProbeRun& run : facts.probe_runs)
        if (run.end == ProbeEnd::crashed && cudnn_directory_of(run) == directory)
            places.push_back(place_of(facts, run));
    return places;
}

Verdict over_probe_ends(const Facts& facts, IsFault is_fault, EndFinding finding, const std::string& all_well) {
    std::vector<Finding> findings;
    // A case explains the runs that ended in it: joined with others of the subject they would be reported twice.
    for (const bool in_a_case : {true, false}) {
        const auto joined = static_cast<std::ptrdiff_t>(findings.size());
        for (const auto& run : facts.probe_runs) {
            if (!is_fault(facts, run) || ended_in_a_case(facts, run) != in_a_case) continue;
            auto about = std::find_if(findings.begin() + joined, findings.end(),
                                      [&](const Finding& other) { return other.subject == subject_of(run); });
            if (about == findings.end()) {
                about = findings.insert(about, finding(facts, run));
                about->subject = subject_of(run);
                about->evidence = evidence_of(facts, run);
            }
            about->symptoms.push_back(place_of(facts, run));
            append(about->explains, ended_by(facts, run));
        }
    }
    return fault_or(std::move(findings), without_findings(facts, all_well));
}

}  // namespace rnncheck::rules
