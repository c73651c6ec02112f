// One GPU's results are not bitwise identical to those of its equals, every number within its
// limit: an early sign of a failing card.
#include <map>
#include <set>

#include "rules/rule.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules {

namespace {

/// GPUs of one name, compute capability and number of multiprocessors, by the digests of their
/// correct results.
struct Kind {
    std::set<int> gpus;
    std::size_t compared =
        0;  ///< cases that more than one of them computed, each bitwise identical twice
    std::map<int, Runs>
        unusual;  ///< by GPU: where more than half of three or more agree on another result
    std::vector<Runs> undecided;  ///< by case: where digests differ and there is no such majority
};

/// cuBLAS results are bitwise identical "when executed on GPUs with the same architecture and the
/// same number of SMs" (https://docs.nvidia.com/cuda/cublas/index.html#results-reproducibility).
std::string kind_of(const Gpu& gpu) {
    if (!gpu.name || !gpu.compute_capability)
        return "";
    return *gpu.name + ' ' + gpu.compute_capability->text + ' ' +
           std::to_string(gpu.multiprocessors.value_or(0));
}

/// Runs of one case on GPUs of one kind, one of each GPU.
using ByGpu = std::map<int, const RnnRun*>;

/// By kind and case. Only correct results that were bitwise identical twice on
/// their own GPU: some algorithms add in another order each time.
std::map<std::string, std::map<std::string, ByGpu>> comparable(const Facts& facts) {
    std::map<std::string, std::map<std::string, ByGpu>> kinds;
    std::set<std::pair<std::string, std::string>>
        unsteady;  // on one GPU another digest each time: nothing to compare
    for (const RnnRun& run : facts.rnn_runs) {
        const Gpu* gpu = gpu_at(facts, run.gpu);
        std::string kind;
        if (gpu)
            kind = kind_of(*gpu);
        if (run.end != RunEnd::ok || !run.digest || kind.empty())
            continue;
        const std::string what =
            run.library + ' ' + std::string(name_of(run.rnn_api)) + ' ' + describe(run.rnn_case);
        if (run.bitwise_repeatable == true)
            kinds[kind][what][run.gpu] = &run;
        if (run.bitwise_repeatable == false)
            unsteady.emplace(kind, what);
    }
    for (const auto& [kind, what] : unsteady)
        kinds[kind].erase(what);
    return kinds;
}

/// Of two GPUs that differ it is unknown which is at fault; of three or more
/// the one without the majority is.
void compare(const ByGpu& runs, Kind& kind) {
    Runs all;
    std::map<std::string, std::size_t> votes;
    for (const auto& [gpu, run] : runs) {
        all.push_back(run);
        ++votes[*run->digest];
    }
    ++kind.compared;
    if (votes.size() == 1)
        return;
    const auto& [usual, agree] =
        *std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
    if (runs.size() < 3 || 2 * agree <= runs.size())
        return kind.undecided.push_back(std::move(all));
    for (const RnnRun* run : all)
        if (*run->digest != usual)
            kind.unusual[run->gpu].push_back(run);
}

/// Only kinds of which two or more GPUs computed a case.
std::vector<Kind> kinds_of(const Facts& facts) {
    std::vector<Kind> kinds;
    for (const auto& [name, by_case] : comparable(facts)) {
        Kind kind;
        for (const auto& [what, runs] : by_case) {
            for (const auto& [gpu, run] : runs)
                kind.gpus.insert(gpu);
            if (runs.size() > 1)
                compare(runs, kind);
        }
        if (kind.compared > 0)
            kinds.push_back(std::move(kind));
    }
    return kinds;
}

std::string share(std::size_t cases, const Kind& kind) {
    return std::to_string(cases) + " of " +
           pluralized(kind.compared, "recurrent network", "recurrent networks");
}

/// `what` continues "... that are not bitwise identical".
Finding about_bits(
    const Facts& facts,
    Severity severity,
    const std::string& gpus,
    const std::string& what,
    const Runs& runs,
    Remedy remedy) {
    return {
        .severity = severity,
        .subject = gpus,
        .message = gpus + " returned results that are not bitwise identical " + what,
        .evidence = evidence_of(
            facts,
            runs,
            [](const RnnRun& run) {
                return "digest " + run.digest.value_or("?") + " on GPU " + std::to_string(run.gpu);
            }),
        .remedies = {std::move(remedy)},
    };
}

/// The GPU that disagrees with the majority, in the cases where it does.
Finding about_one_gpu(const Facts& facts, const Kind& kind, int gpu, const Runs& runs) {
    const std::string where = "to those of other GPUs of its model in " + share(runs.size(), kind);
    Finding finding = about_bits(
        facts,
        Severity::warning,
        gpu_subject(facts, gpu),
        where + "; every result is within its error limit",
        runs,
        remedy("gpu_results_differ/one"));
    finding.gpu = gpu;
    return finding;
}

/// A difference without a majority is a note: it names all GPUs of the kind.
void judge(const Facts& facts, const Kind& kind, VerdictBuilder& result) {
    for (const auto& [gpu, runs] : kind.unusual)
        result.fault(about_one_gpu(facts, kind, gpu, runs));
    if (!kind.undecided.empty())
        result.fault(about_bits(
            facts,
            Severity::note,
            join_with_and(mapped(kind.gpus, [&](int gpu) { return gpu_subject(facts, gpu); })),
            "in " + share(kind.undecided.size(), kind) +
                "; every result is within its error limit; which GPU is at fault is unknown",
            kind.undecided.front(),
            remedy("gpu_results_differ/several")));
    result.passed("GPUs of the same model return bitwise identical results");
}

/// What keeps a GPU, or a case on it, from being compared although it could be.
std::string not_comparable(const Facts& facts) {
    for (const Gpu& gpu : facts.cuda_devices)
        if (!gpu.name || !gpu.compute_capability || !gpu.multiprocessors)
            return "the model of " + subject_of(gpu) + " is unknown";
    for (const RnnRun& run : facts.rnn_runs)
        if (run.end == RunEnd::ok && (!run.bitwise_repeatable || !run.digest))
            return "the digest of a recurrent network on " + gpu_subject(facts, run.gpu) +
                   " is unknown";
    return "";
}

}  // namespace

/// One of several equal GPUs returns other digits than the rest, although each
/// result is within its error limit: its memory or arithmetic may be failing.
/// Silent where no two GPUs are of one model.
Verdict gpu_results_differ(const Facts& facts, const Matrix&) {
    if (const auto verdict = without_gpu(facts))
        return *verdict;
    VerdictBuilder result;
    for (const Kind& kind : kinds_of(facts))
        judge(facts, kind, result);
    if (facts.cuda_devices.size() > 1)
        if (const std::string why = not_comparable(facts); !why.empty())
            result.unknown(why);
    std::set<std::string> kinds;
    const bool any_alike = std::ranges::any_of(facts.cuda_devices, [&](const Gpu& gpu) {
        return !kind_of(gpu).empty() && !kinds.insert(kind_of(gpu)).second;
    });
    if (!any_alike)
        result.not_applicable("no two GPUs are of the same model");
    return result.finish();
}

}  // namespace rnncheck::rules
