#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

TEST_CASE("nvml_devices learns the state of every board") {
    const auto output = run_probe(
        "nvml_devices",
        {.sim = "gpus=2 driver=550.54.14 cuda=12.4 nvml.ecc_uncorrected=3 nvml.compute_mode=3"});
    REQUIRE(output.done);
    CHECK(output.facts.driver.nvml_version == v("550.54.14"));
    CHECK(output.facts.driver.nvml_cuda_version == v("12.4"));
    REQUIRE(output.facts.nvml_devices.size() == 2);
    const Board& board = output.facts.nvml_devices[0];
    CHECK(board.ecc_uncorrected_since_boot == 3);
    CHECK(board.compute_mode == "exclusive_process");
    CHECK(*board.memory_free_mib <= *board.memory_total_mib);
    CHECK(board.pci->size() == std::string("0000:01:00.0").size());
}

TEST_CASE("nvml_devices names the processes that hold memory") {
    const auto output = run_probe("nvml_devices", {.sim = "gpus=1 nvml.processes=4242:2000"});
    REQUIRE(output.facts.nvml_devices.size() == 1);
    REQUIRE(output.facts.nvml_devices[0].processes.size() == 1);
    CHECK(output.facts.nvml_devices[0].processes[0].pid == 4242);
    CHECK(output.facts.nvml_devices[0].processes[0].memory_mib == 2000);
}

TEST_CASE("nvml_devices knows a lost board from one that lacks a feature") {
    const auto lost = run_probe("nvml_devices", {.sim = "gpus=1 nvmlDeviceGetMemoryInfo=fail:15"});
    REQUIRE(lost.facts.nvml_devices.size() == 1);
    REQUIRE(lost.facts.nvml_devices[0].unreachable);
    CHECK(lost.facts.nvml_devices[0].unreachable->code == 15);
    const auto without = run_probe("nvml_devices", {.sim = "gpus=1 nvmlDeviceGetEccMode=fail:3"});
    REQUIRE(without.facts.nvml_devices.size() == 1);
    CHECK_FALSE(without.facts.nvml_devices[0].unreachable);
    CHECK_FALSE(without.facts.nvml_devices[0].ecc_enabled);
    CHECK_FALSE(without.facts.nvml_devices[0].ecc_uncorrected_since_boot);
}

TEST_CASE("nvml_devices does not list a board that is closed to this process") {
    const auto output =
        run_probe("nvml_devices", {.sim = "gpus=2 nvmlDeviceGetHandleByIndex_v2=fail:4@2"});
    REQUIRE(output.done);
    REQUIRE(output.facts.nvml_devices.size() == 1);
    CHECK(output.facts.nvml_devices[0].index == 0);
}

TEST_CASE("nvml_devices reports why NVML did not start") {
    const auto output = run_probe("nvml_devices", {.sim = "nvmlInit_v2=fail:18"});
    REQUIRE(output.done);
    CHECK(output.facts.driver.nvml_init->code == 18);
    CHECK(output.facts.nvml_devices.empty());
}

TEST_CASE("nvml_devices does not believe a count of boards that no machine has") {
    const auto output = run_probe("nvml_devices", {.sim = "gpus=1 nvmlDeviceGetCount_v2=garbage"});
    CHECK(output.done);
    CHECK(output.facts.nvml_devices.empty());
    REQUIRE(output.failed_calls.size() == 1);
    CHECK(output.failed_calls[0].call == "nvmlDeviceGetCount_v2");
}
