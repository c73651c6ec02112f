#include <set>

#include "matrix/ranges.hpp"
#include "matrix/verify_parts.hpp"

namespace rnncheck::verifying {

namespace {

const FrameworkBuild* with_newest_cuda(const std::vector<FrameworkBuild>& builds, const std::string& framework,
                                       const Version& release) {
    const FrameworkBuild* newest = nullptr;
    for (const FrameworkBuild& build : builds)
        if (build.framework == framework && build.cuda && covers(build.first, build.last, release) &&
            (!newest || *build.cuda > *newest->cuda))
            newest = &build;
    return newest;
}

/// Once for each release with which some build begins.
void check_newest_cuda(const FrameworkCuda& row, std::size_t number, const std::vector<FrameworkBuild>& builds,
                       const Complaints& complain) {
    std::set<Version> asked;
    for (const FrameworkBuild& build : builds) {
        if (build.framework != row.framework || !build.cuda || !covers(row.first, row.last, build.first)) continue;
        if (!asked.insert(build.first).second) continue;
        const FrameworkBuild* newest = with_newest_cuda(builds, row.framework, build.first);
        if (newest && *newest->cuda != row.newest_cuda)
            return complain(number, "newest_cuda is " + row.newest_cuda.text + ", but framework_builds has " +
                                        row.framework + " " + build.first.text + " with CUDA " + newest->cuda->text +
                                        " as its newest; correct one of them or split the row");
    }
}

void check_cudnn(const FrameworkBuild& build, std::size_t number, const Complaints& complain) {
    if (build.without_cudnn && build.cudnn)
        complain(number, "it has cuDNN " + build.cudnn->text + " and without_cudnn; leave one of them out");
    if (build.without_cudnn && !build.cuda)
        complain(number, "without_cudnn is said of builds with CUDA alone; leave it out");
}

}  // namespace

void check_frameworks(const TableFiles& files, std::vector<Complaint>& all) {
    const auto builds = read<FrameworkBuild>(files, "framework_builds");
    const auto newest = read<FrameworkCuda>(files, "framework_cuda");
    for (std::size_t i = 0; i < builds.rows.size(); ++i)
        check_cudnn(builds.rows[i], builds.numbers[i], {all, builds.stem});
    if (!is_whole(builds)) return;
    for (std::size_t i = 0; i < newest.rows.size(); ++i)
        check_newest_cuda(newest.rows[i], newest.numbers[i], builds.rows, {all, newest.stem});
}

void check_logs(const TableFiles& files, std::vector<Complaint>& all) {
    const auto causes = read<LogCause>(files, "log_causes");
    if (!is_whole(causes)) return;
    std::set<std::string> known;
    for (const LogCause& cause : causes.rows) known.insert(cause.cause);
    const auto pointers = read<LogPointer>(files, "log_pointers");
    for (std::size_t i = 0; i < pointers.rows.size(); ++i)
        if (!known.contains(pointers.rows[i].cause))
            Complaints(all, pointers.stem)(pointers.numbers[i], "log_causes has no '" + pointers.rows[i].cause +
                                                                    "'; correct the cause or add it there");
}

}  // namespace rnncheck::verifying
