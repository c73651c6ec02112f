// Recurrent networks that were not run, or did not run to the end.
#include <map>

#include "report/sweep.hpp"
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/cases.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules {

static Runs refusals(const Sweep& sweep) {
    Runs runs;
    for (const RnnRun* run : sweep.runs)
        if (const CallResult* obstacle = obstacle_of(*run); obstacle && obstacle->call == "cudnnCreate")
            runs.push_back(run);
    return runs;
}

/// What NVIDIA says that the status means, which differs between majors.
static std::optional<Evidence> meaning(const Facts& facts, const Matrix& matrix, const RnnRun& run) {
    const int major = cudnn_copy(facts, run.library).major;
    const auto row = matrix.status("cudnn", major, run.result->code);
    if (major == 0 || !row) return std::nullopt;
    return Evidence{row->name + " in cuDNN " + std::to_string(major), row->meaning, row->source.url};
}

static Finding without_handle(const Facts& facts, const Matrix& matrix, const Sweep& sweep, const Runs& runs) {
    const RnnRun& run = *runs.front();
    Finding finding;
    finding.symptoms = places_of(facts, runs);
    finding.subject = subject_of(facts, sweep);
    finding.message = "cuDNN cannot create a handle on " + gpu_subject(facts, sweep.gpu) + ": " +
                      in_words(*run.result) + ", " + name_of(cudnn_copy(facts, sweep.library));
    finding.evidence = {evidence_of(facts, run, in_words(*run.result))};
    if (const auto row = meaning(facts, matrix, run)) finding.evidence.push_back(*row);
    const Gpu* gpu = gpu_at(facts, sweep.gpu);
    const Board* board = gpu ? board_of(facts, *gpu) : nullptr;
    if (board && board->memory_free_mib)
        finding.evidence.push_back(
            {"free GPU memory", free_of_total(*board), board_fact(facts, *board, "memory_free_mib")});
    finding.remedies = {remedy("cudnn_handle_refused")};
    return finding;
}

/// cuDNN loads, but cannot create a handle on a GPU: nothing can be computed there.
Verdict cudnn_handle_refused(const Facts& facts, const Matrix& matrix) {
    VerdictBuilder answers;
    for (const auto& sweep : sweeps(facts)) {
        const Runs runs = refusals(sweep);
        if (!runs.empty())
            answers.fault(without_handle(facts, matrix, sweep, runs));
        else if (!failures_are_known(facts, sweep.library))
            answers.unknown("some cases did not run on " + gpu_subject(facts, sweep.gpu) + " for an unknown reason");
    }
    return answers.close_or(pass_if_tried(facts, "cuDNN created a handle"));
}

/// The processes that these cases terminated, of which each restart of the probe may end in another case: why they
/// hung, and what the libraries printed at their end.
static void add_processes(const Facts& facts, const Runs& runs, Finding& finding) {
    for (const ProbeRun* process : runs_of(facts, "rnn_forward")) {
        if (std::ranges::none_of(runs, [&](const RnnRun* run) { return ended_in(*process, *run); })) continue;
        const std::string place = place_of(facts, *process);
        finding.explains.push_back(place);
        if (const std::string cause = cause_of_hang(facts, *process); !contains(finding.message, cause))
            finding.message += "; " + cause;
        append(finding.evidence, evidence_of_hang(facts, *process));
        if (process->output_tail)
            finding.evidence.push_back({"its last output", *process->output_tail, place + ".output_tail"});
    }
}

static Finding failed(const Facts& facts, const Sweep& sweep, const Runs& runs) {
    const RnnRun& first = *runs.front();
    Finding finding;
    finding.subject = subject_of(facts, sweep);
    finding.symptoms = places_of(facts, runs);
    finding.message = pluralized(runs.size(), "RNN case", "RNN cases") + " of " + std::to_string(sweep.runs.size()) +
                      " failed on " + name_of(facts, sweep) + ", first '" + describe(first.rnn_case) +
                      "': " + in_words(first.result);
    add_cases(facts, runs, finding);
    finding.remedies = {on_host(facts, remedy("rnn_call_failed", {verify_command(facts, first)}))};
    return finding;
}

/// A call for a recurrent network failed, or its process died in it.
Verdict rnn_call_failed(const Facts& facts, const Matrix&) {
    VerdictBuilder answers;
    for (const auto& sweep : sweeps(facts)) {
        const Runs runs = runs_with(sweep, RunEnd::failed);
        if (!runs_with(sweep, RunEnd::out_of_memory).empty()) answers.no_pass("the GPU ran out of memory");
        if (runs.empty()) continue;
        Finding finding = about_cases(facts, sweep, runs, "failed on", failed);
        add_processes(facts, runs, finding);
        answers.fault(std::move(finding));
    }
    return answers.close_or(pass_if_tried(facts, "no RNN call failed"));
}

static Finding rejected_cases(const Facts& facts, const Sweep& sweep, const Runs& runs) {
    const RnnRun& first = *runs.front();
    Finding finding;
    finding.subject = subject_of(facts, sweep);
    finding.symptoms = places_of(facts, runs);
    finding.message = name_of(facts, sweep) + " rejects " + pluralized(runs.size(), "RNN case", "RNN cases") +
                      ", first '" + describe(first.rnn_case) + "': " + in_words(first.result);
    add_cases(facts, runs, finding);
    finding.remedies = {remedy("rnn_call_refused", {verify_command(facts, first)})};
    return finding;
}

/// cuDNN refused the arguments or the set-up of a case that frameworks use.
Verdict rnn_call_refused(const Facts& facts, const Matrix&) {
    VerdictBuilder answers;
    for (const auto& sweep : sweeps(facts)) {
        const Runs runs = runs_with(sweep, RunEnd::rejected);
        if (!runs.empty()) answers.fault(about_cases(facts, sweep, runs, "rejected by", rejected_cases));
    }
    return answers.close_or(pass_if_tried(facts, "cuDNN rejected no case"));
}

/// The tables list support for LSTMs of this form alone.
static bool is_plain(const RnnCase& c) {
    return c.cell == Cell::lstm && c.projection == 0 && c.clip == 0 && c.input_mode == InputMode::linear &&
           c.bias == BiasMode::both;
}

static Finding unsupported(const Facts& facts, const Sweep& sweep, const Runs& runs, const RnnRequiredSupport& row) {
    const RnnRun& first = *runs.front();
    const std::string reason = first.result ? ": " + in_words(*first.result) : "";
    Finding finding;
    finding.subject = subject_of(facts, sweep);
    finding.symptoms = places_of(facts, runs);
    finding.message = name_of(facts, sweep) + " does not support " + pluralized(runs.size(), "RNN case", "RNN cases") +
                      " that it should support, first '" + describe(first.rnn_case) + "'" + reason;
    add_cases(facts, runs, finding,
              [](const RnnRun& run) { return run.result ? in_words(*run.result) : "not supported"; });
    finding.evidence.push_back({std::string(row.dtype) + ' ' + row.algorithm + " is supported",
                                "since cuDNN " + row.first.text + ", compute capability " + row.capability_min.text,
                                row.source.url});
    finding.remedies = {remedy("rnn_case_not_offered", {verify_command(facts, first)})};
    return finding;
}

static void judge_support(const Facts& facts, const Matrix& matrix, const Sweep& sweep, VerdictBuilder& answers) {
    const auto version = cudnn_copy(facts, sweep.library).version;
    const Gpu* gpu = gpu_at(facts, sweep.gpu);
    Runs owed;
    std::optional<RnnRequiredSupport> first_row;
    for (const RnnRun* run : runs_with(sweep, RunEnd::not_supported)) {
        if (!is_plain(run->rnn_case) || not_promised(facts, *run)) continue;
        if (!version || !gpu || !gpu->compute_capability)
            return answers.unknown("the cases that " + name_of(facts, sweep) + " should support are unknown");
        const auto row = matrix.requires_support(*version, *gpu->compute_capability, name_of(run->rnn_case.dtype),
                                                 name_of(run->rnn_case.algorithm));
        if (row)
            owed.push_back(run);
        else if (row.coverage != Coverage::silent)
            answers.outside(outside_data("cuDNN " + version->text, row.coverage, matrix));
        if (row && !first_row) first_row = *row;
    }
    if (!owed.empty()) answers.fault(unsupported(facts, sweep, owed, *first_row));
}

/// cuDNN says that it does not support a case which this version must support on this GPU.
Verdict rnn_case_not_offered(const Facts& facts, const Matrix& matrix) {
    VerdictBuilder answers;
    for (const auto& sweep : sweeps(facts)) judge_support(facts, matrix, sweep, answers);
    return answers.close_or(pass_if_tried(facts, "cuDNN supports every case that it should support"));
}

static bool has_working_cudnn(const Facts& facts) {
    return std::ranges::any_of(facts.cudnns, [](const Cudnn& cudnn) { return cudnn.rnn_usable.value_or(false); });
}

/// The call that kept every case of a sweep from being tried; null when none is on record.
static const RnnRun* obstacle(const Sweep& sweep) {
    for (const RnnRun* run : sweep.runs)
        if (run->end == RunEnd::skipped && run->result && !run->result->ok() && run->result->code != -1) return run;
    return nullptr;
}

/// What helps against the call that failed.
static Remedy remedy_for(const Facts& facts, const CallResult& call) {
    if (call.code == cuda_device_unavailable) return remedy("gpu_not_tested/busy");
    return on_host(facts, remedy("gpu_not_tested/failed"));
}

static Finding not_tested(const Facts& facts, const Gpu& gpu, const RnnRun& run) {
    return {.subject = subject_of(gpu),
            .message = "no recurrent network could be run on " + subject_of(gpu) + " with " +
                       name_of(cudnn_copy(facts, run.library)) + ": " + in_words(*run.result),
            .evidence = {evidence_of(facts, run, in_words(*run.result))},
            .remedies = {remedy_for(facts, *run.result)},
            .symptoms = {place_of(facts, run)}};
}

/// How the probe of this GPU ended, where it did not go well; else what the request leaves out.
static std::string why_not(const Facts& facts, const Gpu& gpu) {
    for (const ProbeRun* run : runs_of(facts, "rnn_forward"))
        if (gpu_of_target(run->target) == gpu.index && !run->completed()) return "the probe " + ending_of(*run);
    for (const auto& run : facts.rnn_runs)
        if (run.gpu == gpu.index && run.result) return escaped(run.result->text, 200);
    if (facts.rnn_request)
        return "no cuDNN installation matches the request, or the requested interface cannot express the case";
    return "the reason is unknown";
}

static bool is_requested(const Facts& facts, const Gpu& gpu) {
    return !facts.rnn_request || facts.rnn_request->gpu.value_or(gpu.index) == gpu.index;
}

/// The GPUs on which not every case was run, by the reason.
using NotRun = std::map<std::string, std::vector<int>>;

static void judge_sweep(const Facts& facts, const Gpu& gpu, const Sweep& sweep, VerdictBuilder& answers,
                        NotRun& not_run) {
    const std::size_t skipped = runs_with(sweep, RunEnd::skipped).size();
    if (skipped == 0) return answers.passed("every case was run on every GPU");
    const RnnRun* run = skipped < sweep.runs.size() ? nullptr : obstacle(sweep);
    if (!run) return not_run[why_not(facts, gpu)].push_back(gpu.index);
    Finding finding = not_tested(facts, gpu, *run);
    finding.severity = severity_of(cudnn_copy(facts, sweep.library));
    answers.fault(std::move(finding));
}

/// Why the test kernel does not run on this GPU or returns incorrect results: no recurrent network can work there.
static std::optional<std::string> kernel_fails(const Facts& facts, int gpu) {
    for (const KernelRun& run : facts.kernel_runs) {
        if (run.gpu != gpu) continue;
        if (run.result && !run.result->ok()) return gpu_subject(facts, gpu) + " cannot run a test kernel";
        if (run.correct == false) return gpu_subject(facts, gpu) + " returns incorrect results from a test kernel";
    }
    for (const ProbeRun* run : runs_of(facts, "ptx_launch"))
        if (gpu_of_target(run->target) == gpu && was_cut_short(*run))
            return "a test kernel on " + gpu_subject(facts, gpu) + " did not finish";
    return std::nullopt;
}

static void judge_whether_tested(const Facts& facts, const Gpu& gpu, VerdictBuilder& answers, NotRun& not_run) {
    if (const auto cause = kernel_fails(facts, gpu.index)) return answers.no_pass(*cause);
    bool any = false;
    for (const Sweep& sweep : sweeps(facts)) {
        if (sweep.gpu != gpu.index) continue;
        any = true;
        judge_sweep(facts, gpu, sweep, answers, not_run);
    }
    if (!any) not_run[why_not(facts, gpu)].push_back(gpu.index);
}

/// A GPU answers and a cuDNN is there for it, yet no recurrent network was tried on it.
Verdict gpu_not_tested(const Facts& facts, const Matrix&) {
    if (nodes_made_on_demand(facts))
        return undecided(
            "device nodes are missing until the first CUDA program creates them: run rnncheck doctor --make-nodes");
    if (const auto verdict = without_gpu(facts)) return *verdict;
    if (!has_working_cudnn(facts)) {
        const Verdict otherwise = pass_if_tried(facts, "recurrent networks were run");
        return otherwise.outcome == Outcome::pass ? undecided("whether cuDNN's RNN API works is unknown") : otherwise;
    }
    VerdictBuilder answers;
    NotRun not_run;
    for (const auto& gpu : facts.cuda_devices)
        if (is_requested(facts, gpu)) judge_whether_tested(facts, gpu, answers, not_run);
    std::vector<std::string> reasons;
    for (auto& [why, gpus] : not_run) {
        gpus.erase(std::unique(gpus.begin(), gpus.end()), gpus.end());
        reasons.push_back("not every case was run on " + gpus_in_words(gpus) + ": " + why);
    }
    if (!reasons.empty()) answers.unknown(join(reasons, "; "));
    if (facts.rnn_request && facts.rnn_request->gpu && !gpu_at(facts, *facts.rnn_request->gpu))
        answers.unknown("there is no GPU " + std::to_string(*facts.rnn_request->gpu));
    return answers.close();
}

}  // namespace rnncheck::rules
