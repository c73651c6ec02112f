// A machine, or what is installed beside a log, as versions that `matrix check` would be given. Pure.
#include <algorithm>

#include "matrix/ranges.hpp"
#include "rules/support/frameworks.hpp"
#include "rules/support/repairs.hpp"
#include "rules/support/versions.hpp"

namespace rnncheck::rules {

namespace {

/// A CUDA runtime or cuDNN of the system, not of a Python environment.
bool is_on_system(const Facts& facts, const std::string& path) {
    const Library* file = library_at(facts, path);
    return file && file->found_via != FoundVia::wheel && file->found_via != FoundVia::conda;
}

bool is_installed_anywhere(const Facts& facts, const std::string& soname) {
    return std::ranges::any_of(facts.libraries, [&](const Library& file) {
        return !file.problem && !file.stub && (file_name(file.path) == soname || file.soname == soname);
    });
}

/// The CUDA that the system has for a framework that is not installed. Unset where the file that it opens is there, but
/// outside the loader's search path: that is no question of versions.
std::optional<Version> system_cuda(const Facts& facts, const FrameworkLibrary& wanted) {
    const auto major = major_in_name(wanted.soname);
    if (!wanted.path && is_installed_anywhere(facts, wanted.soname)) return std::nullopt;
    const Runtime* runtime = find_where(facts.runtimes, [&](const Runtime& one) {
        return one.version && is_on_system(facts, one.library) && (!wanted.path || one.version->major() == major);
    });
    if (runtime) return runtime->version;
    return wanted.path && major ? std::optional(make_version({*major})) : std::nullopt;
}

/// The same of cuDNN.
const Cudnn* system_cudnn(const Facts& facts, const FrameworkLibrary& wanted) {
    if (!wanted.path && is_installed_anywhere(facts, wanted.soname)) return nullptr;
    return find_where(facts.cudnns, [&](const Cudnn& one) {
        const bool is_wanted = !wanted.path || major_in_name(one.library) == major_in_name(wanted.soname);
        return one.version && is_on_system(facts, one.library) && is_wanted;
    });
}

/// What a framework that --for names would take from the system.
void add_system_libraries(const Facts& facts, const Framework& framework, Facts& given) {
    const FrameworkLibrary *cublas = opened(framework, "libcublas"), *cudnn = opened(framework, "libcudnn");
    if (const auto cuda = cublas ? system_cuda(facts, *cublas) : std::nullopt; cuda && given.runtimes.empty())
        given.runtimes.emplace_back().version = cuda;
    if (const Cudnn* found = cudnn ? system_cudnn(facts, *cudnn) : nullptr; found && given.cudnns.empty()) {
        Cudnn& copy = given.cudnns.emplace_back();
        copy.version = found->version;
        copy.built_for_cuda = found->built_for_cuda;
    }
}

}  // namespace

Facts as_given(const Facts& facts, const Matrix& matrix) {
    Facts given;
    given.tool.stages = {"given"};
    given.host.platform = facts.host.platform;
    given.host.wsl = facts.host.wsl;
    given.driver.library_version = driver_version(facts);
    for (const Gpu& gpu : facts.cuda_devices) {
        Gpu& copy = given.cuda_devices.emplace_back();
        copy.index = gpu.index;
        copy.name = gpu.name;
        copy.compute_capability = gpu.compute_capability;
    }
    if (const PythonEnvironment* python = active_environment(facts); python && python->version)
        given.pythons.emplace_back().version = python->version;
    for (const Framework& framework : judged_frameworks(facts, matrix)) {
        Framework& copy = given.frameworks.emplace_back();
        copy.name = framework.name;
        copy.version = framework.version;
        copy.build = framework.build;
        if (framework.asked) add_system_libraries(facts, framework, given);
    }
    return given;
}

Facts as_installed(Facts given, const Matrix& matrix) {
    const Version* cuda = given_cuda(given);
    if (!cuda || parts_written(*cuda) < 2) return given;
    for (Framework& framework : given.frameworks) {
        if (framework.build) continue;
        const auto builds = builds_of(given, matrix, framework).with_cuda;
        const FrameworkBuild* same = find_where(
            builds, [&](const FrameworkBuild& build) { return brings_libraries(build) && agree(*build.cuda, *cuda); });
        if (same) framework.build = same->build;
    }
    return given;
}

}  // namespace rnncheck::rules
