#include "rnn/sweep.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "support/catch.hpp"

using namespace rnncheck;

static RnnPlace place(
    RnnApi rnn_api, const char* cudnn, const char* capability, int multiprocessors) {
    RnnPlace there(rnn_api);
    there.cudnn = parse_version(cudnn);
    there.capability = parse_version(capability);
    there.multiprocessors = multiprocessors;
    return there;
}

/// cuDNN's dialects and versions on GPUs that frameworks treat unlike.
static std::vector<RnnPlace> places() {
    std::vector<RnnPlace> all = {RnnApi::legacy, RnnApi::v8};
    for (const auto& [capability, multiprocessors] :
         {std::pair{"6.1", 28},
          {"7.0", 80},
          {"7.5", 68},
          {"8.0", 108},
          {"8.6", 82},
          {"9.0", 132},
          {"12.0", 188}})
        for (const auto& [rnn_api, cudnn] :
             {std::pair{RnnApi::legacy, "7.6.5"},
              {RnnApi::legacy, "8.9.7"},
              {RnnApi::v8, "8.0.5"},
              {RnnApi::v8, "8.9.7"},
              {RnnApi::v8, "9.19.0"}})
            all.push_back(place(rnn_api, cudnn, capability, multiprocessors));
    return all;
}

static bool any(
    const RnnPlace& there,
    const std::function<bool(const RnnCase&)>& wanted,
    Level level = Level::quick) {
    const std::vector<RnnCase> cases = sweep(level, there);
    return std::any_of(cases.begin(), cases.end(), wanted);
}

TEST_CASE("the sweep of either dialect holds every kind of case that frameworks use") {
    const RnnApi rnn_api = GENERATE(RnnApi::legacy, RnnApi::v8);
    CAPTURE(name_of(rnn_api));
    for (const Dtype dtype : {Dtype::fp64, Dtype::fp32, Dtype::fp16})
        CHECK(any(rnn_api, [&](const RnnCase& c) { return c.dtype == dtype; }));
    for (const Layout layout :
         {Layout::sequence_major, Layout::sequence_major_packed, Layout::batch_major})
        CHECK(any(
            rnn_api, [&](const RnnCase& c) { return c.layout == layout && !c.lengths.empty(); }));
    CHECK(any(rnn_api, [](const RnnCase& c) {
        return c.layers == 2 && c.directions() == 2 && c.states;
    }));
    CHECK(any(rnn_api, [](const RnnCase& c) { return c.batch == 1 && c.sequence_length == 1; }));
    CHECK(
        any(rnn_api, [](const RnnCase& c) { return c.input % 8 && c.hidden % 8 && c.batch > 1; }));
    CHECK(any(rnn_api, [](const RnnCase& c) {
        return !c.lengths.empty() && c.directions() == 2 && c.states;
    }));
}

TEST_CASE(
    "the legacy sweep of cuDNN 8 forbids TF32 as PyTorch does, and holds the algorithm for small "
    "hidden sizes") {
    const RnnPlace of_8 = place(RnnApi::legacy, "8.9.5", "8.0", 108);
    CHECK(any(
        of_8, [](const RnnCase& c) { return c.dtype == Dtype::fp32 && c.math == MathType::fma; }));
    CHECK(any(
        of_8, [](const RnnCase& c) { return c.algorithm == Algorithm::persist_static_small_h; }));
    CHECK_FALSE(any(of_8, [](const RnnCase& c) { return c.dtype == Dtype::bf16; }));
    CHECK(any(of_8, [](const RnnCase& c) { return c.algorithm == Algorithm::persist_static; }));
}

TEST_CASE("the legacy sweep leaves out what its interface cannot express") {
    CHECK_FALSE(any(RnnApi::legacy, [](const RnnCase& c) {
        return c.dtype == Dtype::bf16 || c.math == MathType::fma ||
               c.algorithm == Algorithm::persist_static_small_h;
    }));
    CHECK(any(RnnApi::v8, [](const RnnCase& c) { return c.dtype == Dtype::bf16; }));
    CHECK(any(RnnApi::v8, [](const RnnCase& c) {
        return c.algorithm == Algorithm::persist_static_small_h;
    }));
    CHECK(any(RnnApi::v8, [](const RnnCase& c) {
        return c.dtype == Dtype::fp32 && c.math == MathType::standard;
    }));
    CHECK(any(RnnApi::v8, [](const RnnCase& c) {
        return c.dtype == Dtype::fp32 && c.math == MathType::fma;
    }));
}

TEST_CASE("the standard and the thorough level hold every cell, mode and gradient") {
    const RnnApi rnn_api = GENERATE(RnnApi::legacy, RnnApi::v8);
    const Level level = GENERATE(Level::standard, Level::thorough);
    CAPTURE(name_of(rnn_api), name_of(level));
    const auto has = [&](const std::function<bool(const RnnCase&)>& wanted) {
        return any(rnn_api, wanted, level);
    };
    for (const Cell cell : {Cell::lstm, Cell::gru, Cell::tanh, Cell::relu}) {
        CHECK(has(
            [&](const RnnCase& c) { return c.cell == cell && c.training && c.directions() == 2; }));
        CHECK(has([&](const RnnCase& c) {
            return c.cell == cell && c.training && c.dtype == Dtype::fp64;
        }));
        CHECK(has([&](const RnnCase& c) { return c.cell == cell && !c.lengths.empty(); }));
    }
    for (const int layers : {1, 2, 3, 4})
        CHECK(has([&](const RnnCase& c) { return c.layers == layers; }));
    for (const BiasMode bias :
         {BiasMode::none, BiasMode::input, BiasMode::recurrent, BiasMode::both})
        CHECK(has([&](const RnnCase& c) { return c.bias == bias; }));
    CHECK(has([](const RnnCase& c) { return c.projection > 0 && c.training; }));
    CHECK(has([](const RnnCase& c) { return c.clip > 0; }));
    CHECK(has([](const RnnCase& c) { return c.input_mode == InputMode::skip; }));
    CHECK_FALSE(has([](const RnnCase& c) { return c.clip > 0 && c.training; }));
    CHECK_FALSE(
        has([](const RnnCase& c) { return c.cell == Cell::gru && c.bias == BiasMode::recurrent; }));
}

