// Ends its own process in each of the ways that a vendor library may. No survey
// runs it, for it has no targets of its own: `rnncheck selftest` names one and
// looks whether that ending is reported.
#include <unistd.h>

#include "process/probe.hpp"
#include "process/this_process.hpp"

namespace rnncheck::probes::selftest_child {

static void run(const Job& job, ProbeWriter& writer) {
    writer.calling("planted_" + job.target);
    if (job.target == "crash")
        process::use_bad_memory();
    if (job.target == "exit")
        _exit(3);
    if (job.target == "hang")
        process::stay_until_ended();
}

extern const Probe probe{
    .title = "Crashes, hangs or exits intentionally, only for the self-test",
    .stage = Stage::look,
    .limit = std::chrono::seconds(1),
    .run = run,
    .targets = [](const Facts&) { return std::vector<std::string>(); }};

}  // namespace rnncheck::probes::selftest_child
