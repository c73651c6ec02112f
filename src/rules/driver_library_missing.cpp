// The kernel side of the driver is here, the loader finds no libcuda.
#include "rules/rule.hpp"

namespace rnncheck::rules::driver_library_missing {

static Remedy passed_in(const Facts& facts) {
    Remedy remedy = gpu_for_container(facts);
    remedy.text =
        "The container has no access to the host driver's compute libraries: set "
        "NVIDIA_DRIVER_CAPABILITIES=compute,utility if the container runtime reads that variable. " +
        remedy.text;
    return remedy;
}

static Remedy remedy(const Facts& facts, const std::vector<const Library*>& copies) {
    if (on_wsl(facts)) return update_windows_driver();
    if (in_container(facts)) return passed_in(facts);
    const std::string version = facts.driver.kernel_version ? ' ' + facts.driver.kernel_version->text : "";
    const std::string branch =
        facts.driver.kernel_version ? std::to_string(facts.driver.kernel_version->major()) : "BRANCH";
    return {
        .action = copies.empty() ? Action::install_driver : Action::change_environment,
        .text = copies.empty()
                    ? "Install the driver's compute libraries in the same version as the kernel module" + version +
                          " (Ubuntu: libnvidia-compute-" + branch +
                          ", Debian: libcuda1, Red Hat: nvidia-driver-cuda-libs), "
                          "then refresh the loader's cache"
                    : "Add " + directory_of(copies.front()->path) +
                          " to the loader's search path, if that library has the same version as the kernel module" +
                          version + ", then refresh the loader's cache",
        .commands = {"sudo ldconfig", "/sbin/ldconfig -p | grep libcuda.so.1"},
        .risk = Risk::needs_root,
        .verify = "nvidia-smi",
        .link = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"};
}

static Finding library_missing(const Facts& facts) {
    const auto copies = usable_copies(facts, LibraryKind::cuda);
    return {.subject = "libcuda.so.1",
            .message = copies.empty() ? "the kernel part of the NVIDIA driver is present, but the driver library "
                                        "libcuda.so.1 is not installed"
                                      : "the loader does not find libcuda.so.1, although it is installed at " +
                                            copies.front()->path,
            .evidence = {{"libcuda.so.1", "not in the loader's search path", "libraries"},
                         {"device nodes", std::to_string(facts.driver.device_nodes.size()), "driver.device_nodes"},
                         {"kernel module", if_known(facts.driver.kernel_version), "driver.kernel_version"}},
            .remedies = {remedy(facts, copies)},
            .symptoms = {"libcuda"}};
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver works");
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    if (init_code(facts) == cuda_stub_library && driver_library(facts))
        return not_applicable("the libcuda that was loaded is a stub");
    if (driver_library(facts)) return pass("the loader finds a driver library");
    if (driver_library_seen(facts))
        return facts.driver.init ? pass("a driver library responds")
                                 : undecided("a library was opened, but it may not be a driver");
    if (kernel_side_seen(facts)) return fault(library_missing(facts));
    if (!facts.driver.module_loaded) return undecided(kernel_not_asked(facts));
    return not_applicable("the kernel part of the driver is missing too");
}

extern const Rule rule{
    .title = "The loader does not find the driver library (libcuda.so.1)",
    .layer = Layer::driver,
    .stage = Stage::look,
    .check = check,
    .yields_to = {"container_no_gpu_runtime", "gpu_hidden_by_setting", "library_file_damaged",
                  "library_for_other_machine", "stub_driver_library_in_path", "wsl_libcuda_not_found"}};

}  // namespace rnncheck::rules::driver_library_missing
