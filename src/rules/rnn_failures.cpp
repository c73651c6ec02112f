// Recurrent networks that were not run, or did not run to the end.
#include <map>
#include <set>

#include "base/if_any.hpp"
#include "report/sweep.hpp"
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/cases.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules {

/// All cases of the sweep failed in the same call; the first is the evidence.
static Finding without_handle(
    const Facts& facts, const Matrix& matrix, const Sweep& sweep, const Runs& runs) {
    const RnnRun& run = *runs.front();
    const CudnnInstallation installation = cudnn_installation(facts, sweep.library);
    Finding finding = about_cases(
        facts,
        sweep,
        {&run},
        "cuDNN cannot create a handle on " + gpu_subject(facts, sweep.gpu) + ": " +
            in_words(*run.result) + ", " + name_of(installation),
        remedy("cudnn_create_failed"));
    finding.symptoms = places_of(facts, runs);
    // NVIDIA documents different meanings of the status for different major versions.
    if (const auto row = matrix.status("cudnn", installation.major, run.result->code);
        row && installation.major > 0)
        finding.evidence.push_back(
            {row->name + " in cuDNN " + std::to_string(installation.major),
             row->meaning,
             row->source.url});
    if (const Board* board = board_at(facts, sweep.gpu); board && board->memory_free_mib)
        finding.evidence.push_back(
            {"free GPU memory",
             free_of_total(*board),
             board_fact(facts, *board, "memory_free_mib")});
    return finding;
}

/// cuDNN loads, but cannot create a handle on a GPU: nothing can be computed
/// there. cudnnCreate initializes CUDA and allocates memory, so the driver and
/// the memory of the GPU explain it where they are known to fail.
Verdict cudnn_create_failed(const Facts& facts, const Matrix& matrix) {
    VerdictBuilder result;
    for (const auto& sweep : sweeps(facts)) {
        Runs runs = sweep.runs;
        std::erase_if(runs, [](const RnnRun* run) {
            const CallResult* obstacle = obstacle_of(*run);
            return !obstacle || obstacle->call != "cudnnCreate";
        });
        if (!runs.empty())
            result.fault(without_handle(facts, matrix, sweep, runs));
        else if (!failures_are_known(facts, sweep.library))
            result.unknown(
                "some cases did not run on " + gpu_subject(facts, sweep.gpu) +
                " for an unknown reason");
    }
    return result.finish_or(pass_if_tried(facts, "cuDNN created a handle"));
}

/// The processes that these cases terminated, of which each restart of the probe may end in another
/// case: why they hung, and what the libraries printed at their end.
static void add_processes(const Facts& facts, const Runs& runs, Finding& finding) {
    std::set<std::string> causes;
    for (const ProbeRun* process : runs_of(facts, "rnn_forward")) {
        if (std::ranges::none_of(runs, [&](const RnnRun* run) { return ended_in(*process, *run); }))
            continue;
        const std::string place = place_of(facts, *process);
        finding.explains.push_back(place);
        if (const std::string cause = cause_of_hang(facts, *process);
            !cause.empty() && causes.insert(cause).second)
            finding.message += "; " + cause;
        append(finding.evidence, evidence_of_hang(facts, *process));
        if (process->output_tail)
            finding.evidence.push_back(
                {"its last output", *process->output_tail, place + ".output_tail"});
    }
}

/// A call for a recurrent network failed, or its process died in it, in a case
/// for which the documentation promises a kernel. Others are a note.
Verdict rnn_call_failed(const Facts& facts, const Matrix&) {
    VerdictBuilder result;
    for (const auto& sweep : sweeps(facts)) {
        const Runs runs = runs_with(sweep, RunEnd::failed);
        if (!runs_with(sweep, RunEnd::out_of_memory).empty())
            result.block_pass("the GPU ran out of memory");
        if (runs.empty())
            continue;
        Finding finding =
            finding_for_supported(facts, sweep, runs, "failed on", [&](const Runs& required) {
                return about_cases(
                    facts,
                    sweep,
                    required,
                    cases_in_words(facts, sweep, required, "failed on"),
                    on_host(
                        facts,
                        remedy("rnn_call_failed", {verify_command(facts, *required.front())})));
            });
        add_processes(facts, runs, finding);
        result.fault(std::move(finding));
    }
    return result.finish_or(pass_if_tried(facts, "no RNN call failed"));
}

/// cuDNN rejected the arguments or the set-up of a case that frameworks use.
Verdict rnn_call_rejected(const Facts& facts, const Matrix&) {
    VerdictBuilder result;
    for (const auto& sweep : sweeps(facts)) {
        const Runs runs = runs_with(sweep, RunEnd::rejected);
        if (runs.empty())
            continue;
        result.fault(
            finding_for_supported(facts, sweep, runs, "rejected by", [&](const Runs& required) {
                const RnnRun& first = *required.front();
                return about_cases(
                    facts,
                    sweep,
                    required,
                    name_of(facts, sweep) + " rejects " + count_of(required) + ", first '" +
                        describe(first.rnn_case) + "': " + outcome_of(first),
                    remedy("rnn_call_rejected", {verify_command(facts, first)}));
            }));
    }
    return result.finish_or(pass_if_tried(facts, "cuDNN rejected no case"));
}

/// The tables list required support for LSTMs of this form alone.
static bool is_plain(const RnnCase& c) {
    return c.cell == Cell::lstm && c.projection == 0 && c.clip == 0 &&
           c.input_mode == InputMode::linear && c.bias == BiasMode::both;
}

static Finding unsupported(
    const Facts& facts, const Sweep& sweep, const Runs& runs, const RnnRequiredSupport& row) {
    const RnnRun& first = *runs.front();
    Finding finding = about_cases(
        facts,
        sweep,
        runs,
        name_of(facts, sweep) + " does not support " + count_of(runs) +
            " that it should support, first '" + describe(first.rnn_case) + "'" +
            if_any(": ", if_known(first.result)),
        remedy("rnn_case_unsupported", {verify_command(facts, first)}),
        [](const RnnRun& run) {
            if (!run.result)
                return std::string("not supported");
            return in_words(*run.result);
        });
    finding.evidence.push_back(
        {std::string(row.dtype) + ' ' + row.algorithm + " is supported",
         "since cuDNN " + row.first.text + ", compute capability " + row.capability_min.text,
         row.source.url});
    return finding;
}

/// Each "not supported" against the rows of required support for this cuDNN and
/// GPU; a version outside the tables leaves it open.
static void judge_support(
    const Facts& facts, const Matrix& matrix, const Sweep& sweep, VerdictBuilder& result) {
    const auto version = cudnn_installation(facts, sweep.library).version;
    const Gpu* gpu = gpu_at(facts, sweep.gpu);
    Runs required;
    std::optional<RnnRequiredSupport> first_row;
    for (const RnnRun* run : runs_with(sweep, RunEnd::not_supported)) {
        if (!is_plain(run->rnn_case) || why_unsupported(facts, *run))
            continue;
        if (!version || !gpu || !gpu->compute_capability)
            return result.unknown(
                "the cases that " + name_of(facts, sweep) + " should support are unknown");
        const auto row = matrix.requires_support(
            *version,
            *gpu->compute_capability,
            name_of(run->rnn_case.dtype),
            name_of(run->rnn_case.algorithm));
        if (row)
            required.push_back(run);
        else if (row.coverage != Coverage::silent)
            result.outside(outside_data("cuDNN " + version->text, row.coverage, matrix));
        if (row && !first_row)
            first_row = *row;
    }
    if (!required.empty())
        result.fault(unsupported(facts, sweep, required, *first_row));
}

/// cuDNN returned CUDNN_STATUS_NOT_SUPPORTED for a case that its documentation
/// lists as supported on this GPU. Where nothing is promised it is no fault.
Verdict rnn_case_unsupported(const Facts& facts, const Matrix& matrix) {
    VerdictBuilder result;
    for (const auto& sweep : sweeps(facts))
        judge_support(facts, matrix, sweep, result);
    return result.finish_or(
        pass_if_tried(facts, "cuDNN supports every case that it should support"));
}

/// The call that kept every case of a sweep from being tried; null when none is on record.
static const RnnRun* obstacle(const Sweep& sweep) {
    const auto* found = find_where(sweep.runs, [](const RnnRun* run) {
        return run->end == RunEnd::skipped && run->result && !run->result->ok() &&
               run->result->code != -1;
    });
    if (!found)
        return nullptr;
    return *found;
}

/// A call before the first case failed, so that nothing is known of any case.
static Finding not_tested(const Facts& facts, const Gpu& gpu, const RnnRun& run) {
    const CudnnInstallation installation = cudnn_installation(facts, run.library);
    Remedy fix = on_host(facts, remedy("gpu_not_tested/failed"));
    if (run.result->code == cuda_device_unavailable)
        fix = remedy("gpu_not_tested/busy");
    return {
        .severity = severity_of(installation),
        .subject = subject_of(gpu),
        .gpu = gpu.index,
        .message = "no recurrent network could be run on " + subject_of(gpu) + " with " +
                   name_of(installation) + ": " + in_words(*run.result),
        .evidence = {evidence_of(facts, run, in_words(*run.result))},
        .remedies = {std::move(fix)},
        .symptoms = {place_of(facts, run)},
    };
}

/// How the probe of this GPU ended, where it did not go well; else what the request leaves out.
static std::string why_not(const Facts& facts, const Gpu& gpu) {
    for (const ProbeRun* run : runs_of(facts, "rnn_forward"))
        if (gpu_of_target(run->target) == gpu.index && !run->completed())
            return "the probe " + ending_of(*run);
    for (const auto& run : facts.rnn_runs)
        if (run.gpu == gpu.index && run.result)
            return escaped(run.result->text, 200);
    if (facts.rnn_request)
        return "no cuDNN installation matches the request, or the requested RNN API cannot "
               "express the case";
    return "the reason is unknown";
}

/// The GPUs on which not every case was run, by the reason.
using NotRun = std::map<std::string, std::vector<int>>;

/// A fault where one call kept all cases from being run; where some ran, the
/// reason for the others is collected over the GPUs.
static void judge_sweep(
    const Facts& facts,
    const Gpu& gpu,
    const Sweep& sweep,
    VerdictBuilder& result,
    NotRun& not_run) {
    const std::size_t skipped = runs_with(sweep, RunEnd::skipped).size();
    if (skipped == 0)
        return result.passed("every case was run on every GPU");
    const RnnRun* run = nullptr;
    if (skipped == sweep.runs.size())
        run = obstacle(sweep);
    if (!run)
        return not_run[why_not(facts, gpu)].push_back(gpu.index);
    result.fault(not_tested(facts, gpu, *run));
}

/// Why the test kernel does not run on this GPU or returns incorrect results: no recurrent network
/// can work there.
static std::optional<std::string> kernel_fails(const Facts& facts, int gpu) {
    for (const KernelRun& run : facts.kernel_runs) {
        if (run.gpu != gpu)
            continue;
        if (run.result && !run.result->ok())
            return gpu_subject(facts, gpu) + " cannot run a test kernel";
        if (run.correct == false)
            return gpu_subject(facts, gpu) + " returns incorrect results from a test kernel";
    }
    for (const ProbeRun* run : runs_of(facts, "ptx_launch"))
        if (gpu_of_target(run->target) == gpu && was_cut_short(*run))
            return "a test kernel on " + gpu_subject(facts, gpu) + " did not finish";
    return std::nullopt;
}

/// Silent where the test kernel failed: kernel_launch_failed reports that.
static void judge_whether_tested(
    const Facts& facts, const Gpu& gpu, VerdictBuilder& result, NotRun& not_run) {
    if (const auto cause = kernel_fails(facts, gpu.index))
        return result.block_pass(*cause);
    bool any = false;
    for (const Sweep& sweep : sweeps(facts)) {
        if (sweep.gpu != gpu.index)
            continue;
        any = true;
        judge_sweep(facts, gpu, sweep, result, not_run);
    }
    if (!any)
        not_run[why_not(facts, gpu)].push_back(gpu.index);
}

/// Not every recurrent network was run on every GPU, so a pass of the other
/// rules would promise too much.
Verdict gpu_not_tested(const Facts& facts, const Matrix&) {
    if (nodes_created_lazily(facts))
        return undecided(
            "device nodes are missing until the first CUDA program creates them: run rnncheck "
            "doctor --make-nodes");
    if (const auto verdict = without_gpu(facts))
        return *verdict;
    if (std::ranges::none_of(
            facts.cudnns, [](const Cudnn& cudnn) { return cudnn.rnn_usable.value_or(false); }))
        return pass_if_tried(facts, "", "whether cuDNN's RNN API works is unknown");
    VerdictBuilder result;
    NotRun not_run;
    for (const auto& gpu : facts.cuda_devices)
        if (!facts.rnn_request || facts.rnn_request->gpu.value_or(gpu.index) == gpu.index)
            judge_whether_tested(facts, gpu, result, not_run);
    std::vector<std::string> reasons;
    for (auto& [why, gpus] : not_run) {
        gpus.erase(std::unique(gpus.begin(), gpus.end()), gpus.end());
        reasons.push_back("not every case was run on " + gpus_in_words(gpus) + ": " + why);
    }
    if (!reasons.empty())
        result.unknown(join(reasons, "; "));
    if (facts.rnn_request && facts.rnn_request->gpu && !gpu_at(facts, *facts.rnn_request->gpu))
        result.unknown("there is no GPU " + std::to_string(*facts.rnn_request->gpu));
    return result.finish();
}

}  // namespace rnncheck::rules
