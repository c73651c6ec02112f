#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts nvml_stuck() {
    return rnncheck::test::but([](rnncheck::Facts& f) {
        auto& run = rnncheck::test::probe_run(f, "nvml_devices");
        run.end = rnncheck::ProbeEnd::stuck;
        run.last_call = "nvmlInit_v2";
    });
}

rnncheck::Facts search_stuck() {
    return rnncheck::test::but([](rnncheck::Facts& f) {
        auto& run = rnncheck::test::probe_run(f, "library_files");
        run.end = rnncheck::ProbeEnd::stuck;
        run.last_call = "reading the directory /lib64";
        run.hang = {"uninterruptible", {}, "/scratch/env", {}, 3};
    });
}

}  // namespace

RULE_TEST(
    probe_stuck,
    Fires{
        {{"NVML",
          nvml_stuck(),
          "NVML /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 hangs in the kernel in nvmlInit_v2"},
         {"a search for files",
          search_stuck(),
          "the file system of /scratch/env does not respond"}}},
    silent_about_probe_ends(),
    undecided_about_probe_ends())
