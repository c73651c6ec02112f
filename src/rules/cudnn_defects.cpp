// Versions of cuDNN with a defect in recurrent networks that NVIDIA or a framework has documented.
#include "rules/rule.hpp"

namespace rnncheck::rules {

static std::vector<std::optional<Version>> capabilities(const Facts& facts) {
    if (facts.cuda_devices.empty()) return {std::nullopt};
    return mapped(facts.cuda_devices, &Gpu::compute_capability);
}

static std::vector<RnnDefect> defects_of(const Facts& facts, const Matrix& matrix, const Version& release,
                                         std::string_view cause, std::string_view system) {
    std::vector<RnnDefect> defects;
    for (const auto& capability : capabilities(facts))
        for (auto& defect : matrix.rnn_defects(release, capability, system))
            if (defect.cause == cause && !find_by(defects, &RnnDefect::id, defect.id))
                defects.push_back(std::move(defect));
    return defects;
}

/// What was given for it to suit; of a machine, the GPU alone: what it loads was chosen by its CUDA.
static stack::CudnnFor needs_of(const Facts& facts, const std::optional<Version>& capability) {
    stack::CudnnFor needs{capability, {}, {}};
    if (!only_given(facts)) return needs;
    if (const Version* cuda = given_cuda(facts)) needs.cuda_major = cuda->major();
    const auto driver = driver_version(facts);
    if (driver && systems_of_driver(facts).front() == "linux") needs.driver = driver;
    return needs;
}

/// A cuDNN without these defects that suits every GPU; null when there is none, or the data name none as fixed.
static const CudnnBuild* version_without(const Facts& facts, const Matrix& matrix,
                                         const std::vector<RnnDefect>& defects) {
    const CudnnBuild* found = nullptr;
    for (const auto& capability : capabilities(facts))
        for (const RnnDefect& defect : defects) {
            found = defect.fixed ? stack::fixed_cudnn(defect, needs_of(facts, capability), matrix) : nullptr;
            if (!found) return nullptr;
        }
    return found;
}

/// Of versions alone, for the CUDA of a cuDNN that suits everything given; no command where its wheels do not exist.
static Remedy remedy_for(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy,
                         const std::vector<RnnDefect>& defects, std::string_view cause) {
    const CudnnBuild* fixed = version_without(facts, matrix, defects);
    const int cuda = !only_given(facts) ? cuda_major_of(copy) : fixed ? fixed->cuda_major : 0;
    Remedy update = remedy(cause, {std::to_string(cuda)});
    if (!fixed && std::ranges::all_of(defects, [](const RnnDefect& defect) { return defect.fixed.has_value(); }))
        return remedy("cudnn_bug/without_cudnn", {update.link});
    // A framework that was given takes no cuDNN of another major.
    if (only_given(facts) && fixed && (fixed->cudnn.major() == copy.version->major() || facts.frameworks.empty())) {
        const Version newest_fix = *std::ranges::max_element(defects, {}, &RnnDefect::fixed)->fixed;
        if (matrix.cudnn_build(newest_fix, cuda))
            update.changes = {{"cudnn", newest_fix.text + "+cu" + std::to_string(cuda)}};
    }
    if (only_given(facts) && facts.host.platform == "windows") update.text += dlls_of_packages;
    if (only_given(facts) && cuda < oldest_cuda_with_wheels) update.commands.clear();
    for (const RnnDefect& defect : defects) update.text += ". " + defect.workaround;
    if (update.text.ends_with('.')) update.text.pop_back();
    return update;
}

static Finding defective(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy,
                         const std::vector<RnnDefect>& defects, std::string_view cause) {
    Finding finding = {
        .severity = copy.first_choice ? Severity::warning : Severity::note,
        .subject = copy.path,
        .message = name_of(copy) + " has a documented defect: " + join(mapped(defects, &RnnDefect::symptom), "; "),
        .evidence = {{"cuDNN", copy.version->text, "cudnns"}},
        .remedies = {remedy_for(facts, matrix, copy, defects, cause)}};
    for (const auto& defect : defects) {
        const std::string until = defect.fixed ? ", fixed in " + defect.fixed->text : "";
        finding.evidence.push_back(
            {defect.id, "since " + defect.first.text + until + (defect.note.empty() ? "" : "; " + defect.note),
             defect.source.url});
        if (defect.provenance >= Provenance::inferred) finding.confidence = Confidence::possible;
    }
    return finding;
}

/// A release named without its patch may or may not have a defect that a patch took away.
static bool depends_on_patch(const Version& release, const std::vector<RnnDefect>& defects) {
    if (parts_written(release) > 2) return false;
    return parts_written(release) < 2 || std::ranges::any_of(defects, [&](const RnnDefect& defect) {
               return defect.fixed && agree(*defect.fixed, release);
           });
}

/// Copies of one release share their defects: they get one finding, about the copy that programs get first.
static std::vector<CudnnCopy> one_per_version(std::vector<CudnnCopy> copies) {
    std::ranges::stable_partition(copies, [](const CudnnCopy& copy) { return copy.first_choice; });
    std::vector<CudnnCopy> found;
    for (auto& copy : copies)
        if (!copy.version || !find_by(found, &CudnnCopy::version, copy.version)) found.push_back(std::move(copy));
    return found;
}

/// The whole of a rule about defects that are documented for a release and that `cause` reports. `excused` tells
/// whether what ran shows a release free of them; null when no run can.
static Verdict documented_defects(const Facts& facts, const Matrix& matrix, std::string_view cause,
                                  bool (*excused)(const Facts&, const Version& release) = nullptr) {
    const auto copies = one_per_version(cudnn_copies(facts));
    if (copies.empty()) return without_cudnn(facts);
    VerdictBuilder answers;
    for (const auto& copy : copies) {
        if (never_answered(copy))
            answers.no_pass(name_of(copy) + " does not work");
        else if (!copy.version)
            answers.unknown("the version of " + name_of(copy) + " is unknown");
        if (!copy.version) continue;
        const std::string what = "cuDNN " + copy.version->text;
        const auto defects = defects_of(facts, matrix, *copy.version, cause, facts.host.platform.value_or("linux"));
        const auto coverage = matrix.cudnn_build(*copy.version, 0).coverage;
        if (!defects.empty() && excused && excused(facts, *copy.version))
            answers.passed("the cases that the defect of " + what + " would affect passed");
        else if (depends_on_patch(*copy.version, defects))
            answers.unknown("the patch version of " + what + " is unknown");
        else if (!defects.empty())
            answers.fault(defective(facts, matrix, copy, defects, cause));
        else if (!facts.host.platform && !defects_of(facts, matrix, *copy.version, cause, "windows").empty())
            answers.unknown(what + " has a documented defect on Windows, and os= was not specified");
        else if (coverage == Coverage::newer_than_data || coverage == Coverage::older_than_data)
            answers.outside(outside_data(what, coverage, matrix));
        else
            answers.passed(what + " has no such documented defect");
    }
    return answers.close();
}

/// A release of cuDNN with a defect in recurrent networks that NVIDIA or a framework has documented, training included.
Verdict cudnn_bug(const Facts& facts, const Matrix& matrix) {
    return documented_defects(facts, matrix, "cudnn_bug");
}

/// A release of cuDNN that corrupts padded sequences at random. A sweep that went well proves nothing: it strikes now
/// and then.
Verdict cudnn_masked_rnn_bug(const Facts& facts, const Matrix& matrix) {
    const auto masked = facts.network ? facts.network->masked : std::nullopt;
    if (masked == false) return not_applicable("its sequences are not masked");
    Verdict verdict = documented_defects(facts, matrix, "cudnn_masked_rnn_bug");
    for (Finding& finding : verdict.findings)
        if (masked) finding.severity = Severity::error;  // what is affected is in use
    return verdict;
}

/// Cases with lengths of their own passed, and none failed, on every GPU that ran this version.
static bool lengths_went_well(const Facts& facts, const Version& release) {
    bool any = false;
    for (const auto& run : facts.rnn_runs) {
        if (run.rnn_case.lengths.empty() || run.end == RunEnd::not_supported) continue;
        if (cudnn_copy(facts, run.library).version != release) continue;
        if (run.end != RunEnd::ok) return false;
        any = true;
    }
    return any;
}

Verdict cudnn_varlen_rnn_bug(const Facts& facts, const Matrix& matrix) {
    return documented_defects(facts, matrix, "cudnn_varlen_rnn_bug", lengths_went_well);
}

}  // namespace rnncheck::rules
