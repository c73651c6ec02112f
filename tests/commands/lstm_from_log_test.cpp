// `rnncheck lstm --from-log`: what follows from the runs for the failure in the log.
#include "commands/lstm_from_log.hpp"

#include "base/program.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

RnnRun a_run(RunEnd end, const std::string& text = "") {
    RnnRun run;
    run.end = end;
    run.rnn_case.input = run.rnn_case.hidden = 1;
    if (!text.empty()) run.result = CallResult{"cudnnRNNForward", 1, text};
    return run;
}

Facts with(const RnnRun& run, std::int64_t free_mib = 1000) {
    Facts facts;
    facts.cuda_devices.emplace_back().uuid = "GPU-1";
    Board& board = facts.nvml_devices.emplace_back();
    board.uuid = "GPU-1";
    board.memory_free_mib = free_mib;
    facts.rnn_runs = {a_run(RunEnd::skipped), run};
    return facts;
}

std::string told(const LogReplay& replay) {
    return join(replay.sentences, "\n");
}

std::string complaint_about(const LogRnnConfig& config) {
    Log log;
    log.rnn_config = config;
    try {
        network_in(log, "train.log");
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("from-log: how the run ended says where to look") {
    CHECK(replay_of({}, with(a_run(RunEnd::ok))).failure == LogFailure::elsewhere);
    CHECK(replay_of({}, with(a_run(RunEnd::incorrect))).failure == LogFailure::environment);
    CHECK(replay_of({}, with(a_run(RunEnd::failed, "CUDNN_STATUS_EXECUTION_FAILED"))).failure ==
          LogFailure::environment);
    CHECK(replay_of({}, with(a_run(RunEnd::out_of_memory))).failure == LogFailure::memory);
    RnnRun no_handle = a_run(RunEnd::skipped);
    no_handle.result = CallResult{"cudnnCreate", 4004, "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"};
    CHECK(replay_of({}, with(no_handle)).failure == LogFailure::memory);
    CHECK(replay_of({}, with(a_run(RunEnd::failed, "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access"))).failure ==
          LogFailure::environment);
    CHECK(replay_of({}, with(a_run(RunEnd::not_supported))).failure == LogFailure::unknown);
    CHECK(replay_of({}, Facts{}).failure == LogFailure::unknown);
}

TEST_CASE("from-log: what does not fit is told with the batch that does") {
    RnnRun run = a_run(RunEnd::out_of_memory);
    run.rnn_case.batch = 100;
    run.rnn_case.sequence_length = 1 << 14;
    run.rnn_case.input = 63;
    CHECK(told(replay_of({}, with(run, 101)))
              .find("401 MiB of GPU memory at least, 101 MiB are free on GPU 0: "
                    "about 25 sequences fit") != std::string::npos);
    CHECK(told(replay_of({}, with(run, 3))).find("not one sequence fits") != std::string::npos);
}

TEST_CASE("from-log: what the log does not tell is named") {
    LogRnnConfig config;
    config.call = "ThenRnnForward";
    config.missing = {"model config"};
    CHECK(complaint_about(config).find("ThenRnnForward, but its model configuration was cut or left out: model config "
                                       "is missing") != std::string::npos);
    config.cell = "lstm";
    config.units = 3;
    config.missing = {"batch_size"};
    CHECK(complaint_about(config) == "none");
    CHECK(told(replay_of(config, with(a_run(RunEnd::ok)))).find("does not tell batch_size") != std::string::npos);
    CHECK_THROWS_AS(network_in(Log{}, "train.log"), InputError);
}
