// System, driver, GPUs, CUDA and cuDNN in the checklist.
#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/checklist_rows.hpp"

namespace rnncheck {

namespace {

using Words = std::vector<std::string>;

/// The files of a library that were not loaded.
Rows files_not_queried(const Facts& facts, LibraryKind kind) {
    // More files than that are the subject of a finding, not of the overview.
    constexpr std::size_t most = 3;
    Rows found;
    for (const Library& library : facts.libraries)
        if (library.kind == kind && !library.stub && library.path != facts.driver.library &&
            found.size() < most)
            found.emplace_back(
                known("", library.version_in_name, ", ") + "not queried", shown(library.path));
    return found;
}

/// "no cuDNN was found".
std::string none_found(const Facts& facts, const std::string& what) {
    if (libraries_listed(facts))
        return what + " was found";
    return what + " was found, but the search is incomplete";
}

/// What programs that open libcuda.so.1 get.
ChecklistRow loaded_driver(const Facts& facts, bool has_files) {
    constexpr std::int64_t stub_library = 34;  // CUDA_ERROR_STUB_LIBRARY
    const Driver& driver = facts.driver;
    std::string name = "libcuda.so.1";
    if (on_windows(facts))
        name = "nvcuda.dll";
    if (!driver.library && has_files)
        return {"no driver library is loaded"};
    if (!driver.library)
        return {none_found(facts, "no driver library (" + name + ")")};
    if (driver.init && driver.init->code == stub_library)
        return {
            "the loaded library is a stub of the CUDA Toolkit, not the driver",
            shown(*driver.library)};
    if (on_windows(facts))
        return {"of unknown version", shown(*driver.library)};
    return {"the loaded library has no version in its name", shown(*driver.library)};
}

/// "" where it is unknown.
std::string module_in_words(const Driver& driver) {
    if (!driver.module_loaded)
        return "";
    if (*driver.module_loaded)
        return "kernel module loaded";
    return "no kernel module is loaded";
}

/// "cuInit returned 999 (...)"; empty if it succeeded or was not called.
std::string init_failure(const Driver& driver) {
    if (!driver.init || driver.init->ok())
        return "";
    return shown(in_words(*driver.init));
}

/// Without a version of the library: what is loaded, what the kernel has, and the files that are
/// not loaded.
Rows driver_rows_without_version(const Facts& facts) {
    const Driver& driver = facts.driver;
    Rows files = files_not_queried(facts, LibraryKind::cuda);
    Rows rows = {loaded_driver(facts, !files.empty())};
    std::string module;  // a version that is known shows that it is loaded
    if (!driver.kernel_version || !driver.module_loaded.value_or(true))
        module = module_in_words(driver);
    const std::string of_kernel = listed(
        {known("kernel module ", driver.kernel_version),
         module,
         known("supports CUDA up to ", driver.cuda_version),
         init_failure(driver)});
    if (!of_kernel.empty() && rows.front().place.empty())
        rows.front().text += ", " + of_kernel;
    else if (!of_kernel.empty())
        rows.emplace_back(of_kernel);
    append(rows, files);
    return rows;
}

/// Cut to one decimal: 24576 MiB are "24", 24564 are "23.9".
std::string gibibytes(std::int64_t mebibytes) {
    return short_number(static_cast<double>(mebibytes * 10 / 1024) / 10);
}

/// "NVIDIA GeForce RTX 3090 (compute capability 8.6), 23.2 of 24 GiB free";
/// `each`: of several equal ones.
std::string gpu_words(const Facts& facts, const Gpu& gpu, bool each) {
    std::string words = shown(gpu.name.value_or("GPU of unknown name"));
    words += known(" (compute capability ", gpu.compute_capability, ")");
    if (!gpu.memory_total_mib)
        return words;
    const Board* board = board_of(facts, gpu);
    const std::string total = gibibytes(*gpu.memory_total_mib) + " GiB";
    if (!board || !board->memory_free_mib)
        return words + ", " + total;
    words += ", " + gibibytes(*board->memory_free_mib) + " of " + total + " free";
    if (each)
        words += " on each";
    return words;
}

}  // namespace

/// WSL and containers belong to it, because they decide whose driver counts.
std::string system_line(const Host& host) {
    std::string wsl;
    if (host.wsl.value_or(false))
        wsl = "under the Windows Subsystem for Linux";
    return listed(
        {known("", host.os),
         known("kernel ", host.kernel),
         known("", host.libc),
         known("", host.machine),
         wsl,
         known("in a container (", host.container, ")")});
}

Rows files_of(const Facts& facts, LibraryKind kind, const std::string& what) {
    Rows found = files_not_queried(facts, kind);
    if (found.empty())
        found.emplace_back(none_found(facts, what));
    return found;
}

/// One version where library and kernel module agree, as they should.
Rows driver_rows(const Facts& facts) {
    if (!facts.driver.library_version)
        return driver_rows_without_version(facts);
    const Driver& driver = facts.driver;
    const auto &library = driver.library_version, &kernel = driver.kernel_version;
    std::string versions = known("", library);
    if (!kernel)
        versions = listed({versions, module_in_words(driver)});
    else if (kernel->text != library->text)
        versions = known("library ", library) + known(", kernel module ", kernel);
    return {listed(
        {versions, known("supports CUDA up to ", driver.cuda_version), init_failure(driver)})};
}

/// Grouped by their words without "on each", which depends on the group.
Rows gpu_lines(const Facts& facts) {
    const auto groups =
        grouped(facts.cuda_devices, [&](const Gpu& gpu) { return gpu_words(facts, gpu, false); });
    Rows rows;
    for (const auto& [words, gpus] : groups) {
        std::string which;
        if (groups.size() > 1)
            which = gpus_in_words(mapped(gpus, &Gpu::index)) + ": ";
        if (gpus.size() == 1)
            rows.push_back(which + words);
        else
            rows.push_back(
                which + std::to_string(gpus.size()) + " x " +
                gpu_words(facts, *gpus.front(), true));
    }
    return rows;
}

/// What NVML sees before what is on the bus: it shows that the driver works.
Rows no_gpu_lines(const Facts& facts) {
    Words seen;
    for (const Board& board : facts.nvml_devices)
        seen.push_back(concat("NVML ", board.index, known(" ", board.name)));
    if (seen.empty())
        for (const PciGpu& device : facts.host.pci_gpus)
            seen.push_back(
                shown(device.address) + " (device " + shown(device.device_id) + ", kernel driver " +
                shown(device.kernel_driver.value_or("none")) + ")");
    const std::string present = join(seen, ", ");
    if (!seen.empty() && stage_was_run(facts, Stage::query))
        return {ChecklistRow("none that CUDA can use; present: " + present)};
    if (!seen.empty())
        return {ChecklistRow("not queried; present: " + present)};
    if (facts.host.pci_listed.value_or(false))
        return {ChecklistRow("none: no NVIDIA device is on the PCI bus")};
    return {ChecklistRow("none found")};
}

Rows cuda_lines(const Facts& facts) {
    return mapped(facts.runtimes, [](const Runtime& runtime) {
        std::string version = known("", runtime.version);
        if (version.empty())
            version = "version unknown";
        return ChecklistRow(version, shown(runtime.library));
    });
}

/// Whether its functions for recurrent networks could be called without a GPU.
static std::string rnn_api_in_words(const Cudnn& cudnn) {
    if (!cudnn.rnn_usable)
        return ", RNN API not tested";
    if (*cudnn.rnn_usable)
        return ", RNN API works";
    return ", RNN API does NOT work";
}

Rows cudnn_lines(const Facts& facts, bool given) {
    Rows rows;
    for (const Cudnn& cudnn : facts.cudnns) {
        std::string text = known("", cudnn.version);
        if (text.empty())
            text = "version unknown";
        text += known(" (for CUDA ", cudnn.built_for_cuda, ")");
        if (!given)
            text += rnn_api_in_words(cudnn);
        rows.emplace_back(text, shown(cudnn.library));
    }
    return rows;
}

}  // namespace rnncheck
