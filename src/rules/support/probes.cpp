#include "rules/support/probes.hpp"

#include "base/if_any.hpp"
#include "rules/support/boards.hpp"

namespace rnncheck::rules {

/// The target of the probe rnn_forward that ran it.
static std::string target_of(const RnnRun& run) {
    return "GPU " + std::to_string(run.gpu) + ' ' + std::string(name_of(run.rnn_api)) + ' ' +
           run.library;
}

bool is_last_case(const ProbeRun& run, const RnnRun& rnn_run) {
    return run.probe == "rnn_forward" && rnn_run.end == RunEnd::failed && rnn_run.result &&
           rnn_run.result->code < 0 && target_of(rnn_run) == run.target &&
           rnn_run.result->call == run.last_call;
}

/// Of the probes that leave a result of each target in any case.
static bool has_result(const Facts& facts, const ProbeRun& run) {
    if (run.probe == "cuda_runtime")
        return find_by(facts.runtimes, &Runtime::library, run.target);
    if (run.probe == "cudnn_library")
        return find_by(facts.cudnns, &Cudnn::library, run.target);
    if (run.probe == "nvrtc_compile")
        return find_by(facts.nvrtcs, &Nvrtc::library, run.target);
    if (run.probe == "ptx_launch")
        return find_by(facts.kernel_runs, &KernelRun::gpu, gpu_of_target(run.target));
    if (run.probe != "rnn_forward")
        return true;
    return std::ranges::any_of(
        facts.rnn_runs, [&](const RnnRun& one) { return target_of(one) == run.target; });
}

std::optional<std::string> what_is_lost(const Facts& facts) {
    if (facts.tool.missing_fields)
        return "the document with the facts is incomplete: it lacks " +
               escaped(*facts.tool.missing_fields, 400);
    for (const ProbeRun& run : facts.probe_runs)
        if (run.completed() && !has_result(facts, run))
            return run.probe + ' ' + escaped(run.target) +
                   " finished, but the facts do not contain its result";
    return std::nullopt;
}

bool ended_in(const ProbeRun& run, const RnnRun& rnn_run) {
    return run.end != ProbeEnd::stuck && !run.completed() && is_last_case(run, rnn_run);
}

bool was_cut_short(const ProbeRun& run) {
    return run.end == ProbeEnd::crashed || run.end == ProbeEnd::quit_early ||
           run.end == ProbeEnd::timed_out || run.end == ProbeEnd::stuck;
}

/// NVML's record of the GPU that the probe looked at.
static const Board* board_of(const Facts& facts, const ProbeRun& run) {
    const auto gpu = gpu_of_target(run.target);
    if (!gpu)
        return nullptr;
    return board_at(facts, *gpu);
}

/// Those that the driver reported while the process ran, on its GPU where that is known: an old one
/// explains nothing.
static std::vector<const XidEvent*> xids_during(const Facts& facts, const ProbeRun& run) {
    // The kernel writes its log a little after the call that failed.
    constexpr double slack_s = 60;
    const Board* board = board_of(facts, run);
    std::vector<const XidEvent*> found;
    for (const XidEvent& event : facts.driver.xids) {
        const bool recent =
            event.seconds_ago && *event.seconds_ago <= run.elapsed_ms / 1000 + slack_s;
        const bool elsewhere =
            board && board->pci && event.pci && !board->pci->starts_with(*event.pci);
        if (recent && !elsewhere)
            found.push_back(&event);
    }
    return found;
}

std::vector<Evidence> evidence_of_hang(const Facts& facts, const ProbeRun& run) {
    std::vector<Evidence> evidence;
    if (const auto& hang = run.hang) {
        const std::string function =
            if_any(" in the kernel function ", escaped(hang->kernel_function.value_or("")));
        evidence = {
            {"state of the process", hang->state + function, place_of(facts, run) + ".hang.state"},
            {"file that it waits for", if_known(hang->file), place_of(facts, run) + ".hang.file"},
            {"kernel stack",
             join(hang->kernel_stack, ", "),
             place_of(facts, run) + ".hang.kernel_stack"}};
    }
    const Board* board = board_of(facts, run);
    if (board && board->busy_percent)
        evidence.push_back(
            {"GPU utilization meanwhile",
             std::to_string(*board->busy_percent) + " %",
             board_fact(facts, *board, "busy_percent")});
    for (const XidEvent* event : xids_during(facts, run))
        evidence.push_back({"kernel log", event->text, "driver.xids"});
    if (run.hang && facts.driver.kernel_log_read == false)
        evidence.push_back({"kernel log", "no permission to read it", "driver.kernel_log_read"});
    return evidence;
}

std::string cause_of_hang(const Facts& facts, const ProbeRun& run) {
    if (!run.hang)
        return "";
    const Hang& hang = *run.hang;
    const Board* board = board_of(facts, run);
    int busy = -1;  // unknown
    if (board && board->busy_percent)
        busy = *board->busy_percent;
    if (const auto xids = xids_during(facts, run); !xids.empty())
        return "the driver reported Xid " + std::to_string(xids.back()->code) + " meanwhile";
    if (hang.state == "uninterruptible")
        return "it waits in the kernel, so the driver or the hardware is at fault";
    if (hang.state == "stopped")
        return "the process was stopped";
    if (facts.driver.mps_pipe)
        return "it uses the MPS server, which may hang";
    if (busy >= 90 && !board->processes.empty())
        return "the GPU is busy with other processes";
    if (busy >= 90)
        return "the GPU is busy: a kernel does not finish";
    // More than half of the time on a CPU.
    if (hang.state == "running" && 2 * hang.processor_ms.value_or(0) > run.elapsed_ms)
        return "it uses the CPU: a library compiles code for this GPU or is in an endless loop";
    if (busy >= 0 && busy <= 10)
        return "the GPU is idle: the driver or the library waits for an event that does not occur";
    return "the reason for the wait is unknown";
}

std::string ending_of(const ProbeRun& run) {
    std::string how(name_of(run.end));
    replace_all(how, "_", " ");
    return "did not finish (" + how + if_any(", ", escaped(run.reason.value_or(""), 200)) + ")";
}

std::string path_in_target(const ProbeRun& run) {
    const std::string& target = run.target;
    auto begin = std::min(target.find('/'), target.size());
    if (begin >= 2 && begin < target.size() && target[begin - 1] == ':')
        begin -= 2;  // the letter of a drive
    return target.substr(begin);
}

std::vector<std::string> crashes_of_cudnn_in(const Facts& facts, const std::string& directory) {
    std::vector<std::string> places;
    for (const ProbeRun& run : facts.probe_runs) {
        const std::string path = path_in_target(run);
        const bool of_cudnn = run.probe == "cudnn_library" || run.probe == "rnn_forward";
        if (run.end == ProbeEnd::crashed && of_cudnn && !path.empty() &&
            directory_of(path) == directory)
            places.push_back(place_of(facts, run));
    }
    return places;
}

/// What each probe of a vendor's library examines.
static constexpr std::pair<std::string_view, const char*> vendor_probes[] = {
    {"driver_api", "the NVIDIA driver library"},
    {"nvml_devices", "NVML"},
    {"hang_diagnostic", "NVML"},
    {"cuda_runtime", "the CUDA runtime"},
    {"cudnn_library", "cuDNN"},
    {"cudnn_rnn_first", "cuDNN"},
    {"nvrtc_compile", "NVRTC"},
    {"ptx_launch", "a test kernel on"},
    {"rnn_forward", "cuDNN"},
    {"rnn_fit", "cuDNN"},
    {"rnn_dropout", "cuDNN"}};

bool is_own_probe(const ProbeRun& run) {
    return std::ranges::none_of(
        vendor_probes, [&](const auto& probe) { return probe.first == run.probe; });
}

/// The file that the loader takes of this kind; empty when it finds none.
static std::string path_of_picked(const Facts& facts, LibraryKind kind) {
    const Library* library = picked(facts, kind);
    if (!library)
        return "";
    return library->path;
}

std::string examined(const Facts& facts, const ProbeRun& run) {
    std::string what = "rnncheck's own probe " + run.probe, which = run.target, where;
    for (const auto& [probe, name] : vendor_probes)
        if (probe == run.probe)
            what = name;
    const bool is_driver = run.probe == "driver_api";
    if (is_driver)
        which = path_of_picked(facts, LibraryKind::cuda);
    if (what == "NVML")
        which = path_of_picked(facts, LibraryKind::nvml);
    if (is_driver && facts.driver.library)
        which = *facts.driver.library;
    if (run.probe.starts_with("rnn_")) {  // "GPU 0 v8 /path"
        which = path_in_target(run);
        where = " on " + escaped(run.target.substr(0, run.target.find(' ', 4)));
    }
    return what + if_any(" ", escaped(which)) + where;
}

std::string subject_of(const ProbeRun& run) {
    if (run.target.empty())
        return run.probe;
    return run.probe + ' ' + run.target;
}

std::string in_last_call(const ProbeRun& run) {
    if (!run.last_call)
        return "";
    return " in " + escaped(*run.last_call);
}

bool ended_in_a_case(const Facts& facts, const ProbeRun& run) {
    return std::ranges::any_of(
        facts.rnn_runs, [&](const RnnRun& rnn_run) { return ended_in(run, rnn_run); });
}

Verdict without_findings(const Facts& facts, const std::string& all_well) {
    for (const auto& run : facts.probe_runs) {
        if (run.completed() || run.end == ProbeEnd::skipped)
            continue;
        if (ended_in_a_case(facts, run))
            return not_applicable("the affected case is reported as failed");
        if (run.end != ProbeEnd::not_started)
            return undecided(subject_of(run) + ' ' + ending_of(run));
        return undecided(
            "rnncheck could not start its process for " + subject_of(run) +
            if_any(": ", escaped(run.reason.value_or(""), 200)));
    }
    if (const auto lost = what_is_lost(facts))
        return undecided(*lost);
    const bool any =
        std::ranges::any_of(facts.probe_runs, [](const ProbeRun& run) { return run.completed(); });
    if (any)
        return pass(all_well);
    return undecided("no probe was run");
}

}  // namespace rnncheck::rules
