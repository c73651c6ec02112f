// Correct devices of every arithmetic must pass, whatever the case: random ones without a false
// alarm, 5,000 of them or as many as RNNCHECK_CORRECT_CASES sets.
#include <cstdlib>
#include <map>

#include "base/text.hpp"
#include "random_cases.hpp"
#include "support/catch.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

int cases_wanted() {
    const char* const variable = std::getenv("RNNCHECK_CORRECT_CASES");
    return variable ? std::atoi(variable) : 5000;
}

struct Seen {
    double largest = 0, total = 0;
    int cases = 0, reduced = 0;
    std::string worst;
};

bool is_fast(const RnnCase& rnn_case) {
    return rnn_case.algorithm != Algorithm::standard;
}

std::string kind(const RnnCase& rnn_case) {
    return std::string(name_of(rnn_case.dtype)) + ' ' + std::string(name_of(rnn_case.math)) +
           (is_fast(rnn_case) ? " fast math" : "") + (rnn_case.training ? " training" : "");
}

void see(Seen& seen, const RnnCase& rnn_case, const Comparison& comparison) {
    const double ratio = comparison.largest_error / comparison.limit;
    ++seen.cases;
    seen.reduced += comparison.precision != Precision::full;
    if (comparison.limit <= 0)
        return;
    seen.total += ratio;
    if (ratio <= seen.largest)
        return;
    seen.largest = ratio;
    seen.worst = describe(rnn_case);
}

}  // namespace

TEST_CASE("random correct cases give no false alarm, with room to spare") {
    Random random{1};
    std::map<std::string, Seen> seen;
    const int wanted = cases_wanted();
    for (int i = 0; i < wanted; ++i) {
        const RnnCase rnn_case = random_case(random);
        const RnnInputs inputs = make_inputs(rnn_case);
        const Computation computation = compute(rnn_case, inputs);
        const sim::Arithmetic arithmetic = random_arithmetic(rnn_case, random);
        const Limits limits = limits_for(
            rnn_case,
            inputs,
            computation,
            {rnn_case.math == MathType::standard, true, is_fast(rnn_case)});
        const Comparison comparison = compare(
            rnn_case, computation.outputs, sim::simulate(rnn_case, inputs, arithmetic), limits);
        if (!comparison.correct)
            FAIL_CHECK(
                describe(rnn_case) << ": " << comparison.worst << " at "
                                   << comparison.largest_error / comparison.limit);
        see(seen[kind(rnn_case)], rnn_case, comparison);
    }
    CHECK(seen.size() == 14);
    for (const auto& [name, entry] : seen) {
        const std::string summary =
            name + ": " + pluralized(static_cast<std::size_t>(entry.cases), "case", "cases") +
            ", error / limit at most " + short_number(entry.largest) + ", on average " +
            short_number(entry.total / entry.cases) + ", most in " + entry.worst +
            ", reduced precision in " + std::to_string(entry.reduced);
        SUCCEED(summary);
        INFO(summary);
        CHECK(entry.largest < 0.9);
        CHECK(
            (entry.reduced > 0) ==
            (name.starts_with("fp32 default") || contains(name, "fast math")));
    }
}
