#include "rules/support/rnn_support.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "facts/rnn_runs.hpp"
#include "rnn/sweep.hpp"
#include "rules/support/driver_support.hpp"
#include "rules/support/kernel_support.hpp"
#include "rules/support/memory_support.hpp"

namespace rnncheck::rules {

std::vector<Sweep> sweeps(const Facts& facts) {
    std::vector<Sweep> found;
    for (const auto& run : facts.rnn_runs) {
        if (is_shadowed(facts, run.library)) continue;
        auto sweep = std::find_if(found.begin(), found.end(), [&](const Sweep& known) {
            return known.library == run.library && known.gpu == run.gpu;
        });
        if (sweep == found.end()) sweep = found.insert(found.end(), {run.library, run.gpu, {}});
        sweep->runs.push_back(&run);
    }
    return found;
}

Runs runs_with(const Sweep& sweep, RunEnd end) {
    Runs runs;
    std::copy_if(sweep.runs.begin(), sweep.runs.end(), std::back_inserter(runs),
                 [end](const RnnRun* run) { return run->end == end; });
    return runs;
}

static bool was_computed(const RnnRun& run) {
    return run.end == RunEnd::ok || run.end == RunEnd::incorrect;
}

const CallResult* obstacle_of(const RnnRun& run) {
    return run.result && !run.result->ok() && !was_computed(run) ? &*run.result : nullptr;
}

const Gpu* gpu_at(const Facts& facts, int index) {
    for (const auto& gpu : facts.cuda_devices)
        if (gpu.index == index) return &gpu;
    return nullptr;
}

std::string gpu_subject(const Facts& facts, int index) {
    const Gpu* gpu = gpu_at(facts, index);
    return gpu ? subject_of(*gpu) : "GPU " + std::to_string(index);
}

std::string subject_of(const Facts& facts, const Sweep& sweep) {
    return gpu_subject(facts, sweep.gpu) + ", cuDNN " + sweep.library;
}

std::string name_of(const Facts& facts, const Sweep& sweep) {
    return gpu_subject(facts, sweep.gpu) + " with " + name_of(cudnn_copy(facts, sweep.library));
}

Evidence evidence_of(const Facts& facts, const RnnRun& run, const std::string& how_it_went) {
    return {"case " + std::to_string(run.number) + " (" + std::string(name_of(run.dialect)) + ' ' +
                describe(run.rnn_case) + ')',
            how_it_went, "rnn_runs[" + std::to_string(&run - facts.rnn_runs.data()) + ']'};
}

std::string verify_command(const Facts& facts, const RnnRun& run, const std::string& rule) {
    return facts.rnn_request ? rerun_command(facts, run) : "rnncheck doctor --only " + rule;
}

std::optional<std::string> not_promised(const Facts& facts, const RnnRun& run) {
    return rnncheck::not_promised(run.rnn_case, rnn_place(facts, run.gpu, run.library, run.dialect));
}

std::optional<Finding> take_not_promised(const Facts& facts, const Sweep& sweep, Runs& runs, const std::string& how) {
    const auto owed = std::stable_partition(runs.begin(), runs.end(),
                                            [&](const RnnRun* run) { return not_promised(facts, *run).has_value(); });
    const Runs taken(runs.begin(), owed);
    runs.erase(runs.begin(), owed);
    if (taken.empty()) return std::nullopt;
    Finding finding;
    finding.severity = Severity::note;
    finding.subject = subject_of(facts, sweep);
    finding.message = pluralized(taken.size(), "RNN case", "RNN cases") + " of " + std::to_string(sweep.runs.size()) +
                      ' ' + how + ' ' + name_of(facts, sweep) + ", first '" + describe(taken.front()->rnn_case) +
                      "': " + told(taken.front()->result) + "; this is not a problem of this machine: the case needs " +
                      *not_promised(facts, *taken.front());
    for (std::size_t i = 0; i < taken.size() && i < 5; ++i)
        finding.evidence.push_back(evidence_of(facts, *taken[i], told(taken[i]->result)));
    finding.remedies = {
        {.text = "No action is needed, unless one of your programs requests this kernel explicitly: then select the "
                 "algorithm CUDNN_RNN_ALGO_STANDARD in that program",
         .commands = {},
         .verify = "rnncheck doctor",
         .link = "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/cudnn/RNN.cpp"}};
    return finding;
}

std::optional<Verdict> without_gpu(const Facts& facts) {
    if (!facts.cuda_devices.empty()) return std::nullopt;
    if (const auto why = lower_cause(facts)) return not_applicable(*why);
    if (!facts.driver.init) return undecided("the result of cuInit is unknown");
    if (!facts.driver.init->ok()) return not_applicable("the driver does not initialize");
    if (!probe_completed(facts, "driver_api")) return undecided("querying the driver did not finish");
    return not_applicable("CUDA sees no GPU");
}

/// What kept the cases from being run, as far as it is on record.
static std::string why_not_run(const Facts& facts) {
    for (const ProbeRun* run : runs_of(facts, "rnn_forward"))
        if (!run->completed())
            return "no RNN case was run: rnn_forward " + run->target + ' ' + std::string(name_of(run->end)) +
                   (run->reason ? ", " + escaped(*run->reason) : "");
    for (const auto& run : facts.rnn_runs)
        if (const CallResult* obstacle = obstacle_of(run)) return "no RNN case was run: " + told(*obstacle);
    return "no RNN case was run on a GPU";
}

static Verdict without_runs(const Facts& facts) {
    if (const auto verdict = without_gpu(facts)) return *verdict;
    for (const Gpu& gpu : facts.cuda_devices)
        if (!wants_of_memory(facts, gpu.index).empty())
            return not_applicable("the GPU ran out of memory before any case was run");
    const auto copies = cudnn_copies(facts);
    if (copies.empty()) return without_cudnn(facts);
    const bool all_broken = std::all_of(copies.begin(), copies.end(), [](const CudnnCopy& copy) {
        return never_answered(copy) || (copy.answer && copy.answer->rnn_usable == false);
    });
    if (all_broken) return not_applicable("no cuDNN installation has a working RNN API");
    return undecided(why_not_run(facts));
}

Verdict pass_if_tried(const Facts& facts, const std::string& reason) {
    const bool tried = std::any_of(facts.rnn_runs.begin(), facts.rnn_runs.end(), [](const RnnRun& run) {
        return run.end != RunEnd::skipped && run.end != RunEnd::out_of_memory;
    });
    return tried ? pass(reason) : without_runs(facts);
}

/// Answers of the CUDA driver that have a rule of their own.
static std::optional<std::string> driver_cause(std::int64_t code) {
    switch (code) {
        case cuda_device_unavailable:
            return "the GPU is busy or not available to this process";
        case cuda_ecc_uncorrectable:
            return "the GPU's memory has uncorrectable errors";
        case cuda_unsupported_ptx_version:
            return "PTX code is newer than the driver";
        case cuda_system_not_ready:
            return "Fabric Manager is not running";
        case cuda_system_driver_mismatch:
            return "the driver's libraries and kernel module do not match";
        case cuda_compat_not_supported:
            return "a forward-compatibility libcuda does not support the GPU";
        default:
            return std::nullopt;
    }
}

/// After such an error every call on the GPU fails, those of cuDNN with a status of its own.
static bool met_memory_error(const Facts& facts, int gpu) {
    const auto failures = cuda_failures(facts, cuda_ecc_uncorrectable);
    return std::ranges::find(failures, gpu_subject(facts, gpu), &FailedCall::subject) != failures.end();
}

std::optional<std::string> explained_elsewhere(const Facts& facts, int gpu, const std::string& library,
                                               const CallResult& result) {
    const int major = library.empty() ? 0 : cudnn_copy(facts, library).major;
    if (is_arch_mismatch(major, result)) return "there is no code for this GPU's architecture";
    if (is_version_mismatch(major, result)) return "the cuDNN libraries are of different versions";
    if (is_driver_call(result.call))
        if (auto cause = driver_cause(result.code)) return cause;
    if (!library.empty())
        if (auto cause = kernel_fails(facts, gpu)) return cause;
    if (!library.empty() && met_memory_error(facts, gpu)) return driver_cause(cuda_ecc_uncorrectable);
    const Gpu* device = gpu_at(facts, gpu);
    const Board* board = device ? board_of(facts, *device) : nullptr;
    if (board && board->unreachable) return "the GPU is lost to the driver";
    if (found_no_memory(facts, gpu, result)) return "the GPU ran out of memory";
    return std::nullopt;
}

bool failures_are_known(const Facts& facts, const std::string& library) {
    return std::all_of(facts.rnn_runs.begin(), facts.rnn_runs.end(), [&](const RnnRun& run) {
        return run.library != library || was_computed(run) || obstacle_of(run);
    });
}

}  // namespace rnncheck::rules
