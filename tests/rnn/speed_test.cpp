// The model of how long a case takes: its terms.
#include "rnn/speed.hpp"

#include "rnn/sweep.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

const Clocks clocks_of_3090 = {make_version({8, 6}), 82, 1695, 9751, 384};

}  // namespace

TEST_CASE("speed: the peaks of an RTX 3090 are those of its data sheet") {
    const Peak peak = peak_of(clocks_of_3090).value();
    CHECK(peak.fp32_per_second == Approx(35.6e12).epsilon(0.01));
    CHECK(peak.fp64_per_second == Approx(0.556e12).epsilon(0.01));
    CHECK(peak.bytes_per_second == Approx(936e9).epsilon(0.01));
}

TEST_CASE("speed: each term of the model counts what it should") {
    const Peak calculates{1e12, 1e11, 1e30}, reads{1e30, 1e30, 1e9};
    const RnnCase c = parse_case("fp32 fma I=100 H=1000 B=10 T=50");
    const double launches_ms = 5e-3 * (4 * 50 + 4);
    CHECK(
        model_ms(c, calculates) == Approx(launches_ms + 1e3 * 2.0 * 500 * 4 * 1000 * 1100 / 1e12));
    CHECK(
        model_ms(c, reads) ==
        Approx(launches_ms + 1e3 * 4.0 * (4e6 / 10 + 4e6 * 50 + 500 * (100 + 2.0 * 1000)) / 1e9));
    CHECK(model_ms(parse_case("training", c), calculates) == Approx(3 * model_ms(c, calculates)));
    RnnCase fp64 = c;
    fp64.dtype = Dtype::fp64;
    CHECK(
        model_ms(fp64, calculates) ==
        Approx(launches_ms + 1e3 * 2.0 * 500 * 4 * 1000 * 1100 / 1e11));
    const RnnCase ragged = parse_case("lengths=50,10,10,10,10,10,10,10,10,10", c);
    CHECK(
        model_ms(ragged, calculates) ==
        Approx(launches_ms + 1e3 * 2.0 * 140 * 4 * 1000 * 1100 / 1e12));
}

TEST_CASE("speed: the case that is recommended shows clocks on every card of the table") {
    const Clocks h200 = {make_version({9, 0}), 132, 1980, 3201, 6144};
    const RnnCase recommended = parse_case("fp32 I=2048 H=2048 B=64 T=16");
    for (const Clocks& clocks : {clocks_of_3090, h200})
        CHECK(shows_clocks(recommended, peak_of(clocks).value()));
    CHECK_FALSE(
        shows_clocks(parse_case("fp32 fma I=64 H=64 B=8 T=16"), peak_of(clocks_of_3090).value()));
}

TEST_CASE("speed: without data there is no peak") {
    for (int Clocks::*member :
         {&Clocks::multiprocessors, &Clocks::mhz, &Clocks::memory_mhz, &Clocks::memory_bus_bits}) {
        Clocks unknown = clocks_of_3090;
        unknown.*member = 0;
        CHECK_FALSE(peak_of(unknown));
    }
    Clocks future = clocks_of_3090;
    future.capability = make_version({99, 0});
    CHECK_FALSE(peak_of(future));
}
