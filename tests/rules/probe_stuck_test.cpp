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

}  // namespace

RULE_TEST(probe_stuck,
          Fires{{{"NVML", nvml_stuck(),
                  "NVML /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 hangs in the kernel in nvmlInit_v2"}}},
          Silent{{{"healthy", a_healthy_machine(), ""},
                  {"a crash at exit",
                   but([](Facts& f) { probe_run(f, "nvml_devices").end = ProbeEnd::crashed_at_exit; }), ""}}},
          CannotTell{
              {{"nothing learnt", nothing_learnt(), ""},
               {"not started", but([](Facts& f) { probe_run(f, "nvml_devices").end = ProbeEnd::not_started; }), ""},
               {"another bad end", but([](Facts& f) { probe_run(f, "nvml_devices").end = ProbeEnd::timed_out; }), ""}}})
