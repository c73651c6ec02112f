#include "commands/lstm_agreement.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "commands/lstm_memory.hpp"
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
        if (run.end == RunEnd::wrong) continue;  // told as such, and by only_bad_gpu()
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

/// Cases that algorithms may be compared in: what ran them, and all that the equations and the arithmetic depend on.
using Alike = std::tuple<std::string, Dialect, Cell, Dtype, Direction, bool>;
using Tallies = std::map<Algorithm, Tally>;

std::map<int, std::map<Alike, Tallies>> tallies_of(const Facts& facts) {
    std::map<int, std::map<Alike, Tallies>> by_gpu;
    for (const RnnRun& run : facts.rnn_runs) {
        if (run.end != RunEnd::ok && run.end != RunEnd::wrong) continue;
        const RnnCase& c = run.rnn_case;
        Tally& tally =
            by_gpu[run.gpu][{run.library, run.dialect, c.cell, c.dtype, c.direction, c.training}][c.algorithm];
        ++(run.end == RunEnd::ok ? tally.right : tally.wrong);
        if (run.largest_error && run.limit && *run.limit > 0)
            tally.part = std::max(tally.part, *run.largest_error / *run.limit);
    }
    return by_gpu;
}

enum class Accord { agree, none_right, differ };

Accord accord_of(const Tallies& tallies) {
    const auto wrong = std::ranges::count_if(tallies, [](const auto& entry) { return entry.second.wrong > 0; });
    if (wrong == 0) return Accord::agree;
    return wrong == std::ssize(tallies) ? Accord::none_right : Accord::differ;
}

void add(const Tallies& more, Tallies& to) {
    for (const auto& [algorithm, tally] : more) {
        Tally& sum = to[algorithm];
        sum.right += tally.right;
        sum.wrong += tally.wrong;
        sum.part = std::max(sum.part, tally.part);
    }
}

std::string gpus_in_words(const std::vector<int>& gpus) {
    std::vector<std::string> numbers;
    for (const int gpu : gpus) numbers.push_back(std::to_string(gpu));
    return (gpus.size() == 1 ? "GPU " : "GPUs ") + listing(numbers);
}

/// Each algorithm is compared with the same equations, so two that are right differ from each other by no more than the
/// sum of what they use.
void about_algorithms(const Facts& facts, std::vector<Remark>& remarks) {
    struct Found {
        std::vector<int> gpus;
        Tallies tallies;
    };
    std::map<Accord, Found> found;
    const auto by_gpu = tallies_of(facts);
    for (const auto& [gpu, groups] : by_gpu) {
        std::map<Accord, Tallies> here;
        for (const auto& [alike, tallies] : groups)
            if (tallies.size() > 1) add(tallies, here[accord_of(tallies)]);
        if (here.empty()) continue;
        Found& worst = found[here.rbegin()->first];
        worst.gpus.push_back(gpu);
        add(here.rbegin()->second, worst.tallies);
    }
    for (const auto& [accord, what] : found) {
        std::vector<std::string> words;
        for (const auto& entry : what.tallies) words.push_back(word_of(entry));
        remarks.push_back({"algorithms", accord == Accord::differ ? Weight::warning : Weight::note,
                           std::string(accord == Accord::differ       ? "algorithms do not agree"
                                       : accord == Accord::none_right ? "no algorithm is right"
                                                                      : "algorithms agree") +
                               (by_gpu.size() > 1 ? " on " + gpus_in_words(what.gpus) : "") +
                               "; largest error as a part of what is allowed: " + listing(words)});
    }
}

bool same_kind(const Facts& facts, int a, int b) {
    const auto of = [&](int index) {
        return std::ranges::find_if(facts.gpus, [&](const Gpu& gpu) { return gpu.index == index; });
    };
    const auto one = of(a), other = of(b), none = facts.gpus.end();
    return one != none && other != none && one->name && one->name == other->name && one->compute_capability &&
           other->compute_capability && one->compute_capability->text == other->compute_capability->text;
}

void about_outlier(const Facts& facts, std::vector<Remark>& remarks) {
    const auto bad = only_bad_gpu(facts);
    if (!bad) return;
    const bool like = std::ranges::any_of(
        facts.gpus, [&](const Gpu& gpu) { return gpu.index != bad->gpu && same_kind(facts, gpu.index, bad->gpu); });
    remarks.push_back({"gpus", Weight::warning,
                       bad->sentence() + "; the others compute the same cases right" +
                           (like ? ", some of them of its kind: suspect this card, not cuDNN"
                                 : ": suspect this card, or cuDNN on cards of its kind")});
}

}  // namespace

std::string BadGpu::sentence() const {
    return "only GPU " + std::to_string(gpu) + " of " + std::to_string(of) +
           (wrong ? " computes wrong numbers" : " fails");
}

std::optional<BadGpu> only_bad_gpu(const Facts& facts) {
    const auto what = [](const RnnRun& run) {
        return run.library + ' ' + std::string(name_of(run.dialect)) + ' ' + describe(run.rnn_case);
    };
    std::set<int> tried, bad;
    std::set<std::string> right, amiss;
    BadGpu found;
    for (const RnnRun& run : facts.rnn_runs) {
        if (run.end == RunEnd::skipped || run.end == RunEnd::not_offered || short_of_memory(run)) continue;
        tried.insert(run.gpu);
        (run.end == RunEnd::ok ? right : amiss).insert(what(run));
        if (run.end != RunEnd::ok) bad.insert(run.gpu);
        found.wrong |= run.end == RunEnd::wrong;
    }
    if (bad.size() != 1 || tried.size() < 2 || !std::ranges::includes(right, amiss)) return std::nullopt;
    found.gpu = *bad.begin();
    found.of = static_cast<int>(tried.size());
    return found;
}

std::vector<Remark> agreement_of(const Facts& facts) {
    std::vector<Remark> remarks;
    about_repeatability(facts, remarks);
    for (const auto& [name, kind] : kinds_of(facts))
        if (kind.gpus.size() > 1) about_kind(kind, remarks);
    about_outlier(facts, remarks);
    about_algorithms(facts, remarks);
    return remarks;
}

}  // namespace rnncheck
