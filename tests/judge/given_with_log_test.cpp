// A certain error of the versions given with a log comes first, whatever the log shows besides.
#include "judge.hpp"
#include "stack/given.hpp"
#include "support/catch.hpp"
#include "support/given_machine.hpp"
#include "support/logs.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

constexpr const char* logs_of_cudnn[] = {
    "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\n",
    "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\n",
    "E tensorflow/compiler/xla/stream_executor/cuda/cuda_dnn.cc:439] Could not create cudnn "
    "handle: "
    "CUDNN_STATUS_INTERNAL_ERROR\n",
};

/// What `matrix check` calls a certain error, by driver or by GPU.
const std::vector<std::vector<std::string>>& certain_conflicts() {
    static const std::vector<std::vector<std::string>> all = {
        {"pytorch=2.4", "driver=470"},
        {"pytorch=2.4+cu121", "driver=470.256.02"},
        {"pytorch=2.6+cu124", "driver=450.80.02"},
        {"pytorch=2.8+cu128", "driver=510.47.03"},
        {"pytorch=2.9.1+cu130", "driver=550.54.15"},
        {"pytorch=2.11.0+cu130", "driver=570.86.10"},
        {"pytorch=1.13.1+cu117", "driver=440.33"},
        {"pytorch=2.4", "gpu=3.7"},
        {"pytorch=2.4+cu124", "gpu=3.5"},
        {"pytorch=2.6+cu124", "gpu=12.0"},
        {"pytorch=2.8+cu129", "gpu=6.1"},
        {"pytorch=2.9.1+cu130", "gpu=7.0"},
        {"pytorch=1.12.1+cu113", "gpu=9.0"},
        {"pytorch=1.7.1+cu101", "gpu=8.6"},
        {"tensorflow=2.15.1+and-cuda", "driver=470.82.01"},
        {"tensorflow=2.17.0+and-cuda", "driver=515.43.04"},
        {"tensorflow=2.20.0+and-cuda", "driver=460.32.03"},
        {"tensorflow=2.10.0+cuda", "driver=440.33"},
        {"tensorflow=2.4.0+cuda", "driver=418.39"},
        {"tensorflow=2.20.0+and-cuda", "gpu=12.0"},
        {"tensorflow=2.18.0+and-cuda", "gpu=5.2"},
        {"tensorflow=2.15.1+and-cuda", "gpu=3.7"},
        {"jax=0.4.30+cuda12", "driver=470.256.02"},
        {"jax=0.6.1+cuda12", "driver=510.47.03"},
        {"jax=0.9.0+cuda13", "driver=570.86.10"},
        {"jax=0.9.0+cuda13", "gpu=7.0"},
        {"jax=0.9.0+cuda13", "gpu=6.1"},
        {"onnxruntime=1.20.0+cuda", "driver=470.256.02"},
        {"onnxruntime=1.18.0+cuda", "driver=418.39"},
        {"ctranslate2=4.5.0+cuda", "driver=470.256.02"},
        {"paddlepaddle=2.6.1+cu120", "driver=470.256.02"},
    };
    return all;
}

Facts log_given(const std::vector<std::string>& given, std::string_view text) {
    Facts facts;
    facts.tool.stages = {"log"};
    facts.log = log_read(text);
    for (const std::string& one : given)
        facts.log->user_hints.push_back(
            stack::user_hint_from(stack::split_given(one).value(), bundled_matrix()));
    return facts;
}

}  // namespace

TEST_CASE("the error of the versions that are given with a log of cuDNN comes first") {
    int runs = 0;
    for (std::vector<std::string> given : certain_conflicts()) {
        given.emplace_back("os=linux");
        INFO(join(given, " "));
        const Report checked = judge(test::given(given), bundled_matrix(), {});
        REQUIRE_FALSE(checked.findings.empty());
        const Finding& error = checked.findings.front();
        REQUIRE(error.severity == Severity::error);
        REQUIRE(error.confidence == Confidence::certain);
        for (const char* log : logs_of_cudnn) {
            INFO(log);
            const Report report = judge(log_given(given, log), bundled_matrix(), {});
            REQUIRE_FALSE(report.findings.empty());
            CHECK(report.findings.front().rule == error.rule);
            CHECK(report.findings.front().message == error.message);
            ++runs;
        }
    }
    CHECK(runs == 93);
}
