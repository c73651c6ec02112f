// rnncheck's LSTM calls against simulated libraries that compute by code of their own: the whole
// sweep is right, every planted fault is caught, and failures come back as the call that failed.
#include <random>

#include "support/catch.hpp"
#include "vendor_sim/machine.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

struct Interface {
    int major;
    RnnApi rnn_api;
};
constexpr Interface interfaces[] = {
    {7, RnnApi::legacy}, {8, RnnApi::legacy}, {8, RnnApi::v8}, {9, RnnApi::v8}};

std::string title(const Interface& interface, const RnnCase& rnn_case) {
    return "cuDNN " + std::to_string(interface.major) + " " +
           std::string(name_of(interface.rnn_api)) + ": " + describe(rnn_case);
}

void check_right(const Interface& interface, const RnnCase& rnn_case) {
    INFO(title(interface, rnn_case));
    const Outcome outcome = run_and_compare(
        interface.major, interface.rnn_api, rnn_case, reduced_there(interface.major, rnn_case));
    INFO(
        (outcome.run.result ? outcome.run.result->call + ": " + outcome.run.result->text
                            : outcome.comparison.worst));
    REQUIRE_FALSE(outcome.run.result);
    CHECK(outcome.comparison.correct);
    CHECK(outcome.run.bitwise_repeatable == true);
    CHECK(outcome.run.workspace_bytes > 0);
}

/// bf16 networks came with cuDNN 9.13.
bool supported(const Interface& interface, const RnnCase& rnn_case) {
    return rnn_case.dtype != Dtype::bf16 || interface.major >= 9;
}

bool sweep_shows_a_fault(const Interface& interface) {
    for (const RnnCase& rnn_case :
         sweep(Level::standard, place_there(interface.major, interface.rnn_api))) {
        if (!supported(interface, rnn_case))
            continue;
        const Outcome outcome = run_and_compare(
            interface.major, interface.rnn_api, rnn_case, reduced_there(interface.major, rnn_case));
        REQUIRE_FALSE(outcome.run.result);
        if (!outcome.comparison.correct)
            return true;
    }
    return false;
}

RnnCase small_case() {
    RnnCase rnn_case;
    rnn_case.input = 7;
    rnn_case.hidden = 5;
    rnn_case.batch = 3;
    rnn_case.sequence_length = 4;
    return rnn_case;
}

RnnCase random_case(std::mt19937& random, RnnApi rnn_api) {
    const auto up_to = [&](int most) {
        return static_cast<int>(random() % static_cast<unsigned>(most)) + 1;
    };
    RnnCase rnn_case;
    rnn_case.dtype = static_cast<Dtype>(random() % (rnn_api == RnnApi::v8 ? 4 : 3));
    if (rnn_case.dtype == Dtype::fp16)
        rnn_case.math = MathType::tensor;
    if (rnn_case.dtype == Dtype::fp32 && rnn_api == RnnApi::v8 && random() % 2)
        rnn_case.math = MathType::fma;
    rnn_case.direction = random() % 2 ? Direction::bidirectional : Direction::unidirectional;
    rnn_case.layers = up_to(2);
    rnn_case.input = up_to(9);
    rnn_case.hidden = up_to(9);
    rnn_case.batch = up_to(4);
    rnn_case.sequence_length = up_to(5);
    rnn_case.states = random() % 2;
    rnn_case.layout = static_cast<Layout>(random() % 3);
    if (random() % 2) {
        for (int i = 0; i < rnn_case.batch; ++i)
            rnn_case.lengths.push_back(up_to(rnn_case.sequence_length));
        if (rnn_case.layout == Layout::sequence_major_packed) {
            std::sort(rnn_case.lengths.rbegin(), rnn_case.lengths.rend());
            rnn_case.lengths.front() = rnn_case.sequence_length;
        }
    }
    return rnn_case;
}

}  // namespace

TEST_CASE("the standard sweep is right in every interface of every major") {
    simulate("");
    for (const Interface& interface : interfaces)
        for (const RnnCase& rnn_case :
             sweep(Level::standard, place_there(interface.major, interface.rnn_api)))
            if (supported(interface, rnn_case))
                check_right(interface, rnn_case);
}

