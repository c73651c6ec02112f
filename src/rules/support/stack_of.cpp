// The stacks of a machine. Pure.
#include <algorithm>

#include "matrix/ranges.hpp"
#include "rules/support/frameworks.hpp"
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
        return !file.problem && !file.stub &&
               (file_name(file.path) == soname || file.soname == soname);
    });
}

/// The CUDA that the system has for a framework that is not installed. Unset where the file that it
/// opens is there, but outside the loader's search path: that is no question of versions.
std::optional<Version> system_cuda(const Facts& facts, const FrameworkLibrary& wanted) {
    const auto major = major_in_name(wanted.soname);
    if (!wanted.path && is_installed_anywhere(facts, wanted.soname))
        return std::nullopt;
    const Runtime* runtime = find_where(facts.runtimes, [&](const Runtime& one) {
        return one.version && is_on_system(facts, one.library) &&
               (!wanted.path || one.version->major() == major);
    });
    if (runtime)
        return runtime->version;
    if (wanted.path && major)
        return make_version({*major});
    return std::nullopt;
}

/// The same of cuDNN.
const Cudnn* system_cudnn(const Facts& facts, const FrameworkLibrary& wanted) {
    if (!wanted.path && is_installed_anywhere(facts, wanted.soname))
        return nullptr;
    return find_where(facts.cudnns, [&](const Cudnn& one) {
        const bool is_wanted =
            !wanted.path || major_in_name(one.library) == major_in_name(wanted.soname);
        return one.version && is_on_system(facts, one.library) && is_wanted;
    });
}

/// What a framework that --for names would take from the system.
void add_system_libraries(
    const Facts& facts, const Framework& framework, const Matrix& matrix, stack::Stack& stack) {
    const FrameworkLibrary *cublas = opened(framework, "libcublas"),
                           *cudnn = opened(framework, "libcudnn");
    std::optional<Version> cuda;
    if (cublas)
        cuda = system_cuda(facts, *cublas);
    if (cuda && !stack.cuda)
        stack.cuda = stack::known_cuda(*cuda, matrix);
    const Cudnn* found = nullptr;
    if (cudnn)
        found = system_cudnn(facts, *cudnn);
    if (found && !stack.cudnn) {
        stack.cudnn = stack::known_cudnn(*found->version, matrix);
        stack.cudnn_cuda = found->built_for_cuda;
    }
}

}  // namespace

/// CUDA and cuDNN of the machine stay out of it: which of them a framework gets
/// is seen from its files, by the rules about libraries.
stack::Stack stack_of(const Facts& facts, const Matrix& matrix) {
    stack::Stack stack;
    stack.os = facts.host.platform;
    stack.wsl = on_wsl(facts);
    stack.arm = facts.host.machine == "aarch64";
    if (const auto driver = driver_version(facts))
        stack.driver = stack::known_driver(*driver, matrix);
    for (const Gpu& gpu : facts.cuda_devices) {
        stack::Gpu& known = stack.gpus.emplace_back(stack::Gpu{gpu.index, gpu.name});
        if (gpu.compute_capability)
            known.capability = stack::known_capability(*gpu.compute_capability, matrix);
    }
    if (const PythonEnvironment* python = active_environment(facts); python && python->version)
        stack.python = stack::known_python(*python->version);
    for (const Framework& framework : judged_frameworks(facts, matrix)) {
        stack.frameworks.push_back(as_named(framework));
        if (framework.requested)
            add_system_libraries(facts, framework, matrix, stack);
    }
    return stack;
}

std::optional<stack::Stack> named_stack(const Facts& facts) {
    stack::Stack stack;
    for (const Framework& framework : facts.frameworks)
        if (framework.requested)
            stack.frameworks.push_back(as_named(framework));
    if (stack.frameworks.empty())
        return std::nullopt;
    stack.os = facts.host.platform;
    stack.arm = facts.host.machine == "aarch64";
    const PythonEnvironment* python = active_environment(facts);
    if (python && python->version)
        stack.python = stack::known_python(*python->version);
    stack.has_unknown_python = !stack.python;
    return stack;
}

stack::Stack as_installed(stack::Stack stack, const Matrix& matrix) {
    if (!stack.cuda || parts_written(*stack.cuda) < 2)
        return stack;
    for (stack::Framework& framework : stack.frameworks) {
        if (framework.build)
            continue;
        const auto builds = stack::builds_of(stack, framework, matrix).with_cuda;
        const FrameworkBuild* same = find_where(builds, [&](const FrameworkBuild& build) {
            return stack::bundles_libraries(build) && agree(*build.cuda, *stack.cuda);
        });
        if (same)
            framework.build = same->build;
    }
    return stack;
}

}  // namespace rnncheck::rules
