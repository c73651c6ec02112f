// The verdict of a report in one sentence, as the first line of the text form, the title of a page
// and the message of a monitoring plugin have it.
#include "report/report.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

/// What was computed on a GPU. A case that failed for a kernel that no version of cuDNN promises is
/// at most a note, and does not count.
struct Computed {
    std::size_t passed = 0, failed = 0, other = 0, gpus = 0;
    bool kernel = false;
};

/// By how the cases ended, and whether anything at all ran on a GPU.
Computed computed(const Report& report) {
    const bool failures_count = std::ranges::any_of(report.findings, [](const Finding& finding) {
        return finding.layer >= Layer::gpu && finding.severity != Severity::note;
    });
    std::map<RunEnd, std::size_t> ends;
    std::set<int> gpus;
    for (const RnnRun& run : report.facts.rnn_runs) {
        ++ends[run.end];
        if (run.end == RunEnd::ok)
            gpus.insert(run.gpu);
    }
    const std::size_t passed = ends[RunEnd::ok];
    std::size_t failed = ends[RunEnd::incorrect];
    if (failures_count)
        failed += ends[RunEnd::rejected] + ends[RunEnd::failed];
    return {
        passed,
        failed,
        report.facts.rnn_runs.size() - passed - failed - ends[RunEnd::not_supported],
        gpus.size(),
        std::ranges::any_of(report.facts.kernel_runs, [](const KernelRun& run) {
            return run.correct.has_value();
        })};
}

/// "3 of 45 cases failed"; failures before passes.
std::string in_words(const Computed& all) {
    const std::size_t total = all.failed + all.passed + all.other;
    if (all.failed > 0 && total == 1)
        return "the case failed";
    if (all.failed > 0)
        return concat(all.failed, " of ", total, " cases failed");
    if (all.passed > 0 && all.other > 0)
        return concat(all.passed, " of ", total, " cases passed");
    if (all.passed == 1)
        return "the case passed";
    if (all.passed > 0)
        return concat("all ", all.passed, " cases passed");
    if (all.kernel)
        return "no recurrent network was run on a GPU";
    return "nothing was run on a GPU";
}

/// What a log only allows is no problem of this machine yet.
bool is_possible(const Finding& finding) {
    return finding.confidence == Confidence::possible;
}

/// They are counted apart in the sentence.
std::size_t possible_errors(const Report& report) {
    return static_cast<std::size_t>(
        std::ranges::count_if(report.findings, [](const Finding& finding) {
            return finding.severity == Severity::error && is_possible(finding);
        }));
}

/// "2 problems", "1 problem and 5 possible ones", "5 possible problems".
std::string problems_in_words(const Report& report) {
    const std::size_t all = count_of(report.findings, Severity::error);
    const std::size_t possible = possible_errors(report);
    if (possible == all)
        return pluralized(all, "possible problem", "possible problems");
    const std::string certain = pluralized(all - possible, "problem", "problems");
    if (possible == 0)
        return certain;
    return certain + " and " + std::to_string(possible) + " possible";
}

/// The title of the first finding of the worst severity between two texts, one that is more than
/// possible if there is.
std::string with_first(
    const Report& report, const std::string& before, const std::string& after = "") {
    const auto first = std::ranges::min_element(report.findings, {}, [](const Finding& finding) {
        return std::pair(finding.severity, is_possible(finding));
    });
    return before + title_of(*first) + after;
}

/// Without a machine: how much of what the tables can answer could be queried.
std::string about_what_was_given(const Report& report) {
    const auto lacking = std::ranges::count(
        report.verdicts, std::optional(NotEvaluated::needs_values), &RuleVerdict::not_evaluated);
    const auto answers = static_cast<std::size_t>(report.counts.pass + report.counts.fault);
    std::string_view need = " need";
    if (lacking == 1)
        need = " needs";
    const std::string requested = concat(
        "; ", pluralized(answers, "check", "checks"), " decided, ", lacking, need, " more input");
    const std::size_t errors = count_of(report.findings, Severity::error),
                      warnings = count_of(report.findings, Severity::warning);
    if (errors > 0)
        return with_first(report, problems_in_words(report) + ": ", requested);
    if (report.verdict == OverallVerdict::undetermined)
        return "undetermined" + requested;
    if (warnings > 0)
        return with_first(report, pluralized(warnings, "warning", "warnings") + ": ", requested);
    return "no problem found" + requested;
}

/// Why the verdict is not decided, if the reason is not that nothing was run.
std::string what_is_open(const Report& report) {
    const auto open = static_cast<std::size_t>(report.counts.undecided);
    if (open > 0)
        return pluralized(open, "check", "checks") + " could not be decided; ";
    if (report.facts.log && report.facts.log->first_error_line)
        return "the log's error is not explained; ";
    return "";
}

/// ", none was run with cuDNN 9.19.0": of several installations, those with which nothing was run.
std::string untested_in_words(const Facts& facts) {
    std::vector<std::string> untested;
    for (const Cudnn& cudnn : facts.cudnns)
        if (!find_by(facts.rnn_runs, &RnnRun::library, cudnn.library))
            untested.push_back(cudnn.version ? cudnn.version->text : "of unknown version");
    if (untested.empty())
        return "";
    return ", none was run with cuDNN " + join_with_and(untested);
}

/// Nothing was run because there is no GPU, which is no fault here: the errors are about something
/// else.
bool has_no_cause_for_lack_of_gpu(const Report& report) {
    const auto is_cause = [](const Finding& finding) {
        return finding.severity == Severity::error && finding.layer <= Layer::gpu;
    };
    return report.facts.cuda_devices.empty() && std::ranges::none_of(report.findings, is_cause);
}

