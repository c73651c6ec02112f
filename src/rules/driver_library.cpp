// The driver's library: missing, not found by the loader, or a stub.
#include "base/if_any.hpp"
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules {

/// What to do depends on whose driver it is: in WSL that of Windows, in a
/// container the host's; installing a package there would hide the one that
/// comes from it.
static std::vector<Remedy> remedies_without_driver(const Facts& facts) {
    std::string where;
    if (contains(facts.host.os.value_or(""), "Debian"))
        where = ". The package is in the components contrib, non-free and non-free-firmware";
    Remedy install = remedy("driver_missing/install", {where}, driver_install_commands(facts));
    if (on_wsl(facts))
        return {remedy("driver_missing/wsl")};
    if (!foreign_kernel_driver(facts).empty())
        return {against_foreign_driver(facts)};
    if (!facts.host.pci_gpus.empty())
        return {install};
    if (bus_without_gpu(facts))
        return {machine_without_gpu(facts), remedy("driver_missing/no_gpu")};
    std::vector<Remedy> remedies = requests_for_gpu(facts);
    install.text = "If this machine has an NVIDIA GPU, install its driver, then reboot";
    append(remedies, {install, remedy("driver_missing/no_gpu")});
    return remedies;
}

/// With a GPU on the bus the driver is what is missing; without one, the GPU
/// is.
static std::string message_without_driver(const Facts& facts) {
    const std::string nothing_found = "neither libcuda.so.1 nor the kernel module was found";
    if (on_wsl(facts))
        return "no NVIDIA driver is available in WSL: neither /dev/dxg nor a usable libcuda.so.1 "
               "was found";
    if (!facts.host.pci_gpus.empty())
        return "this machine has an NVIDIA GPU but no NVIDIA driver: " + nothing_found;
    if (bus_without_gpu(facts)) {
        std::string machine = "this machine";
        if (in_container(facts))
            machine = "this container's host";
        return "no NVIDIA GPU is on the PCI bus of " + machine +
               ", and no NVIDIA driver is installed";
    }
    return "no NVIDIA driver is installed: " + nothing_found;
}

/// The driver puts its libraries into System32, and CUDA looks for them there alone.
static Finding driver_missing_on_windows() {
    return {
        .subject = "NVIDIA driver",
        .message =
            "no NVIDIA driver is installed: nvcuda.dll is not in Windows' system directory "
            "(System32)",
        .evidence = {{"driver library", "no nvcuda.dll in System32", "libraries"}},
        .remedies = {remedy("driver_missing/windows"), remedy("driver_missing/no_gpu")},
        .symptoms = {"driver"},
    };
}

/// Neither the driver's library libcuda nor its kernel module is there. Where
/// one of the two is, driver_library_missing or kernel_module_missing reports
/// the other.
Verdict driver_missing(const Facts& facts, const Matrix&) {
    if (driver_responds(facts))
        return pass("the driver works");
    if (!libraries_listed(facts))
        return undecided("the library directories could not be searched");
    if (driver_library_seen(facts))
        return not_applicable("a driver library is installed");
    if (on_windows(facts))
        return fault(driver_missing_on_windows());
    if (kernel_side_seen(facts))
        return not_applicable("the driver's kernel module is installed");
    if (!facts.driver.module_loaded)
        return undecided(why_kernel_unknown(facts));
    Finding finding = {
        .subject = "NVIDIA driver",
        .message = message_without_driver(facts),
        .evidence =
            {{"NVIDIA GPUs on the PCI bus", gpus_on_bus(facts), "host.pci_gpus"},
             {"driver library", "no usable libcuda.so.1 in the loader's search path", "libraries"},
             {"kernel module", "not loaded", "driver.module_loaded"},
             {"kernel driver of the GPU", foreign_kernel_driver(facts), "host.pci_gpus"},
             {"container", if_known(facts.host.container), "host.container"}},
        .remedies = remedies_without_driver(facts),
        .symptoms = {"driver"},
    };
    // A libcuda of a toolkit or package is not a driver: show that it was found and does not count.
    for (const Library* copy : usable_copies(facts, LibraryKind::cuda))
        finding.evidence.push_back(
            {"libcuda outside the loader's search path", copy->path, "libraries"});
    return fault(std::move(finding));
}

/// NVIDIA's container runtime mounts libcuda only for the capability "compute",
/// so in a container its environment is at fault; else the file has to be found
/// by the loader, or its package installed in the version of the kernel module.
static Remedy install_or_find(const Facts& facts, const std::vector<const Library*>& copies) {
    if (on_wsl(facts))
        return remedy("driver_missing/wsl");
    if (in_container(facts)) {
        Remedy remedy = gpu_for_container(facts);
        remedy.text =
            "The container has no access to the host driver's compute libraries: set "
            "NVIDIA_DRIVER_CAPABILITIES=compute,utility if the container runtime reads that "
            "variable. " +
            remedy.text;
        return remedy;
    }
    const auto& module = facts.driver.kernel_version;
    const std::string version = if_any(" ", module);
    if (!copies.empty())
        return remedy("driver_library_missing/path", {directory_of(copies.front()->path), version});
    std::string branch = "BRANCH";
    if (module)
        branch = std::to_string(module->major());
    return remedy("driver_library_missing/install", {version, branch});
}

/// The kernel module is loaded and the loader finds no libcuda.so.1: CUDA
/// programs open it by that name and nothing else. A stub is
/// stub_driver_library_in_path's.
Verdict driver_library_missing(const Facts& facts, const Matrix&) {
    if (driver_responds(facts))
        return pass("the driver works");
    if (!libraries_listed(facts))
        return undecided("the library directories could not be searched");
    if (init_code(facts) == cuda_stub_library && driver_library(facts))
        return not_applicable("the libcuda that was loaded is a stub");
    if (driver_library(facts))
        return pass("the loader finds a driver library");
    if (driver_library_seen(facts) && facts.driver.init)
        return pass("a driver library responds");
    if (driver_library_seen(facts))
        return undecided("a library was opened, but it may not be a driver");
    if (!kernel_side_seen(facts) && facts.driver.module_loaded)
        return not_applicable("the kernel part of the driver is missing too");
    if (!kernel_side_seen(facts))
        return undecided(why_kernel_unknown(facts));
    // A forward-compatibility library is not meant to be found by itself.
    auto copies = usable_copies(facts, LibraryKind::cuda);
    std::erase_if(copies, [](const Library* copy) { return copy->compat; });
    const Library* const link = find_where(facts.libraries, [](const Library& library) {
        return library.kind == LibraryKind::cuda && is_link_to_missing_driver(library);
    });
    std::string message =
        "the kernel part of the NVIDIA driver is present, but the driver library libcuda.so.1 is "
        "not installed";
    if (link)
        message += ": " + link->path + " is a symbolic link to a file that does not exist";
    if (!copies.empty())
        message = "the loader does not find libcuda.so.1, although it is installed at " +
                  copies.front()->path;
    return fault({
        .subject = "libcuda.so.1",
        .message = std::move(message),
        .evidence =
            {{"libcuda.so.1", "not in the loader's search path", "libraries"},
             {"device nodes",
              std::to_string(facts.driver.device_nodes.size()),
              "driver.device_nodes"},
             {"kernel module", if_known(facts.driver.kernel_version), "driver.kernel_version"}},
        .remedies = {install_or_find(facts, copies)},
        .symptoms = {"libcuda"},
    });
}

/// Without this library of the driver, cuDNN cannot use the kernels that it compiles at run time.
static Finding without_ptx_compiler(const Facts& facts, const KernelRun& run) {
    const std::string gpu = gpu_subject(facts, run.gpu);
    return {
        .subject = gpu,
        .gpu = run.gpu,
        .message = "the driver cannot compile code for " + gpu + ": " + in_words(*run.result),
        .evidence = {{"call", in_words(*run.result), place_of(facts, run) + ".result"}},
        .remedies = {for_place(
            facts,
            remedy("ptx_compiler_missing/container"),
            remedy("ptx_compiler_missing/install"))},
        .explains = places_on(facts, run.gpu),
    };
}

/// The driver's library libnvidia-ptxjitcompiler is missing, so code that is
/// only there as PTX cannot be loaded. Silent where a test kernel was compiled,
/// and open where none was: the library is opened when the first PTX is loaded.
Verdict ptx_compiler_missing(const Facts& facts, const Matrix&) {
    if (facts.kernel_runs.empty())
        return without_gpu(facts).value_or(undecided("no test kernel was run"));
    VerdictBuilder result;
    for (const KernelRun& run : facts.kernel_runs)
        if (ptx_compiler_is_missing(run))
            result.fault(without_ptx_compiler(facts, run));
        else if (code_was_loaded(run))
            result.passed("the driver compiled a test kernel");
        else if (!failed_allocations(facts, run.gpu).empty())
            result.not_applicable("the GPU ran out of memory");
        else
            result.unknown("no test kernel was compiled for " + gpu_subject(facts, run.gpu));
    return result.finish();
}

/// WSL bundles its own libcuda in /usr/lib/wsl/lib, and the loader does not
/// take it: that directory is not in its search path, or another libcuda comes
/// first, e.g. of a driver package for Linux, which does not work under WSL.
Verdict wsl_libcuda_not_found(const Facts& facts, const Matrix&) {
    if (driver_responds(facts))
        return pass("the driver works");
    if (!facts.host.wsl)
        return undecided("it is unknown whether this is WSL");
    if (!*facts.host.wsl)
        return not_applicable("this is not WSL");
    if (!libraries_listed(facts))
        return undecided("the library directories could not be searched");
    if (!node_at(facts, "/dev/dxg"))
        return not_applicable("WSL has no GPU: /dev/dxg does not exist");
    const Library *windows = libcuda_of_wsl(facts), *other = picked(facts, LibraryKind::cuda);
    if (!windows)
        return not_applicable("WSL provides no libcuda");
    if (windows->picked_by_loader)
        return pass("the loader finds the libcuda of WSL");
    std::string found = "none";
    std::string message =
        "the loader does not find " + windows->path + ", the libcuda that Windows provides to WSL";
    if (other) {
        found = other->path;
        message = "the loader finds " + found + " instead of " + windows->path +
                  ", the only libcuda that works under WSL";
    }
    return fault({
        .subject = windows->path,
        .message = std::move(message),
        .evidence =
            {{"libcuda of WSL", windows->path, "libraries"},
             {"libcuda that the loader finds", found, "libraries"}},
        .remedies = {remedy("wsl_libcuda_not_found")},
        .explains = {"driver.init", "libcuda"},
    });
}

/// With `loaded`, cuInit failed in a stub; otherwise a stub would be loaded.
static Finding about_stub(
    const Facts& facts,
    const std::string& path,
    bool loaded,
    const std::string& message,
    Evidence evidence) {
    Finding finding = {
        .severity = error_if(loaded),
        .subject = path,
        .message = message,
        .evidence = {std::move(evidence)},
        .remedies = {remedy("stub_driver_library_in_path")},
    };
    if (loaded)
        finding.explains = {"driver.init"};
    // Where there is a driver library as well, it is not missing.
    if (loaded && !usable_copies(facts, LibraryKind::cuda).empty())
        finding.explains.emplace_back("libcuda");
    return finding;
}

/// The toolkit's stub libcuda, made for linking only, is in the loader's search
/// path. It has the driver's soname, so the loader may take it for the driver,
/// and cuInit in it returns CUDA_ERROR_STUB_LIBRARY (34).
Verdict stub_driver_library_in_path(const Facts& facts, const Matrix&) {
    VerdictBuilder result;
    std::string opened;
    if (init_code(facts) == cuda_stub_library) {
        opened = facts.driver.library.value_or("libcuda.so.1");
        if (const Library* library = library_at(facts, opened))
            opened = library->path;
        if (opened.empty())
            opened = "libcuda.so.1";  // a path that the facts lost
    }
    for (const auto& library : facts.libraries) {
        const std::string& path = library.path;
        // A stub elsewhere is normal: the toolkit puts it into lib64/stubs for
        // linkers.
        const bool in_the_way =
            library.picked_by_loader || library.found_via == FoundVia::ld_library_path;
        if (library.kind != LibraryKind::cuda || !library.stub || !in_the_way || path == opened)
            continue;
        const bool loaded = library.picked_by_loader && !driver_responds(facts);
        std::string message =
            "the toolkit's stub " + path +
            " is in a directory of LD_LIBRARY_PATH, so programs may load it instead of the "
            "driver's libcuda";
        if (loaded)
            message =
                "the loader finds the toolkit's stub " + path + " instead of the driver's libcuda";
        result.fault(
            about_stub(facts, path, loaded, message, {"link-time stub", path, "libraries"}));
    }
    if (!opened.empty())
        result.fault(about_stub(
            facts,
            opened,
            true,
            "the libcuda that was loaded, " + opened + ", is the toolkit's stub, not the driver",
            {"failed call", in_words(*facts.driver.init), "driver.init"}));
    if (!libraries_listed(facts))
        result.unknown("the library directories could not be searched");
    else if (driver_library_absent(facts))
        result.block_pass("the loader does not find libcuda");
    else if (!facts.driver.init)
        result.unknown("the result of cuInit is unknown, so the library may not be a driver");
    return result.finish_or(pass("the loader finds no stub"));
}

}  // namespace rnncheck::rules
