// What the RNN sweep is run on, and how lost cases and failed calls are recorded. tests/vendor_sim
// runs it whole.
#include "process/probe.hpp"
#include "rnn/sweep.hpp"
#include "support/catch.hpp"
#include "support/rnn.hpp"

using namespace rnncheck;

namespace rnncheck::probes {
namespace rnn_forward {
extern const Probe probe;
}
}  // namespace rnncheck::probes

namespace {

Cudnn usable(const std::string& path, std::vector<std::string> rnn_apis) {
    Cudnn cudnn;
    cudnn.library = path;
    cudnn.rnn_apis = std::move(rnn_apis);
    cudnn.rnn_usable = true;
    return cudnn;
}

Facts with_gpus(int count) {
    Facts facts;
    for (int index = 0; index < count; ++index)
        facts.cuda_devices.emplace_back().index = index;
    return facts;
}

RunEnd end_of(const char* call, int code) {
    return probes::case_outcome({call, code, ""});
}

}  // namespace

TEST_CASE("the sweep runs in every interface of every usable cuDNN on every GPU") {
    Facts facts = with_gpus(2);
    facts.cudnns = {usable("/lib with space/libcudnn.so.8", {"legacy", "v8"})};
    Cudnn half_broken = usable("/other/libcudnn.so.9", {"v8"});
    half_broken.rnn_usable = false;
    facts.cudnns.push_back(half_broken);
    half_broken.rnn_usable.reset();
    facts.cudnns.push_back(half_broken);
    CHECK(
        probes::rnn_forward::probe.targets(facts) ==
        std::vector<std::string>{
            "GPU 0 legacy /lib with space/libcudnn.so.8",
            "GPU 1 legacy /lib with space/libcudnn.so.8",
            "GPU 0 v8 /lib with space/libcudnn.so.8",
            "GPU 1 v8 /lib with space/libcudnn.so.8"});
}

TEST_CASE("no GPU or no cuDNN is no target, and many copies are eight") {
    CHECK(probes::rnn_forward::probe.targets(with_gpus(1)).empty());
    Facts facts = with_gpus(0);
    for (int copy = 0; copy < 20; ++copy)
        facts.cudnns.push_back(usable(std::to_string(copy), {"v8"}));
    CHECK(probes::rnn_forward::probe.targets(facts).empty());
    facts.cuda_devices.emplace_back();
    CHECK(probes::rnn_forward::probe.targets(facts).size() == 8);
}

TEST_CASE("two sweeps never share a GPU") {
    CHECK(probes::rnn_forward::probe.exclusive("GPU 1 v8 /a/libcudnn.so.9") == "GPU 1");
    CHECK(probes::rnn_forward::probe.exclusive("GPU 11 legacy /a/libcudnn.so.8") == "GPU 11");
}

TEST_CASE("a case that its process did not survive is recorded as that case") {
    const Job job{{}, {}, "GPU 3 legacy /lib with space/libcudnn.so.8"};
    const Steps& steps = probes::rnn_forward::probe.steps.value();
    const auto cases = sweep(Level::quick, RnnApi::legacy);
    REQUIRE(steps.done(job).size() == cases.size());
    const Facts tried = steps.lost(job, {{4, {"cudnnRNNForwardInference", -1, "crashed"}}});
    REQUIRE(tried.rnn_runs.size() == 1);
    const RnnRun& run = tried.rnn_runs[0];
    CHECK(run.end == RunEnd::failed);
    CHECK(run.number == 5);
    CHECK(run.gpu == 3);
    CHECK(run.rnn_api == RnnApi::legacy);
    CHECK(run.library == "/lib with space/libcudnn.so.8");
    CHECK(describe(run.rnn_case) == describe(cases[4]));
    CHECK(run.result->call == "cudnnRNNForwardInference");
    const RnnRun skipped = steps.lost(job, {{4, {"", -1, ""}, SkipReason::group_lost}}).rnn_runs[0];
    CHECK(skipped.end == RunEnd::skipped);
    CHECK(skipped.skip_reason == SkipReason::group_lost);
    CHECK(steps.group(job, 4) == probes::kernels_of(cases[4]));
}

TEST_CASE("a status is sorted by the numbers of its own major") {
    CHECK(end_of("cudnnRNNForward", 9) == RunEnd::not_supported);
    CHECK(end_of("cudnnRNNForward", 6) == RunEnd::not_supported);
    CHECK(end_of("cudnnRNNForward", 11) == RunEnd::not_supported);
    CHECK(end_of("cudnnRNNForward", 3) == RunEnd::rejected);
    CHECK(end_of("cudnnRNNForward", 5) == RunEnd::rejected);
    CHECK(end_of("cudnnRNNForward", 8) == RunEnd::failed);
    CHECK(end_of("cudnnRNNForward", 3000) == RunEnd::not_supported);
    CHECK(end_of("cudnnRNNForward", 3014) == RunEnd::not_supported);
    CHECK(end_of("cudnnRNNForward", 2003) == RunEnd::rejected);
    CHECK(end_of("cudnnRNNForward", 5003) == RunEnd::failed);
    CHECK(end_of("cudnnCreateRNNDescriptor", 1008) == RunEnd::failed);
    CHECK(end_of("cuMemAlloc_v2", 3) == RunEnd::failed);
}

TEST_CASE("a missing function is not supported by a cuDNN before 7.2, and else a fault") {
    CHECK(end_of("cudnnRNNForwardInferenceEx", -1) == RunEnd::not_supported);
    CHECK(end_of("cudnnRNNForward", -1) == RunEnd::failed);
}

TEST_CASE(
    "which reduced precision a case may show follows the GPU, its math type, its algorithm and the "
    "environment") {
    const auto reduced =
        [](const char* capability, MathType math, Algorithm algorithm, const char* setting = "") {
            Facts facts = with_gpus(1);
            facts.cuda_devices[0].compute_capability = parse_version(capability);
            if (*setting)
                facts.host.environment["NVIDIA_TF32_OVERRIDE"] = setting;
            RnnCase rnn_case;
            rnn_case.math = math;
            rnn_case.algorithm = algorithm;
            return probes::reduced_precision(facts, 0, rnn_case);
        };
    constexpr auto standard = Algorithm::standard;
    for (const MathType math : {MathType::standard, MathType::tensor}) {
        CHECK(reduced("8.0", math, standard).tf32_allowed);
        CHECK(reduced("", math, standard).tf32_allowed);
        CHECK_FALSE(reduced("7.5", math, standard).tf32_allowed);
        CHECK_FALSE(reduced("8.0", math, standard, "0").tf32_allowed);
        CHECK_FALSE(reduced("7.5", math, standard, "1").tf32_allowed);
    }
    CHECK_FALSE(reduced("8.0", MathType::fma, standard).tf32_allowed);
    CHECK(reduced("8.0", MathType::fma, standard).tf32_exists);
    CHECK_FALSE(reduced("7.5", MathType::fma, standard).tf32_exists);
    CHECK(reduced("8.0", MathType::fma, standard, "1").tf32_allowed);
    CHECK_FALSE(reduced("8.0", MathType::fma, standard).fast_math);
    for (const Algorithm persistent :
         {Algorithm::persist_dynamic,
          Algorithm::persist_static,
          Algorithm::persist_static_small_h}) {
        CHECK(reduced("7.5", MathType::fma, persistent).fast_math);
        CHECK(reduced("", MathType::fma, persistent).fast_math);
        CHECK_FALSE(reduced("7.0", MathType::fma, persistent).fast_math);
    }
}
