// What tables say about each other.
#include <algorithm>

#include "base/lists.hpp"
#include "matrix/ranges.hpp"
#include "matrix/verify.hpp"

namespace rnncheck::lint {

namespace {

const DriverForCuda* toolkit(const Tables& all, const Version& cuda) {
    return find_where(all.driver_for_cuda.read().rows, [&](const DriverForCuda& row) { return agree(row.cuda, cuda); });
}

const CudaOfDriver* driver(const Tables& all, int branch) {
    return find_where(all.cuda_of_driver.read().rows,
                      [&](const CudaOfDriver& row) { return row.branch <= branch && branch <= row.last_branch; });
}

const Architecture* architecture(const Tables& all, const Version& capability) {
    return find_where(all.architectures.read().rows,
                      [&](const Architecture& row) { return row.capability == capability; });
}

void check_toolkit_known(const Tables& all, const Version& cuda, const Row& row, const Report& report) {
    if (!all.driver_for_cuda.read().is_whole() || cuda < all.driver_for_cuda.read().rows.front().cuda) return;
    if (!toolkit(all, cuda) && !all.driver_for_cuda.read().holes.contains(cuda.text))
        report(row, "driver_for_cuda does not contain CUDA {}; correct it or add its row there", cuda);
}

void check_capability_known(const Tables& all, const Version& capability, const Row& row, const Report& report) {
    if (!all.architectures.read().is_whole() || capability < all.architectures.read().rows.front().capability) return;
    if (!architecture(all, capability))
        report(row, "architectures does not contain capability {}; correct it or add its row there", capability);
}

void check_driver_min(const Tables& all, const std::optional<Version>& driver_min, const Version& cuda, const Row& row,
                      const Report& report) {
    const DriverForCuda* needed = toolkit(all, cuda);
    if (needed && driver_min && !reaches(*driver_min, needed->oldest_driver))
        report(row, "driver_min {} does not run CUDA {}, which needs {} (driver_for_cuda); correct one of them",
               *driver_min, cuda, needed->oldest_driver);
}

void check_toolkit(const Tables& all, const DriverForCuda& row, const Report& report) {
    if (!all.cuda_of_driver.read().is_whole()) return;
    const int branch = row.full_driver.major();
    const CudaOfDriver* of_driver = driver(all, branch);
    if (!of_driver)
        report(row, "cuda_of_driver does not contain branch {}; correct full_driver or add the branch there", branch);
    else if (of_driver->cuda != row.cuda)
        report(row, "full_driver {} is for CUDA {} here, but in cuda_of_driver branch {} ends with CUDA {}",
               row.full_driver, row.cuda, branch, of_driver->cuda);
}

template <class R>
void check_cuda(const Tables& all, const R& row, const Report& report) {
    check_toolkit_known(all, row.cuda, row, report);
}

void check_package(const Tables& all, const ForwardCompatibility& row, const Report& report) {
    check_capability_known(all, row.capability_min, row, report);
    if (!all.cuda_of_driver.read().is_whole()) return;
    const CudaOfDriver* below = driver(all, row.branch);
    if (!below)
        report(row, "branch {} is not in cuda_of_driver; correct it or add it there", row.branch);
    else if (below->cuda >= row.cuda)
        report(row, "branch {} runs CUDA {} by itself (cuda_of_driver); remove the row", row.branch, row.cuda);
}

void check_architecture(const Tables& all, const Architecture& row, const Report& report) {
    check_toolkit_known(all, row.first_cuda, row, report);
    if (row.last_cuda) check_toolkit_known(all, *row.last_cuda, row, report);
    if (!row.last_driver_branch || !all.cuda_of_driver.read().is_whole()) return;
    const CudaOfDriver* last = driver(all, *row.last_driver_branch);
    if (!last)
        report(row, "cuda_of_driver does not contain branch {}", *row.last_driver_branch);
    else if (row.last_cuda && last->cuda.major() < row.last_cuda->major())
        report(row,
               "the last driver branch {} ends with CUDA {}, so CUDA {} cannot run on such a GPU; correct last_cuda or "
               "last_driver_branch",
               *row.last_driver_branch, last->cuda, *row.last_cuda);
}

void check_cudnn(const Tables& all, const CudnnBuild& row, const Report& report) {
    check_capability_known(all, row.capability_min, row, report);
    check_capability_known(all, row.capability_max, row, report);
    const Version of_major = make_version({row.cuda_major});
    const Architecture* newest = architecture(all, row.capability_max);
    if (newest && !within(newest->first_cuda, row.cuda_max.value_or(of_major)))
        report(row,
               "capability {} begins with CUDA {} (architectures), later than the toolkits named here; lower "
               "capability_max or raise cuda_max",
               row.capability_max, newest->first_cuda);
    const Architecture* oldest = architecture(all, row.capability_min);
    if (oldest && oldest->last_cuda && *oldest->last_cuda < row.cuda_min.value_or(of_major))
        report(row,
               "capability {} ends with CUDA {} (architectures), earlier than the toolkits named here; raise "
               "capability_min",
               row.capability_min, *oldest->last_cuda);
    for (const auto& cuda : {row.cuda_min, row.cuda_max})
        if (cuda) check_toolkit_known(all, *cuda, row, report);
    if (row.cuda_min) check_driver_min(all, row.driver_min, *row.cuda_min, row, report);
}

/// One name on chips of different capability is a mistake unless each row says that it is meant.
void check_product(const Tables& all, const GpuProduct& row, const Report& report) {
    check_capability_known(all, row.capability, row, report);
    const GpuProduct* other = find_where(all.gpu_products.read().rows, [&](const GpuProduct& product) {
        return product.name == row.name && product.capability != row.capability;
    });
    if (other && row.note.empty())
        report(row,
               "'{}' has capability {} here and {} in another row; correct one, or add to each note that the name is "
               "used for different chips",
               row.name, row.capability, other->capability);
}

void check_pair(const Tables& all, const FrameworkBuild& row, const Report& report) {
    if (!row.cudnn || !all.cudnn_builds.read().is_whole()) return;
    const Version& oldest = all.cudnn_builds.read().rows.front().cudnn;
    if (*row.cudnn < oldest && !agree(*row.cudnn, oldest)) return;  // older than that table
    const auto suits = [&](const CudnnBuild& build) {
        return may_be_of(build, *row.cudnn) && build.cuda_major == row.cuda->major();
    };
    const auto suits_toolkit = [&](const CudnnBuild& build) {
        return suits(build) && (!build.cuda_min || *build.cuda_min <= *row.cuda);
    };
    if (!find_where(all.cudnn_builds.read().rows, suits))
        report(row, "cudnn_builds has no cuDNN {} for CUDA {}; correct the pair or add that build there", *row.cudnn,
               row.cuda->major());
    else if (!find_where(all.cudnn_builds.read().rows, suits_toolkit))
        report(row, "cuDNN {} begins with a later toolkit than CUDA {} (cudnn_builds)", *row.cudnn, *row.cuda);
}

/// One command cannot install two builds. What takes the system's CUDA may be one package for several.
void check_command(const Tables& all, const FrameworkBuild& row, const Report& report) {
    if (row.install.empty() || row.libraries == "system") return;
    const FrameworkBuild* other = find_where(all.framework_builds.read().rows, [&](const FrameworkBuild& build) {
        return build.number > row.number && build.install == row.install && build.os == row.os &&
               build.libraries != "system" &&
               (covers(build.first, build.last, row.first) || covers(row.first, row.last, build.first));
    });
    if (other)
        report(row, "'{}' also installs the build '{}' of row {}; correct one of the commands", row.install,
               other->build, other->number);
}

void check_build(const Tables& all, const FrameworkBuild& row, const Report& report) {
    check_command(all, row, report);
    if (!row.cuda) return;
    check_toolkit_known(all, *row.cuda, row, report);
    check_pair(all, row, report);
    for (const Target& target : targets_of(row.targets)) {
        const Architecture* compiled_for = architecture(all, target.capability);
        if (!compiled_for)
            check_capability_known(all, target.capability, row, report);
        else if (compiled_for->first_cuda > *row.cuda ||
                 (compiled_for->last_cuda && *compiled_for->last_cuda < *row.cuda))
            report(row, "CUDA {} cannot compile for {} (architectures); correct 'targets' or 'cuda'", *row.cuda,
                   target.capability);
    }
    if (row.os == "linux") check_driver_min(all, row.driver_min, *row.cuda, row, report);
}

void check_keras(const Tables& all, const KerasBackend& row, const Report& report) {
    const auto is_of = [&](const FrameworkBuild& build) { return build.framework == row.backend; };
    if (all.framework_builds.read().is_whole() && !find_where(all.framework_builds.read().rows, is_of))
        report(row, "framework_builds has no '{}'; correct the backend's name or add its builds there", row.backend);
}

void check_evidence(const Tables& all, const LogEvidence& row, const Report& report) {
    const auto is_of = [&](const LogCause& cause) { return cause.cause == row.cause; };
    if (all.log_causes.read().is_whole() && !find_where(all.log_causes.read().rows, is_of))
        report(row, "log_causes has no '{}'; correct the cause or add it there", row.cause);
}

/// Once for each version with which some build begins.
void check_newest_cuda(const Tables& all, const FrameworkCuda& row, const Report& report) {
    std::map<Version, Version> newest;  // CUDA by version
    const auto is_of = [&](const FrameworkBuild& build) { return build.framework == row.framework && build.cuda; };
    for (const FrameworkBuild& build : all.framework_builds.read().rows)
        if (is_of(build) && covers(row.first, row.last, build.first)) newest[build.first];
    for (const FrameworkBuild& build : all.framework_builds.read().rows)
        for (auto& [release, cuda] : newest)
            if (is_of(build) && covers(build.first, build.last, release)) cuda = std::max(cuda, *build.cuda);
    for (const auto& [release, cuda] : newest)
        if (cuda != row.newest_cuda)
            return report(
                row,
                "newest_cuda is {}, but framework_builds has {} {} with CUDA {} as its newest; correct one of "
                "them or split the row",
                row.newest_cuda, row.framework, release, cuda);
}

/// What is older than the table of builds cannot be told.
void check_defect(const Tables& all, const RnnDefect& row, const Report& report) {
    for (const auto& release : {std::optional(row.first), row.fixed}) {
        if (!release || *release < all.cudnn_builds.read().rows.front().cudnn) continue;
        if (!find_where(all.cudnn_builds.read().rows,
                        [&](const auto& build) { return covers(build.cudnn, build.cudnn_last, *release); }))
            report(row, "cudnn_builds has no cuDNN {}; use an existing version, or add its builds there", *release);
    }
}

/// What must be supported cannot begin before the feature it is.
void check_required_support(const Tables& all, const RnnRequiredSupport& row, const Report& report) {
    for (const RnnLimit& limit : all.rnn_limits.read().rows) {
        if (limit.feature != row.dtype && limit.feature != row.algorithm) continue;
        if (row.first < limit.first)
            report(row, "required from cuDNN {} on, but {} begins with {} (rnn_limits); correct one of them", row.first,
                   limit.feature, limit.first);
        if (limit.last && (!row.last || *row.last > *limit.last))
            report(row, "required for longer than {}, which ends with {} (rnn_limits); correct one of them",
                   limit.feature, *limit.last);
        if (limit.capability_min && row.capability_min < *limit.capability_min)
            report(row, "required on capability {}, but {} begins with {} (rnn_limits); correct one of them",
                   row.capability_min, limit.feature, *limit.capability_min);
    }
}

/// cuDNN versions that some row names in full, each with who names it.
std::map<Version, std::string> cudnn_versions_named(const Tables& tables) {
    std::map<Version, std::string> releases;
    const auto note = [&](const std::optional<Version>& release, const std::string& who) {
        if (release && parts_written(*release) == 3) releases.emplace(*release, who);
    };
    for (const CudnnBuild& row : tables.cudnn_builds.read().rows)
        for (const Version& release : {row.cudnn, row.last()})
            note(release, filled("it exists for CUDA {}", row.cuda_major));
    for (const RnnDefect& row : tables.rnn_defects.read().rows)
        for (const auto& release : {std::optional(row.first), row.fixed}) note(release, "rnn_defects names it");
    for (const RnnLimit& row : tables.rnn_limits.read().rows)
        for (const auto& release : {std::optional(row.first), row.last}) note(release, "rnn_limits names it");
    for (const FrameworkBuild& row : tables.framework_builds.read().rows) note(row.cudnn, "framework_builds names it");
    return releases;
}

/// A version that other rows know and that lies between two of a CUDA major which both pass it over.
void check_skipped(const Tables& all, const Report& report) {
    const auto releases = cudnn_versions_named(all);
    std::map<int, std::vector<const CudnnBuild*>> by_major;
    for (const CudnnBuild& row : all.cudnn_builds.read().rows) by_major[row.cuda_major].push_back(&row);
    for (const auto& [major, rows] : by_major)
        for (const auto& [release, who] : releases) {
            const auto has_it = [&](const CudnnBuild* row) { return covers(row->cudnn, row->last(), release); };
            const bool between = rows.front()->cudnn < release && release < rows.back()->last();
            if (!between || std::ranges::any_of(rows, has_it) || all.cudnn_builds.read().holes.contains(release.text))
                continue;
            const std::string name = filled("{} for CUDA {}", release, major);
            if (!all.cudnn_builds.read().holes.contains(name))
                report.whole("{} is missing, but {}; add its row, or declare in \"holes\" that it does not exist", name,
                             who);
        }
}

}  // namespace

void check_across(const Tables& tables, std::vector<Issue>& all) {
    const auto check = [&]<class R>(const Table<R>& table, void (*check_one)(const Tables&, const R&, const Report&)) {
        for (const R& row : table.read().rows) check_one(tables, row, {all, table.stem()});
    };
    check(tables.driver_for_cuda, check_toolkit);
    check(tables.cuda_of_driver, check_cuda<CudaOfDriver>);
    check(tables.forward_compatibility, check_package);
    check(tables.architectures, check_architecture);
    check(tables.cudnn_builds, check_cudnn);
    check(tables.gpu_products, check_product);
    check(tables.framework_builds, check_build);
    check(tables.container_images, check_cuda<ContainerImage>);
    check(tables.keras_backends, check_keras);
    check(tables.log_evidence, check_evidence);
    check(tables.rnn_required_support, check_required_support);
    if (tables.framework_builds.read().is_whole()) check(tables.framework_cuda, check_newest_cuda);
    if (!tables.cudnn_builds.read().is_whole()) return;
    check(tables.rnn_defects, check_defect);
    check_skipped(tables, {all, tables.cudnn_builds.stem()});
}

}  // namespace rnncheck::lint
