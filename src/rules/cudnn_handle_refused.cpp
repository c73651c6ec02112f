// cuDNN loads, but cannot create a handle on a GPU: nothing can be computed there.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules::cudnn_handle_refused {

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

static Finding rejected(const Facts& facts, const Matrix& matrix, const Sweep& sweep, const Runs& runs) {
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
    finding.remedies = {{.action = Action::investigate,
                         .text = "Check that the GPU has free memory and that the driver supports this cuDNN's CUDA "
                                 "version; in frameworks, prevent the program from allocating all memory first",
                         .commands = {"nvidia-smi", "export TF_FORCE_GPU_ALLOW_GROWTH=true"},
                         .link = "https://github.com/tensorflow/tensorflow/issues/24496"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    VerdictBuilder answers;
    for (const auto& sweep : sweeps(facts)) {
        const Runs runs = refusals(sweep);
        if (!runs.empty())
            answers.fault(rejected(facts, matrix, sweep, runs));
        else if (!failures_are_known(facts, sweep.library))
            answers.unknown("some cases did not run on " + gpu_subject(facts, sweep.gpu) + " for an unknown reason");
    }
    return answers.close_or(pass_if_tried(facts, "cuDNN created a handle"));
}

extern const Rule rule{.title = "cuDNN cannot create a handle on a GPU",
                       .layer = Layer::cudnn,
                       .stage = Stage::run,
                       .check = check,
                       .yields_to = causes_of_failed_cases()};

}  // namespace rnncheck::rules::cudnn_handle_refused
