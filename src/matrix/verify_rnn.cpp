#include <map>
#include <set>

#include "matrix/ranges.hpp"
#include "matrix/verify_parts.hpp"

namespace rnncheck::verifying {

namespace {

using Releases = std::map<Version, std::string>;  // with who names them

void note_release(Releases& releases, const std::optional<Version>& release, const std::string& who) {
    if (release && parts_written(*release) == 3) releases.emplace(*release, who);
}

Releases known_releases(const TableFiles& files, const Readable<CudnnBuild>& builds) {
    Releases releases;
    for (const CudnnBuild& row : builds.rows) {
        const std::string who = "it is there for CUDA " + std::to_string(row.cuda_major);
        note_release(releases, row.cudnn, who);
        note_release(releases, row.cudnn_last, who);
    }
    for (const RnnDefect& row : read<RnnDefect>(files, "rnn_defects").rows) {
        note_release(releases, row.first, "rnn_defects names it");
        note_release(releases, row.fixed, "rnn_defects names it");
    }
    for (const RnnLimit& row : read<RnnLimit>(files, "rnn_limits").rows) {
        note_release(releases, row.first, "rnn_limits names it");
        note_release(releases, row.last, "rnn_limits names it");
    }
    for (const FrameworkBuild& row : read<FrameworkBuild>(files, "framework_builds").rows)
        note_release(releases, row.cudnn, "framework_builds names it");
    return releases;
}

struct Span {
    Version first;
    Version last;
};

std::map<int, std::vector<Span>> spans_by_cuda_major(const Readable<CudnnBuild>& builds) {
    std::map<int, std::vector<Span>> spans;
    for (const CudnnBuild& row : builds.rows)
        spans[row.cuda_major].push_back({row.cudnn, row.cudnn_last.value_or(row.cudnn)});
    return spans;
}

bool any_covers(const std::vector<Span>& spans, const Version& release) {
    for (const Span& span : spans)
        if (covers(span.first, span.last, release)) return true;
    return false;
}

/// A release that other rows know and that lies between two of a CUDA major which both pass it over.
void check_passed_over(const TableFiles& files, const Readable<CudnnBuild>& builds, const Complaints& complain) {
    const Releases releases = known_releases(files, builds);
    for (const auto& [major, spans] : spans_by_cuda_major(builds))
        for (const auto& [release, who] : releases) {
            const bool between = spans.front().first < release && release < spans.back().last;
            if (!between || any_covers(spans, release) || builds.head.holes.contains(release.text)) continue;
            const std::string name = release.text + " for CUDA " + std::to_string(major);
            if (!builds.head.holes.contains(name))
                complain(0, name + " is missing though " + who +
                                "; add its row, or declare in \"holes\" that there is none");
        }
}

bool is_released(const Readable<CudnnBuild>& builds, const Version& release) {
    for (const CudnnBuild& row : builds.rows)
        if (covers(row.cudnn, row.cudnn_last, release)) return true;
    return false;
}

/// What is older than the table of builds cannot be told.
void check_defects(const Readable<RnnDefect>& defects, const Readable<CudnnBuild>& builds, const Complaints& complain) {
    for (std::size_t i = 0; i < defects.rows.size(); ++i)
        for (const auto& release : {std::optional(defects.rows[i].first), defects.rows[i].fixed})
            if (release && *release >= builds.rows.front().cudnn && !is_released(builds, *release))
                complain(defects.numbers[i], "cudnn_builds has no cuDNN " + release->text +
                                                 "; name a release that there is, or add its builds there");
}

bool speaks_of(const RnnLimit& limit, const RnnOffer& offer) {
    return limit.feature == offer.dtype || limit.feature == offer.algorithm;
}

/// What must be offered cannot begin before the feature it is.
void check_offers(const Readable<RnnOffer>& offers, const Readable<RnnLimit>& limits, const Complaints& complain) {
    for (std::size_t i = 0; i < offers.rows.size(); ++i)
        for (const RnnLimit& limit : limits.rows) {
            const RnnOffer& offer = offers.rows[i];
            if (!speaks_of(limit, offer)) continue;
            const std::string of_limit = " (rnn_limits); correct one of them";
            if (offer.first < limit.first)
                complain(offers.numbers[i], "offered from cuDNN " + offer.first.text + " on, but " + limit.feature +
                                                " begins with " + limit.first.text + of_limit);
            if (limit.last && (!offer.last || *offer.last > *limit.last))
                complain(offers.numbers[i], "offered for longer than " + limit.feature + ", which ends with " +
                                                limit.last->text + of_limit);
            if (limit.capability_min && offer.capability_min < *limit.capability_min)
                complain(offers.numbers[i], "offered on capability " + offer.capability_min.text + ", but " +
                                                limit.feature + " begins with " + limit.capability_min->text +
                                                of_limit);
        }
}

}  // namespace

void check_rnn(const TableFiles& files, std::vector<Complaint>& all) {
    const auto builds = read<CudnnBuild>(files, "cudnn_builds");
    const auto limits = read<RnnLimit>(files, "rnn_limits");
    check_offers(read<RnnOffer>(files, "rnn_offers"), limits, {all, "rnn_offers"});
    if (!is_whole(builds)) return;
    check_passed_over(files, builds, {all, "cudnn_builds"});
    check_defects(read<RnnDefect>(files, "rnn_defects"), builds, {all, "rnn_defects"});
}

}  // namespace rnncheck::verifying
