#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

TEST_CASE("driver_api learns versions and GPUs") {
    const auto told = run_probe("driver_api", {.sim = "gpus=2 cc=8.6 driver=550.54.14 cuda=12.4"});
    REQUIRE(told.done);
    CHECK(told.facts.driver.cuda_version == v("12.4"));
    CHECK(told.facts.driver.library_version == v("550.54.14"));
    CHECK(told.facts.driver.init->ok());
    REQUIRE(told.facts.cuda_devices.size() == 2);
    CHECK(told.facts.cuda_devices[1].index == 1);
    CHECK(told.facts.cuda_devices[0].compute_capability == v("8.6"));
    CHECK(told.facts.cuda_devices[0].pci != told.facts.cuda_devices[1].pci);
    CHECK(told.facts.cuda_devices[0].uuid->starts_with("GPU-"));
    CHECK(*told.facts.cuda_devices[0].memory_total_mib > 1000);
    CHECK(told.facts.cuda_devices[0].compute_mode == "default");
}

TEST_CASE("driver_api keeps the version when cuInit fails, in the library's own words") {
    const auto told = run_probe("driver_api", {.sim = "gpus=1 cuda=12.4 cuInit=fail:803"});
    REQUIRE(told.done);
    CHECK(told.facts.driver.cuda_version == v("12.4"));
    CHECK(told.facts.driver.init->code == 803);
    CHECK(told.facts.driver.init->text.find("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH") !=
          std::string::npos);
    CHECK(told.facts.cuda_devices.empty());
}

TEST_CASE("driver_api loses nothing told before a crash") {
    const auto told = run_probe("driver_api", {.sim = "gpus=1 cuda=12.4 cuInit=segv"});
    CHECK_FALSE(told.done);
    CHECK(told.last_call == "cuInit");
    CHECK(told.facts.driver.cuda_version == v("12.4"));
    CHECK_FALSE(told.facts.driver.init);
}

TEST_CASE("driver_api without a driver learns nothing and says why") {
    const auto told = run_probe("driver_api", {.flavours = {"cudnn9"}});
    if (told.facts.driver.library)
        return;  // this machine has a real driver
    CHECK(told.done);
    REQUIRE(told.failed_calls.size() == 1);
    CHECK(told.failed_calls[0].call == "dlopen(libcuda.so.1)");
}

TEST_CASE("driver_api does not believe a count of GPUs that no machine has") {
    for (const char* count : {"garbage", "garbage:1"}) {
        const auto told =
            run_probe("driver_api", {.sim = "gpus=1 cuDeviceGetCount=" + std::string(count)});
        CHECK(told.done);
        CHECK(told.facts.cuda_devices.empty());
        REQUIRE(told.failed_calls.size() == 1);
        CHECK(told.failed_calls[0].call == "cuDeviceGetCount");
    }
}
