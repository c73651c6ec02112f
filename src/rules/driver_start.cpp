// Libraries and module are there, and the driver does not start.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"

namespace rnncheck::rules {

/// MPS, memory and Windows have fixes of their own; else a reboot loads the
/// driver again, after an update the new one.
static Remedy remedy_of_failed_start(const Facts& facts, const CallResult& init) {
    // CUDA_ERROR_MPS_CONNECTION_FAILED to CUDA_ERROR_MPS_CLIENT_TERMINATED.
    if (init.code >= 805 && init.code <= 810)
        return remedy("driver_init_failed/mps");
    if (on_windows(facts))
        return remedy("driver_init_failed/windows");
    if (is_out_of_memory(init))
        return remedy("driver_init_failed/memory");
    return on_host(facts, remedy("driver_init_failed/reboot"));
}

/// cuInit failed, and none of the better-known reasons explains it. The table
/// of status codes has NVIDIA's words for the code, which the finding quotes.
Verdict driver_init_failed(const Facts& facts, const Matrix& matrix) {
    if (driver_responds(facts))
        return pass("cuInit succeeded");
    if (const auto verdict = without_cuinit(facts))
        return *verdict;
    const CallResult& init = *facts.driver.init;
    std::string message = "the NVIDIA driver failed to initialize: " + in_words(init);
    Evidence meaning = {"meaning of " + std::to_string(init.code), "", "matrix"};
    if (const auto status = matrix.status("cuda", 0, init.code)) {
        message += ", " + status->meaning;
        meaning.value = status->name + ": " + status->meaning;
        meaning.source = status->source.url;
    }
    return fault({
        .subject = "NVIDIA driver",
        .message = std::move(message),
        .evidence =
            {{"failed call", in_words(init), "driver.init"},
             std::move(meaning),
             {"pipes of the MPS control daemon",
              if_known(facts.driver.mps_pipe),
              "driver.mps_pipe"}},
        .remedies = {remedy_of_failed_start(facts, init)},
        .symptoms = {"driver.init"},
    });
}

/// After an update of the driver's packages the old module stays in the kernel
/// until a reboot, and the new libraries reject it.
static Finding mismatch(
    const Facts& facts, const std::vector<FailedCall>& failures, bool nvml_reports_unloaded) {
    const bool works = driver_responds(facts);
    const std::string kernel = if_known(facts.driver.kernel_version),
                      library = if_known(driver_library_version(facts));
    std::string message =
        "NVML (libnvidia-ml.so.1) and the loaded kernel module are of different driver versions";
    if (!works)
        message = "the driver's libraries and its loaded kernel module are of different versions";
    if (!works && driver_versions_differ(facts))
        message += " (" + kernel + " in the kernel, " + library + " in libcuda)";
    Finding finding = {
        .severity = error_if(!works),
        .subject = "NVIDIA driver",
        .message = std::move(message),
        .evidence =
            {{"kernel module", kernel, "driver.kernel_version"},
             {"libcuda", library, "driver.library_version"},
             {"NVML", if_known(facts.driver.nvml_version), "driver.nvml_version"}},
        .remedies = {for_place(
            facts,
            remedy("driver_userland_kernel_mismatch/container"),
            remedy("driver_userland_kernel_mismatch/reboot"))},
        .symptoms = {"driver versions"},
    };
    if (!works)
        finding.explains = {"driver.init"};
    if (!failures.empty())
        finding.evidence.push_back(evidence_of(failures.front()));
    for (const FailedCall& failure : failures)
        append(finding.explains, failure.explains);
    if (nvml_reports_unloaded)
        finding.evidence.push_back({"NVML", in_words(*facts.driver.nvml_init), "driver.nvml_init"});
    return finding;
}

/// Which of the three versions is missing for a comparison; nothing if none is.
static std::optional<std::string> not_known(const Facts& facts) {
    const bool nvml_there =
        !libraries_listed(facts) || !usable_copies(facts, LibraryKind::nvml).empty();
    if (nvml_there && !facts.driver.nvml_init)
        return "NVML did not respond";
    if (driver_responds(facts))
        return std::nullopt;
    if (!facts.driver.init)
        return "the result of cuInit is unknown";
    if (!driver_library_version(facts) || !facts.driver.kernel_version)
        return "the version of libcuda or of the kernel module is unknown";
    return std::nullopt;
}

/// libcuda or NVML is of another version than the loaded kernel module, by
/// their version numbers or by CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803) of a
/// call. Silent with a forward-compatibility library, which is meant to be
/// newer.
Verdict driver_userland_kernel_mismatch(const Facts& facts, const Matrix&) {
    const Library* library = driver_library(facts);
    const auto failures = cuda_failures(facts, cuda_system_driver_mismatch);
    const bool nvml_reports_unloaded =
        facts.driver.nvml_init && facts.driver.nvml_init->code == nvml_version_mismatch;
    const bool differ = driver_versions_differ(facts) && !driver_responds(facts);
    if (library && library->compat && !driver_responds(facts))
        return not_applicable("a forward-compatibility library is in use");
    if (!failures.empty() || nvml_reports_unloaded || differ)
        return fault(mismatch(facts, failures, nvml_reports_unloaded));
    if (const auto why = lower_cause(facts))
        return not_applicable(*why);
    if (const auto why = not_known(facts))
        return undecided(*why);
    if (!failures_are_known(facts))
        return undecided("a run on the GPU failed for an unknown reason");
    return pass("the driver's libraries and kernel module match");
}

/// A driver package inside the container hides the driver library that belongs
/// to the host's kernel module. The container runtime mounts the host's
/// libraries, but a package puts its own files before them.
Verdict driver_installed_inside_container(const Facts& facts, const Matrix&) {
    if (driver_responds(facts))
        return pass("the driver works");
    if (!in_container(facts))
        return not_applicable("no container was detected");
    if (driver_library_absent(facts))
        return not_applicable("this container has no driver library");
    if (kernel_side_absent(facts))
        return not_applicable("the kernel module is not loaded");
    if (const Library* library = driver_library(facts); library && library->compat)
        return not_applicable(
            "the library is a forward-compatibility library, whose version may differ");
    const auto& kernel = facts.driver.kernel_version;
    const auto library = driver_library_version(facts);
    if (!kernel || !library)
        return undecided("the version of the kernel module or of the driver library is unknown");
    if (!driver_versions_differ(facts))
        return pass("the kernel module and the driver library are of the same version");
    const std::string path = libcuda_in_use(facts);
    return fault({
        .subject = path,
        .message = "the driver library in this container is version " + library->text +
                   ", but the host's kernel module is version " + kernel->text,
        .evidence =
            {{"driver library", path + ", version " + library->text, "driver.library_version"},
             {"kernel module", kernel->text, "driver.kernel_version"},
             {"container", *facts.host.container, "host.container"}},
        .remedies = {remedy("driver_installed_inside_container")},
        .confidence = Confidence::likely,
        .explains = {"driver versions", "driver.init"},
    });
}

/// `refusals` are calls with CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE (804);
/// without any, that this library is at fault is only likely.
static Finding compat_fails(
    const Facts& facts, const Library* compat, const std::vector<FailedCall>& refusals) {
    std::string path = libcuda_in_use(facts);
    if (compat)
        path = compat->path;
    std::string how = " is not supported on this GPU (CUDA error 804)";
    if (refusals.empty())
        how = " is used instead of the driver's own libcuda and fails";
    Finding finding = {
        .subject = path,
        .message = "the forward-compatibility library " + path + how,
        .evidence =
            {{"libcuda in use", path, "libraries"},
             {"cuInit", if_known(facts.driver.init), "driver.init"},
             {"kernel module", if_known(facts.driver.kernel_version), "driver.kernel_version"}},
        .remedies = {remedy("container_cuda_newer_than_driver")},
        .confidence = certain_if(!refusals.empty()),
        .explains = {"driver.init"},
    };
    if (!refusals.empty())
        finding.evidence.push_back(evidence_of(refusals.front()));
    for (const FailedCall& refusal : refusals)
        append(finding.explains, refusal.explains);
    return finding;
}

/// A forward-compatibility libcuda, usually from a container image, is found
/// before the driver's own and does not work here: NVIDIA supports it on data
/// center GPUs and few others.
/// https://docs.nvidia.com/deploy/cuda-compatibility/
Verdict container_cuda_newer_than_driver(const Facts& facts, const Matrix&) {
    const Library* compat = driver_library(facts);
    if (compat && !compat->compat)
        compat = nullptr;
    const auto refusals = cuda_failures(facts, cuda_compat_not_supported);
    if (!refusals.empty())
        return fault(compat_fails(facts, compat, refusals));
    if (!failures_are_known(facts))
        return undecided("a run on the GPU failed for an unknown reason");
    if (driver_responds(facts) && compat)
        return pass("the forward-compatibility library works");
    if (driver_responds(facts))
        return not_applicable("the driver's own libcuda works");
    if (const auto verdict = without_cuinit(facts))
        return *verdict;
    if (!compat)
        return not_applicable("no forward-compatibility library is in use");
    if (facts.driver.init->code == cuda_no_device ||
        facts.driver.init->code == cuda_system_not_ready)
        return not_applicable("cuInit failed for another reason");
    return fault(compat_fails(facts, compat, {}));
}

/// On machines with NVSwitch CUDA waits for the fabric manager, and it does not
/// run: cuInit or a later call returns CUDA_ERROR_SYSTEM_NOT_READY (802).
Verdict fabric_manager_not_running(const Facts& facts, const Matrix&) {
    const Finding not_ready{
        .message =
            "the system is not ready for CUDA (error 802): on systems with "
            "NVSwitch, Fabric Manager is not running",
        .evidence =
            {{"driver version", if_known(driver_library_version(facts)), "driver.library_version"}},
        .remedies = {on_host(facts, remedy("fabric_manager_not_running"))},
        .confidence = Confidence::likely,
    };
    const auto failures = cuda_failures(facts, cuda_system_not_ready);
    if (!failures.empty())
        return fault_or(findings_for(failures, not_ready), {});
    if (const auto verdict = without_cuinit(facts))
        return *verdict;
    if (!failures_are_known(facts))
        return undecided("a run on the GPU failed for an unknown reason");
    if (!facts.driver.init->ok())
        return not_applicable("cuInit failed for another reason");
    return pass("no call reported that the system is not ready");
}

/// Without persistence mode the driver initializes the GPUs again for every
/// program that is alone on them. Silent where that is quick.
Verdict persistence_mode_off(const Facts& facts, const Matrix&) {
    constexpr double slow_start_ms = 3000;
    if (const auto verdict = without_cuinit(facts))
        return *verdict;
    if (!driver_responds(facts))
        return not_applicable("the driver does not initialize");
    const Board* off = find_by(facts.nvml_devices, &Board::persistence, false);
    const bool all_on =
        !facts.nvml_devices.empty() && std::ranges::all_of(facts.nvml_devices, [](const Board& b) {
            return b.persistence == true;
        });
    if (!off && all_on)
        return pass("persistence mode is on");
    if (!off)
        return not_reported(facts, "its persistence mode");
    // The process that initialized the driver and queried its GPUs.
    const ProbeRun* run = find_where(facts.probe_runs, [](const ProbeRun& one) {
        return one.probe == "driver_api" && one.completed();
    });
    if (!run)
        return undecided("querying the driver did not finish");
    if (run->elapsed_ms < slow_start_ms)
        return pass("persistence mode is off, but the driver initializes quickly");
    const std::string seconds = short_number(run->elapsed_ms / 1000) + " s";
    return fault({
        .subject = "NVIDIA driver",
        .message = "persistence mode is off, and the driver took " + seconds +
                   " to initialize: each CUDA program that starts on idle GPUs waits that long",
        .evidence =
            {{"driver initialization", seconds, "probe_runs"},
             {"persistence mode of " + subject_of(*off),
              "off",
              board_fact(facts, *off, "persistence")}},
        .remedies = {on_host(facts, remedy("persistence_mode_off"))},
        .confidence = Confidence::likely,
    });
}

}  // namespace rnncheck::rules
