// How large a network fits: the calculation and the trial agree with the memory of the simulated
// GPU.
#include "process/probe.hpp"
#include "rnn/sweep.hpp"
#include "support/catch.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

ProbeOutput output_of(
    FitSize of,
    RnnCase rnn_case,
    const std::string& sim,
    std::optional<int> trial = {},
    const std::string& flavour = "cudnn9",
    const std::string& rnn_api = "v8") {
    Facts facts;
    facts.rnn_request.emplace();
    facts.rnn_request->cases = {std::move(rnn_case)};
    facts.rnn_request->fit = of;
    facts.rnn_request->trial = trial;
    const std::string library =
        sim_file(flavour, flavour == "cudnn7" ? "libcudnn.so.7" : "libcudnn.so.9");
    return run_probe(
        "rnn_fit",
        {.target = "GPU 0 " + rnn_api + " " + library,
         .flavours = {"base", flavour},
         .sim = "gpus=1 " + sim,
         .facts = facts});
}

RnnFit fit_of(const ProbeOutput& output) {
    REQUIRE(output.facts.rnn_fits.size() == 1);
    return output.facts.rnn_fits[0];
}

std::int64_t total(const RnnFit& fit) {
    return *fit.weight_bytes + *fit.workspace_bytes + *fit.reserve_bytes + *fit.data_bytes;
}

}  // namespace

TEST_CASE(
    "rnn_fit calculates the largest size whose memory is within the free one, and that one runs") {
    for (const bool trained : {false, true})
        for (const FitSize of : {FitSize::batch, FitSize::length}) {
            RnnCase rnn_case = parse_case("fp32 I=24 H=40 B=4 T=8 states");
            rnn_case.training = trained;
            const RnnFit fit = fit_of(output_of(of, rnn_case, "mem_free=16"));
            CAPTURE(name_of(of), trained, fit.size.value_or(-1));
            REQUIRE(fit.size);
            CHECK(*fit.free_bytes == 16 << 20);
            CHECK(*fit.size > 8);
            CHECK(total(fit) <= *fit.free_bytes);
            CHECK(total(fit) > *fit.free_bytes / 100 * 97);
            CHECK(fit.bounded == false);
            CHECK((fit.reserve_bytes > 0) == trained);
            CHECK(
                (of == FitSize::batch ? fit.rnn_case.batch : fit.rnn_case.sequence_length) ==
                *fit.size);
            CHECK(fit_of(output_of(of, rnn_case, "mem_free=16", *fit.size)).ran == true);
            const RnnFit larger =
                fit_of(output_of(of, rnn_case, "mem_free=16", *fit.size + *fit.size / 20));
            CHECK(larger.ran == false);
            CHECK(larger.result->call == "cuMemAlloc_v2");
        }
}

TEST_CASE("rnn_fit: what the simulated GPU has free is not taken from the memory of the host") {
    const RnnCase rnn_case = parse_case("fp32 I=64 H=64 T=1024");
    const RnnFit fit = fit_of(output_of(FitSize::batch, rnn_case, "", 600));
    CHECK(*fit.free_bytes > std::int64_t{20} << 30);
    CHECK(fit.ran == false);
    CHECK(fit.result->call == "cuMemAlloc_v2");
}

TEST_CASE("rnn_fit reports when cuDNN, not memory, is what bounds the size") {
    const RnnFit fit = fit_of(output_of(FitSize::length, parse_case("fp16 I=4 H=4 T=4"), ""));
    CHECK(fit.size == 65535);
    CHECK(fit.bounded == true);
}

TEST_CASE(
    "rnn_fit: a size for which cuDNN requests less memory than for a smaller one is not believed") {
    // Workspace of 64 KiB per sequence in 20 bits: sixteen sequences need none, and seventeen no
    // more than one.
    const RnnFit fit = fit_of(
        output_of(FitSize::batch, parse_case("fp32 I=64 H=64 T=64"), "mem_free=64 work_bits=20"));
    CHECK(fit.size == 15);
    CHECK(fit.bounded == true);
    REQUIRE(fit.result);
    CHECK(fit.result->text.ends_with("its number has overflowed"));
    CHECK(total(fit) < *fit.free_bytes / 16);
}

TEST_CASE(
    "rnn_fit: a network too large for the memory, rejected, or of an API that is not requested") {
    const RnnFit none =
        fit_of(output_of(FitSize::batch, parse_case("fp32 I=512 H=1024 T=8"), "mem_free=8"));
    CHECK(none.size == 0);
    CHECK_FALSE(none.result);
    const RnnCase small = parse_case("fp32 I=4 H=4 B=2 T=4");
    const RnnFit rejected =
        fit_of(output_of(FitSize::batch, small, "cudnnSetRNNDescriptor_v8=fail:2000"));
    CHECK(rejected.size == 0);
    CHECK(rejected.result->call == "cudnnSetRNNDescriptor_v8");
    const RnnFit legacy = fit_of(output_of(FitSize::batch, small, "", {}, "cudnn7", "legacy"));
    CHECK_FALSE(legacy.size);
    CHECK(legacy.result);
}

TEST_CASE("rnn_fit runs for its own question alone") {
    Facts facts;
    facts.cuda_devices.emplace_back();
    Cudnn& cudnn = facts.cudnns.emplace_back();
    cudnn.library = "/a/libcudnn.so.8";
    cudnn.rnn_apis = {"legacy", "v8"};
    cudnn.rnn_usable = true;
    const auto targets = [&](std::string_view probe) {
        return (*find_named(all_probes(), probe))->targets(facts);
    };
    CHECK(targets("rnn_fit").empty());
    facts.rnn_request.emplace().cases.emplace_back();
    CHECK(targets("rnn_fit").empty());
    CHECK(targets("rnn_forward").size() == 2);
    facts.rnn_request->fit = FitSize::batch;
    CHECK(targets("rnn_fit") == std::vector<std::string>{"GPU 0 v8 /a/libcudnn.so.8"});
    CHECK(targets("rnn_forward").empty());
}
