// What frameworks request from cuDNN: each branch of their sources once, and the quick level has
// it.
#include "rnn/framework_choice.hpp"

#include <algorithm>

#include "rnn/sweep.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

RnnPlace on(const char* capability, int multiprocessors, const char* cudnn = "9.19.0") {
    RnnPlace place(RnnApi::v8);
    place.cudnn = parse_version(cudnn);
    place.capability = parse_version(capability);
    place.multiprocessors = multiprocessors;
    return place;
}

const RnnPlace h100 = on("9.0", 132), a100 = on("8.0", 108), a30 = on("8.0", 56),
               rtx_3090 = on("8.6", 82), turing = on("7.5", 68), volta = on("7.0", 80),
               maxwell = on("5.2", 24);

RnnCase network(Dtype dtype, int input, int hidden, int batch = 8, int steps = 16) {
    return {
        .dtype = dtype, .input = input, .hidden = hidden, .batch = batch, .sequence_length = steps};
}

Algorithm forward(const RnnCase& network, const RnnPlace& place) {
    return pytorch_choice(network, place)->forward;
}

}  // namespace

TEST_CASE("PyTorch takes the algorithm for small hidden sizes up to 192 forward and 128 backward") {
    const auto small_h = Algorithm::persist_static_small_h;
    for (const Dtype dtype : {Dtype::fp32, Dtype::fp16, Dtype::bf16}) {
        CHECK(forward(network(dtype, 64, 192), a100) == small_h);
        CHECK(forward(network(dtype, 64, 193), a100) == Algorithm::standard);
    }
    CHECK(forward(network(Dtype::fp64, 64, 64), a100) == Algorithm::standard);
    CHECK(forward(network(Dtype::fp32, 64, 64), maxwell) == Algorithm::standard);
    CHECK(forward(network(Dtype::fp32, 64, 64), on("8.0", 108, "8.2.0")) == Algorithm::standard);
    CHECK(
        pytorch_choice(network(Dtype::fp32, 64, 64), a100, parse_version("1.11.0"))->forward ==
        Algorithm::standard);
    CHECK(pytorch_choice(network(Dtype::fp32, 64, 128), a100)->backward == small_h);
    CHECK(pytorch_choice(network(Dtype::fp32, 64, 129), a100)->backward == Algorithm::standard);
    CHECK(forward(parse_case("tanh", network(Dtype::fp32, 64, 384)), a100) == small_h);
    CHECK(
        pytorch_choice(parse_case("relu", network(Dtype::fp32, 64, 257)), a100)->backward ==
        Algorithm::standard);
    CHECK(forward(parse_case("P=32", network(Dtype::fp32, 64, 64)), a100) == Algorithm::standard);
    const RnnCase packed = parse_case("fp32 I=64 H=64 B=2 T=16 sequence_major_packed lengths=16,3");
    CHECK(forward(packed, a100) == Algorithm::standard);
    CHECK(pytorch_choice(packed, a100)->layout == Layout::sequence_major_packed);
    CHECK_FALSE(pytorch_choice(packed, a100)->padded);
    CHECK(pytorch_choice(network(Dtype::fp32, 64, 64), a100)->padded);
}

TEST_CASE(
    "PyTorch takes the static persistent algorithm for fp16 on GPUs with enough multiprocessors "
    "alone") {
    const RnnCase large = network(Dtype::fp16, 128, 256);
    for (const RnnPlace& place : {h100, a100, volta})
        CHECK(forward(large, place) == Algorithm::persist_static);
    for (const RnnPlace& place : {a30, rtx_3090, turing, on("6.0", 56)})
        CHECK(forward(large, place) == Algorithm::standard);
    CHECK(forward(network(Dtype::fp16, 128, 256, 8, 9), volta) == Algorithm::standard);
    CHECK(forward(network(Dtype::fp16, 128, 256, 12), a100) == Algorithm::standard);
    CHECK(forward(network(Dtype::fp16, 100, 256), a100) == Algorithm::standard);
    CHECK(forward(network(Dtype::fp32, 128, 256), a100) == Algorithm::standard);
    CHECK(forward(parse_case("L=2", large), a100) == Algorithm::standard);
    CHECK(forward(parse_case("gru", large), a100) == Algorithm::standard);
    CHECK(
        forward(parse_case("tanh", network(Dtype::fp16, 128, 896, 96)), a100) ==
        Algorithm::standard);
    CHECK(pytorch_choice(large, a100)->math == MathType::tensor);
    CHECK(pytorch_choice(large, on("6.0", 56))->math == MathType::standard);
}

