// The shortest way through driver, compiler and hardware does not work: a test kernel.
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules::kernel_launch_failed {

static Finding failed(const Facts& facts, const KernelRun& run) {
    const bool computed = !run.result || run.result->ok();
    const std::string place = place_of(facts, run);
    return {
        .subject = gpu_subject(facts, run.gpu),
        .message = computed ? gpu_subject(facts, run.gpu) + " returned incorrect results from a test kernel"
                            : gpu_subject(facts, run.gpu) + " cannot run a test kernel: " + in_words(*run.result),
        .evidence = {{"call", if_known(run.result), place + ".result"},
                     {"correct",
                      !run.correct   ? ""
                      : *run.correct ? "yes"
                                     : "no",
                      place + ".correct"}},
        .remedies = {on_host(
            facts,
            {.action = Action::investigate,
             .text = computed ? "The driver reported success, so the GPU itself is at fault: check the kernel log "
                                "for Xid messages, use another GPU, and replace this one if it happens again"
                              : "Check the kernel log for the driver's Xid messages about the failed call, and stop "
                                "other programs on this GPU. If it fails again, reboot, then update the driver to one "
                                "that still supports the GPU",
             .commands = {"sudo dmesg | grep -i -E 'nvrm|xid'"},
             .risk = Risk::needs_root,
             .link = "https://docs.nvidia.com/deploy/xid-errors/index.html"})},
        .symptoms = {place},
        .explains = places_on(facts, run.gpu)};
}

static void judge(const Facts& facts, const KernelRun& run, VerdictBuilder& answers) {
    if ((run.result && !run.result->ok()) || run.correct == false) return answers.fault(failed(facts, run));
    if (!run.result || !run.correct)
        return answers.unknown("the result of the test kernel on " + gpu_subject(facts, run.gpu) + " is unknown");
    answers.passed("a test kernel returned correct results on every GPU");
}

static Verdict check(const Facts& facts, const Matrix&) {
    VerdictBuilder answers;
    for (const auto& run : facts.kernel_runs) judge(facts, run, answers);
    for (const auto& gpu : facts.cuda_devices)
        if (std::ranges::find(facts.kernel_runs, gpu.index, &KernelRun::gpu) == facts.kernel_runs.end())
            answers.unknown("no test kernel was run on " + subject_of(gpu));
    const auto nothing_there = without_gpu(facts);
    return facts.kernel_runs.empty() && nothing_there ? *nothing_there : answers.close();
}

extern const Rule rule{.title = "A GPU fails to run a test kernel",
                       .layer = Layer::gpu,
                       .stage = Stage::run,
                       .check = check,
                       .yields_to = causes_of_failed_calls()};

}  // namespace rnncheck::rules::kernel_launch_failed
