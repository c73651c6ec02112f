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

/// The documented defects of a version on this system and its GPUs that the
/// rule `cause` reports; some are of Windows or of one GPU architecture alone.
static std::vector<RnnDefect> defects_of(
    const Facts& facts, const Matrix& matrix, const Version& version, std::string_view cause) {
    return stack::defects_of(
        gpus_of(facts, matrix), version, cause, facts.host.platform.value_or("linux"), matrix);
}

/// The update, or layers without cuDNN where no cuDNN for these GPUs is free of
/// the defects.
static Remedy remedy_for(
    const Facts& facts,
    const Matrix& matrix,
    const CudnnInstallation& installation,
    const std::vector<RnnDefect>& defects,
    std::string_view cause) {
    const bool has_fix = stack::cudnn_without(defects, gpus_of(facts, matrix), matrix);
    Remedy update = remedy(cause, {std::to_string(cuda_major_of(installation))});
    return against_defects(std::move(update), defects, has_fix);
}

/// No more than a warning: the documentation names conditions (padding,
/// dropout, sizes) that the programs of this machine may never meet.
static Finding defective(
    const Facts& facts,
    const Matrix& matrix,
    const CudnnInstallation& installation,
    const std::vector<RnnDefect>& defects,
    std::string_view cause) {
    const std::string symptoms = join(mapped(defects, &RnnDefect::symptom), "; ");
    Finding finding = {
        .severity = Severity::note,
        .subject = installation.path,
        .message = name_of(installation) + " has a documented defect: " + symptoms,
        .evidence = {{"cuDNN", installation.version->text, "cudnns"}},
        .remedies = {remedy_for(facts, matrix, installation, defects, cause)},
    };
    if (installation.first_choice)
        finding.severity = Severity::warning;
    for (const auto& defect : defects) {
        const std::string until = if_any(", fixed in ", defect.fixed);
        finding.evidence.push_back(
            {defect.id,
             "since " + defect.first.text + until + if_any("; ", defect.note),
             defect.source.url});
        if (defect.provenance >= Provenance::inferred)
            finding.confidence = Confidence::possible;
    }
    return finding;
}

/// Those of one version share their defects: they get one finding, about the one that programs
/// get first.
static std::vector<CudnnInstallation> one_per_version(
    std::vector<CudnnInstallation> installations) {
    std::ranges::stable_partition(installations, [](const CudnnInstallation& installation) {
        return installation.first_choice;
    });
    std::vector<CudnnInstallation> found;
    for (auto& installation : installations)
        if (!installation.version ||
            !find_by(found, &CudnnInstallation::version, installation.version))
            found.push_back(std::move(installation));
    return found;
}

/// The whole of a rule about defects that are documented for a version and that `cause` reports.
/// `excused` is whether what ran shows a version free of them; null when no run can.
static Verdict documented_defects(
    const Facts& facts,
    const Matrix& matrix,
    std::string_view cause,
    bool (*excused)(const Facts&, const Version& version) = nullptr) {
    const auto installations = one_per_version(cudnn_installations(facts));
    if (installations.empty())
        return without_cudnn(facts);
    VerdictBuilder result;
    for (const auto& installation : installations) {
        if (only_failed(installation))
            result.block_pass(name_of(installation) + " does not work");
        else if (!installation.version)
            result.unknown("the version of " + name_of(installation) + " is unknown");
        if (!installation.version)
            continue;
        const std::string what = "cuDNN " + installation.version->text;
        const auto defects = defects_of(facts, matrix, *installation.version, cause);
        // No build is for CUDA 0: only whether the tables go as far as this
        // version.
        const auto coverage = matrix.cudnn_build(*installation.version, 0).coverage;
        if (!defects.empty() && excused && excused(facts, *installation.version))
            result.passed("the cases that the defect of " + what + " would affect passed");
        else if (stack::depends_on_patch(*installation.version, defects))
            result.unknown("the patch version of " + what + " is unknown");
        else if (!defects.empty())
            result.fault(defective(facts, matrix, installation, defects, cause));
        // Facts without a system: silent only if no system has such a defect.
        else if (
            !facts.host.platform &&
            !stack::defects_of(
                 gpus_of(facts, matrix), *installation.version, cause, "windows", matrix)
                 .empty())
            result.unknown(
                what + " has a documented defect on Windows, and the operating system is unknown");
        else if (coverage == Coverage::newer_than_data || coverage == Coverage::older_than_data)
            result.outside(outside_data(what, coverage, matrix));
        else
            result.passed(what + " has no such documented defect");
    }
    return result.finish();
}

/// A version of cuDNN with a defect in recurrent networks that NVIDIA or a framework has
/// documented, training included.
Verdict cudnn_bug(const Facts& facts, const Matrix& matrix) {
    return documented_defects(facts, matrix, "cudnn_bug");
}

/// A version of cuDNN that corrupts padded sequences at random. A sweep that went well proves
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
static bool variable_lengths_passed(const Facts& facts, const Version& version) {
    bool any = false;
    for (const auto& run : facts.rnn_runs) {
        if (run.rnn_case.lengths.empty() || run.end == RunEnd::not_supported)
            continue;
        if (cudnn_installation(facts, run.library).version != version)
            continue;
        if (run.end != RunEnd::ok)
            return false;
        any = true;
    }
    return any;
}

/// A version of cuDNN with a defect for sequences of different lengths. Unlike
/// the random one above it strikes every time, so cases that passed excuse a
/// version.
Verdict cudnn_varlen_rnn_bug(const Facts& facts, const Matrix& matrix) {
    return documented_defects(facts, matrix, "cudnn_varlen_rnn_bug", variable_lengths_passed);
}

}  // namespace rnncheck::rules
