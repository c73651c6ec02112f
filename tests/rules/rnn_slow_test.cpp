#include "rnn/speed.hpp"
#include "rnn/sweep.hpp"
#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

namespace {

using namespace rnncheck;

/// Requested small cases whose times are as the model predicts, on an RTX 3090.
template <class Change>
Facts timed(Change change) {
    return test::but([&](Facts& f) {
        f.rnn_request.emplace();
        Gpu& gpu = f.cuda_devices.front();
        gpu.clock_mhz = 1695;
        gpu.memory_clock_mhz = 9751;
        gpu.memory_bus_bits = 384;
        for (RnnRun& run : f.rnn_runs)
            run.repeat_ms = run.first_ms = 1;
        change(f);
    });
}

void as_it_is(Facts&) {
}

/// And a case that takes so many times what the model predicts.
Facts with_large(double factor, int size = 2048) {
    return timed([&](Facts& f) {
        RnnRun& run = f.rnn_runs.emplace_back(f.rnn_runs.back());
        run.rnn_case = parse_case("fp32 fma B=64 T=16", {.input = size, .hidden = size});
        run.end = RunEnd::ok;
        const Gpu& gpu = f.cuda_devices.front();
        const Peak peak = *peak_of(
            {*gpu.compute_capability,
             *gpu.multiprocessors,
             *gpu.clock_mhz,
             *gpu.memory_clock_mhz,
             *gpu.memory_bus_bits});
        run.first_ms = run.repeat_ms = factor * model_ms(run.rnn_case, peak);
    });
}

Facts but_of(Facts facts, void (*change)(Facts&)) {
    change(facts);
    return facts;
}

}  // namespace

RULE_TEST(
    rnn_slow,
    Fires{{{"11 times the model's time", with_large(11), "takes 11 times the modeled time"}}},
    Silent{
        {{"twice the model's time", with_large(2), ""},
         {"9.9 times", with_large(9.9), ""},
         {"small cases take as_it_is", timed(as_it_is), ""},
         {"the doctor's cases", a_healthy_machine(), ""}}},
    WhenUndecided{
        {{"no clocks",
          but_of(with_large(11), [](Facts& f) { f.cuda_devices.front().clock_mhz = 0; }),
          ""},
         {"no bus",
          but_of(with_large(2), [](Facts& f) { f.cuda_devices.front().memory_bus_bits.reset(); }),
          ""},
         {"a GPU of the future",
          but_of(
              with_large(2),
              [](Facts& f) { f.cuda_devices.front().compute_capability = v("99.0"); }),
          ""}}})

TEST_CASE("rnn_slow: the largest case counts, and small ones alone name one to run") {
    const auto* rule = find_named(all_rules(), "rnn_slow");
    Facts facts = with_large(2);
    RnnRun& smaller = facts.rnn_runs.emplace_back(facts.rnn_runs.back());
    smaller.rnn_case = parse_case("fp32 fma I=1024 H=1024 B=64 T=16");
    smaller.repeat_ms = *smaller.repeat_ms * 20;
    const Verdict large = (*rule)->check(facts, Matrix::bundled());
    CHECK(large.outcome == Outcome::pass);
    CHECK(large.reason.find("takes 2 times the modeled time") != std::string::npos);
    const Verdict small = (*rule)->check(timed(as_it_is), Matrix::bundled());
    CHECK(small.outcome == Outcome::not_applicable);
    CHECK(
        small.reason.find("'rnncheck lstm --input 2048 --hidden 2048 --batch 64 --length 16'") !=
        std::string::npos);
}
