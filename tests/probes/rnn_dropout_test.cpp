// Dropout as measured on a simulated cuDNN, right and wrong.
#include <cmath>

#include "process/probe.hpp"
#include "support/catch.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

RnnDropout found(
    const std::string& sim,
    double probability = 0.5,
    const std::string& flavour = "cudnn9",
    const std::string& rnn_api = "v8") {
    Facts facts;
    facts.rnn_request.emplace().dropout = probability;
    const std::string library = sim_file(flavour, "libcudnn.so." + flavour.substr(5));
    const ProbeOutput output = run_probe(
        "rnn_dropout",
        {.target = "GPU 0 " + rnn_api + " " + library,
         .flavours = {"base", flavour},
         .sim = "gpus=1 " + sim,
         .facts = facts});
    REQUIRE(output.facts.rnn_dropouts.size() == 1);
    return output.facts.rnn_dropouts[0];
}

bool keeps_as_many_as_it_should(const RnnDropout& dropout) {
    const double n = static_cast<double>(dropout.elements.value()), p = dropout.probability;
    return std::abs(static_cast<double>(dropout.kept.value()) - n * (1 - p)) <
           6 * std::sqrt(n * p * (1 - p));
}

}  // namespace

TEST_CASE("rnn_dropout sees the mask of a right device in both interfaces") {
    for (const double probability : {0.25, 0.5, 0.75})
        for (const auto& [flavour, rnn_api] :
             {std::pair{"cudnn9", "v8"},
              std::pair{"cudnn8", "legacy"},
              std::pair{"cudnn7", "legacy"}}) {
            const RnnDropout right = found("", probability, flavour, rnn_api);
            CAPTURE(probability, flavour, right.kept.value_or(-1));
            CHECK_FALSE(right.result);
            CHECK(right.elements == 65536);
            CHECK(keeps_as_many_as_it_should(right));
            CHECK(right.scale_error.value() < std::ldexp(1, -9));
            CHECK(right.repeats == true);
            CHECK(right.mask_changes == true);
        }
}

TEST_CASE("rnn_dropout sees each way in which dropout can be wrong") {
    CHECK_FALSE(keeps_as_many_as_it_should(found("lstm=dropout_inverted", 0.25)));
    CHECK_FALSE(keeps_as_many_as_it_should(found("lstm=dropout_ignored")));
    CHECK(found("lstm=dropout_not_scaled").scale_error.value() > 0.4);
    CHECK(found("lstm=dropout_mask_stays").mask_changes == false);
    CHECK(found("lstm=dropout_mask_wanders").repeats == false);
    CHECK(found("cudnnDropoutGetStatesSize=fail:2000").result->call == "cudnnDropoutGetStatesSize");
    CHECK_FALSE(found("cudnnRNNForward=fail:5000").kept);
}

TEST_CASE("rnn_dropout runs where it is requested alone") {
    Facts facts;
    facts.cuda_devices.emplace_back();
    Cudnn& cudnn = facts.cudnns.emplace_back();
    cudnn.rnn_apis = {"v8"};
    cudnn.rnn_usable = true;
    const auto* const probe = find_named(all_probes(), "rnn_dropout");
    CHECK((*probe)->targets(facts).empty());
    facts.rnn_request.emplace();
    CHECK((*probe)->targets(facts).empty());
    facts.rnn_request->dropout = 0.5;
    CHECK((*probe)->targets(facts).size() == 1);
}