TEST_CASE("each level holds the one before, and what the others cost is known") {
    const RnnApi rnn_api = GENERATE(RnnApi::legacy, RnnApi::v8);
    const RnnPlace there = place(rnn_api, rnn_api == RnnApi::v8 ? "9.19.0" : "8.9.7", "9.0", 132);
    const auto described = [&](Level level) {
        std::set<std::string> all;
        for (const RnnCase& rnn_case : sweep(level, there))
            all.insert(describe(rnn_case));
        return all;
    };
    const auto quick = described(Level::quick), standard = described(Level::standard),
               thorough = described(Level::thorough);
    CHECK(std::ranges::includes(standard, quick));
    CHECK(std::ranges::includes(thorough, standard));
    CHECK(quick.size() <= 24);
    CHECK(standard.size() < 70);
    CHECK(thorough.size() > 400);
}

/// The conditions that cuDNN's documentation and measured answers set: variable lengths only with
/// the standard algorithm, packed lengths descending from the longest, no zero length before cuDNN
/// 8 and none in gradients, static persistent kernels not in fp64, projection and bias modes with
/// the standard algorithm alone, projection in LSTM alone.
static void check_acceptable(const RnnCase& c, const RnnPlace& there) {
    CAPTURE(describe(c));
    CHECK(expressible(c, there));
    if (!c.lengths.empty()) {
        CHECK(c.algorithm == Algorithm::standard);
        CHECK(static_cast<int>(c.lengths.size()) == c.batch);
        CHECK(*std::max_element(c.lengths.begin(), c.lengths.end()) == c.sequence_length);
        const bool zeros_allowed =
            there.rnn_api == RnnApi::v8 && !c.training && c.layout != Layout::sequence_major_packed;
        CHECK(*std::min_element(c.lengths.begin(), c.lengths.end()) >= (zeros_allowed ? 0 : 1));
    }
    if (c.layout == Layout::sequence_major_packed)
        CHECK(std::is_sorted(c.lengths.rbegin(), c.lengths.rend()));
    if (c.algorithm != Algorithm::standard) {
        CHECK((c.dtype != Dtype::fp64 || c.algorithm == Algorithm::persist_dynamic));
        CHECK((
            c.layers == 1 && c.directions() == 1 && c.projection == 0 && c.bias == BiasMode::both));
    }
    if (c.math == MathType::tensor)
        CHECK((c.dtype == Dtype::fp16 || c.dtype == Dtype::fp32));
    if (c.math == MathType::fma)
        CHECK(c.dtype == Dtype::fp32);
    if (c.input_mode == InputMode::skip)
        CHECK(c.input == c.hidden);
    if (c.projection > 0 || c.clip > 0)
        CHECK(c.cell == Cell::lstm);
    CHECK(c.projection < c.hidden);
}

TEST_CASE("no case requests what cuDNN's documentation rules out, and none comes twice") {
    for (const Level level : {Level::quick, Level::standard, Level::thorough})
        for (const RnnPlace& there : places()) {
            std::set<std::string> seen;
            for (const RnnCase& rnn_case : sweep(level, there)) {
                check_acceptable(rnn_case, there);
                CHECK(seen.insert(describe(rnn_case)).second);
            }
        }
}

TEST_CASE("a case is described in one line with everything that sets it apart") {
    RnnCase rnn_case;
    rnn_case.math = MathType::fma;
    rnn_case.input = 7;
    rnn_case.hidden = 5;
    rnn_case.batch = 3;
    rnn_case.sequence_length = 4;
    CHECK(describe(rnn_case) == "fp32 fma standard I=7 H=5 B=3 T=4 L=1");
    rnn_case.direction = Direction::bidirectional;
    rnn_case.states = true;
    rnn_case.layout = Layout::batch_major;
    rnn_case.lengths = {2, 4, 1};
    CHECK(
        describe(rnn_case) ==
        "fp32 fma standard I=7 H=5 B=3 T=4 L=1 bidirectional states batch_major lengths=2,4,1");
    RnnCase other;
    other.cell = Cell::gru;
    other.training = true;
    other.bias = BiasMode::none;
    other.input_mode = InputMode::skip;
    CHECK(
        describe(other) ==
        "gru fp32 default standard I=1 H=1 B=1 T=1 L=1 bias=none skip_input training");
    RnnCase projected;
    projected.projection = 2;
    projected.clip = 0.25;
    CHECK(describe(projected) == "fp32 default standard I=1 H=1 B=1 T=1 L=1 P=2 clip=0.25");
}

TEST_CASE("the words that describe a case give it again, others are rejected") {
    for (const RnnCase& rnn_case : sweep(Level::thorough, RnnApi::v8))
        CHECK(describe(parse_case(describe(rnn_case))) == describe(rnn_case));
    CHECK_THROWS(parse_case("fp33"));
    CHECK_THROWS(parse_case("H=many"));
}
