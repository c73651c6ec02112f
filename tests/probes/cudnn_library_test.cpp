#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

ProbeOutput query(int major, const std::string& sim = "") {
    const std::string flavour = "cudnn" + std::to_string(major);
    return run_probe(
        "cudnn_library",
        {.target = sim_file(flavour, "libcudnn.so." + std::to_string(major)),
         .flavours = {"base", flavour},
         .sim = sim});
}

}  // namespace

TEST_CASE("cudnn_library learns version, CUDA, dialects and a usable RNN API of each major") {
    const std::vector<std::tuple<int, Version, std::vector<std::string>>> expected = {
        {7, v("7.6.5"), {"legacy"}}, {8, v("8.9.7"), {"legacy", "v8"}}, {9, v("9.19.0"), {"v8"}}};
    for (const auto& [major, version, rnn_apis] : expected) {
        INFO("cuDNN " << major);
        const auto output = query(major);
        REQUIRE(output.facts.cudnns.size() == 1);
        const Cudnn& cudnn = output.facts.cudnns[0];
        CHECK(cudnn.version == version);
        CHECK(cudnn.built_for_cuda);
        CHECK(cudnn.rnn_apis == rnn_apis);
        CHECK(cudnn.rnn_usable == true);
        CHECK_FALSE(cudnn.failure);
        CHECK_FALSE(cudnn.parts_mapped.empty());
    }
}

TEST_CASE("cudnn_library keeps the version of an installation whose RNN API fails") {
    const auto output = query(9, "cudnnAdvVersionCheck=fail:1002");
    REQUIRE(output.facts.cudnns.size() == 1);
    CHECK(output.facts.cudnns[0].version == v("9.19.0"));
    CHECK(output.facts.cudnns[0].rnn_usable == false);
    CHECK(output.facts.cudnns[0].failure->call == "cudnnAdvVersionCheck");
    CHECK(output.facts.cudnns[0].failure->code == 1002);
}

TEST_CASE(
    "cudnn_library that crashes in its RNN API has reported the version, and no answer about the "
    "half") {
    const auto output = query(8, "cudnnCreateRNNDescriptor=segv");
    CHECK_FALSE(output.done);
    CHECK(output.last_call == "cudnnCreateRNNDescriptor");
    REQUIRE(output.facts.cudnns.size() == 1);
    CHECK(output.facts.cudnns[0].version == v("8.9.7"));
    CHECK_FALSE(output.facts.cudnns[0].rnn_usable);
}

TEST_CASE("cudnn_library shows a library without the functions") {
    const auto output = run_probe("cudnn_library", {.target = sim_file("base", "libcudart.so.12")});
    REQUIRE(output.facts.cudnns.size() == 1);
    CHECK(output.facts.cudnns[0].failure->call == "cudnnGetVersion");
    CHECK_FALSE(output.facts.cudnns[0].rnn_usable);
}
