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

/// All calls on one GPU that found too little memory, with what is known of it.
struct AllocationFailure {
    const Facts& facts;
    const Gpu& gpu;
    const Board* board;
    std::vector<FailedAllocation> calls;
};

/// A MIG instance has its own part of the board's memory, so that NVML's
/// figures for the board do not show what a program gets.
bool is_mig(const AllocationFailure& failure) {
    return (failure.gpu.name && contains(*failure.gpu.name, "MIG")) ||
           (failure.board && failure.board->mig.value_or(false));
}

bool nvml_shows_memory(const AllocationFailure& failure) {
    return failure.board && failure.board->memory_free_mib;
}

/// Nothing but cases that the user requested and that need more than is free: no fault of the
/// machine.
bool requests_too_much(const AllocationFailure& failure) {
    return failure.facts.rnn_request &&
           std::ranges::all_of(failure.calls, [](const FailedAllocation& call) {
               return call.run && short_of_memory(*call.run);
           });
}

/// The first case for which CUDA reported how much it saw free; null when there is none.
const RnnRun* run_with_free_memory(const AllocationFailure& failure) {
    const auto* call =
        find_where(failure.calls, [](const auto& one) { return one.run && one.run->free_bytes; });
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

/// "cuMemAlloc_v2 returned 2 (...) for 512 MiB", as far as it is known.
std::string call_in_words(const FailedAllocation& failure) {
    if (!failure.call)
        return "an allocation failed";
    if (!failure.call->bytes)
        return in_words(*failure.call);
    return in_words(*failure.call) + " for " + size_in_words(*failure.call->bytes);
}

/// Of NVML, a moment after the failure.
std::string free_in_words(const AllocationFailure& failure) {
    if (!nvml_shows_memory(failure))
        return "the free memory is unknown";
    if (is_mig(failure))
        return free_of_total(*failure.board) + " are free on the whole board";
    return free_of_total(*failure.board) + " are free";
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
struct MemoryLimit {
    const char* remedy;
    std::string words;
    const char* how_it_ran_out = " ran out of memory";
};

/// CUDA reports the size of the instance as that of its GPU.
MemoryLimit limited_by_mig(const Gpu& instance) {
    std::string size = "only a part of the memory";
    if (instance.memory_total_mib)
        size = std::to_string(*instance.memory_total_mib) + " MiB in total";
    return {"gpu_out_of_memory/mig", "this MIG instance has " + size};
}

/// An MPS server limits its clients by this variable or by its own settings:
/// https://docs.nvidia.com/deploy/mps/index.html
MemoryLimit limited_by_mps(const Facts& facts) {
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

/// By the processes that NVML lists; inside containers and WSL it lists none.
MemoryLimit limited_by_processes(const AllocationFailure& failure) {
    if (failure.board && !failure.board->processes.empty())
        return {"gpu_out_of_memory/processes", "in use by " + processes_on(*failure.board)};
    return {remedy_unseen(failure.facts), why_unseen(failure.facts)};
}

/// What the failure is put down to, the surest first: cuDNN's own word for host
/// memory, a MIG instance, processes on a full board, MPS, what CUDA saw free.
MemoryLimit limit_of(const AllocationFailure& failure) {
    const CallResult* call = failure.calls.front().call;
    if (call && call->code == cudnn_host_allocation_failed &&
        !little_was_free(failure.facts, failure.gpu.index))
        return {
            "gpu_out_of_memory/host",
            "but cuDNN requested host memory",
            " cannot be used because the host ran out of memory"};
    if (is_mig(failure))
        return limited_by_mig(failure.gpu);
    if (failure.board && memory_is_low(*failure.board))
        return limited_by_processes(failure);
    if (environment(failure.facts, mps_limit))
        return limited_by_mps(failure.facts);
    if (!nvml_shows_memory(failure) || *failure.board->memory_free_mib < enough_mib)
        return limited_by_processes(failure);
    if (failure.facts.driver.mps_pipe)
        return limited_by_mps(failure.facts);
    if (const RnnRun* run = run_with_free_memory(failure);
        run && (*run->free_bytes >> 20) < enough_mib)
        return {
            "gpu_out_of_memory/less_by_cuda",
            "but CUDA reported only " + size_in_words(*run->free_bytes)};
    return {"gpu_out_of_memory/rejected", "which should be enough", " rejected a memory request"};
}

/// How many cases of a GPU were not computed for lack of memory, of how many.
struct FailedRun {
    std::size_t cases = 0, of = 0;
    Severity severity = Severity::warning;
};

/// Cases that were not computed for it. Without any, the memory was there a moment later.
FailedRun failed_runs(const AllocationFailure& failure) {
    FailedRun lost;
    for (const RnnRun& run : failure.facts.rnn_runs)
        lost.of += run.gpu == failure.gpu.index;
    for (const FailedAllocation& call : failure.calls) {
        if (!call.run)
            continue;
        ++lost.cases;
        if (severity_of(cudnn_installation(failure.facts, call.run->library)) == Severity::error)
            lost.severity = Severity::error;
    }
    // Nothing was tried on it: the memory was missing before the first case.
    if (lost.of == 0)
        lost.severity = Severity::error;
    return lost;
}

std::string failed_in_words(const FailedRun& lost) {
    if (lost.cases == 0 && lost.of > 0)
        return "no recurrent network was affected";
    if (lost.cases == lost.of)
        return "no recurrent network could be run";
    return std::to_string(lost.cases) + " of " +
           pluralized(lost.of, "recurrent network", "recurrent networks") + " could not be run";
}

std::string processes_in_words(const AllocationFailure& failure) {
    if (!failure.board)
        return "";
    if (failure.board->processes.empty())
        return "none visible; " + why_unseen(failure.facts);
    return processes_on(*failure.board);
}

/// The call, both views of the free memory, who uses it, and the settings by
/// which frameworks and MPS reserve or limit memory.
std::vector<Evidence> allocation_evidence(const AllocationFailure& failure) {
    const FailedAllocation& first = failure.calls.front();
    const RnnRun* run = run_with_free_memory(failure);
    std::string first_call = "first call that failed";
    if (first.run)
        first_call += ", in case " + std::to_string(first.run->number);
    std::vector<Evidence> evidence = {{first_call, call_in_words(first), first.place + ".result"}};
    if (nvml_shows_memory(failure))
        evidence.push_back(
            {"free memory according to NVML",
             free_of_total(*failure.board),
             board_fact(failure.facts, *failure.board, "memory_free_mib")});
    if (run)
        evidence.push_back(
            {"free memory according to CUDA",
             size_in_words(*run->free_bytes),
             place_of(failure.facts, *run) + ".free_bytes"});
    if (failure.board)
        evidence.push_back(
            {"processes on the GPU",
             processes_in_words(failure),
             board_fact(failure.facts, *failure.board, "processes")});
    if (is_mig(failure) && failure.gpu.memory_total_mib)
        evidence.push_back(
            {"memory of the MIG instance",
             std::to_string(*failure.gpu.memory_total_mib) + " MiB",
             place_of(failure.facts, failure.gpu) + ".memory_total_mib"});
    for (const char* name :
         {mps_limit,
          "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
          "TF_FORCE_GPU_ALLOW_GROWTH",
          "XLA_PYTHON_CLIENT_PREALLOCATE",
          "XLA_PYTHON_CLIENT_MEM_FRACTION"})
        if (const std::string* value = environment(failure.facts, name))
            evidence.push_back({name, escaped(*value, 100), "host.environment"});
    evidence.push_back(
        {"MPS control daemon",
         escaped(if_known(failure.facts.driver.mps_pipe), 200),
         "driver.mps_pipe"});
    return evidence;
}

/// One finding for a GPU, about the first of the calls that failed on it.
Finding ran_out(const AllocationFailure& failure) {
    const FailedRun lost = failed_runs(failure);
    const MemoryLimit limit = limit_of(failure);
    Finding finding = {
        .severity = lost.severity,
        .subject = subject_of(failure.gpu),
        .gpu = failure.gpu.index,
        .message = subject_of(failure.gpu) + limit.how_it_ran_out + ": " +
                   call_in_words(failure.calls.front()) + "; " + free_in_words(failure) + ", " +
                   limit.words + "; " + failed_in_words(lost),
        .evidence = allocation_evidence(failure),
        .remedies = {remedy(limit.remedy)},
        .symptoms = mapped(failure.calls, &FailedAllocation::place),
    };
    if (failure.board)
        finding.explains = {place_of(failure.facts, *failure.board)};
    if (requests_too_much(failure)) {
        finding.severity = Severity::warning;
        finding.message += "; the case " + memory_in_words(*failure.calls.front().run);
        finding.remedies.front().text +=
            ". To find the largest batch that fits, add --fit batch to the command";
        finding.remedies.front().verify = rerun_command(failure.facts, *failure.calls.front().run);
    }
    return finding;
}

}  // namespace

/// Too little GPU memory was free for what rnncheck ran, which is small: then
/// no training fits either. A case that the user requested and that is larger
/// than the free memory shows nothing about the machine, so the rule stays
/// undecided.
Verdict gpu_out_of_memory(const Facts& facts, const Matrix&) {
    VerdictBuilder result;
    bool any_fault = false, too_large = false;
    for (const Gpu& gpu : facts.cuda_devices) {
        const AllocationFailure failure{
            facts, gpu, board_of(facts, gpu), failed_allocations(facts, gpu.index)};
        if (failure.calls.empty())
            continue;
        result.fault(ran_out(failure));
        const bool too_much = requests_too_much(failure);
        too_large |= too_much;
        any_fault |= !too_much;
    }
    if (too_large && !any_fault) {
        Verdict verdict = result.finish();
        verdict.outcome = Outcome::undecided;
        verdict.reason = "a requested case needs more GPU memory than is free";
        return verdict;
    }
    if (!failures_are_known(facts))
        result.unknown("a kernel or a recurrent network failed for an unknown reason");
    const Verdict otherwise = pass_if_tried(facts, "no call ran out of memory");
    // The small networks tried here fit: that shows nothing about the log's.
    if (facts.log && otherwise.outcome == Outcome::pass)
        return result.finish_or(not_applicable(otherwise.reason));
    return result.finish_or(otherwise);
}

}  // namespace rnncheck::rules
