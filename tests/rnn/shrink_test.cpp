// Shrinking: the smallest case that fails, within its trials, whatever makes it fail.
#include "rnn/shrink.hpp"

#include <algorithm>

#include "rnn/sweep.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

RnnCase large() {
    return parse_case(
        "lstm fp16 tensor_op persist_dynamic I=96 H=1100 B=33 T=57 L=4 P=200 bidirectional states "
        "training");
}

Shrunk shrunk_where(const RnnCase& from, bool (*fails)(const RnnCase&), int most = 200) {
    return shrink(
        from, [&](const RnnCase& c) { return std::optional(fails(c)); }, most);
}

}  // namespace

TEST_CASE("shrink: what always fails shrinks to the plainest case there is") {
    const Shrunk shrunk = shrunk_where(large(), [](const RnnCase&) { return true; });
    CHECK(describe(shrunk.smallest) == "fp32 default standard I=1 H=1 B=1 T=1 L=1");
    CHECK(shrunk.finished);
    CHECK(shrunk.trials < 25);
}

TEST_CASE("shrink: what the failure needs stays, to the number") {
    const Shrunk shrunk = shrunk_where(large(), [](const RnnCase& c) {
        return c.hidden >= 1025 && c.batch > 3 && c.dtype == Dtype::fp16 &&
               c.direction == Direction::bidirectional;
    });
    CHECK(
        describe(shrunk.smallest) == "fp16 default standard I=1 H=1025 B=4 T=1 L=1 bidirectional");
    CHECK(shrunk.finished);
    CHECK(shrunk.trials < 80);
}

TEST_CASE("shrink: sequences that do not matter are taken out, those that do are kept") {
    RnnCase ragged = parse_case("fp32 fma I=16 H=32 B=5 T=7 batch_major lengths=3,7,1,5,7");
    const Shrunk shrunk = shrunk_where(ragged, [](const RnnCase& c) {
        const auto shortest = c.lengths.empty() ? 0 : *std::ranges::min_element(c.lengths);
        return !c.lengths.empty() && shortest < c.sequence_length;
    });
    CHECK(shrunk.smallest.lengths == std::vector{1});
    CHECK(shrunk.smallest.sequence_length == 2);
    CHECK(shrunk.smallest.batch == 1);
    CHECK(shrunk.smallest.layout == Layout::sequence_major);
}

TEST_CASE("shrink: every case tried is one that could be run") {
    std::vector<RnnCase> starts = {
        large(),
        parse_case("fp32 fma I=24 H=24 B=4 T=6 L=2 skip_input"),
        parse_case("fp32 fma I=8 H=24 B=4 T=6 sequence_major_packed lengths=6,5,2,1")};
    for (const RnnCase& start : starts)
        for (const int hidden : {1, 5, 24}) {
            shrink(start, [&](const RnnCase& c) {
                CAPTURE(describe(c));
                CHECK((c.input_mode == InputMode::linear || c.input == c.hidden));
                CHECK((c.projection == 0 || c.projection < c.hidden));
                CHECK((c.lengths.empty() || c.lengths.size() == static_cast<std::size_t>(c.batch)));
                CHECK(
                    (c.lengths.empty() ||
                     *std::ranges::max_element(c.lengths) <= c.sequence_length));
                if (c.layout == Layout::sequence_major_packed && !c.lengths.empty())
                    CHECK(c.lengths.front() == c.sequence_length);
                return std::optional(c.hidden >= hidden);
            });
        }
}

TEST_CASE("shrink: out of time or of trials, it reports that and keeps what it has") {
    const Shrunk cut = shrunk_where(
        large(), [](const RnnCase& c) { return c.hidden > 700; }, 6);
    CHECK_FALSE(cut.finished);
    CHECK(cut.trials == 6);
    CHECK(cut.smallest.hidden > 700);
    const Shrunk none = shrink(large(), [](const RnnCase&) { return std::optional<bool>(); });
    CHECK_FALSE(none.finished);
    CHECK(describe(none.smallest) == describe(large()));
}