TEST_CASE("random correct cases give no false alarm") {
    simulate("");
    std::mt19937 random(20);
    for (int i = 0; i < RANDOM_CASES; ++i) {
        const Interface& interface = i % 2 ? interfaces[1] : interfaces[3];
        check_right(interface, random_case(random, interface.rnn_api));
    }
}

TEST_CASE("each planted numeric fault is caught by the standard sweep") {
    for (const std::string fault :
         {"gates_swapped",
          "bias_dropped",
          "last_step_dropped",
          "backward_not_reversed",
          "state_not_carried",
          "initial_state_ignored",
          "padding_not_honoured",
          "padding_not_filled",
          "nan_lane",
          "stale_output",
          "batch_row_exchanged",
          "wrong_numbers",
          "dh_not_carried",
          "dw_of_last_step_alone",
          "dcx_zero",
          "db_twice"})
        for (const Interface& interface : {interfaces[1], interfaces[3]}) {
            simulate("lstm=" + fault);
            INFO(fault << " in cuDNN " << interface.major);
            CHECK(sweep_shows_a_fault(interface));
        }
}

TEST_CASE("a second run with a different result is reported") {
    simulate("lstm=unrepeatable");
    const Outcome outcome = run_and_compare(9, RnnApi::v8, small_case());
    REQUIRE_FALSE(outcome.run.result);
    CHECK(outcome.run.bitwise_repeatable == false);
}

TEST_CASE("a second run that writes nothing does not pass for the first one's output") {
    simulate("lstm=stale_output@2");
    const Outcome outcome =
        run_and_compare(9, RnnApi::v8, small_case(), reduced_there(9, small_case()));
    REQUIRE_FALSE(outcome.run.result);
    CHECK_FALSE(outcome.comparison.correct);
    CHECK(outcome.run.bitwise_repeatable == false);
}

TEST_CASE("a device that is right once and wrong the next time is wrong") {
    for (const std::string fault : {"gates_swapped", "nan_lane"}) {
        simulate("lstm=" + fault + "@2");
        const Outcome outcome =
            run_and_compare(9, RnnApi::v8, small_case(), reduced_there(9, small_case()));
        REQUIRE_FALSE(outcome.run.result);
        CHECK_FALSE(outcome.comparison.correct);
        CHECK(outcome.comparison.worst.ends_with("the first of two runs was correct"));
    }
}

TEST_CASE("TF32 shows in the default math type on a GPU that has it, and only there") {
    RnnCase rnn_case = small_case();
    rnn_case.input = rnn_case.hidden = 64;
    simulate("");
    CHECK(
        run_and_compare(9, RnnApi::v8, rnn_case, reduced_there(9, rnn_case)).comparison.precision ==
        Precision::tf32);
    rnn_case.math = MathType::fma;
    CHECK(run_and_compare(9, RnnApi::v8, rnn_case).comparison.precision == Precision::full);
    rnn_case.math = MathType::standard;
    simulate("cc=7.5");
    CHECK(
        run_and_compare(9, RnnApi::v8, rnn_case, reduced_there(9, rnn_case)).comparison.precision ==
        Precision::full);
}

TEST_CASE(
    "fast mathematics and TF32 are right where cuDNN computes so, and wrong in a strict case of "
    "the standard "
    "algorithm") {
    RnnCase rnn_case = small_case();
    rnn_case.input = rnn_case.hidden = 64;
    rnn_case.sequence_length = 16;
    const auto outcome = [&](MathType math, Algorithm algorithm, const std::string& sim) {
        simulate(sim);
        rnn_case.math = math;
        rnn_case.algorithm = algorithm;
        return run_and_compare(9, RnnApi::v8, rnn_case, reduced_there(9, rnn_case)).comparison;
    };
    for (const Algorithm persistent :
         {Algorithm::persist_dynamic,
          Algorithm::persist_static,
          Algorithm::persist_static_small_h}) {
        const Comparison fast = outcome(MathType::fma, persistent, "");
        CAPTURE(name_of(persistent), fast.worst);
        CHECK(fast.correct);
        CHECK(fast.precision == Precision::fast_math);
    }
    const Comparison tensor = outcome(MathType::tensor, Algorithm::standard, "");
    CHECK(tensor.correct);
    CHECK(tensor.precision == Precision::tf32);
    const Comparison fast_standard = outcome(MathType::fma, Algorithm::standard, "lstm=fast_math");
    CHECK_FALSE(fast_standard.correct);
    CHECK_FALSE(
        outcome(MathType::fma, Algorithm::standard, "lstm=tf32_although_forbidden").correct);
    CHECK(outcome(MathType::fma, Algorithm::standard, "").precision == Precision::full);
}

