#include <signal.h>

#include "support/catch.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

TEST_CASE("selftest_child answers, crashes or exits as requested") {
    CHECK(run_probe("selftest_child", {.target = "answer"}).done);
    const auto crashed = run_probe("selftest_child", {.target = "crash"});
    CHECK_FALSE(crashed.done);
    CHECK(crashed.signal == "SIGSEGV");
    CHECK(crashed.last_call == "planted_crash");
    const auto left = run_probe("selftest_child", {.target = "exit"});
    CHECK_FALSE(left.done);
    CHECK(left.signal.empty());
}
