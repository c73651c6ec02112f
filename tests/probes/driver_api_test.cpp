#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

TEST_CASE("driver_api learns versions and GPUs") {
    const auto output =
        run_probe("driver_api", {.sim = "gpus=2 cc=8.6 driver=550.54.14 cuda=12.4"});
    REQUIRE(output.done);
    CHECK(output.facts.driver.cuda_version == v("12.4"));
    CHECK(output.facts.driver.library_version == v("550.54.14"));
    CHECK(output.facts.driver.init->ok());
    REQUIRE(output.facts.cuda_devices.size() == 2);
    CHECK(output.facts.cuda_devices[1].index == 1);
    CHECK(output.facts.cuda_devices[0].compute_capability == v("8.6"));
    CHECK(output.facts.cuda_devices[0].pci != output.facts.cuda_devices[1].pci);
    CHECK(output.facts.cuda_devices[0].uuid->starts_with("GPU-"));
    CHECK(*output.facts.cuda_devices[0].memory_total_mib > 1000);
    CHECK(output.facts.cuda_devices[0].compute_mode == "default");
}

TEST_CASE("driver_api keeps the version when cuInit fails, in the library's own words") {
    const auto output = run_probe("driver_api", {.sim = "gpus=1 cuda=12.4 cuInit=fail:803"});
    REQUIRE(output.done);
    CHECK(output.facts.driver.cuda_version == v("12.4"));
    CHECK(output.facts.driver.init->code == 803);
    CHECK(
        output.facts.driver.init->text.find("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH") !=
        std::string::npos);
    CHECK(output.facts.cuda_devices.empty());
}

TEST_CASE("driver_api loses nothing reported before a crash") {
    const auto output = run_probe("driver_api", {.sim = "gpus=1 cuda=12.4 cuInit=segv"});
    CHECK_FALSE(output.done);
    CHECK(output.last_call == "cuInit");
    CHECK(output.facts.driver.cuda_version == v("12.4"));
    CHECK_FALSE(output.facts.driver.init);
}

TEST_CASE("driver_api without a driver collects nothing and reports why") {
    const auto output = run_probe("driver_api", {.flavours = {"cudnn9"}});
    if (output.facts.driver.library)
        return;  // this machine has a real driver
    CHECK(output.done);
    REQUIRE(output.failed_calls.size() == 1);
    CHECK(output.failed_calls[0].call == "dlopen(libcuda.so.1)");
}

TEST_CASE("driver_api does not believe a count of GPUs that no machine has") {
    for (const char* count : {"garbage", "garbage:1"}) {
        const auto output =
            run_probe("driver_api", {.sim = "gpus=1 cuDeviceGetCount=" + std::string(count)});
        CHECK(output.done);
        CHECK(output.facts.cuda_devices.empty());
        REQUIRE(output.failed_calls.size() == 1);
        CHECK(output.failed_calls[0].call == "cuDeviceGetCount");
    }
}
