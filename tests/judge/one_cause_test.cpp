// One cause, one error: what fails on a GPU without cuDNN is not reported again for the networks on
// it.
#include "judge.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

std::vector<std::string> errors_of(const Facts& facts) {
    std::vector<std::string> rules;
    for (const Finding& finding : judge(facts, Matrix::bundled(), {}).findings)
        if (finding.severity == Severity::error)
            rules.push_back(finding.rule);
    return rules;
}

void every_case(Facts& facts, RunEnd end, const std::string& call) {
    for (RnnRun& run : facts.rnn_runs) {
        run.end = end;
        run.result = CallResult{call, end == RunEnd::failed ? 700 : 0, ""};
        run.largest_error.reset();
    }
}

Facts failing_calls() {
    return but([](Facts& facts) { every_case(facts, RunEnd::failed, "cuMemcpyDtoH_v2"); });
}

Facts wrong_numbers() {
    return but([](Facts& facts) { every_case(facts, RunEnd::incorrect, "cudnnRNNForward"); });
}

using Rules = std::vector<std::string>;

}  // namespace

TEST_CASE("a call that fails for the test kernel is not reported again for the networks") {
    Facts facts = failing_calls();
    CHECK(errors_of(facts) == Rules{"rnn_call_failed"});
    facts.kernel_runs.front() = {
        0, CallResult{"cuMemcpyDtoH_v2", 700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {}};
    CHECK(errors_of(facts) == Rules{"kernel_launch_failed"});
}

TEST_CASE("a crash of the test kernel's process is not reported again for the networks") {
    Facts facts = failing_calls();
    facts.kernel_runs.clear();
    for (ProbeRun& run : facts.probe_runs)
        if (run.probe == "ptx_launch") {
            run.target = "GPU 0";
            run.end = ProbeEnd::crashed;
            run.last_call = "cuMemcpyDtoH_v2";
        }
    CHECK(errors_of(facts) == Rules{"probe_crashed"});
}

TEST_CASE(
    "a crash of cuDNN is not reported again where one of its libraries is cut short or missing") {
    const auto cudnn_crashes = [](Facts& facts) {
        probe_run(facts, "cudnn_library").end = ProbeEnd::crashed;
        facts.cudnns.front().rnn_usable.reset();
    };
    CHECK(errors_of(but(cudnn_crashes)) == Rules{"probe_crashed"});
    const Facts cut_short = but([&](Facts& facts) {
        cudnn_crashes(facts);
        library_named(facts, "libcudnn_adv_infer.so.8").problem = FileProblem::truncated;
    });
    CHECK(errors_of(cut_short) == Rules{"cudnn_part_unreadable"});
    const Facts missing = but([&](Facts& facts) {
        cudnn_crashes(facts);
        remove_library(facts, "libcudnn_adv_infer.so.8");
    });
    CHECK(errors_of(missing) == Rules{"cudnn_part_missing"});
}

TEST_CASE("a GPU that computes the test kernel wrongly is not reported again for the networks") {
    Facts facts = wrong_numbers();
    CHECK(errors_of(facts) == Rules{"rnn_result_wrong"});
    facts.kernel_runs.front().correct = false;
    CHECK(errors_of(facts) == Rules{"kernel_launch_failed"});
}

TEST_CASE("what another GPU's test kernel does explains nothing") {
    Facts facts = failing_calls();
    facts.kernel_runs.push_back({1, CallResult{"cuLaunchKernel", 719, ""}, {}});
    CHECK(errors_of(facts) == Rules{"kernel_launch_failed", "rnn_call_failed"});
}

TEST_CASE("after a memory error, what cuDNN answers on that GPU is not reported again") {
    Facts facts = but([](Facts& f) { every_case(f, RunEnd::failed, "cudnnRNNForward"); });
    CHECK(errors_of(facts) == Rules{"rnn_call_failed"});
    facts.rnn_runs.front().result =
        CallResult{"cuCtxSynchronize", 214, "CUDA_ERROR_ECC_UNCORRECTABLE"};
    CHECK(errors_of(facts) == Rules{"gpu_memory_ecc_error"});
}
