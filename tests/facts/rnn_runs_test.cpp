// Questions to the cases that were run: the memory they need, and the command that runs one again.
#include "facts/rnn_runs.hpp"

#include "support/catch.hpp"

using namespace rnncheck;

TEST_CASE(
    "rnn runs: memory is data, states, weights and what cuDNN requested, and gradients as well") {
    RnnRun run;
    run.rnn_case.batch = 10;
    run.rnn_case.sequence_length = 100;
    run.rnn_case.input = 6;
    run.rnn_case.hidden = 4;
    const std::int64_t data = 4 * (10 * 100 * (6 + 4) + 2 * 10 * (4 + 4)),
                       weights = 4 * 4 * 4 * (6 + 4 + 2);
    CHECK(bytes_needed(run) == data + weights);
    run.workspace_bytes = 1000;
    run.reserve_bytes = 200;
    run.weight_bytes = 4096;
    CHECK(bytes_needed(run) == data + 4096 + 1200);
    run.rnn_case.training = true;
    CHECK(bytes_needed(run) == 2 * (data + 4096) + 1200);
}

TEST_CASE("rnn runs: little free memory excuses a case, much does not") {
    RnnRun run;
    run.end = RunEnd::out_of_memory;
    run.rnn_case.input = run.rnn_case.hidden = 256;
    run.free_bytes = 1 << 20;
    CHECK(short_of_memory(run));
    CHECK(memory_in_words(run) == "needs at least 2.01 MiB of GPU memory (1 MiB free on GPU 0)");
    run.free_bytes = std::int64_t{20} << 30;
    CHECK_FALSE(short_of_memory(run));
    run.end = RunEnd::failed;
    run.free_bytes = 1 << 20;
    CHECK_FALSE(short_of_memory(run));
}

TEST_CASE(
    "rnn runs: the command that runs a case again names the installation and the interface where "
    "there are several") {
    Facts facts;
    facts.cuda_devices.emplace_back();
    RnnRun& run = facts.rnn_runs.emplace_back();
    run.library = "/opt/my libs/libcudnn.so.8";
    Cudnn& cudnn = facts.cudnns.emplace_back();
    cudnn.library = run.library;
    cudnn.rnn_usable = true;
    CHECK(rerun_command(facts, run).starts_with("rnncheck lstm --device 0 --cell lstm"));
    cudnn.rnn_apis = {"legacy", "v8"};
    CHECK(
        rerun_command(facts, run).starts_with("rnncheck lstm --device 0 --rnn-api v8 --cell lstm"));
    facts.cudnns.push_back(cudnn);
    facts.cudnns[1].library = "/usr/lib/libcudnn.so.9";
    const std::string target =
        "rnncheck lstm --device 0 --cudnn '/opt/my libs/libcudnn.so.8' --rnn-api v8 ";
    CHECK(rerun_command(facts, run).starts_with(target + "--cell lstm"));
    facts.rnn_request.emplace().level = Level::standard;
    CHECK(rerun_all_command(facts, run) == target + "--level standard");
    facts.rnn_request->cases = {run.rnn_case};
    CHECK(rerun_all_command(facts, run) == rerun_command(facts, run));
}
