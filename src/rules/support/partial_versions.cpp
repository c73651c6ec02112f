#include "rules/support/partial_versions.hpp"

#include <algorithm>
#include <set>

#include "matrix/ranges.hpp"
#include "rules/support/versions.hpp"

namespace rnncheck::rules {

namespace {

constexpr int most_minors = 10;  // no CUDA had more

std::vector<Version> cudas_meant(const Facts& facts, const Matrix& matrix) {
    std::vector<Version> meant;
    const Version* cuda = given_cuda(facts);
    if (!cuda || parts_written(*cuda) > 1) return meant;
    for (int minor = 0; minor < most_minors; ++minor)
        if (auto release = make_version({cuda->major(), minor}); matrix.driver_for_cuda(release))
            meant.push_back(std::move(release));
    return meant;
}

/// The ends of each row of builds: what lies between them is alike.
std::vector<Version> cudnns_meant(const Facts& facts, const Matrix& matrix) {
    std::set<Version> meant;
    const Version* cudnn = given_cudnn(facts);
    if (!cudnn || parts_written(*cudnn) > 2) return {};
    for (const CudnnBuild& build : matrix.cudnn_builds())
        for (const Version& release : {build.cudnn, build.cudnn_last.value_or(build.cudnn)})
            if (agree(release, *cudnn)) meant.insert(release);
    return {meant.begin(), meant.end()};
}

template <class Set>
std::vector<Facts> for_each_of(const std::vector<Facts>& all, const std::vector<Version>& meant, Set&& set) {
    if (meant.empty()) return all;
    std::vector<Facts> more;
    for (const Facts& facts : all)
        for (const Version& release : meant) set(more.emplace_back(facts), release);
    return more;
}

}  // namespace

std::vector<Facts> as_full_releases(const Facts& facts, const Matrix& matrix) {
    const auto with_cuda = for_each_of({facts}, cudas_meant(facts, matrix), [](Facts& one, const Version& release) {
        one.runtimes.front().version = release;
    });
    return for_each_of(with_cuda, cudnns_meant(facts, matrix),
                       [](Facts& one, const Version& release) { one.cudnns.front().version = release; });
}

Verdict judge_possible(const Rule& rule, const Facts& told, const std::vector<Facts>& possible, const Matrix& matrix) {
    Verdict in_part = rule.check(told, matrix);
    if (possible.size() == 1) return in_part;
    Verdict last = rule.check(possible.back(), matrix);
    for (std::size_t i = 0; i + 1 < possible.size(); ++i)
        if (rule.check(possible[i], matrix).outcome != last.outcome)
            return undecided("it depends on which release was meant: CUDA or cuDNN was told in part");
    return in_part.outcome == last.outcome ? in_part : last;  // in the words of the person, where they do
}

}  // namespace rnncheck::rules
