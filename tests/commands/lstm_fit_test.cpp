// `rnncheck lstm --fit`: the search around the calculated size, and what is said of it.
#include "commands/lstm_fit.hpp"

#include <sstream>

#include "base/text.hpp"
#include "report/format.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

RnnFit calculated(int size) {
    RnnFit fit;
    fit.size = size;
    fit.free_bytes = 1 << 30;
    return fit;
}

/// Sizes up to `most` run.
FitSearch searched(int size, int most) {
    return find_fit(calculated(size), [&](const RnnFit& of, int tried) {
        RnnFit fit = of;
        fit.size = tried;
        fit.ran = tried <= most;
        if (!*fit.ran) fit.result = CallResult{"cuMemAlloc_v2", 2, "out of memory"};
        return fit;
    });
}

Report report_of(std::vector<FitSearch> searches) {
    return fit_report({}, std::move(searches), Matrix::bundled());
}

}  // namespace

TEST_CASE("fit: around the calculated size the largest that runs is found to half a percent, in few trials") {
    for (const int most : {1, 7, 900, 980, 999, 1000, 1003, 1019, 1500}) {
        const FitSearch search = searched(1000, most);
        CAPTURE(most, search.trials);
        REQUIRE(search.largest);
        CHECK(*search.largest <= most);
        CHECK(search.trials <= 14);
        if (most > 800 && most < 1020) CHECK(*search.largest >= most - most / 200 - 1);
        if (most < 1020) {
            REQUIRE(search.failed);
            CHECK(*search.failed->size > most);
        }
    }
}

TEST_CASE("fit: a search that the deadline ends tells what ran, and is no answer") {
    for (const int most_trials : {0, 1, 3}) {
        int trials = 0;
        const FitSearch search = find_fit(calculated(1000), [&](const RnnFit& of, int tried) -> std::optional<RnnFit> {
            if (trials++ == most_trials) return std::nullopt;
            RnnFit fit = of;
            fit.ran = tried <= 1010;
            return fit;
        });
        CHECK(search.out_of_time);
        CHECK(search.trials == most_trials);
        CHECK(search.largest.has_value() == (most_trials > 0));
        CHECK(report_of({search}).verdict == OverallVerdict::undetermined);
        const std::string text = report_of({search}).sentence;
        CHECK(text.find("the deadline passed before") != std::string::npos);
        CHECK(text.find("the largest batch that fits") == std::string::npos);
    }
}

TEST_CASE("fit: what was found decides the exit code and is said") {
    CHECK(report_of({}).verdict == OverallVerdict::undetermined);
    const FitSearch found = searched(1000, 990);
    CHECK(report_of({found}).verdict == OverallVerdict::healthy);
    CHECK(contains(report_of({found}).sentence, "the largest batch that fits is "));
    const FitSearch nothing_runs = searched(1000, 0);
    CHECK(report_of({found, nothing_runs}).verdict == OverallVerdict::problems);
    CHECK(contains(report_of({nothing_runs}).sentence, "though 1000 should fit: cuMemAlloc_v2"));
    const FitSearch not_known = find_fit(RnnFit(), {});
    CHECK(report_of({found, not_known}).verdict == OverallVerdict::undetermined);
    CHECK(contains(report_of({not_known}).sentence, "not known how large a batch fits"));
    std::ostringstream text;
    (*find_named(all_formats(), "text"))->write(report_of({found}), text, {});
    CHECK(contains(text.str(), "did not run: cuMemAlloc_v2"));
}
