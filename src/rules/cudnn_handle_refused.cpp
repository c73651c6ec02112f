// cuDNN loads, but cannot create a handle on a GPU: nothing can be computed there.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/board_support.hpp"
#include "rules/support/rnn_support.hpp"

namespace rnncheck::rules::cudnn_handle_refused {

static const RnnRun* refusal(const Sweep& sweep) {
    for (const RnnRun* run : sweep.runs)
        if (const CallResult* obstacle = obstacle_of(*run); obstacle && obstacle->call == "cudnnCreate") return run;
    return nullptr;
}

/// What NVIDIA says that the status means, which differs between majors.
static std::optional<Evidence> meaning(const Facts& facts, const Matrix& matrix, const RnnRun& run) {
    const int major = cudnn_copy(facts, run.library).major;
    const auto row = matrix.status("cudnn", major, run.result->code);
    if (major == 0 || !row) return std::nullopt;
    return Evidence{row->name + " in cuDNN " + std::to_string(major), row->meaning, row->source.url};
}

static Finding refused(const Facts& facts, const Matrix& matrix, const Sweep& sweep, const RnnRun& run) {
    Finding finding;
    finding.subject = subject_of(facts, sweep);
    finding.message = "cuDNN cannot create a handle on " + gpu_subject(facts, sweep.gpu) + ": " + told(*run.result) +
                      ", " + name_of(cudnn_copy(facts, sweep.library));
    finding.evidence = {evidence_of(facts, run, told(*run.result))};
    if (const auto row = meaning(facts, matrix, run)) finding.evidence.push_back(*row);
    const Gpu* gpu = gpu_at(facts, sweep.gpu);
    const Board* board = gpu ? board_of(facts, *gpu) : nullptr;
    if (board && board->memory_free_mib)
        finding.evidence.push_back(
            {"free GPU memory", free_of_total(*board), board_fact(facts, *board, "memory_free_mib")});
    finding.remedies = {{.text = "Check that the GPU has free memory and that the driver supports this cuDNN's CUDA "
                                 "version; in frameworks, prevent the program from allocating all memory first",
                         .commands = {"nvidia-smi", "export TF_FORCE_GPU_ALLOW_GROWTH=true"},
                         .verify = "rnncheck doctor --only cudnn_handle_refused",
                         .link = "https://github.com/tensorflow/tensorflow/issues/24496"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    Answers answers;
    for (const auto& sweep : sweeps(facts)) {
        const RnnRun* run = refusal(sweep);
        const auto cause = run ? explained_elsewhere(facts, sweep.gpu, sweep.library, *run->result) : std::nullopt;
        if (cause)
            answers.told_elsewhere(*cause);
        else if (run)
            answers.fault(refused(facts, matrix, sweep, *run));
        else if (!failures_are_known(facts, sweep.library))
            answers.unknown("some cases did not run on " + gpu_subject(facts, sweep.gpu) + " for an unknown reason");
    }
    return answers.close_or(pass_if_tried(facts, "cuDNN created a handle"));
}

extern const Rule rule{.title = "cuDNN cannot create a handle on a GPU",
                       .layer = Layer::cudnn,
                       .worst = Severity::error,
                       .needs = Stage::run,
                       .check = check};

}  // namespace rnncheck::rules::cudnn_handle_refused
