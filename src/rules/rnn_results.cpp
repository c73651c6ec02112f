// Recurrent networks that ran, with results that are wrong or not as precise as wanted.
#include <cmath>
#include <set>

#include "facts/rnn_runs.hpp"
#include "report/sweep.hpp"
#include "rnn/case.hpp"
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules {

/// Errors in units of what is allowed, so that data types compare; an error that is no number is
/// the worst.
static double relative_error(const RnnRun& run) {
    const double error = run.largest_error.value_or(HUGE_VAL);
    const double limit = run.limit.value_or(0);
    if (std::isfinite(error) && limit > 0)
        return error / limit;
    if (std::isfinite(error))
        return error;
    return HUGE_VAL;
}

/// An algorithm of which every case is correct, where some case of another one is not.
static std::optional<Algorithm> algorithm_without_fault(const Sweep& sweep) {
    std::set<Algorithm> right;
    for (const RnnRun* run : runs_with(sweep, RunEnd::ok))
        right.insert(run->rnn_case.algorithm);
    for (const RnnRun* run : runs_with(sweep, RunEnd::incorrect))
        right.erase(run->rnn_case.algorithm);
    if (right.empty())
        return std::nullopt;
    return *right.begin();
}

/// The same cuDNN on another GPU, or another cuDNN on the same one, shows which of the two is at
/// fault.
static std::string likely_culprit(const Facts& facts, const Sweep& wrong_results) {
    const auto is_right = [](const Sweep& sweep) {
        return !runs_with(sweep, RunEnd::ok).empty() && runs_with(sweep, RunEnd::incorrect).empty();
    };
    for (const Sweep& other : sweeps(facts)) {
        if (other.library == wrong_results.library && other.gpu != wrong_results.gpu &&
            is_right(other))
            return gpu_subject(facts, other.gpu) +
                   " returns correct results with it, so test the memory of this GPU and replace "
                   "the GPU";
        if (other.library != wrong_results.library && other.gpu == wrong_results.gpu &&
            is_right(other))
            return "It returns correct results with " +
                   name_of(cudnn_installation(facts, other.library)) +
                   ", so use another version of cuDNN";
    }
    if (const auto algorithm = algorithm_without_fault(wrong_results))
        return "Its cases with the algorithm " + std::string(name_of(*algorithm)) +
               " are correct, so use that one, or another version of cuDNN";
    return "Test the memory of the GPU; if it has no errors, use another version of cuDNN";
}

/// Sorted by the error, the largest first, which the message quotes.
static Finding wrong_results(const Facts& facts, const Sweep& sweep, Runs runs) {
    std::ranges::stable_sort(
        runs, std::greater(), [](const RnnRun* run) { return relative_error(*run); });
    const RnnRun& worst = *runs.front();
    const std::string of_all = " of " + std::to_string(sweep.runs.size());
    Finding finding = about_cases(
        facts,
        sweep,
        runs,
        count_of(runs) + of_all + " returned incorrect results on " + name_of(facts, sweep) +
            ", worst '" + describe(worst.rnn_case) + "': " + how_wrong(worst),
        remedy("rnn_result_wrong", {likely_culprit(facts, sweep), verify_command(facts, worst)}),
        how_wrong);
    finding.evidence.insert(
        finding.evidence.begin(),
        {"incorrect cases", std::to_string(runs.size()) + of_all, "rnn_runs"});
    return finding;
}

/// A recurrent network ran, and its results differ from the fp64 reference by
/// more than the limit for its data type and size: the worst fault there is,
/// because no call reports it.
Verdict rnn_result_wrong(const Facts& facts, const Matrix&) {
    VerdictBuilder result;
    bool any_right = false;
    for (const auto& sweep : sweeps(facts)) {
        Runs runs = runs_with(sweep, RunEnd::incorrect);
        any_right |= !runs_with(sweep, RunEnd::ok).empty();
        if (!runs.empty())
            result.fault(wrong_results(facts, sweep, std::move(runs)));
    }
    std::string unknown;
    if (!any_right)
        unknown = "no network ran to completion";
    return result.finish_or(
        pass_if_tried(facts, "every network that ran returned correct results", unknown));
}

/// A variable of the environment as evidence.
static Evidence evidence_of_setting(const Facts& facts, const std::string& variable) {
    const std::string* setting = environment(facts, variable);
    if (!setting)
        return {variable, "not set", "host.environment"};
    return {variable, escaped(*setting, 100), "host.environment"};
}

/// cuBLAS may use several workspaces, whose order of additions varies, unless
/// CUBLAS_WORKSPACE_CONFIG limits them, so that the variable is evidence:
/// https://docs.nvidia.com/cuda/cublas/index.html#results-reproducibility
static Finding not_repeatable(const Facts& facts, const Sweep& sweep, const Runs& runs) {
    Finding finding = about_cases(
        facts,
        sweep,
        runs,
        count_of(runs) + " returned results that are not bitwise identical when repeated on " +
            name_of(facts, sweep) + ", first '" + describe(runs.front()->rnn_case) + "'",
        remedy("rnn_not_repeatable", {verify_command(facts, *runs.front())}),
        [](const RnnRun&) { return "correct, but not bitwise identical when repeated"; });
    finding.evidence.push_back(evidence_of_setting(facts, "CUBLAS_WORKSPACE_CONFIG"));
    return finding;
}

/// A case returned other digits when it was run again, every number within its
/// limit. It matters to those who need training runs that can be reproduced.
Verdict rnn_not_repeatable(const Facts& facts, const Matrix&) {
    VerdictBuilder result;
    bool any_twice = false;
    for (const auto& sweep : sweeps(facts)) {
        Runs different;
        for (const RnnRun* run : runs_with(sweep, RunEnd::ok)) {
            if (!run->bitwise_repeatable)
                result.unknown("whether a case is bitwise repeatable is unknown");
            else if (!*run->bitwise_repeatable)
                different.push_back(run);
            any_twice |= run->bitwise_repeatable.value_or(false);
        }
        if (!different.empty())
            result.fault(not_repeatable(facts, sweep, different));
    }
    std::string unknown;
    if (!any_twice)
        unknown = "no network ran twice";
    return result.finish_or(pass_if_tried(
        facts, "every network returned bitwise identical results when repeated", unknown));
}

/// The environment can force TF32 on all libraries, whatever a program requests.
static Finding forced_tf32(const Facts& facts, const Sweep& sweep, const RnnRun& run) {
    std::string shown = "reduced precision";
    if (run.largest_error)
        shown = "error " + short_number(*run.largest_error);
    return {
        .subject = subject_of(facts, sweep),
        .gpu = sweep.gpu,
        .message = name_of(facts, sweep) +
                   " computes in TF32 although full single precision was requested: results "
                   "differ from a CPU's in the third or fourth digit",
        .evidence =
            {evidence_of(facts, run, shown), evidence_of_setting(facts, "NVIDIA_TF32_OVERRIDE")},
        .remedies = {remedy("tf32_reduced_precision", {verify_command(facts, run)})},
    };
}

/// TF32 forced on cases that request full single precision. That it is cuDNN's default from compute
/// capability 8.0 on is how these GPUs are meant to work, and no fault.
Verdict tf32_reduced_precision(const Facts& facts, const Matrix&) {
    VerdictBuilder result;
    bool by_default = false, fast_math = false, any_known = false;
    for (const auto& sweep : sweeps(facts)) {
        const RnnRun* first = nullptr;
        for (const RnnRun* run : runs_with(sweep, RunEnd::ok)) {
            if (run->rnn_case.dtype != Dtype::fp32)
                continue;
            any_known |= run->precision.has_value();
            fast_math |= run->precision == Precision::fast_math;
            if (!run->precision)
                result.unknown("the precision of a case is unknown");
            else if (*run->precision == Precision::tf32 && run->rnn_case.math != MathType::fma)
                by_default = true;
            else if (*run->precision == Precision::tf32 && !first)
                first = run;
        }
        if (first)
            result.fault(forced_tf32(facts, sweep, *first));
    }
    std::string how = "fp32 networks use full single precision";
    if (fast_math)
        how = "no fp32 network uses TF32";
    if (by_default)
        how =
            "TF32 is used only where it is allowed, not where full precision is requested "
            "(NVIDIA_TF32_OVERRIDE=0 disables it)";
    if (fast_math)
        how += "; kernels of the persistent algorithms use fast math (tanh.approx)";
    std::string unknown;
    if (!any_known)
        unknown = "no fp32 network ran";
    return result.finish_or(pass_if_tried(facts, how, unknown));
}

/// "49.98 % of 65536 elements kept".
static std::string share(const RnnDropout& dropout) {
    return short_number(
               100.0 * static_cast<double>(*dropout.kept) /
               static_cast<double>(*dropout.elements)) +
           " % of " + std::to_string(*dropout.elements) + " elements kept";
}

/// "dropout 0.5 on GPU 0 (NVIDIA GeForce RTX 3090) (v8 API)".
static std::string where(const Facts& facts, const RnnDropout& dropout) {
    return "dropout " + exact_number(dropout.probability) + " on " +
           gpu_subject(facts, dropout.gpu) + " (" + std::string(name_of(dropout.rnn_api)) + " API)";
}

/// Whether chance practically excludes so many or so few kept elements.
static bool keep_rate_is_off(const RnnDropout& dropout) {
    // Bernstein's inequality for e^-18: where few are expected the distribution is far from a
    // normal one.
    constexpr double deviations = 6, for_few = 12;
    const double n = static_cast<double>(*dropout.elements), p = dropout.probability;
    return std::abs(static_cast<double>(*dropout.kept) - n * (1 - p)) >
           deviations * std::sqrt(n * p * (1 - p)) + for_few;
}

/// Two masks differ in more than none of so many elements: below, equal ones show nothing.
static bool masks_should_differ(const RnnDropout& dropout) {
    constexpr double enough = 40;
    const double p = dropout.probability;
    return 2 * p * (1 - p) * static_cast<double>(*dropout.elements) >= enough;
}

/// What is wrong with the mask or with the elements it keeps; empty if all is
/// well.
static std::vector<std::string> faults_of(const RnnDropout& dropout) {
    constexpr double scale_limit = 0x1p-9;  // two operands cut to TF32
    std::vector<std::string> faults;
    if (keep_rate_is_off(dropout))
        faults.push_back(
            share(dropout) + ", expected " + short_number(100 * (1 - dropout.probability)) + " %");
    if (*dropout.kept > 0 && dropout.scale_error.value_or(HUGE_VAL) > scale_limit)
        faults.push_back(
            "the kept elements are not multiplied by 1 / (1 - " +
            exact_number(dropout.probability) + ")");
    if (dropout.repeats == false)
        faults.emplace_back("the same seed generates a different mask");
    if (dropout.mask_changes == false && masks_should_differ(dropout))
        faults.emplace_back("every call generates the same mask");
    return faults;
}

static void judge_dropout(const Facts& facts, const RnnDropout& dropout, VerdictBuilder& result) {
    if (!dropout.elements || !dropout.kept)
        return result.unknown(
            where(facts, dropout) + " was not measured: " + in_words(dropout.result));
    const auto faults = faults_of(dropout);
    if (!faults.empty())
        return result.fault({
            .subject = subject_of(facts, Sweep{dropout.library, dropout.gpu, {}}),
            .gpu = dropout.gpu,
            .message = where(facts, dropout) + " is incorrect: " + join_with_and(faults),
            .evidence = {{"elements kept", share(dropout), place_of(facts, dropout)}},
            .remedies = {remedy("rnn_dropout_wrong", {exact_number(dropout.probability)})},
        });
    if (!dropout.repeats || !dropout.mask_changes)
        return result.unknown(
            where(facts, dropout) + ": whether its masks repeat correctly is unknown");
    std::string_view scaled;
    if (*dropout.kept > 0)
        scaled = ", correctly scaled";
    result.passed(concat(
        where(facts, dropout), ": ", share(dropout), scaled, ", the same for the same seed"));
}

/// Dropout between layers keeps the wrong share, does not scale by 1 / (1 - p),
/// or does not follow its seed: training is then another one than intended, and
/// no call fails.
Verdict rnn_dropout_wrong(const Facts& facts, const Matrix&) {
    if (!facts.rnn_request || !facts.rnn_request->dropout)
        return not_applicable("measuring dropout was not requested");
    VerdictBuilder result;
    for (const RnnDropout& dropout : facts.rnn_dropouts)
        judge_dropout(facts, dropout, result);
    for (const ProbeRun* run : runs_of(facts, "rnn_dropout"))
        if (!run->completed())
            result.unknown(
                "dropout on " + run->target + " was not measured: the process " +
                std::string(name_of(run->end)) + " in " + run->last_call.value_or("no call"));
    return result.finish();
}

/// The case of one GPU with most work, of those large enough to show its clocks.
struct Largest {
    const RnnRun* run = nullptr;
    double modelled_ms = 0, ratio = 0;
    double extra_ms = 0;  ///< of the first runs of all cases over the second ones
    bool any_timed = false;
};

/// `peak` is unset where the driver does not report clocks: then only that a
/// case was timed is known.
static Largest largest_of(const Facts& facts, const Gpu& gpu, const std::optional<Peak>& peak) {
    Largest largest;
    for (const RnnRun& run : facts.rnn_runs) {
        if (run.gpu != gpu.index || !run.repeat_ms || !run.first_ms)
            continue;
        largest.any_timed = true;
        largest.extra_ms += std::max(0.0, *run.first_ms - *run.repeat_ms);
        if (!peak || !shows_clocks(run.rnn_case, *peak))
            continue;
        const double modelled_ms = model_ms(run.rnn_case, *peak);
        if (modelled_ms <= largest.modelled_ms)
            continue;
        largest = {&run, modelled_ms, *run.repeat_ms / modelled_ms, largest.extra_ms, true};
    }
    return largest;
}

static std::string ratio_in_words(const Gpu& gpu, const Largest& largest) {
    return subject_of(gpu) + " takes " + short_number(largest.ratio) +
           " times the modeled time in case " + std::to_string(largest.run->number) + " (hidden " +
           std::to_string(largest.run->rnn_case.hidden) + ")";
}

/// By the case with most work: small ones consist of kernel launches.
static void judge_speed(const Facts& facts, const Gpu& gpu, VerdictBuilder& result) {
    constexpr double slow_factor = 10;  // the model is rough: docs/speed.md
    const auto peak = peak_of(gpu);
    const Largest largest = largest_of(facts, gpu, peak);
    if (!largest.any_timed)
        return result.not_applicable("no case was timed");
    if (!peak)
        return result.unknown(
            "the driver does not report the clocks and memory bus of " + subject_of(gpu) +
            ", or the arithmetic of its compute capability is not in the table");
    if (!largest.run)
        return result.not_applicable(
            "the cases consist mainly of kernel launches, whose time hardly depends on clock "
            "rates; to measure speed, "
            "run 'rnncheck lstm --input 2048 --hidden 2048 --batch 64 --length 16'");
    if (largest.ratio > slow_factor)
        return result.fault({
            .subject = subject_of(gpu),
            .gpu = gpu.index,
            .message = ratio_in_words(gpu, largest) +
                       ": it is throttled because of heat or power, in a low power state or "
                       "shared with other "
                       "programs, or cuDNN uses a slow kernel",
            .evidence = {evidence_of(
                facts,
                *largest.run,
                short_number(*largest.run->repeat_ms) +
                    " ms, modeled: " + short_number(largest.modelled_ms) + " ms")},
            .remedies = {remedy("rnn_slow", {rerun_command(facts, *largest.run)})},
        });
    result.passed(
        ratio_in_words(gpu, largest),
        {{"first runs of all cases took longer than second ones by",
          short_number(largest.extra_ms) + " ms",
          "rnn_runs"}});
}

/// A large recurrent network takes far longer than a simple model of the GPU predicts.
Verdict rnn_slow(const Facts& facts, const Matrix&) {
    if (!facts.rnn_request)
        return not_applicable("the doctor command's cases are too small to measure speed");
    VerdictBuilder result;
    for (const Gpu& gpu : facts.cuda_devices)
        judge_speed(facts, gpu, result);
    result.not_applicable("no case was timed");
    return result.finish();
}

}  // namespace rnncheck::rules