TEST_CASE(
    "bfloat16 goes through cuDNN from PyTorch 2.10 and cuDNN 9.13 on, and is fp32 in TensorFlow") {
    const RnnCase bf16 = network(Dtype::bf16, 64, 256);
    CHECK(pytorch_choice(bf16, a100));
    CHECK_FALSE(pytorch_choice(bf16, a100, parse_version("2.9.1")));
    CHECK_FALSE(pytorch_choice(bf16, on("8.0", 108, "9.12.0")));
    CHECK(tensorflow_choice(bf16, a100)->dtype == Dtype::fp32);
    CHECK_FALSE(jax_choice(bf16, a100));
}

TEST_CASE(
    "TensorFlow requests tensor cores in fp32 too, in padded layouts; JAX for the default, "
    "batch-major") {
    const RnnCase ragged = parse_case("fp32 I=16 H=32 B=2 T=7 batch_major lengths=7,3");
    const auto keras = tensorflow_choice(ragged, a100);
    CHECK(keras->math == MathType::tensor);
    CHECK(keras->forward == Algorithm::standard);
    CHECK(keras->layout == Layout::batch_major);
    CHECK(keras->padded);
    RnnCase time_major = network(Dtype::fp64, 16, 32);
    CHECK_FALSE(tensorflow_choice(time_major, a100)->padded);
    CHECK(tensorflow_choice(time_major, a100)->math == MathType::fma);
    CHECK(tensorflow_choice(time_major, on("7.0", 80, "7.6.5"))->math == MathType::standard);
    CHECK(jax_choice(ragged, a100)->math == MathType::standard);
    CHECK(jax_choice(ragged, a100)->layout == Layout::batch_major);
    CHECK_FALSE(jax_choice(parse_case("gru", ragged), a100));
}

/// What decides a kernel, as a choice and as a case.
static std::string kernel(Dtype dtype, Algorithm algorithm, MathType math, Layout layout) {
    std::string text;
    for (const std::string_view word :
         {name_of(dtype), name_of(algorithm), name_of(math), name_of(layout)})
        text += std::string(word) + ' ';
    return text;
}

TEST_CASE("the quick level has every choice that the three make by default on the GPU at hand") {
    for (const RnnPlace& place : {h100, a100, a30, rtx_3090, turing, volta}) {
        std::vector<std::string> run;
        for (const RnnCase& c : sweep(Level::quick, place))
            run.push_back(kernel(c.dtype, c.algorithm, c.math, c.layout));
        const auto check = [&](const std::optional<FrameworkChoice>& choice) {
            if (!choice || choice->dtype == Dtype::fp64)
                return;  // of which no math type counts
            const std::string wanted =
                kernel(choice->dtype, choice->forward, choice->math, choice->layout);
            CAPTURE(place.capability->text, wanted, run);
            CHECK(std::ranges::find(run, wanted) != run.end());
        };
        for (const Dtype dtype : {Dtype::fp32, Dtype::fp16})
            for (const int hidden : {64, 200, 256})
                for (const bool ragged : {false, true}) {
                    RnnCase requested = network(dtype, 128, hidden);
                    if (ragged)
                        requested.lengths.assign(8, 16);
                    check(pytorch_choice(requested, place));
                    check(jax_choice(requested, place));
                    requested.layout = Layout::batch_major;
                    check(tensorflow_choice(requested, place));
                }
    }
}

TEST_CASE("only what a framework takes by default is promised, besides the standard algorithm") {
    const RnnCase fp32 = network(Dtype::fp32, 64, 64), fp16 = network(Dtype::fp16, 128, 256);
    const auto supported = [](RnnCase rnn_case, Algorithm algorithm, const RnnPlace& place) {
        rnn_case.algorithm = algorithm;
        return !why_unsupported(rnn_case, place);
    };
    CHECK(supported(fp32, Algorithm::standard, RnnPlace()));
    CHECK(supported(fp32, Algorithm::persist_static_small_h, rtx_3090));
    CHECK(supported(
        parse_case("training", network(Dtype::fp32, 64, 128)),
        Algorithm::persist_static_small_h,
        rtx_3090));
    CHECK_FALSE(supported(
        parse_case("training", network(Dtype::fp32, 64, 160)),
        Algorithm::persist_static_small_h,
        rtx_3090));
    CHECK_FALSE(supported(fp32, Algorithm::persist_dynamic, a100));
    CHECK(supported(fp16, Algorithm::persist_static, a100));
    CHECK_FALSE(supported(fp16, Algorithm::persist_static, rtx_3090));
    CHECK_FALSE(supported(fp16, Algorithm::persist_static, RnnPlace()));
    CHECK_FALSE(supported(network(Dtype::bf16, 64, 64), Algorithm::persist_static_small_h, a100));
    CHECK(supported(network(Dtype::bf16, 64, 64), Algorithm::standard, a100));
    CHECK_FALSE(supported(
        parse_case("batch_major lengths=16,0,1,1,1,1,1,1", fp32), Algorithm::standard, a100));
}
