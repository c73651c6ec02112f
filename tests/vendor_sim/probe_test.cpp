// The probe rnn_forward in this process against the simulated libraries: what it learns of each
// case.
#include "process/probe.hpp"

#include "support/catch.hpp"
#include "support/look.hpp"
#include "vendor_sim/machine.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace rnncheck::probes {
namespace rnn_forward {
extern const Probe probe;
}
}  // namespace rnncheck::probes

namespace {

std::vector<RnnRun> swept(const std::string& sim, Facts facts = {}) {
    simulate("");
    simulated_session(9);  // the simulated driver is the libcuda.so.1 of this process
    simulate(sim);
    const Job job{std::move(facts), {}, "GPU 0 v8 " SIM_DIRECTORY "/cudnn9/libcudnn.so.9"};
    return output_by(probes::rnn_forward::probe, job).facts.rnn_runs;
}

bool all_skipped_for(const std::vector<RnnRun>& runs, const std::string& call) {
    return !runs.empty() && std::ranges::all_of(runs, [&](const RnnRun& run) {
        return run.end == RunEnd::skipped && run.result && run.result->call == call;
    });
}

}  // namespace

TEST_CASE("a healthy sweep shows every case with its numbers") {
    const auto runs = swept("");
    REQUIRE(runs.size() == sweep(Level::quick, RnnApi::v8).size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        CHECK(runs[i].number == static_cast<int>(i) + 1);
        CHECK(runs[i].end == RunEnd::ok);
        CHECK(runs[i].largest_error.value() <= runs[i].limit.value());
        CHECK(runs[i].bitwise_repeatable == true);
        CHECK(runs[i].workspace_bytes.value() > 0);
        CHECK(runs[i].first_ms.value() > 0);
    }
}

TEST_CASE("a GPU or a handle that cannot be made leaves every case skipped, with the call") {
    CHECK(all_skipped_for(swept("cuInit=fail:999"), "cuInit"));
    CHECK(all_skipped_for(swept("nvml.compute_mode=2"), "cuDevicePrimaryCtxRetain"));
    CHECK(all_skipped_for(swept("cudnnCreate=fail:1001"), "cudnnCreate"));
}

TEST_CASE("a refusal costs its case alone") {
    const auto runs = swept(
        "bf16:cudnnRNNForward=fail:3000 fp64:cudnnRNNForward=fail:2000 "
        "h256:cudnnRNNForward=fail:5000");
    for (const RnnRun& run : runs) {
        const RunEnd expected = run.rnn_case.dtype == Dtype::bf16   ? RunEnd::not_supported
                                : run.rnn_case.dtype == Dtype::fp64 ? RunEnd::rejected
                                : run.rnn_case.hidden == 256        ? RunEnd::failed
                                                                    : RunEnd::ok;
        CHECK(run.end == expected);
    }
}

TEST_CASE(
    "memory that is short costs each case by itself, and how much was requested is reported") {
    for (const RnnRun& run : swept("mem_free=0")) {
        CHECK(run.end == RunEnd::out_of_memory);
        CHECK(run.result->code == 2);
        CHECK(run.result->bytes.value_or(0) > 0);
    }
}

TEST_CASE(
    "a process whose context is broken shows the case that broke it, and leaves the rest to "
    "another one") {
    const auto runs = swept("cuCtxSynchronize=fail:999@5");  // four of these per case
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].end == RunEnd::ok);
    CHECK(runs[1].end == RunEnd::failed);
}

TEST_CASE("a sweep leaves out the cases that an earlier process reported") {
    Facts facts;
    facts.rnn_runs = swept("");
    facts.rnn_runs.erase(facts.rnn_runs.begin() + 3);
    const auto runs = swept("", facts);
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].number == 4);
}

TEST_CASE("a wrong number is reported with its place") {
    const auto runs = swept("lstm=nan_lane");
    for (const RnnRun& run : runs) {
        CHECK(run.end == RunEnd::incorrect);
        CHECK_FALSE(run.largest_error);
        CHECK(
            run.where.value().find("sequence " + std::to_string(run.rnn_case.batch - 1) + ",") !=
            std::string::npos);
    }
}

TEST_CASE("TF32 is allowed for only where the GPU has it and nobody forbids it") {
    const auto limit_of_default_math = [](const Facts& facts) {
        for (const RnnRun& run : swept("cc=7.5", facts))
            if (run.rnn_case.dtype == Dtype::fp32 && run.rnn_case.math == MathType::standard &&
                run.rnn_case.algorithm == Algorithm::standard)
                return run.limit.value();
        return 0.0;
    };
    Facts facts;
    facts.cuda_devices.emplace_back().compute_capability = parse_version("8.6");
    const double with_tf32 = limit_of_default_math(facts);
    CHECK(with_tf32 > 1e-3);
    Facts forbidden = facts;
    forbidden.host.environment["NVIDIA_TF32_OVERRIDE"] = "0";
    CHECK(limit_of_default_math(forbidden) < 1e-4);
    facts.cuda_devices[0].compute_capability = parse_version("7.5");
    CHECK(limit_of_default_math(facts) < 1e-4);
    facts.cuda_devices[0].compute_capability.reset();
    CHECK(limit_of_default_math(facts) == with_tf32);
}
