// A GPU's compute capability against the code that CUDA, cuDNN and frameworks hold.
#include "base/if_any.hpp"
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules {

/// One runtime, cuDNN installation or framework against one GPU.
struct CompatibilityCheck {
    std::string thing;  ///< "cuDNN 9.19.0 at ..."
    stack::Compatibility suits = {};
    Severity severity = Severity::error;
    bool shown = false;     ///< that it works was seen, not looked up: networks ran
    bool unusable = false;  ///< it never responded, which another rule reports
};

static stack::Compatibility unknown(std::string why, bool outside = false) {
    return {.fit = Fit::unknown, .why = std::move(why), .outside = outside};
}

/// Whether every case passed on this GPU with one of those that `is_one` picks.
template <class IsOne>
static bool cases_passed(const Facts& facts, int gpu, IsOne&& is_one) {
    return std::ranges::any_of(facts.cudnns, [&](const Cudnn& cudnn) {
        return is_one(cudnn) && all_cases_passed(facts, cudnn.library, gpu);
    });
}

/// The first evidence is about the copy that was found.
static stack::Compatibility of_copy(stack::Compatibility suits, const std::string& thing) {
    if (!suits.evidence.empty())
        suits.evidence.front().what = thing;
    if (suits.fit == Fit::works)
        suits.evidence.clear();
    return suits;
}

static CompatibilityCheck against_runtime(
    const Facts& facts, const Matrix& matrix, const Gpu& gpu, const Runtime& runtime) {
    CompatibilityCheck compared{
        "CUDA " + if_any("", runtime.version, " ") + "at " + runtime.library};
    // Networks that run there show that programs have another runtime to take.
    const bool others_work = cases_passed(facts, gpu.index, [](const Cudnn&) { return true; });
    // cuDNN uses the code of the runtime and of cuBLAS of its CUDA major.
    const auto uses_it = [&](const Cudnn& cudnn) {
        return cudnn.built_for_cuda && cudnn.built_for_cuda->major() == runtime.version->major();
    };
    if (others_work || !is_first_choice(facts, LibraryKind::cudart, runtime.library))
        compared.severity = Severity::warning;
    if (!runtime.version && !runtime.failure)
        compared.suits = unknown("the version of " + compared.thing + " is unknown");
    else if (!runtime.version)
        compared.unusable = true;
    else if (cases_passed(facts, gpu.index, uses_it))
        compared.shown = true;
    else if (!gpu.compute_capability)
        compared.suits = unknown("the compute capability of " + subject_of(gpu) + " is unknown");
    else
        compared.suits = of_copy(
            stack::cuda_on_gpu(*runtime.version, *gpu.compute_capability, matrix), compared.thing);
    return compared;
}

/// The newest GPU that a library itself reports takes precedence over the table.
static stack::Compatibility by_build(
    const Matrix& matrix,
    const Version& capability,
    const CudnnInstallation& installation,
    const std::string& thing) {
    const Cudnn& answer = *installation.answer;
    CudnnBuild build;
    build.cudnn = answer.version.value_or(make_version({installation.major}));
    if (answer.built_for_cuda)
        build.cuda_major = answer.built_for_cuda->major();
    const auto row = matrix.cudnn_build(build.cudnn, build.cuda_major);
    if (row)
        build = *row;
    // As cudnnGetMaxDeviceVersion returned it: a newer GPU has no code in this
    // cuDNN.
    if (answer.newest_capability) {
        build.capability_max = *answer.newest_capability;
        auto suits = stack::cudnn_on_gpu(build, capability);
        if (suits.fit != Fit::works && suits.gpu_is_newer) {
            suits.evidence.front().source = "cudnns";
            return suits;
        }
    }
    if (!answer.version || !answer.built_for_cuda)
        return unknown(thing + " did not report its version and CUDA version");
    if (!row)
        return unknown(
            outside_data(
                "cuDNN " + answer.version->text + " built for CUDA " + answer.built_for_cuda->text,
                row.coverage,
                matrix),
            true);
    const auto suits = stack::cudnn_on_gpu(build, capability);
    const bool too_old = suits.fit == Fit::does_not_work && !suits.gpu_is_newer;
    // From 8.6 on cuDNN has that function; where it returned nothing, the table
    // is not enough to conclude that there is code.
    if (!too_old && *answer.version >= make_version({8, 6, 0}) && !answer.newest_capability)
        return unknown(thing + " did not report the newest GPU it supports");
    return suits;
}

/// The result shows that there is no code for this GPU: CUDA's 209 or cuDNN's ARCH_MISMATCH.
static bool is_arch_mismatch(int cudnn_major, const CallResult& result) {
    if (result.call.starts_with("cudnn"))
        // CUDNN_STATUS_ARCH_MISMATCH is 6 up to cuDNN 8 and 3007 since 9
        // (cudnn.h).
        return (cudnn_major >= 9 && result.code == 3007) ||
               (cudnn_major > 0 && cudnn_major < 9 && result.code == 6) ||
               contains(result.text, "ARCH_MISMATCH");
    return result.call.starts_with("cu") &&
           (result.code == 209 || contains(result.text, "NO_BINARY_FOR_GPU"));
}

/// A call of the case returned that there is no code for this GPU.
static bool found_no_code(const Facts& facts, int gpu, const RnnRun& run) {
    if (run.gpu != gpu)
        return false;
    const CallResult* obstacle = obstacle_of(run);
    return obstacle && is_arch_mismatch(cudnn_installation(facts, run.library).major, *obstacle);
}

/// The places of all that found no code for the GPU.
static std::vector<std::string> arch_mismatches_on(const Facts& facts, int gpu) {
    std::vector<std::string> places;
    for (const KernelRun& run : facts.kernel_runs)
        if (run.gpu == gpu && run.result && is_arch_mismatch(0, *run.result))
            places.push_back(place_of(facts, run));
    for (const RnnRun& run : facts.rnn_runs)
        if (found_no_code(facts, gpu, run))
            places.push_back(place_of(facts, run));
    return places;
}

/// What ran decides: networks that passed with this version, or a call that
/// found no code. Only without either do the library's own code and the tables
/// count.
static CompatibilityCheck against_cudnn(
    const Facts& facts,
    const Matrix& matrix,
    const Gpu& gpu,
    const CudnnInstallation& installation) {
    CompatibilityCheck compared{
        .thing = name_of(installation),
        .severity = severity_of(installation),
    };
    // The same version for the same CUDA, here or in another place.
    const Cudnn& own = *installation.answer;
    compared.shown = cases_passed(facts, gpu.index, [&](const Cudnn& other) {
        return other.library == own.library ||
               (own.version && other.version == own.version && own.built_for_cuda &&
                other.built_for_cuda == own.built_for_cuda);
    });
    if (compared.shown)
        return compared;
    const RnnRun* mismatch = find_where(facts.rnn_runs, [&](const RnnRun& run) {
        return run.library == installation.path && found_no_code(facts, gpu.index, run);
    });
    // A cuDNN that never responded has no version to look up.
    compared.unusable = only_failed(installation) && !mismatch;
    auto& suits = compared.suits;
    if (!only_failed(installation) && gpu.compute_capability)
        suits = of_copy(
            by_build(matrix, *gpu.compute_capability, installation, compared.thing),
            compared.thing);
    else if (!only_failed(installation))
        suits = unknown("the compute capability of " + subject_of(gpu) + " is unknown");
    if (mismatch) {
        suits.gpu_is_newer |= suits.fit != Fit::does_not_work;
        suits.fit = Fit::does_not_work;
        suits.outside = false;
        suits.evidence.push_back(evidence_of(facts, *mismatch, in_words(*mismatch->result)));
    } else if (
        suits.fit == Fit::works && !compared.unusable &&
        !failures_are_known(facts, installation.path)) {
        suits = unknown("a case failed with " + compared.thing + " for an unknown reason");
    }
    return compared;
}

/// The test kernel is PTX, which any driver that knows the GPU compiles for it.
static void add_test_kernel(
    const Facts& facts, const Gpu& gpu, std::vector<CompatibilityCheck>& all) {
    const std::string thing = "the test kernel";
    for (const auto& run : facts.kernel_runs) {
        if (run.gpu != gpu.index || run.correct.value_or(false))
            continue;
        if (!run.result)
            all.push_back({thing, unknown("the result of the test kernel is unknown")});
        else if (is_arch_mismatch(0, *run.result))
            all.push_back(
                {thing,
                 {
                     .fit = Fit::does_not_work,
                     .evidence = {{thing, in_words(*run.result), "kernel_runs"}},
                     .gpu_is_newer = true,
                 }});
    }
}

/// An installed one, by the targets that its files or the tables show. The libraries that it gets
/// are judged by themselves; where those of its own CUDA would have nothing for the GPU, newer ones
/// may be installed.
static CompatibilityCheck against_framework(
    const Facts& facts, const Matrix& matrix, const Gpu& gpu, const Framework& framework) {
    const std::string thing = words_of(framework);
    if (!gpu.compute_capability)
        return {thing, unknown("the compute capability of " + subject_of(gpu) + " is unknown")};
    FrameworkBuild build;
    build.targets = framework.targets.value_or("");
    build.cuda = framework.cuda;
    CompatibilityCheck compared{
        thing, stack::build_on_gpu(build, *gpu.compute_capability, driver_of(facts), matrix)};
    auto& suits = compared.suits;
    if (suits.fit == Fit::unknown)
        suits.why = "the GPUs that " + thing + " has code for are unknown";
    const bool only_ptx =
        stack::code_on_gpu(build.targets, *gpu.compute_capability).fit == Fit::compiles_first;
    if (only_ptx)
        compared.severity = Severity::note;
    if (only_ptx && suits.fit == Fit::does_not_work)
        compared.severity = Severity::warning;
    for (Evidence& evidence : suits.evidence)
        if (evidence.source.empty())
            evidence = {thing, evidence.value, framework.evidence.value_or("frameworks")};
    return compared;
}

/// An installed framework with CUDA, of which it is known for which GPUs it has code, or should be.
static bool has_code_to_compare(
    const Facts& facts, const Matrix& matrix, const Framework& framework) {
    if (framework.requested)
        return false;
    if (framework.targets)
        return framework.uses_cuda.value_or(true);
    return framework.uses_cuda.value_or(false) &&
           !builds_of(facts, matrix, framework).with_cuda.empty();
}

/// Everything here that holds code for GPUs, against one of them.
static std::vector<CompatibilityCheck> compare(
    const Facts& facts, const Matrix& matrix, const Gpu& gpu) {
    std::vector<CompatibilityCheck> all;
    for (const auto& runtime : facts.runtimes)
        if (!is_shadowed(facts, runtime.library))
            all.push_back(against_runtime(facts, matrix, gpu, runtime));
    for (const auto& installation : cudnn_installations(facts))
        if (installation.answer)
            all.push_back(against_cudnn(facts, matrix, gpu, installation));
    for (const Framework& framework : judged_frameworks(facts, matrix))
        if (has_code_to_compare(facts, matrix, framework))
            all.push_back(against_framework(facts, matrix, gpu, framework));
    add_test_kernel(facts, gpu, all);
    return all;
}

/// PTX code that has to be compiled first counts too: it lacks machine code.
static bool is_misfit(const CompatibilityCheck& compared, bool gpu_is_newer) {
    const Fit fit = compared.suits.fit;
    return (fit == Fit::does_not_work || fit == Fit::compiles_first) &&
           compared.suits.gpu_is_newer == gpu_is_newer;
}

/// The newest cuDNN that the tables name for this GPU, of the newest CUDA there is for it.
static std::vector<Remedy> for_older(const Gpu& gpu, const Matrix& matrix) {
    const CudnnBuild* newest = nullptr;
    for (const CudnnBuild& build : matrix.cudnn_builds())
        if (gpu.compute_capability && *gpu.compute_capability >= build.capability_min &&
            (!newest || std::pair(newest->last(), newest->cuda_major) <
                            std::pair(build.last(), build.cuda_major)))
            newest = &build;
    if (!newest)
        return {};
    return {remedy(
        "gpu_too_old/last_cudnn",
        {std::to_string(newest->cuda_major), newest->last().text, newest->source.url},
        pip_commands_for(*newest))};
}

/// All that does not fit one GPU is one finding, as severe as the worst of it.
/// It explains the calls that found no code.
static Finding about(
    const Facts& facts,
    const Matrix& matrix,
    const Gpu& gpu,
    const std::vector<CompatibilityCheck>& all,
    bool gpu_is_newer) {
    const std::string capability = if_known(gpu.compute_capability);
    std::string shown = capability;
    if (capability.empty())
        shown = "unknown";
    Finding finding = {
        .severity = Severity::note,
        .subject = subject_of(gpu),
        .part = part_of(gpu),
        .gpu = gpu.index,
        .evidence = {{"compute capability", shown, place_of(facts, gpu) + ".compute_capability"}},
        .explains = arch_mismatches_on(facts, gpu.index),
    };
    std::vector<std::string> things;
    for (const auto& compared : all) {
        if (!is_misfit(compared, gpu_is_newer))
            continue;
        things.push_back(compared.thing);
        Severity severity = compared.severity;
        if (compared.suits.fit == Fit::compiles_first)
            severity = std::max(severity, Severity::warning);
        finding.severity = std::min(finding.severity, severity);
        append(finding.evidence, compared.suits.evidence);
    }
    const std::string of_capability = if_any(" of compute capability ", capability);
    if (gpu_is_newer) {
        finding.message = "there is no machine code for " + subject_of(gpu) + of_capability +
                          " in " + join_with_and(things);
        if (finding.severity != Severity::error)
            finding.message += "; PTX code, compiled at first use, may still run";
        finding.remedies = {remedy("gpu_arch_not_in_build")};
    } else {
        finding.message = subject_of(gpu) + of_capability + " is too old for " +
                          join_with_and(things) + ", which no longer has code for it";
        finding.remedies = for_older(gpu, matrix);
    }
    return finding;
}

/// Programs that choose no GPU take the first: what does not fit another one stops none of them.
static void set_aside_if_unused(
    const Facts& facts, const Matrix& matrix, const Gpu& gpu, Finding& finding) {
    const Gpu& first = facts.cuda_devices.front();
    if (gpu.index == 0 || first.index != 0)
        return;
    const bool all_fit =
        std::ranges::all_of(compare(facts, matrix, first), [](const CompatibilityCheck& compared) {
            return compared.suits.fit == Fit::works && !compared.unusable;
        });
    if (!all_fit)
        return;
    const Board* board = board_of(facts, gpu);
    finding.severity = Severity::note;
    finding.message +=
        "; programs use " + subject_of(first) +
        " by default, so only programs that select this GPU or use all GPUs are affected";
    if (board && board->display_active)
        finding.evidence.push_back(
            {"drives a display", *board->display_active ? "yes" : "no", "nvml_devices"});
    finding.remedies.insert(finding.remedies.begin(), remedy("gpu_arch_not_in_build/other_gpu"));
}

/// Copies on disk that had to answer and did not.
static void note_silent_copies(const Facts& facts, VerdictBuilder& result) {
    for (const LibraryKind kind : {LibraryKind::cudart, LibraryKind::cudnn})
        if (const std::string silent = unresponsive_library(facts, kind); !silent.empty())
            result.unknown(silent + " did not respond");
    if (!libraries_listed(facts))
        result.unknown("the library directories could not be searched");
    result.not_applicable("neither a CUDA runtime nor cuDNN was found");
}

/// What is known of a GPU that nothing is wrong with. What ran counts, whether or not the tables
/// know the GPU.
static std::string fit_words(
    const Matrix& matrix, const Gpu& gpu, const std::vector<CompatibilityCheck>& all) {
    if (std::ranges::none_of(
            all, [](const CompatibilityCheck& compared) { return compared.shown; }))
        return "every installed CUDA and cuDNN has code for " + subject_of(gpu);
    std::string words = "recurrent networks ran correctly on " + subject_of(gpu);
    if (gpu.compute_capability && !matrix.architecture(*gpu.compute_capability))
        words += "; the compatibility data of " + matrix.date() +
                 " do not contain its compute capability " + gpu.compute_capability->text;
    return words;
}

/// What one thing adds to the verdict where it is no fault.
static void note(
    const CompatibilityCheck& compared, const std::string& good, VerdictBuilder& result) {
    const auto& suits = compared.suits;
    if (suits.outside)
        return result.outside(suits.why);
    if (compared.unusable)
        return result.block_pass(compared.thing + " does not work");
    if (suits.fit == Fit::unknown)
        return result.unknown(suits.why);
    if (suits.fit == Fit::works)
        return result.passed(good);
    result.not_applicable(suits.why);
}

/// One finding for each GPU that something has no machine code for, being newer than that, or else
/// older.
static Verdict judge_architecture(const Facts& facts, const Matrix& matrix, bool gpu_is_newer) {
    if (const auto verdict = without_gpu(facts))
        return *verdict;
    VerdictBuilder result;
    note_silent_copies(facts, result);
    for (const auto& gpu : facts.cuda_devices) {
        const auto all = compare(facts, matrix, gpu);
        if (std::ranges::any_of(
                all, [&](const CompatibilityCheck& one) { return is_misfit(one, gpu_is_newer); })) {
            Finding finding = about(facts, matrix, gpu, all, gpu_is_newer);
            set_aside_if_unused(facts, matrix, gpu, finding);
            result.fault(std::move(finding));
        }
        const std::string good = fit_words(matrix, gpu, all);
        for (const auto& compared : all)
            note(compared, good, result);
    }
    return result.finish();
}

/// The CUDA, cuDNN or framework installed was made before the GPU, or without
/// code for it: "no kernel image is available for execution on the device"
/// (209). PTX code can still run, which is why the verdict depends on what a
/// build holds.
Verdict gpu_arch_not_in_build(const Facts& facts, const Matrix& matrix) {
    return judge_architecture(facts, matrix, true);
}

/// The GPU is of a generation that the CUDA, cuDNN or framework installed has
/// left behind, as CUDA 13 did with Maxwell, Pascal and Volta.
Verdict gpu_too_old(const Facts& facts, const Matrix& matrix) {
    return judge_architecture(facts, matrix, false);
}

}  // namespace rnncheck::rules