TEST_CASE("the dynamic persistent algorithm is built before it runs") {
    simulate("");
    RnnCase rnn_case = small_case();
    rnn_case.algorithm = Algorithm::persist_dynamic;
    for (const Interface& interface : interfaces)
        check_right(interface, rnn_case);
}

TEST_CASE("the memory of a case is given back") {
    simulate("mem_free=3");
    for (int round = 0; round < 4; ++round)
        for (const RnnCase& rnn_case : sweep(Level::standard, place_there(9, RnnApi::v8)))
            check_right(interfaces[3], rnn_case);
}

TEST_CASE("a case that finds no memory gives back what it had") {
    simulate("mem_free=1");
    RnnCase rnn_case = small_case();
    rnn_case.input = 32;
    rnn_case.hidden = 200;
    rnn_case.sequence_length = 40;
    const auto too_large =
        run_and_compare(9, RnnApi::v8, rnn_case, reduced_there(9, rnn_case)).run.result;
    REQUIRE(too_large);
    CHECK(too_large->code == 2);
    rnn_case.sequence_length = 2;
    check_right(interfaces[3], rnn_case);
}

TEST_CASE("what cuDNN does not support comes back as its own status and reason") {
    RnnCase rnn_case = small_case();
    rnn_case.dtype = Dtype::bf16;
    simulate("cc=7.5");
    const auto on_old_gpu = run_and_compare(9, RnnApi::v8, rnn_case).run.result;
    REQUIRE(on_old_gpu);
    CHECK(on_old_gpu->code == 3000);
    CHECK(on_old_gpu->text.find("compute capability 8.0") != std::string::npos);
    simulate("");
    const auto on_old_cudnn = run_and_compare(8, RnnApi::v8, rnn_case).run.result;
    REQUIRE(on_old_cudnn);
    CHECK(on_old_cudnn->code == 9);
    CHECK(on_old_cudnn->call == "cudnnSetRNNDescriptor_v8");
}

TEST_CASE("a failing call is the one that is reported, and nothing is computed") {
    simulate("cudnnRNNForward=fail:5000@2");
    const auto forward = run_and_compare(9, RnnApi::v8, small_case());
    REQUIRE(forward.run.result);
    CHECK(forward.run.result->call == "cudnnRNNForward");
    CHECK(forward.run.result->code == 5000);
    CHECK(forward.outputs.first.y.empty());
    simulate("mem_free=0");
    const auto memory = run_and_compare(8, RnnApi::legacy, small_case());
    REQUIRE(memory.run.result);
    CHECK(memory.run.result->call == "cuMemAlloc_v2");
    CHECK(memory.run.result->code == 2);
}

TEST_CASE("an address outside the weight space is not written to") {
    simulate("cudnnGetRNNWeightParams=wild_address; cudnnGetRNNLinLayerBiasParams=wild_address");
    for (const Interface& interface : interfaces) {
        const auto outcome = run_and_compare(interface.major, interface.rnn_api, small_case());
        REQUIRE(outcome.run.result);
        CHECK(outcome.run.result->code == invalid_result);
        CHECK(outcome.run.result->text == "it gave an address outside the weight space");
    }
}

TEST_CASE("the reason of an earlier call does not explain a later failure") {
    const vendor::Session& session = simulated_session(9);
    simulate("");
    session.cudnn.cudnnCreateTensorDescriptor.function(
        nullptr);  // rejected, with a reason for the callback
    simulate("cudnnCreateTensorDescriptor=fail:4000");
    vendor::TensorDescriptor tensor = nullptr;
    CHECK(
        session.cudnn.check(session.cudnn.cudnnCreateTensorDescriptor, &tensor).text ==
        "CUDNN_STATUS_INTERNAL_ERROR");
}
