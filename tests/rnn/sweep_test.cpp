#include "rnn/sweep.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "support/catch.hpp"

using namespace rnncheck;

static bool any(Dialect dialect, const std::function<bool(const RnnCase&)>& wanted) {
    const std::vector<RnnCase> cases = standard_sweep(dialect);
    return std::any_of(cases.begin(), cases.end(), wanted);
}

TEST_CASE("the sweep of either dialect holds every kind of case that frameworks use") {
    const Dialect dialect = GENERATE(Dialect::legacy, Dialect::v8);
    CAPTURE(name_of(dialect));
    for (const Dtype dtype : {Dtype::fp64, Dtype::fp32, Dtype::fp16})
        CHECK(any(dialect, [&](const RnnCase& c) { return c.dtype == dtype; }));
    for (const Layout layout : {Layout::sequence_major, Layout::sequence_major_packed, Layout::batch_major})
        CHECK(any(dialect, [&](const RnnCase& c) { return c.layout == layout && !c.lengths.empty(); }));
    CHECK(any(dialect, [](const RnnCase& c) { return c.layers == 2 && c.directions() == 2 && c.states; }));
    CHECK(any(dialect, [](const RnnCase& c) { return c.batch == 1 && c.sequence_length == 1; }));
    CHECK(any(dialect, [](const RnnCase& c) { return c.input % 8 && c.hidden % 8 && c.batch > 1; }));
    CHECK(any(dialect, [](const RnnCase& c) { return !c.lengths.empty() && c.directions() == 2 && c.states; }));
    CHECK(any(dialect, [](const RnnCase& c) { return c.algorithm == Algorithm::persist_static; }));
}

TEST_CASE("the legacy sweep leaves out what its interface cannot express") {
    CHECK_FALSE(any(Dialect::legacy, [](const RnnCase& c) {
        return c.dtype == Dtype::bf16 || c.math == MathType::fma || c.algorithm == Algorithm::persist_static_small_h;
    }));
    CHECK(any(Dialect::v8, [](const RnnCase& c) { return c.dtype == Dtype::bf16; }));
    CHECK(any(Dialect::v8, [](const RnnCase& c) { return c.algorithm == Algorithm::persist_static_small_h; }));
    CHECK(any(Dialect::v8, [](const RnnCase& c) { return c.dtype == Dtype::fp32 && c.math == MathType::standard; }));
    CHECK(any(Dialect::v8, [](const RnnCase& c) { return c.dtype == Dtype::fp32 && c.math == MathType::fma; }));
}

/// The conditions that cuDNN's documentation and measured answers set: variable lengths only with the standard
/// algorithm, packed lengths descending from the longest, no zero length before cuDNN 8, static persistent kernels not
/// in fp64; frameworks use those for one layer in one direction.
static void check_acceptable(const RnnCase& c) {
    CAPTURE(describe(c));
    if (!c.lengths.empty()) {
        CHECK(c.algorithm == Algorithm::standard);
        CHECK(static_cast<int>(c.lengths.size()) == c.batch);
        CHECK(*std::max_element(c.lengths.begin(), c.lengths.end()) == c.sequence_length);
        CHECK(*std::min_element(c.lengths.begin(), c.lengths.end()) >= 1);
    }
    if (c.layout == Layout::sequence_major_packed) CHECK(std::is_sorted(c.lengths.rbegin(), c.lengths.rend()));
    if (c.algorithm != Algorithm::standard) {
        CHECK(c.dtype == Dtype::fp16);
        CHECK((c.layers == 1 && c.directions() == 1));
    }
    if (c.math == MathType::tensor) CHECK(c.dtype == Dtype::fp16);
    if (c.math == MathType::fma) CHECK(c.dtype == Dtype::fp32);
}

TEST_CASE("no case of the sweep asks for what cuDNN's documentation rules out, and none comes twice") {
    for (const Dialect dialect : {Dialect::legacy, Dialect::v8}) {
        std::set<std::string> seen;
        for (const RnnCase& rnn_case : standard_sweep(dialect)) {
            check_acceptable(rnn_case);
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
    CHECK(describe(rnn_case) == "fp32 fma standard I=7 H=5 B=3 T=4 L=1 bidirectional states batch_major lengths=2,4,1");
}
