// `rnncheck lstm`: which failed case is shrunk, and the file of a run that has not begun.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "commands/lstm_shrink.hpp"
#include "commands/lstm_state.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

Facts with_runs(const std::vector<RunEnd>& ends) {
    Facts facts;
    facts.cuda_devices.emplace_back();
    for (const RunEnd end : ends) facts.rnn_runs.emplace_back().end = end;
    return facts;
}

}  // namespace

TEST_CASE("lstm: a case that lacked memory is not shrunk") {
    Facts facts = with_runs({RunEnd::out_of_memory});
    facts.rnn_runs[0].result = CallResult{"cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY: out of memory"};
    facts.rnn_runs[0].free_bytes = 1 << 20;
    CHECK(!worst_run(facts));
}

TEST_CASE("lstm: of two interfaces that are wrong the one that a program can be written of is shrunk") {
    Facts facts = with_runs({RunEnd::failed, RunEnd::incorrect, RunEnd::incorrect});
    facts.rnn_runs[1].dialect = Dialect::legacy;
    CHECK(worst_run(facts) == &facts.rnn_runs[2]);
    facts.rnn_runs[2].dialect = Dialect::legacy;
    CHECK(worst_run(facts) == &facts.rnn_runs[1]);
}

TEST_CASE("lstm: the file of a run that has not begun says so, and not that there is no GPU") {
    const auto file = std::filesystem::temp_directory_path() / ("lstm-begun-" + std::to_string(::getpid()));
    const Matrix matrix = Matrix::bundled();
    const LstmState state(file.string(), matrix, {}, {}, false);
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    std::filesystem::remove(file);
    CHECK(text.str().find("the run has not yet begun") != std::string::npos);
    CHECK(text.str().find("\"verdict\": \"undetermined\"") != std::string::npos);
    CHECK(text.str().find("no GPU") == std::string::npos);
}
