// A call found too little memory: before the recurrent-network cases, or in one of them.
#include "facts/rnn_runs.hpp"
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules {

namespace {

constexpr const char* mps_limit = "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT";
constexpr std::int64_t enough_mib = 2048;  // a context, cuDNN's kernels and these small networks take less

/// What bounds the memory that a program gets.
enum class Bound { host, mig, held, mps, less_by_cuda, nothing_seen };

struct Want {
    const Facts& facts;
    const Gpu& gpu;
    const Board* board;
    std::vector<FailedAllocation> calls;
};

bool is_mig(const Want& want) {
    return (want.gpu.name && contains(*want.gpu.name, "MIG")) || (want.board && want.board->mig.value_or(false));
}

bool nvml_tells(const Want& want) {
    return want.board && want.board->memory_free_mib;
}

/// Nothing but cases that the user asked for and that need more than is free: no fault of the machine.
bool asked_for_too_much(const Want& want) {
    return want.facts.rnn_request && std::ranges::all_of(want.calls, [](const FailedAllocation& call) {
               return call.run && short_of_memory(*call.run);
           });
}

/// The first case for which CUDA told how much it saw free; null when there is none.
const RnnRun* asked_cuda(const Want& want) {
    for (const FailedAllocation& call : want.calls)
        if (call.run && call.run->free_bytes) return call.run;
    return nullptr;
}

Bound bound_of(const Want& want) {
    const CallResult* call = want.calls.front().call;
    if (call && call->code == cudnn_host_allocation_failed) return Bound::host;
    if (is_mig(want)) return Bound::mig;
    if (want.board && memory_is_low(*want.board)) return Bound::held;
    if (environment(want.facts, mps_limit)) return Bound::mps;
    if (!nvml_tells(want) || *want.board->memory_free_mib < enough_mib) return Bound::held;
    if (want.facts.driver.mps_pipe) return Bound::mps;
    const RnnRun* run = asked_cuda(want);
    return run && (*run->free_bytes >> 20) < enough_mib ? Bound::less_by_cuda : Bound::nothing_seen;
}

std::string size_in_words(std::int64_t bytes) {
    if (bytes < 1 << 10) return std::to_string(bytes) + " bytes";
    if (bytes >= 1 << 20) return mebibytes(bytes);
    return short_number(static_cast<double>(bytes) / (1 << 10)) + " KiB";
}

std::string call_in_words(const FailedAllocation& want) {
    if (!want.call) return "an allocation failed";
    return in_words(*want.call) + (want.call->bytes ? " for " + size_in_words(*want.call->bytes) : "");
}

std::string free_in_words(const Want& want) {
    if (!nvml_tells(want)) return "the free memory is unknown";
    return free_of_total(*want.board) + " are free" + (is_mig(want) ? " on the whole board" : "");
}

std::string who_holds_it(const Want& want) {
    if (want.board && !want.board->processes.empty()) return "in use by " + holders_of(*want.board);
    return why_unseen(want.facts);
}

/// Besides the free memory, where it says more than that.
std::string bound_in_words(const Want& want) {
    switch (bound_of(want)) {
        case Bound::host:
            return "but cuDNN requested host memory";
        case Bound::mps: {
            const std::string* limit = environment(want.facts, mps_limit);
            return limit ? std::string(mps_limit) + " is " + escaped(*limit, 100)
                         : "the MPS server may limit each program's memory";
        }
        case Bound::mig:
            return "this MIG instance has " + (want.gpu.memory_total_mib
                                                   ? std::to_string(*want.gpu.memory_total_mib) + " MiB in total"
                                                   : "only a part of the memory");
        case Bound::held:
            return who_holds_it(want);
        case Bound::less_by_cuda:
            return "but CUDA reported only " + size_in_words(*asked_cuda(want)->free_bytes);
        case Bound::nothing_seen:
            break;
    }
    return "which should be enough";
}

struct Lost {
    std::size_t cases = 0, of = 0;
    Severity severity = Severity::warning;
};

/// Cases that were not computed for it. Without any, the memory was there a moment later.
Lost lost_cases(const Want& want) {
    Lost lost;
    for (const RnnRun& run : want.facts.rnn_runs) lost.of += run.gpu == want.gpu.index;
    for (const FailedAllocation& call : want.calls) {
        if (!call.run) continue;
        ++lost.cases;
        if (severity_of(cudnn_copy(want.facts, call.run->library)) == Severity::error) lost.severity = Severity::error;
    }
    if (lost.of == 0) lost.severity = Severity::error;
    return lost;
}

std::string lost_in_words(const Lost& lost) {
    if (lost.cases == 0 && lost.of > 0) return "no recurrent network was affected";
    if (lost.cases == lost.of) return "no recurrent network could be run";
    return std::to_string(lost.cases) + " of " + pluralized(lost.of, "recurrent network", "recurrent networks") +
           " could not be run";
}

std::string processes_in_words(const Want& want) {
    if (!want.board) return "";
    return want.board->processes.empty() ? "none visible; " + why_unseen(want.facts) : holders_of(*want.board);
}

std::vector<Evidence> evidence_of(const Want& want) {
    const FailedAllocation& first = want.calls.front();
    const RnnRun* told = asked_cuda(want);
    const bool has_limit = is_mig(want) && want.gpu.memory_total_mib;
    std::vector<Evidence> evidence = {
        {"first call that failed" + (first.run ? ", in case " + std::to_string(first.run->number) : ""),
         call_in_words(first), first.place + ".result"},
        {"free memory according to NVML", nvml_tells(want) ? free_of_total(*want.board) : "",
         want.board ? board_fact(want.facts, *want.board, "memory_free_mib") : "nvml_devices"},
        {"free memory according to CUDA", told ? size_in_words(*told->free_bytes) : "",
         told ? place_of(want.facts, *told) + ".free_bytes" : "rnn_runs"},
        {"processes on the GPU", processes_in_words(want),
         want.board ? board_fact(want.facts, *want.board, "processes") : "nvml_devices"},
        {"memory of the MIG instance", has_limit ? std::to_string(*want.gpu.memory_total_mib) + " MiB" : "",
         place_of(want.facts, want.gpu) + ".memory_total_mib"}};
    for (const char* name : {mps_limit, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "TF_FORCE_GPU_ALLOW_GROWTH",
                             "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_MEM_FRACTION"})
        if (const std::string* value = environment(want.facts, name))
            evidence.push_back({name, escaped(*value, 100), "host.environment"});
    evidence.push_back({"MPS control daemon", escaped(if_known(want.facts.driver.mps_pipe), 200), "driver.mps_pipe"});
    return evidence;
}

Remedy remedy_for_holders(const Want& want) {
    if (want.board && !want.board->processes.empty()) return remedy("gpu_out_of_memory/processes");
    if (in_container(want.facts)) return remedy("gpu_out_of_memory/container");
    if (on_wsl(want.facts)) return remedy("gpu_out_of_memory/wsl");
    return remedy("gpu_out_of_memory/unseen");
}

Remedy remedy_of(const Want& want) {
    switch (bound_of(want)) {
        case Bound::host:
            return remedy("gpu_out_of_memory/host");
        case Bound::mps:
            return remedy("gpu_out_of_memory/mps");
        case Bound::mig:
            return remedy("gpu_out_of_memory/mig");
        case Bound::held:
            return remedy_for_holders(want);
        case Bound::less_by_cuda:
            return remedy("gpu_out_of_memory/less_by_cuda");
        case Bound::nothing_seen:
            break;
    }
    return remedy("gpu_out_of_memory/rejected");
}

std::string how_it_ran_out(Bound bound) {
    if (bound == Bound::host) return " cannot be used because the host ran out of memory";
    return bound == Bound::nothing_seen ? " rejected a memory request" : " ran out of memory";
}

Finding ran_out(const Want& want) {
    const Lost lost = lost_cases(want);
    Finding finding;
    finding.severity = lost.severity;
    finding.subject = subject_of(want.gpu);
    for (const FailedAllocation& call : want.calls) finding.symptoms.push_back(call.place);
    if (want.board) finding.explains = {place_of(want.facts, *want.board)};
    finding.message = finding.subject + how_it_ran_out(bound_of(want)) + ": " + call_in_words(want.calls.front()) +
                      "; " + free_in_words(want) + ", " + bound_in_words(want) + "; " + lost_in_words(lost);
    finding.evidence = evidence_of(want);
    finding.remedies = {remedy_of(want)};
    if (asked_for_too_much(want)) {
        finding.severity = Severity::warning;
        finding.message += "; the case " + memory_in_words(*want.calls.front().run);
        finding.remedies.front().text += ". To find the largest batch that fits, add --fit batch to the command";
        finding.remedies.front().verify = rerun_command(want.facts, *want.calls.front().run);
    }
    return finding;
}

}  // namespace

Verdict gpu_out_of_memory(const Facts& facts, const Matrix&) {
    VerdictBuilder answers;
    bool any_fault = false, too_large = false;
    for (const Gpu& gpu : facts.cuda_devices) {
        const Want want{facts, gpu, board_of(facts, gpu), failed_allocations(facts, gpu.index)};
        if (want.calls.empty()) continue;
        answers.fault(ran_out(want));
        (asked_for_too_much(want) ? too_large : any_fault) = true;
    }
    if (too_large && !any_fault) {
        Verdict verdict = answers.close();
        verdict.outcome = Outcome::undecided;
        verdict.reason = "a requested case needs more GPU memory than is free";
        return verdict;
    }
    if (!failures_are_known(facts)) answers.unknown("a kernel or a recurrent network failed for an unknown reason");
    const Verdict otherwise = pass_if_tried(facts, "no call ran out of memory");
    // The small networks tried here fit: that says nothing about the log's.
    if (facts.log && otherwise.outcome == Outcome::pass) return answers.close_or(not_applicable(otherwise.reason));
    return answers.close_or(otherwise);
}

}  // namespace rnncheck::rules
