// Versions of cuDNN with a defect in recurrent networks that NVIDIA or a framework has documented.
#include "base/if_any.hpp"
#include "rules/conflicts.hpp"
#include "rules/rule.hpp"

namespace rnncheck::rules {

/// The machine's GPUs: what a cuDNN loads was chosen by its CUDA.
static stack::Stack gpus_of(const Facts& facts, const Matrix& matrix) {
    stack::Stack stack;
    for (const Gpu& gpu : facts.cuda_devices) {
        stack::Gpu& known = stack.gpus.emplace_back(stack::Gpu{gpu.index, gpu.name});
        if (gpu.compute_capability)
            known.capability = stack::known_capability(*gpu.compute_capability, matrix);
    }
    return stack;
}

static std::vector<RnnDefect> defects_of(const Facts& facts, const Matrix& matrix,
                                         const Version& version, std::string_view cause) {
    return stack::defects_of(gpus_of(facts, matrix), version, cause,
                             facts.host.platform.value_or("linux"), matrix);
}

static Remedy remedy_for(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy,
                         const std::vector<RnnDefect>& defects, std::string_view cause) {
    const bool has_fix = stack::cudnn_without(defects, gpus_of(facts, matrix), matrix);
    Remedy update = remedy(cause, {std::to_string(cuda_major_of(copy))});
    return against_defects(std::move(update), defects, has_fix);
}

static Finding defective(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy,
                         const std::vector<RnnDefect>& defects, std::string_view cause) {
    Finding finding = {.severity = copy.first_choice ? Severity::warning : Severity::note,
                       .subject = copy.path,
                       .message = name_of(copy) + " has a documented defect: " +
                                  join(mapped(defects, &RnnDefect::symptom), "; "),
                       .evidence = {{"cuDNN", copy.version->text, "cudnns"}},
                       .remedies = {remedy_for(facts, matrix, copy, defects, cause)}};
    for (const auto& defect : defects) {
        const std::string until = if_any(", fixed in ", defect.fixed);
        finding.evidence.push_back(
            {defect.id, "since " + defect.first.text + until + if_any("; ", defect.note),
             defect.source.url});
        if (defect.provenance >= Provenance::inferred)
            finding.confidence = Confidence::possible;
    }
    return finding;
}

/// Copies of one release share their defects: they get one finding, about the copy that programs
/// get first.
static std::vector<CudnnCopy> one_per_version(std::vector<CudnnCopy> copies) {
    std::ranges::stable_partition(copies, [](const CudnnCopy& copy) { return copy.first_choice; });
    std::vector<CudnnCopy> found;
    for (auto& copy : copies)
        if (!copy.version || !find_by(found, &CudnnCopy::version, copy.version))
            found.push_back(std::move(copy));
    return found;
}

/// The whole of a rule about defects that are documented for a release and that `cause` reports.
/// `excused` tells whether what ran shows a release free of them; null when no run can.
static Verdict documented_defects(const Facts& facts, const Matrix& matrix, std::string_view cause,
                                  bool (*excused)(const Facts&, const Version& release) = nullptr) {
    const auto copies = one_per_version(cudnn_copies(facts));
    if (copies.empty())
        return without_cudnn(facts);
    VerdictBuilder answers;
    for (const auto& copy : copies) {
        if (never_answered(copy))
            answers.no_pass(name_of(copy) + " does not work");
        else if (!copy.version)
            answers.unknown("the version of " + name_of(copy) + " is unknown");
        if (!copy.version)
            continue;
        const std::string what = "cuDNN " + copy.version->text;
        const auto defects = defects_of(facts, matrix, *copy.version, cause);
        const auto coverage = matrix.cudnn_build(*copy.version, 0).coverage;
        if (!defects.empty() && excused && excused(facts, *copy.version))
            answers.passed("the cases that the defect of " + what + " would affect passed");
        else if (stack::depends_on_patch(*copy.version, defects))
            answers.unknown("the patch version of " + what + " is unknown");
        else if (!defects.empty())
            answers.fault(defective(facts, matrix, copy, defects, cause));
        else if (!facts.host.platform &&
                 !stack::defects_of(gpus_of(facts, matrix), *copy.version, cause, "windows", matrix)
                      .empty())
            answers.unknown(
                what + " has a documented defect on Windows, and the operating system is unknown");
        else if (coverage == Coverage::newer_than_data || coverage == Coverage::older_than_data)
            answers.outside(outside_data(what, coverage, matrix));
        else
            answers.passed(what + " has no such documented defect");
    }
    return answers.close();
}

/// A release of cuDNN with a defect in recurrent networks that NVIDIA or a framework has
/// documented, training included.
Verdict cudnn_bug(const Facts& facts, const Matrix& matrix) {
    return documented_defects(facts, matrix, "cudnn_bug");
}

/// A release of cuDNN that corrupts padded sequences at random. A sweep that went well proves
/// nothing: it strikes now and then.
Verdict cudnn_masked_rnn_bug(const Facts& facts, const Matrix& matrix) {
    std::optional<bool> masked;
    if (facts.network)
        masked = facts.network->masked;
    if (masked == false)
        return not_applicable("its sequences are not masked");
    Verdict verdict = documented_defects(facts, matrix, "cudnn_masked_rnn_bug");
    for (Finding& finding : verdict.findings)
        if (masked)
            finding.severity = Severity::error;  // what is affected is in use
    return verdict;
}

/// Cases with lengths of their own passed, and none failed, on every GPU that ran this version.
static bool lengths_went_well(const Facts& facts, const Version& release) {
    bool any = false;
    for (const auto& run : facts.rnn_runs) {
        if (run.rnn_case.lengths.empty() || run.end == RunEnd::not_supported)
            continue;
        if (cudnn_copy(facts, run.library).version != release)
            continue;
        if (run.end != RunEnd::ok)
            return false;
        any = true;
    }
    return any;
}

Verdict cudnn_varlen_rnn_bug(const Facts& facts, const Matrix& matrix) {
    return documented_defects(facts, matrix, "cudnn_varlen_rnn_bug", lengths_went_well);
}

}  // namespace rnncheck::rules
