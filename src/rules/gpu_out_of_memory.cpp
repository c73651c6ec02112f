// A call found too little memory: before the recurrent-network cases, or in one of them.
#include "facts/rnn_runs.hpp"
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules {

namespace {

constexpr const char* mps_limit = "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT";
constexpr std::int64_t enough_mib =
    2048;  // a context, cuDNN's kernels and these small networks take less

struct Want {
    const Facts& facts;
    const Gpu& gpu;
    const Board* board;
    std::vector<FailedAllocation> calls;
};

bool is_mig(const Want& want) {
    return (want.gpu.name && contains(*want.gpu.name, "MIG")) ||
           (want.board && want.board->mig.value_or(false));
}

bool nvml_tells(const Want& want) {
    return want.board && want.board->memory_free_mib;
}

/// Nothing but cases that the user asked for and that need more than is free: no fault of the
/// machine.
bool asked_for_too_much(const Want& want) {
    return want.facts.rnn_request &&
           std::ranges::all_of(want.calls, [](const FailedAllocation& call) {
               return call.run && short_of_memory(*call.run);
           });
}

/// The first case for which CUDA told how much it saw free; null when there is none.
const RnnRun* asked_cuda(const Want& want) {
    const auto* call =
        find_where(want.calls, [](const auto& one) { return one.run && one.run->free_bytes; });
    if (!call)
        return nullptr;
    return call->run;
}

std::string size_in_words(std::int64_t bytes) {
    if (bytes < 1 << 10)
        return std::to_string(bytes) + " bytes";
    if (bytes >= 1 << 20)
        return mebibytes(bytes);
    return short_number(static_cast<double>(bytes) / (1 << 10)) + " KiB";
}

std::string call_in_words(const FailedAllocation& want) {
    if (!want.call)
        return "an allocation failed";
    if (!want.call->bytes)
        return in_words(*want.call);
    return in_words(*want.call) + " for " + size_in_words(*want.call->bytes);
}

std::string free_in_words(const Want& want) {
    if (!nvml_tells(want))
        return "the free memory is unknown";
    if (is_mig(want))
        return free_of_total(*want.board) + " are free on the whole board";
    return free_of_total(*want.board) + " are free";
}

/// Why processes that hold memory may not be seen from here.
std::string why_unseen(const Facts& facts) {
    if (in_container(facts))
        return "processes outside this container are not visible";
    if (on_wsl(facts))
        return "Windows processes are not visible from WSL";
    return "no visible process uses it";
}

/// What bounds the memory that a program gets, other than what is free.
struct Bound {
    const char* remedy;
    std::string words;
    const char* how_it_ran_out = " ran out of memory";
};

Bound bound_by_mps(const Facts& facts) {
    const std::string* limit = environment(facts, mps_limit);
    if (!limit)
        return {"gpu_out_of_memory/mps", "the MPS server may limit each program's memory"};
    return {"gpu_out_of_memory/mps", std::string(mps_limit) + " is " + escaped(*limit, 100)};
}

/// Where the processes that use the memory cannot be seen.
const char* remedy_unseen(const Facts& facts) {
    if (in_container(facts))
        return "gpu_out_of_memory/container";
    if (on_wsl(facts) || on_windows(facts))
        return "gpu_out_of_memory/windows";
    return "gpu_out_of_memory/unseen";
}

Bound bound_by_holders(const Want& want) {
    if (want.board && !want.board->processes.empty())
        return {"gpu_out_of_memory/processes", "in use by " + holders_of(*want.board)};
    return {remedy_unseen(want.facts), why_unseen(want.facts)};
}

Bound bound_of(const Want& want) {
    const CallResult* call = want.calls.front().call;
    if (call && call->code == cudnn_host_allocation_failed &&
        !little_was_free(want.facts, want.gpu.index))
        return {"gpu_out_of_memory/host", "but cuDNN requested host memory",
                " cannot be used because the host ran out of memory"};
    if (is_mig(want))
        return {"gpu_out_of_memory/mig",
                "this MIG instance has " +
                    (want.gpu.memory_total_mib
                         ? std::to_string(*want.gpu.memory_total_mib) + " MiB in total"
                         : "only a part of the memory")};
    if (want.board && memory_is_low(*want.board))
        return bound_by_holders(want);
    if (environment(want.facts, mps_limit))
        return bound_by_mps(want.facts);
    if (!nvml_tells(want) || *want.board->memory_free_mib < enough_mib)
        return bound_by_holders(want);
    if (want.facts.driver.mps_pipe)
        return bound_by_mps(want.facts);
    if (const RnnRun* run = asked_cuda(want); run && (*run->free_bytes >> 20) < enough_mib)
        return {"gpu_out_of_memory/less_by_cuda",
                "but CUDA reported only " + size_in_words(*run->free_bytes)};
    return {"gpu_out_of_memory/rejected", "which should be enough", " rejected a memory request"};
}

struct Lost {
    std::size_t cases = 0, of = 0;
    Severity severity = Severity::warning;
};

/// Cases that were not computed for it. Without any, the memory was there a moment later.
Lost lost_cases(const Want& want) {
    Lost lost;
    for (const RnnRun& run : want.facts.rnn_runs)
        lost.of += run.gpu == want.gpu.index;
    for (const FailedAllocation& call : want.calls) {
        if (!call.run)
            continue;
        ++lost.cases;
        if (severity_of(cudnn_copy(want.facts, call.run->library)) == Severity::error)
            lost.severity = Severity::error;
    }
    if (lost.of == 0)
        lost.severity = Severity::error;
    return lost;
}

std::string lost_in_words(const Lost& lost) {
    if (lost.cases == 0 && lost.of > 0)
        return "no recurrent network was affected";
    if (lost.cases == lost.of)
        return "no recurrent network could be run";
    return std::to_string(lost.cases) + " of " +
           pluralized(lost.of, "recurrent network", "recurrent networks") + " could not be run";
}

std::string processes_in_words(const Want& want) {
    if (!want.board)
        return "";
    if (want.board->processes.empty())
        return "none visible; " + why_unseen(want.facts);
    return holders_of(*want.board);
}

std::vector<Evidence> evidence_of(const Want& want) {
    const FailedAllocation& first = want.calls.front();
    const RnnRun* told = asked_cuda(want);
    std::string first_call = "first call that failed";
    if (first.run)
        first_call += ", in case " + std::to_string(first.run->number);
    std::vector<Evidence> evidence = {{first_call, call_in_words(first), first.place + ".result"}};
    if (nvml_tells(want))
        evidence.push_back({"free memory according to NVML", free_of_total(*want.board),
                            board_fact(want.facts, *want.board, "memory_free_mib")});
    if (told)
        evidence.push_back({"free memory according to CUDA", size_in_words(*told->free_bytes),
                            place_of(want.facts, *told) + ".free_bytes"});
    if (want.board)
        evidence.push_back({"processes on the GPU", processes_in_words(want),
                            board_fact(want.facts, *want.board, "processes")});
    if (is_mig(want) && want.gpu.memory_total_mib)
        evidence.push_back({"memory of the MIG instance",
                            std::to_string(*want.gpu.memory_total_mib) + " MiB",
                            place_of(want.facts, want.gpu) + ".memory_total_mib"});
    for (const char* name :
         {mps_limit, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "TF_FORCE_GPU_ALLOW_GROWTH",
          "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_MEM_FRACTION"})
        if (const std::string* value = environment(want.facts, name))
            evidence.push_back({name, escaped(*value, 100), "host.environment"});
    evidence.push_back({"MPS control daemon", escaped(if_known(want.facts.driver.mps_pipe), 200),
                        "driver.mps_pipe"});
    return evidence;
}

Finding ran_out(const Want& want) {
    const Lost lost = lost_cases(want);
    const Bound bound = bound_of(want);
    Finding finding = {.severity = lost.severity,
                       .subject = subject_of(want.gpu),
                       .gpu = want.gpu.index,
                       .message = subject_of(want.gpu) + bound.how_it_ran_out + ": " +
                                  call_in_words(want.calls.front()) + "; " + free_in_words(want) +
                                  ", " + bound.words + "; " + lost_in_words(lost),
                       .evidence = evidence_of(want),
                       .remedies = {remedy(bound.remedy)},
                       .symptoms = mapped(want.calls, &FailedAllocation::place)};
    if (want.board)
        finding.explains = {place_of(want.facts, *want.board)};
    if (asked_for_too_much(want)) {
        finding.severity = Severity::warning;
        finding.message += "; the case " + memory_in_words(*want.calls.front().run);
        finding.remedies.front().text +=
            ". To find the largest batch that fits, add --fit batch to the command";
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
        if (want.calls.empty())
            continue;
        answers.fault(ran_out(want));
        (asked_for_too_much(want) ? too_large : any_fault) = true;
    }
    if (too_large && !any_fault) {
        Verdict verdict = answers.close();
        verdict.outcome = Outcome::undecided;
        verdict.reason = "a requested case needs more GPU memory than is free";
        return verdict;
    }
    if (!failures_are_known(facts))
        answers.unknown("a kernel or a recurrent network failed for an unknown reason");
    const Verdict otherwise = pass_if_tried(facts, "no call ran out of memory");
    // The small networks tried here fit: that says nothing about the log's.
    if (facts.log && otherwise.outcome == Outcome::pass)
        return answers.close_or(not_applicable(otherwise.reason));
    return answers.close_or(otherwise);
}

}  // namespace rnncheck::rules
