#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts nvml_timed_out() {
    return rnncheck::test::but([](rnncheck::Facts& f) {
        auto& run = rnncheck::test::probe_run(f, "nvml_devices");
        run.end = rnncheck::ProbeEnd::timed_out;
        run.last_call = "nvmlInit_v2";
        run.reason = "no progress for 30 s";
    });
}

rnncheck::Facts nvml_cut_off() {
    rnncheck::Facts facts = nvml_timed_out();
    auto& run = rnncheck::test::probe_run(facts, "nvml_devices");
    run.end = rnncheck::ProbeEnd::cut_off;
    run.elapsed_ms = 900;
    return facts;
}

/// The test kernel's probe hangs on a GPU that is so busy with these processes.
rnncheck::Facts hung(rnncheck::Hang hang, int busy_percent = -1, int process = 0) {
    rnncheck::Facts facts = rnncheck::test::a_healthy_machine();
    auto& run = rnncheck::test::probe_run(facts, "ptx_launch");
    run.end = rnncheck::ProbeEnd::timed_out;
    run.elapsed_ms = 15000;
    run.hang = std::move(hang);
    for (auto& board : facts.nvml_devices) {
        if (busy_percent >= 0)
            board.busy_percent = busy_percent;
        if (process)
            board.processes.push_back({process, {}});
    }
    return facts;
}

/// A probe of our own waits for a directory of a server that is gone.
rnncheck::Facts waits_for_file(rnncheck::ProbeEnd end) {
    return rnncheck::test::but([end](rnncheck::Facts& f) {
        auto& run = rnncheck::test::probe_run(f, "library_files");
        run.end = end;
        run.elapsed_ms = 10000;
        run.hang = {"uninterruptible", {}, "/home/ada/.conda", {}, 3};
    });
}

rnncheck::Facts but_also(rnncheck::Facts facts, void (*change)(rnncheck::Facts&)) {
    change(facts);
    return facts;
}

}  // namespace

RULE_TEST(
    probe_timed_out,
    Fires{
        {{"NVML",
          nvml_timed_out(),
          "NVML /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 did not respond in nvmlInit_v2: no "
          "progress for 30 s"},
         {"in the kernel",
          hung({"uninterruptible", "nv_lock", {}, {}, 3}),
          "it waits in the kernel, so the driver or the hardware is at fault"},
         {"GPU busy alone",
          hung({"sleeping", {}, {}, {}, 3}, 100),
          "the GPU is busy: a kernel does not finish"},
         {"GPU busy with others",
          hung({"sleeping", {}, {}, {}, 3}, 100, 4711),
          "the GPU is busy with other processes"},
         {"GPU idle",
          hung({"sleeping", {}, {}, {}, 3}, 0),
          "the GPU is idle: the driver or the library waits"},
         {"compiling",
          hung({"running", {}, {}, {}, 14000}),
          "test kernel on GPU 0 did not respond within the time limit; it uses the CPU: a "
          "library compiles code"},
         {"Xid",
          but_also(
              hung({"sleeping", {}, {}, {}, 3}, 0),
              [](Facts& f) {
                  f.driver.xids.push_back({79, {}, 3.0, "NVRM: Xid 79"});
              }),
          "the driver reported Xid 79 meanwhile"},
         {"an old Xid, and one of another GPU",
          but_also(
              hung({"sleeping", {}, {}, {}, 3}, 0),
              [](Facts& f) {
                  f.driver.xids = {{79, {}, 4000.0, ""}, {79, "0000:ff:00", 3.0, ""}};
              }),
          "the GPU is idle"},
         {"MPS",
          but_also(
              hung({"sleeping", {}, {}, {}, 3}),
              [](Facts& f) { f.driver.mps_pipe = "/tmp/nvidia-mps"; }),
          "MPS server"},
         {"a file system",
          waits_for_file(rnncheck::ProbeEnd::timed_out),
          "the file system of /home/ada/.conda had not responded when rnncheck's own probe "
          "library_files was ended"},
         {"a file system, until the deadline",
          waits_for_file(rnncheck::ProbeEnd::cut_off),
          "the file system of /home/ada/.conda had not responded"},
         {"the deadline",
          nvml_cut_off(),
          "had not responded in nvmlInit_v2 when the time limit of the check was reached; "
          "whether it hangs is "
          "unknown"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"a crash at exit",
          but([](Facts& f) { probe_run(f, "nvml_devices").end = ProbeEnd::crashed_at_exit; }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the deadline ends the witness of another hang",
          but([](Facts& f) {
              ProbeRun& run = f.probe_runs.emplace_back();
              run.probe = "hang_diagnostic";
              run.end = ProbeEnd::cut_off;
              run.elapsed_ms = 900;
          }),
          ""},
         {"not started",
          but([](Facts& f) { probe_run(f, "nvml_devices").end = ProbeEnd::not_started; }),
          ""},
         {"a probe of our own waits for processor time",
          but([](Facts& f) { probe_run(f, "library_files").end = ProbeEnd::timed_out; }),
          ""},
         {"another bad end",
          but([](Facts& f) { probe_run(f, "nvml_devices").end = ProbeEnd::crashed; }),
          ""}}})

TEST_CASE("what the deadline cut off in the same call on several GPUs is one finding") {
    using namespace rnncheck;
    Facts facts = test::a_healthy_machine();
    ProbeRun& run = test::probe_run(facts, "ptx_launch");
    run.target = "GPU 0";
    run.end = ProbeEnd::cut_off;
    run.elapsed_ms = 900;
    run.last_call = "cuInit";
    ProbeRun second = run, elsewhere = run;
    second.target = "GPU 1";
    elsewhere.target = "GPU 2";
    elsewhere.last_call = "cuLaunchKernel";
    facts.probe_runs.insert(facts.probe_runs.end(), {second, elsewhere});
    const auto* rule = find_named(all_rules(), "probe_timed_out");
    const auto findings = (*rule)->check(facts, Matrix::bundled()).findings;
    REQUIRE(findings.size() == 2);
    CHECK(findings.at(0).subject == "ptx_launch GPU 0");
    CHECK(findings.at(0).message.ends_with(" for a test kernel on GPU 1"));
    CHECK(findings.at(1).subject == "ptx_launch GPU 2");
}

TEST_CASE("a library on a drive of Windows is named with the drive") {
    using namespace rnncheck;
    Facts facts = test::a_healthy_machine();
    ProbeRun& run = test::probe_run(facts, "rnn_forward");
    run.target = "GPU 0 v8 C:/cudnn/cudnn64_9.dll";
    run.end = ProbeEnd::cut_off;
    run.elapsed_ms = 900;
    const auto* rule = find_named(all_rules(), "probe_timed_out");
    const auto findings = (*rule)->check(facts, Matrix::bundled()).findings;
    REQUIRE(findings.size() == 1);
    CHECK(findings.front().message.starts_with("cuDNN C:/cudnn/cudnn64_9.dll on GPU 0 "));
}
