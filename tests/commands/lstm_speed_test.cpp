// The model of how long a case takes: its terms, and when a card is called slow.
#include "commands/lstm_speed.hpp"

#include "base/text.hpp"
#include "rnn/sized.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

Gpu card() {
    Gpu gpu;
    gpu.compute_capability = make_version({8, 6});
    gpu.multiprocessors = 82;
    gpu.clock_mhz = 1695;
    gpu.memory_clock_mhz = 9751;
    gpu.memory_bus_bits = 384;
    gpu.pci = "0000:01:00.0";
    return gpu;
}

/// Cases that take `factor` times the model's time.
Facts timed(double factor, std::size_t outliers = 0) {
    Facts facts;
    facts.gpus = {card()};
    for (std::size_t i = 0; i < 9; ++i) {
        RnnRun& run = facts.rnn_runs.emplace_back();
        run.rnn_case = sized(Dtype::fp32, MathType::fma, 64, 64, 8, 16);
        run.number = static_cast<int>(i) + 1;
        run.again_ms = model_ms(run.rnn_case, *peak_of(card())) * (i < outliers ? 1000 : factor);
        run.first_ms = *run.again_ms + (i == 4 ? 7 : 1);
    }
    return facts;
}

std::string told(const Facts& facts, std::string_view about) {
    for (const Remark& remark : speed_of(facts))
        if (remark.about == about) return std::string(name_of(remark.weight)) + ": " + remark.text;
    return "";
}

}  // namespace

TEST_CASE("speed: the peaks of an RTX 3090 are those of its data sheet") {
    const Peak peak = peak_of(card()).value();
    CHECK(peak.fp32_per_second == Approx(35.6e12).epsilon(0.01));
    CHECK(peak.fp64_per_second == Approx(0.556e12).epsilon(0.01));
    CHECK(peak.bytes_per_second == Approx(936e9).epsilon(0.01));
}

TEST_CASE("speed: each term of the model counts what it should") {
    const Peak calculates{1e12, 1e11, 1e30}, reads{1e30, 1e30, 1e9};
    const RnnCase c = sized(Dtype::fp32, MathType::fma, 100, 1000, 10, 50);
    const double launches_ms = 5e-3 * (4 * 50 + 4);
    CHECK(model_ms(c, calculates) == Approx(launches_ms + 1e3 * 2.0 * 500 * 4 * 1000 * 1100 / 1e12));
    CHECK(model_ms(c, reads) ==
          Approx(launches_ms + 1e3 * 4.0 * (4e6 / 10 + 4e6 * 50 + 500 * (100 + 2.0 * 1000)) / 1e9));
    CHECK(model_ms(training(c), calculates) == Approx(3 * model_ms(c, calculates)));
    RnnCase fp64 = c;
    fp64.dtype = Dtype::fp64;
    CHECK(model_ms(fp64, calculates) == Approx(launches_ms + 1e3 * 2.0 * 500 * 4 * 1000 * 1100 / 1e11));
    const RnnCase ragged = with_lengths(c, Layout::sequence_major, {50, 10, 10, 10, 10, 10, 10, 10, 10, 10});
    CHECK(model_ms(ragged, calculates) == Approx(launches_ms + 1e3 * 2.0 * 140 * 4 * 1000 * 1100 / 1e12));
}

TEST_CASE("speed: a card far slower than the model is a warning, one slow case is not") {
    CHECK(
        told(timed(2), "speed").starts_with("note: GPU 0 takes 2 times what the model says, in the median of 9 cases"));
    CHECK(told(timed(9.9), "speed").starts_with("note"));
    CHECK(told(timed(1, 4), "speed").starts_with("note"));
    Facts slow = timed(11);
    CHECK(told(slow, "speed").starts_with("warning: GPU 0 takes 11 times"));
    CHECK_FALSE(contains(told(slow, "speed"), "NVML"));
    slow.boards.emplace_back().pci = "0000:01:00.0";
    slow.boards[0].throttle_reasons = {"gpu_idle"};
    CHECK_FALSE(contains(told(slow, "speed"), "NVML"));
    slow.boards[0].throttle_reasons = {"gpu_idle", "hw_thermal_slowdown"};
    CHECK(contains(told(slow, "speed"), "NVML names what holds its clocks down: hw_thermal_slowdown"));
}

TEST_CASE("speed: what NVML says holds the clocks down is told however fast the cases were") {
    Facts held_down = timed(1);
    held_down.boards.emplace_back().pci = "0000:01:00.0";
    held_down.boards[0].throttle_reasons = {"sw_power_cap"};
    CHECK(told(held_down, "speed").starts_with("warning: GPU 0 takes 1 times"));
    CHECK(contains(told(held_down, "speed"), "sw_power_cap"));
}

TEST_CASE("speed: only large cases show clocks, and they are judged apart") {
    CHECK(contains(told(timed(1), "speed"), "hardly show clocks"));
    Facts facts = timed(1);
    RnnRun& large = facts.rnn_runs.emplace_back();
    large.rnn_case = sized(Dtype::fp32, MathType::fma, 1024, 1024, 64, 64);
    large.number = 10;
    large.first_ms = large.again_ms = 12 * model_ms(large.rnn_case, *peak_of(card()));
    CHECK(told(facts, "speed").starts_with("warning: GPU 0 takes 1 times"));
    CHECK(contains(told(facts, "speed"), "12 times in the median of 1 case large enough"));
    large.again_ms = 2 * model_ms(large.rnn_case, *peak_of(card()));
    CHECK(told(facts, "speed").starts_with("note"));
    CHECK_FALSE(contains(told(facts, "speed"), "hardly show"));
}

TEST_CASE("speed: without data it is unknown, not fine") {
    for (auto Gpu::*member : {&Gpu::multiprocessors, &Gpu::clock_mhz, &Gpu::memory_clock_mhz, &Gpu::memory_bus_bits}) {
        Facts facts = timed(1);
        facts.gpus[0].*member = 0;
        CHECK(told(facts, "speed").starts_with("unknown: whether GPU 0 is as fast as it should be is not known"));
    }
    Facts future = timed(1);
    future.gpus[0].compute_capability = make_version({99, 0});
    CHECK(told(future, "speed").starts_with("unknown"));
    CHECK(speed_of(Facts()).empty());
}

TEST_CASE("speed: the cost of first calls stands apart") {
    CHECK(contains(told(timed(1), "first_call"), "took 15 ms more than second ones, most in case 5 (7 ms)"));
}
