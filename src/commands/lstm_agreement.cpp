#include "commands/lstm_agreement.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "rnn/network.hpp"

namespace rnncheck {

namespace {

std::string cases(std::size_t count) {
    return counted(count, "case", "cases");
}

void about_repeatability(const Facts& facts, std::vector<Remark>& remarks) {
    std::size_t same = 0, different = 0, unknown = 0;
    const RnnRun* first = nullptr;
    for (const RnnRun& run : facts.rnn_runs) {
        if (run.end != RunEnd::ok && run.end != RunEnd::wrong) continue;
        if (!run.bitwise_repeatable)
            ++unknown;
        else if (*run.bitwise_repeatable)
            ++same;
        else if (++different == 1)
            first = &run;
    }
    if (different > 0)
        remarks.push_back({"repeatability", Weight::warning,
                           cases(different) + " of " + std::to_string(same + different) +
                               " gave other bits when run again, first '" + describe(first->rnn_case) + "' on GPU " +
                               std::to_string(first->gpu)});
    else if (same > 0)
        remarks.push_back({"repeatability", Weight::note, cases(same) + " run twice, the same bits each time"});
    if (unknown > 0) remarks.push_back({"repeatability", Weight::unknown, "of " + cases(unknown) + " it is not known"});
}

/// GPUs that should give the same bits, and what they gave: by case, the digest of each.
struct Kind {
    std::set<int> gpus;
    std::map<std::string, std::map<int, std::string>> digests;
};

std::map<std::string, Kind> kinds_of(const Facts& facts) {
    std::map<int, std::string> names;
    for (const Gpu& gpu : facts.gpus)
        if (gpu.name && gpu.compute_capability) names[gpu.index] = *gpu.name + " " + gpu.compute_capability->text;
    std::map<std::string, Kind> kinds;
    for (const RnnRun& run : facts.rnn_runs) {
        if (!run.digest || run.bitwise_repeatable != true || !names.contains(run.gpu)) continue;
        Kind& kind = kinds[names[run.gpu]];
        kind.gpus.insert(run.gpu);
        kind.digests[run.library + ' ' + std::string(name_of(run.dialect)) + ' ' + describe(run.rnn_case)][run.gpu] =
            *run.digest;
    }
    return kinds;
}

/// The bits that more than half gave, of three or more; else none.
const std::string* usual(const std::map<int, std::string>& by_gpu) {
    std::map<std::string, std::size_t> votes;
    for (const auto& [gpu, digest] : by_gpu) ++votes[digest];
    for (const auto& [gpu, digest] : by_gpu)
        if (by_gpu.size() >= 3 && 2 * votes[digest] > by_gpu.size()) return &digest;
    return nullptr;
}

bool all_alike(const std::map<int, std::string>& by_gpu) {
    return std::ranges::all_of(by_gpu, [&](const auto& entry) { return entry.second == by_gpu.begin()->second; });
}

void about_kind(const Kind& kind, std::vector<Remark>& remarks) {
    std::map<int, std::size_t> unusual;
    std::size_t compared = 0, undecided = 0;
    for (const auto& [what, by_gpu] : kind.digests) {
        if (by_gpu.size() < 2) continue;
        ++compared;
        if (const std::string* bits = usual(by_gpu)) {
            for (const auto& [gpu, digest] : by_gpu) unusual[gpu] += digest != *bits;
        } else if (!all_alike(by_gpu)) {
            ++undecided;
        }
    }
    if (compared == 0) return;
    const auto warn = [&](std::string text) { remarks.push_back({"gpus", Weight::warning, std::move(text)}); };
    for (const auto& [gpu, count] : unusual)
        if (count > 0)
            warn("GPU " + std::to_string(gpu) + " gives other bits than the GPUs of its kind in " + cases(count) +
                 " of " + std::to_string(compared) + ", all within their limits: watch this card");
    if (undecided > 0)
        warn(std::to_string(kind.gpus.size()) + " GPUs of one kind give other bits in " + cases(undecided) + " of " +
             std::to_string(compared) + "; which of them is unusual cannot be told");
    const bool alike =
        undecided == 0 && std::ranges::all_of(unusual, [](const auto& entry) { return entry.second == 0; });
    if (alike)
        remarks.push_back(
            {"gpus", Weight::note,
             std::to_string(kind.gpus.size()) + " GPUs of one kind give the same bits in " + cases(compared)});
}

/// How the cases of one algorithm went.
struct Tally {
    std::size_t right = 0, wrong = 0;
    double part = 0;  ///< largest part of what is allowed that was used
};

std::string word_of(const std::pair<const Algorithm, Tally>& entry) {
    const Tally& tally = entry.second;
    std::string text =
        std::string(name_of(entry.first)) + " " + short_number(tally.part) + " in " + cases(tally.right + tally.wrong);
    return text + (tally.wrong > 0 ? " (" + std::to_string(tally.wrong) + " WRONG)" : "");
}

/// Each algorithm is compared with the same equations, so two that are right differ from each other by no more than the
/// sum of what they use.
void about_algorithms(const Facts& facts, std::vector<Remark>& remarks) {
    std::map<Algorithm, Tally> tallies;
    for (const RnnRun& run : facts.rnn_runs) {
        if (run.end != RunEnd::ok && run.end != RunEnd::wrong) continue;
        Tally& tally = tallies[run.rnn_case.algorithm];
        ++(run.end == RunEnd::ok ? tally.right : tally.wrong);
        if (run.largest_error && run.limit && *run.limit > 0)
            tally.part = std::max(tally.part, *run.largest_error / *run.limit);
    }
    if (tallies.size() < 2) return;
    std::vector<std::string> words;
    bool some_wrong = false, some_right = false;
    for (const auto& entry : tallies) {
        words.push_back(word_of(entry));
        (entry.second.wrong > 0 ? some_wrong : some_right) = true;
    }
    const bool differ = some_wrong && some_right;
    remarks.push_back({"algorithms", differ ? Weight::warning : Weight::note,
                       std::string(differ       ? "algorithms do not agree"
                                   : some_wrong ? "no algorithm is right"
                                                : "algorithms agree") +
                           "; largest error as a part of what is allowed: " + listing(words)});
}

}  // namespace

std::vector<Remark> agreement_of(const Facts& facts) {
    std::vector<Remark> remarks;
    about_repeatability(facts, remarks);
    for (const auto& [name, kind] : kinds_of(facts))
        if (kind.gpus.size() > 1) about_kind(kind, remarks);
    about_algorithms(facts, remarks);
    return remarks;
}

}  // namespace rnncheck
