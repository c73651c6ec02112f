// Where versions do not fit, the doctor names the next command, with this machine's values.
#include "judge.hpp"
#include "support/catch.hpp"
#include "support/cudnn_machines.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

/// Of the rule's first finding.
std::vector<Remedy> remedies_of(const char* rule, const Facts& facts) {
    Selection selection;
    selection.only = {rule};
    const Report report = judge(facts, Matrix::bundled(), selection);
    REQUIRE_FALSE(report.findings.empty());
    REQUIRE_FALSE(report.findings.front().remedies.empty());
    return report.findings.front().remedies;
}

std::string last_command(const char* rule, const Facts& facts) {
    const auto remedies = remedies_of(rule, facts);
    return remedies.back().commands.empty() ? "" : remedies.back().commands.front();
}

Facts gpu_of(const char* capability) {
    return but([&](Facts& f) {
        f.cuda_devices.front().compute_capability = v(capability);
        no_cases(f);
    });
}

}  // namespace

TEST_CASE("each rule about versions that do not fit suggests the plan for this GPU and driver") {
    CHECK(last_command("driver_too_old", but([](Facts& f) {
                           f.runtimes.front().version = v("13.0");
                       })) == "rnncheck matrix plan gpu=8.6 driver=550.54.14");
    CHECK(
        last_command("gpu_too_old", gpu_of("3.5")) ==
        "rnncheck matrix plan gpu=3.5 driver=550.54.14");
    CHECK(
        last_command("gpu_arch_not_in_build", gpu_of("12.0")) ==
        "rnncheck matrix plan gpu=12.0 driver=550.54.14");
    CHECK(last_command("ptx_newer_than_driver", but([](Facts& f) {
                           f.nvrtcs.front().version = v("12.8");
                       })) == "rnncheck matrix plan gpu=8.6 driver=550.54.14");
    const auto other_cuda = but([](Facts& f) {
        no_cases(f);
        f.cudnns.front().built_for_cuda = v("11.8");
    });
    CHECK(
        last_command("cudnn_built_for_other_cuda", other_cuda) ==
        "rnncheck matrix plan gpu=8.6 driver=550.54.14");
}

TEST_CASE("what a person specified is planned with as well") {
    Facts output;
    output.tool.stages = {"given"};
    output.driver.library_version = v("470");
    output.cuda_devices.emplace_back().compute_capability = v("6.1");
    output.runtimes.emplace_back().version = v("12.4");
    CHECK(last_command("driver_too_old", output) == "rnncheck matrix plan gpu=6.1 driver=470");
}

TEST_CASE("of several GPUs the one at fault counts; what is not known is left out") {
    const auto second = but([](Facts& f) {
        add_second_gpu(f);
        f.cuda_devices.back().compute_capability = v("3.5");
        std::erase_if(f.rnn_runs, [](const RnnRun& run) { return run.gpu == 1; });
    });
    CHECK(last_command("gpu_too_old", second) == "rnncheck matrix plan gpu=3.5 driver=550.54.14");
    // An old GPU that nothing uses is no reason to change the versions of the others.
    CHECK(
        remedies_of("gpu_too_old", second).front().commands ==
        std::vector<std::string>{"export CUDA_VISIBLE_DEVICES=0"});
    const auto no_gpu = but([](Facts& f) {
        f.runtimes.front().version = v("13.0");
        f.cuda_devices.clear();
    });
    CHECK(last_command("driver_too_old", no_gpu) == "rnncheck matrix plan driver=550.54.14");
}