/// What was run on a GPU belongs to the sentence: "no problem found" alone
/// would not show whether anything was tried.
std::string about_machine(const Report& report) {
    const Computed all = computed(report);
    const std::string ran = in_words(all);
    const std::size_t errors = count_of(report.findings, Severity::error),
                      warnings = count_of(report.findings, Severity::warning);
    if (errors > 0) {
        const std::string problems = problems_in_words(report);
        if (all.passed > 0 && all.failed == 0)
            return with_first(
                report, problems + ": ", "; " + ran + untested_in_words(report.facts));
        if (has_no_cause_for_lack_of_gpu(report))
            return with_first(report, problems + ": ", "; " + ran);
        // "1 problem" is clear from the title alone.
        const bool is_only_one = errors == 1 && possible_errors(report) == 0;
        if (is_only_one)
            return with_first(report, ran + ": ");
        return with_first(report, problems + ", " + ran + ": ");
    }
    if (report.verdict == OverallVerdict::undetermined)
        return "undetermined: " + what_is_open(report) + ran;
    if (warnings > 0)
        return with_first(report, ran + "; " + pluralized(warnings, "warning", "warnings") + ": ");
    if (!stage_was_run(report.facts, Stage::query))
        return "no problem found, but only files were examined; " + ran;
    if (!stage_was_run(report.facts, Stage::run))
        return "no problem found, but " + ran + ", as requested";
    if (all.passed == 0 || all.failed > 0)
        return "no problem found, but " + ran;
    return "recurrent networks work: " + ran + " on " + pluralized(all.gpus, "GPU", "GPUs");
}

/// Before the title of a note: a layer that works, but slowly, is no failure, and not nothing
/// either.
const char* what_it_means(const Report& report) {
    if (report.verdict != OverallVerdict::healthy)
        return "undetermined: ";
    if (report.findings.front().rule == "layer_without_cudnn")
        return "";
    return "nothing failed: ";
}

/// The likeliest cause, how sure it is, and how many others are possible.
std::string about_log(const Report& report) {
    if (report.facts.log->lines == 0)
        return "undetermined: the log is empty";
    if (report.findings.empty())
        return "no error found in the log";
    if (std::ranges::all_of(
            report.findings, [](const Finding& f) { return f.severity == Severity::note; }))
        return with_first(report, what_it_means(report));
    constexpr const char* how_sure[] = {"cause: ", "likely cause: ", "possible cause: "};
    const Confidence confidence = report.findings.front().confidence;
    const std::size_t others = report.findings.size() - 1;
    const bool open = confidence != Confidence::certain && others > 0;
    std::string more;
    if (open)
        more = "; " + pluralized(others, "other is possible", "others are possible");
    return with_first(report, how_sure[static_cast<std::size_t>(confidence)], more);
}

}  // namespace

OverallVerdict verdict_of(const JudgedModel& model) {
    const auto any = [&](CudnnUse use) {
        return find_by(model.layers, &JudgedLayer::cudnn, use) != nullptr;
    };
    // One unknown layer leaves the whole open, even beside layers without
    // cuDNN.
    if (any(CudnnUse::unknown) || !model.unclear.empty())
        return OverallVerdict::undetermined;
    if (any(CudnnUse::no))
        return OverallVerdict::warnings;
    return OverallVerdict::healthy;
}

std::string sentence_of(const JudgedModel& model) {
    const std::vector<JudgedLayer>& layers = model.layers;
    if (layers.empty() && !model.unclear.empty())
        return "unknown whether it has recurrent layers";
    if (layers.empty())
        return "no recurrent layer";
    std::vector<std::string> without;
    for (const JudgedLayer& layer : layers)
        if (layer.cudnn == CudnnUse::no)
            without.push_back(layer.name);
    const auto depends = static_cast<std::size_t>(
        std::ranges::count(layers, CudnnUse::depends, &JudgedLayer::cudnn));
    const auto unknown = static_cast<std::size_t>(
        std::ranges::count(layers, CudnnUse::unknown, &JudgedLayer::cudnn));
    std::string sentence = concat(
        std::ranges::count(layers, CudnnUse::yes, &JudgedLayer::cudnn),
        " of ",
        pluralized(layers.size(), "recurrent layer uses cuDNN", "recurrent layers use cuDNN"));
    if (!without.empty())
        sentence += "; without it: " + join_with_and(without);
    if (depends > 0)
        sentence += concat("; for ", depends, " it depends on the data or versions at run time");
    if (unknown > 0)
        sentence += concat("; for ", unknown, " it is unknown");
    return sentence;
}

std::size_t count_of(const std::vector<Finding>& findings, Severity severity) {
    return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

/// Undetermined is worse than warnings: there may be a problem.
OverallVerdict worse(OverallVerdict one, OverallVerdict other) {
    constexpr OverallVerdict order[] = {
        OverallVerdict::healthy,
        OverallVerdict::warnings,
        OverallVerdict::undetermined,
        OverallVerdict::problems};
    return *std::max(std::ranges::find(order, one), std::ranges::find(order, other));
}

std::string sentence_of(const Report& report) {
    if (!report.sentence.empty())
        return report.sentence;
    if (report.about == About::log)
        return about_log(report);
    if (report.about == About::versions)
        return about_what_was_given(report);
    return about_machine(report);
}

}  // namespace rnncheck
