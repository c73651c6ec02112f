#include "rules/support/cases.hpp"

#include <algorithm>

#include "base/if_any.hpp"
#include "facts/rnn_runs.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/probes.hpp"
#include "rules/support/remedies.hpp"

namespace rnncheck::rules {

std::vector<Sweep> sweeps(const Facts& facts) {
    std::vector<Sweep> found;
    for (const auto& [place, runs] :
         grouped(facts.rnn_runs, [](const RnnRun& run) { return std::pair(run.library, run.gpu); }))
        if (!is_shadowed(facts, place.first))
            found.push_back({place.first, place.second, runs});
    return found;
}

Runs runs_with(const Sweep& sweep, RunEnd end) {
    Runs runs = sweep.runs;
    std::erase_if(runs, [end](const RnnRun* run) { return run->end != end; });
    return runs;
}

bool was_computed(const RnnRun& run) {
    return run.end == RunEnd::ok || run.end == RunEnd::incorrect;
}

const CallResult* obstacle_of(const RnnRun& run) {
    if (run.result && !run.result->ok() && !was_computed(run))
        return &*run.result;
    return nullptr;
}

std::string subject_of(const Facts& facts, const Sweep& sweep) {
    return gpu_subject(facts, sweep.gpu) + ", cuDNN " + sweep.library;
}

std::string name_of(const Facts& facts, const Sweep& sweep) {
    return gpu_subject(facts, sweep.gpu) + " with " +
           name_of(cudnn_installation(facts, sweep.library));
}

Evidence evidence_of(const Facts& facts, const RnnRun& run, const std::string& how_it_went) {
    return {
        "case " + std::to_string(run.number) + " (" + std::string(name_of(run.rnn_api)) + ' ' +
            describe(run.rnn_case) + ')',
        how_it_went,
        place_of(facts, run)};
}

std::string outcome_of(const RnnRun& run) {
    return in_words(run.result);
}

std::vector<Evidence> evidence_of(
    const Facts& facts, const Runs& runs, const HowItWent& how_it_went) {
    std::vector<Evidence> evidence;
    for (std::size_t i = 0; i < runs.size() && i < 5; ++i)
        evidence.push_back(evidence_of(facts, *runs[i], how_it_went(*runs[i])));
    return evidence;
}

Finding about_cases(
    const Facts& facts,
    const Sweep& sweep,
    const Runs& runs,
    std::string message,
    Remedy remedy,
    const HowItWent& how_it_went) {
    return {
        .subject = subject_of(facts, sweep),
        .gpu = sweep.gpu,
        .message = std::move(message),
        .evidence = evidence_of(facts, runs, how_it_went),
        .remedies = {std::move(remedy)},
        .symptoms = places_of(facts, runs),
    };
}

std::string count_of(const Runs& runs) {
    return pluralized(runs.size(), "RNN case", "RNN cases");
}

std::string cases_in_words(
    const Facts& facts, const Sweep& sweep, const Runs& runs, const std::string& how) {
    return count_of(runs) + " of " + std::to_string(sweep.runs.size()) + ' ' + how + ' ' +
           name_of(facts, sweep) + ", first '" + describe(runs.front()->rnn_case) +
           "': " + outcome_of(*runs.front());
}

std::string verify_command(const Facts& facts, const RnnRun& run) {
    if (!facts.rnn_request)
        return "";
    return rerun_command(facts, run);
}

std::optional<std::string> why_unsupported(const Facts& facts, const RnnRun& run) {
    return rnncheck::why_unsupported(run.rnn_case, rnn_place(facts, run));
}

Finding finding_for_supported(
    const Facts& facts,
    const Sweep& sweep,
    const Runs& runs,
    const std::string& how,
    const std::function<Finding(const Runs&)>& describe) {
    Runs required, others;
    for (const RnnRun* run : runs) {
        if (why_unsupported(facts, *run))
            others.push_back(run);
        else
            required.push_back(run);
    }
    if (required.empty()) {
        Finding note = about_cases(
            facts,
            sweep,
            others,
            cases_in_words(facts, sweep, others, how) +
                "; this is not a problem of this machine: the case needs " +
                *why_unsupported(facts, *others.front()),
            remedy("rnn_call_failed/not_supported"));
        note.severity = Severity::note;
        return note;
    }
    Finding finding = describe(required);
    append(finding.symptoms, places_of(facts, others));
    append(finding.evidence, evidence_of(facts, others, [&](const RnnRun& run) {
               return outcome_of(run) + "; no problem by itself: the case needs " +
                      *why_unsupported(facts, run);
           }));
    return finding;
}

std::optional<Verdict> without_gpu(const Facts& facts) {
    if (!facts.cuda_devices.empty())
        return std::nullopt;
    if (auto verdict = without_cuinit(facts))
        return verdict;
    if (!facts.driver.init->ok())
        return not_applicable("the driver does not initialize");
    if (!probe_completed(facts, "driver_api"))
        return undecided("querying the driver did not finish");
    return not_applicable("CUDA sees no GPU");
}

/// What kept the cases from being run, as far as it is on record.
static std::string why_not_run(const Facts& facts) {
    for (const ProbeRun* run : runs_of(facts, "rnn_forward"))
        if (!run->completed())
            return "no RNN case was run: rnn_forward " + run->target + ' ' + ending_of(*run);
    for (const auto& run : facts.rnn_runs)
        if (const CallResult* obstacle = obstacle_of(run))
            return "no RNN case was run: " + in_words(*obstacle);
    return "no RNN case was run on a GPU";
}

/// Why no case was tried, from the GPU up to cuDNN. A cause that another rule
/// reports makes the rules about cases not applicable instead of undecided.
static Verdict without_runs(const Facts& facts) {
    if (const auto verdict = without_gpu(facts))
        return *verdict;
    for (const Gpu& gpu : facts.cuda_devices)
        if (!failed_allocations(facts, gpu.index).empty())
            return not_applicable("the GPU ran out of memory before any case was run");
    if (std::ranges::any_of(facts.kernel_runs, ptx_compiler_is_missing))
        return not_applicable("the driver's PTX compiler is missing");
    const auto installations = cudnn_installations(facts);
    if (installations.empty())
        return without_cudnn(facts);
    const bool all_broken =
        std::ranges::all_of(installations, [](const CudnnInstallation& installation) {
            return only_failed(installation) ||
                   (installation.answer && installation.answer->rnn_usable == false);
        });
    if (all_broken)
        return not_applicable("no cuDNN installation has a working RNN API");
    return undecided(why_not_run(facts));
}

Verdict pass_if_tried(const Facts& facts, const std::string& reason, const std::string& unknown) {
    const bool tried = std::ranges::any_of(facts.rnn_runs, [](const RnnRun& run) {
        return run.end != RunEnd::skipped && run.end != RunEnd::out_of_memory;
    });
    if (!tried)
        return without_runs(facts);
    if (!unknown.empty())
        return undecided(unknown);
    return pass(reason);
}

std::vector<std::string> places_of(const Facts& facts, const Runs& runs) {
    return mapped(runs, [&](const RnnRun* run) { return place_of(facts, *run); });
}

bool failures_are_known(const Facts& facts, const std::string& library) {
    return std::ranges::all_of(facts.rnn_runs, [&](const RnnRun& run) {
        return run.library != library || was_computed(run) || obstacle_of(run);
    });
}

bool little_was_free(const Facts& facts, int gpu) {
    const Board* board = board_at(facts, gpu);
    return (board && memory_is_low(*board)) ||
           std::ranges::any_of(facts.rnn_runs, [gpu](const RnnRun& run) {
               return run.gpu == gpu && run.free_bytes &&
                      *run.free_bytes < (std::int64_t{512} << 20);
           });
}

/// The call found too little memory, or it can be supposed: cuDNN, of versions 7 and 8 and of 9,
/// returned NOT_INITIALIZED or INTERNAL_ERROR while hardly any memory of the GPU was free.
static bool found_no_memory(const Facts& facts, int gpu, const CallResult& result) {
    constexpr std::int64_t doubtful[] = {1, 4, 1001, 4000};
    return is_out_of_memory(result) ||
           (result.call.starts_with("cudnn") && includes(doubtful, result.code) &&
            little_was_free(facts, gpu));
}

bool ptx_compiler_is_missing(const KernelRun& run) {
    return run.result && is_cuda_failure(*run.result, 221);
}

bool code_was_loaded(const KernelRun& run) {
    constexpr std::string_view later[] = {
        "cuModuleGetFunction", "cuLaunchKernel", "cuCtxSynchronize", "cuMemcpyDtoH_v2"};
    return run.result && (run.result->ok() || includes(later, std::string_view(run.result->call)));
}

std::vector<FailedAllocation> failed_allocations(const Facts& facts, int gpu) {
    std::vector<FailedAllocation> wants;
    const bool host_memory_counts =
        little_was_free(facts, gpu) ||
        std::ranges::none_of(facts.kernel_runs, ptx_compiler_is_missing);
    for (const KernelRun& run : facts.kernel_runs)
        if (run.gpu == gpu && run.result && found_no_memory(facts, gpu, *run.result))
            // The test kernel ran before all cases.
            wants.push_back({&*run.result, nullptr, place_of(facts, run)});
    for (const Sweep& sweep : sweeps(facts)) {
        if (sweep.gpu != gpu)
            continue;
        for (const RnnRun* run : sweep.runs) {
            const CallResult* obstacle = obstacle_of(*run);
            if (run->end != RunEnd::out_of_memory &&
                !(obstacle && found_no_memory(facts, gpu, *obstacle)))
                continue;
            // Without its PTX compiler the driver makes cuDNN report the same.
            if (obstacle && obstacle->code == cudnn_host_allocation_failed && !host_memory_counts)
                continue;
            wants.push_back({obstacle, run, place_of(facts, *run)});
        }
    }
    return wants;
}

std::string processes_on(const Board& board) {
    return join_with_and(mapped(board.processes, [](const auto& process) {
        return "process " + std::to_string(process.pid) + if_any(" (", process.memory_mib, " MiB)");
    }));
}

}  // namespace rnncheck::rules
