// The facts that a Linux machine of a stack's versions shows: driver, GPUs, CUDA and cuDNN of the
// system, and a framework that is installed there, or that --for names.
#pragma once

#include "facts/queries.hpp"
#include "matrix/ranges.hpp"
#include "stack/builds.hpp"
#include "support/bundled_matrix.hpp"

namespace rnncheck::test {

class MachineOfStack {
  public:
    explicit MachineOfStack(const stack::Stack& stack) : stack_(stack) {
        facts_.tool.stages = {"look", "query", "run"};
        facts_.host.platform = "linux";
        facts_.host.wsl = stack.wsl;
        for (const char* probe : {"library_files", "python_packages", "driver_api"})
            facts_.probe_runs.emplace_back().probe = probe;
        add_driver();
        for (const stack::Gpu& gpu : stack.gpus) {
            Gpu& listed = facts_.cuda_devices.emplace_back();
            listed.index = gpu.index;
            listed.name = gpu.name;
            listed.compute_capability = *gpu.capability;
        }
        PythonEnvironment& python = facts_.pythons.emplace_back();
        python.path = environment;
        python.active = true;
        if (stack.python)
            python.version = *stack.python;
        if (stack.cuda)
            add_cuda(system_directory, FoundVia::loader_cache, *stack.cuda);
        if (stack.cudnn)
            add_cudnn(system_directory, FoundVia::loader_cache, *stack.cudnn, stack.cudnn_cuda);
    }

    /// The framework as --for names it.
    Facts naming(const stack::Framework& framework) const {
        Facts facts = facts_;
        Framework& named = facts.frameworks.emplace_back(described(framework));
        named.requested = true;
        return facts;
    }

    /// It is installed, a build that bundles its CUDA and cuDNN.
    Facts with_installed(const stack::Framework& framework, const FrameworkBuild& build) {
        Framework& installed = facts_.frameworks.emplace_back(described(framework));
        installed.environment = environment;
        installed.package = build.package;
        installed.uses_cuda = true;
        installed.cuda = build.cuda;
        installed.cudnn = build.cudnn;
        if (!build.targets.empty())
            installed.targets = build.targets;
        installed.directories_before = {wheel_directory};
        give(installed, add_cuda(wheel_directory, FoundVia::wheel, *build.cuda), *build.cuda);
        if (build.cudnn)
            give(
                installed,
                add_cudnn(wheel_directory, FoundVia::wheel, exact(build), build.cuda),
                *build.cudnn);
        return facts_;
    }

  private:
    static constexpr const char *environment = "/env", *system_directory = "/usr/local/cuda/lib64",
                                *wheel_directory = "/env/lib/python3/site-packages/nvidia/lib";

    static Framework described(const stack::Framework& framework) {
        Framework described;
        described.name = framework.name;
        described.version = framework.version;
        described.build = framework.build;
        return described;
    }

    /// A driver reports the newest CUDA that it runs with all features.
    void add_driver() {
        if (!stack_.driver)
            return;
        facts_.driver.library_version = facts_.driver.kernel_version = *stack_.driver;
        std::optional<Version>& cuda = facts_.driver.cuda_version;
        for (const DriverForCuda& row : bundled_matrix().driver_for_cuda())
            if (row.full_driver <= *stack_.driver && (!cuda || *cuda < row.cuda))
                cuda = row.cuda;
    }

    Library& add_file(
        LibraryKind kind, const std::string& directory, FoundVia via, const std::string& name) {
        Library& file = facts_.libraries.emplace_back();
        file.kind = kind;
        file.path = directory + '/' + name;
        file.soname = name;
        file.found_via = via;
        file.picked_by_loader = via != FoundVia::wheel;
        return file;
    }

    std::string add_cuda(const std::string& directory, FoundVia via, const Version& cuda) {
        const std::string major = std::to_string(cuda.major()), both = shortened(cuda, 2).text;
        const std::string& of_runtime = cuda.major() >= 12 ? major : both;
        Runtime& runtime = facts_.runtimes.emplace_back();
        runtime.library =
            add_file(LibraryKind::cudart, directory, via, "libcudart.so." + of_runtime).path;
        runtime.version = cuda;
        return add_file(LibraryKind::cublas, directory, via, cublas_soname(cuda)).path;
    }

    std::string add_cudnn(
        const std::string& directory,
        FoundVia via,
        const Version& version,
        const std::optional<Version>& cuda) {
        Cudnn& cudnn = facts_.cudnns.emplace_back();
        cudnn.library = add_file(
                            LibraryKind::cudnn,
                            directory,
                            via,
                            "libcudnn.so." + std::to_string(version.major()))
                            .path;
        cudnn.version = version;
        if (!cuda)
            return cudnn.library;
        cudnn.built_for_cuda = *cuda;
        const auto row = bundled_matrix().cudnn_build(version, cuda->major());
        if (row && version >= make_version({8, 6}))
            cudnn.newest_capability = row->capability_max;
        return cudnn.library;
    }

    /// The version that 9.1 or 8 means.
    static Version exact(const FrameworkBuild& build) {
        for (const CudnnBuild& row : bundled_matrix().cudnn_builds())
            if (row.cuda_major == build.cuda->major() && may_be_of(row, *build.cudnn))
                return agree(row.cudnn, *build.cudnn) ? row.cudnn : *build.cudnn;
        return *build.cudnn;
    }

    static void give(Framework& framework, const std::string& path, const Version& version) {
        FrameworkLibrary& library = framework.libraries.emplace_back();
        library.soname = file_name(path);
        library.path = path;
        library.found_by = "rpath";
        library.version = version;
    }

    const stack::Stack& stack_;
    Facts facts_;
};

}  // namespace rnncheck::test
