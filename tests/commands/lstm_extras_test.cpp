// What `rnncheck lstm` finds out beside the verdict: which failed case is shrunk, the largest size
// that fits, and what follows from the runs for the failure in a log; and the file of a run that
// has not begun.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.hpp"
#include "commands/lstm.hpp"
#include "judge.hpp"
#include "report/outline.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

Facts with_runs(const std::vector<RunEnd>& ends) {
    Facts facts;
    facts.cuda_devices.emplace_back();
    for (const RunEnd end : ends)
        facts.rnn_runs.emplace_back().end = end;
    return facts;
}

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
        if (!*fit.ran)
            fit.result = CallResult{"cuMemAlloc_v2", 2, "out of memory"};
        return fit;
    });
}

Report report_of(std::vector<FitSearch> searches) {
    return judge_fits({}, std::move(searches), Matrix::bundled());
}

RnnRun a_run(RunEnd end, const std::string& text = "") {
    RnnRun run;
    run.end = end;
    run.rnn_case.input = run.rnn_case.hidden = 1;
    if (!text.empty())
        run.result = CallResult{"cudnnRNNForward", 1, text};
    return run;
}

Facts with(RnnRun run, std::int64_t free_mib = 1000) {
    Facts facts;
    run.free_bytes = free_mib << 20;
    facts.rnn_runs = {a_run(RunEnd::skipped), run};
    return facts;
}

std::string text_of(const LogReplay& replay) {
    return join(replay.sentences, "\n");
}

}  // namespace

TEST_CASE("lstm: a case that lacked memory is not shrunk") {
    Facts facts = with_runs({RunEnd::out_of_memory});
    facts.rnn_runs[0].result =
        CallResult{"cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY: out of memory"};
    facts.rnn_runs[0].free_bytes = 1 << 20;
    CHECK(!worst_run(facts));
}

TEST_CASE(
    "lstm: of two interfaces that are wrong the one that a program can be written of is shrunk") {
    Facts facts = with_runs({RunEnd::failed, RunEnd::incorrect, RunEnd::incorrect});
    facts.rnn_runs[1].rnn_api = RnnApi::legacy;
    CHECK(worst_run(facts) == &facts.rnn_runs[2]);
    facts.rnn_runs[2].rnn_api = RnnApi::legacy;
    CHECK(worst_run(facts) == &facts.rnn_runs[1]);
}

TEST_CASE("lstm: the file of a run that has not begun shows it, and not that there is no GPU") {
    const auto file =
        std::filesystem::temp_directory_path() / ("lstm-begun-" + std::to_string(::getpid()));
    const Matrix matrix = Matrix::bundled();
    const LstmState state(file.string(), matrix, {}, {}, {});
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    std::filesystem::remove(file);
    CHECK(text.str().find("the run has not yet begun") != std::string::npos);
    CHECK(text.str().find("\"verdict\":\"undetermined\"") != std::string::npos);
    CHECK(text.str().find("no GPU") == std::string::npos);
}

TEST_CASE(
    "fit: around the calculated size the largest that runs is found to half a percent, in few "
    "trials") {
    for (const int most : {1, 7, 900, 980, 999, 1000, 1003, 1019, 1500}) {
        const FitSearch search = searched(1000, most);
        CAPTURE(most, search.trials);
        REQUIRE(search.largest);
        CHECK(*search.largest <= most);
        CHECK(search.trials <= 14);
        if (most > 800 && most < 1020)
            CHECK(*search.largest >= most - most / 200 - 1);
        if (most < 1020) {
            REQUIRE(search.failed);
            CHECK(*search.failed->size > most);
        }
    }
}

TEST_CASE("fit: a search that the deadline ends shows what ran, and is no answer") {
    for (const int most_trials : {0, 1, 3}) {
        int trials = 0;
        const FitSearch search =
            find_fit(calculated(1000), [&](const RnnFit& of, int tried) -> std::optional<RnnFit> {
                if (trials++ == most_trials)
                    return std::nullopt;
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

TEST_CASE("fit: what was found decides the exit code and is reported") {
    CHECK(report_of({}).verdict == OverallVerdict::undetermined);
    const FitSearch found = searched(1000, 990);
    CHECK(report_of({found}).verdict == OverallVerdict::healthy);
    CHECK(contains(report_of({found}).sentence, "the largest batch that fits is "));
    const FitSearch nothing_runs = searched(1000, 0);
    CHECK(report_of({found, nothing_runs}).verdict == OverallVerdict::problems);
    CHECK(contains(report_of({nothing_runs}).sentence, "though 1000 should fit: cuMemAlloc_v2"));
    const FitSearch not_known = find_fit(RnnFit(), {});
    CHECK(report_of({found, not_known}).verdict == OverallVerdict::undetermined);
    CHECK(contains(report_of({not_known}).sentence, "how large a batch fits is unknown"));
    CHECK(contains(text_of(report_of({found}), {}), "did not run: cuMemAlloc_v2"));
}

TEST_CASE("from-log: how the run ended shows where to look") {
    CHECK(replay_of({}, with(a_run(RunEnd::ok))).failure == LogFailure::elsewhere);
    CHECK(replay_of({}, with(a_run(RunEnd::incorrect))).failure == LogFailure::environment);
    CHECK(
        replay_of({}, with(a_run(RunEnd::failed, "CUDNN_STATUS_EXECUTION_FAILED"))).failure ==
        LogFailure::environment);
    CHECK(replay_of({}, with(a_run(RunEnd::out_of_memory))).failure == LogFailure::memory);
    RnnRun no_handle = a_run(RunEnd::skipped);
    no_handle.result =
        CallResult{"cudnnCreate", 4004, "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"};
    CHECK(replay_of({}, with(no_handle)).failure == LogFailure::memory);
    CHECK(
        replay_of(
            {}, with(a_run(RunEnd::failed, "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access")))
            .failure == LogFailure::environment);
    CHECK(replay_of({}, with(a_run(RunEnd::not_supported))).failure == LogFailure::unknown);
    CHECK(replay_of({}, Facts{}).failure == LogFailure::unknown);
}

TEST_CASE("from-log: what does not fit is reported with the batch that does") {
    RnnRun run = a_run(RunEnd::out_of_memory);
    run.rnn_case.batch = 100;
    run.rnn_case.sequence_length = 1 << 14;
    run.rnn_case.input = 63;
    CHECK(
        text_of(replay_of({}, with(run, 101)))
            .find("400 MiB of GPU memory (101 MiB free on GPU 0): about 25 sequences fit") !=
        std::string::npos);
    CHECK(text_of(replay_of({}, with(run, 3))).find("not one sequence fits") != std::string::npos);
}

TEST_CASE("from-log: what the log does not contain is named") {
    LogRnnConfig config;
    config.missing = {"batch_size"};
    CHECK(
        text_of(replay_of(config, with(a_run(RunEnd::ok)))).find("does not contain batch_size") !=
        std::string::npos);
}
