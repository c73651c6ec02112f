// The version of the driver by its file, which is there without NVML, too.
#include "files/pe/pe_file.hpp"
#include "process/probe.hpp"
#include "windows/driver_version.hpp"
#include "windows/pythons.hpp"

namespace rnncheck::probes::driver_files {

/// nvcuda.dll is libcuda on Windows; its version resource has
/// Windows' number of the driver.
static void run(const Job& job, ProbeWriter& writer) {
    Facts facts;
    const dll::Disk disk = windows::disk_of_machine();
    if (const auto library = disk.inside(disk.system32() + "\\nvcuda.dll"))
        if (const auto resource = pe::version_resource(job.root, *library))
            facts.driver.library_version = windows::driver_version(resource->file);
    writer.facts(facts);
}

extern const Probe probe{
    .title = "Reads the driver's version from its file",
    .stage = Stage::look,
    .limit = std::chrono::seconds(10),
    .run = run};

}  // namespace rnncheck::probes::driver_files
