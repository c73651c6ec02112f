#include "support/windows_limits.hpp"

#include <fcntl.h>

#include "base/text.hpp"
#include "rnn/case.hpp"
#include "support/catch.hpp"

using namespace rnncheck;
using probes::WindowsLimits;

namespace {

/// The limits of GPU 0 where the driver reports nothing of it.
WindowsLimits limits_on(const Facts& facts) {
    static ProbeWriter nowhere(open("/dev/null", O_WRONLY));
    vendor::Opened<vendor::CudaApi> cuda;
    cuda.writer = &nowhere;
    return {facts, cuda, 0};
}

Facts machine(const std::string& platform) {
    Facts facts;
    facts.host.platform = platform;
    facts.host.windows.emplace();
    return facts;
}

const RnnCase small = parse_case("fp32 I=64 H=64 B=8 T=16"),
              large = parse_case("fp32 I=2048 H=2048 B=256 T=512");

}  // namespace

TEST_CASE("only Windows limits the time of a network") {
    CHECK_FALSE(limits_on(machine("linux")).time_exceeded_by(large));
    CHECK_FALSE(limits_on(machine("windows")).time_exceeded_by(small));
    const auto reason = limits_on(machine("windows")).time_exceeded_by(large);
    REQUIRE(reason);
    CHECK(contains(reason->text, "a GPU whose kernel runs for 2 s (TdrDelay)"));
}

TEST_CASE("the registry decides how long a kernel may run") {
    Facts facts = machine("windows");
    facts.host.windows->gpu_timeout_s = 10'000;
    CHECK_FALSE(limits_on(facts).time_exceeded_by(large));
    facts.host.windows->gpu_timeout_s = 1;
    facts.host.windows->gpu_timeout = false;
    CHECK_FALSE(limits_on(facts).time_exceeded_by(large));
}

TEST_CASE("a fast GPU runs a network that a slow one may not") {
    Facts facts = machine("windows");
    const RnnCase between = parse_case("fp32 I=1024 H=1024 B=256 T=128");
    CHECK(limits_on(facts).time_exceeded_by(between));
    Gpu& h200 = facts.cuda_devices.emplace_back();
    h200.compute_capability = parse_version("9.0");
    h200.multiprocessors = 132;
    h200.clock_mhz = 1980;
    h200.memory_clock_mhz = 3201;
    h200.memory_bus_bits = 6144;
    CHECK_FALSE(limits_on(facts).time_exceeded_by(between));
}

TEST_CASE("on Windows no more GPU memory is requested than is free") {
    constexpr std::int64_t mib = 1 << 20;
    CHECK_FALSE(limits_on(machine("linux")).memory_exceeded_by(3 * mib, 2 * mib));
    CHECK_FALSE(limits_on(machine("windows")).memory_exceeded_by(2 * mib, 2 * mib));
    const auto reason = limits_on(machine("windows")).memory_exceeded_by(3 * mib, 2 * mib);
    REQUIRE(reason);
    CHECK(contains(reason->text, "at least 3 MiB are needed and 2 MiB are free"));
}
