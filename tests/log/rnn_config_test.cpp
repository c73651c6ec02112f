// Every historic form of TensorFlow's model configuration; what a cut or wrapped one lacks is
// named.
#include "support/catch.hpp"
#include "support/logs.hpp"

using namespace rnncheck;

namespace {

LogRnnConfig config_in(const std::string& text) {
    const Log log = test::log_read(text);
    REQUIRE(log.rnn_config);
    return *log.rnn_config;
}

const std::string modes = " with model config: [rnn_mode, rnn_input_mode, rnn_direction_mode]: ";

}  // namespace

TEST_CASE("TensorFlow up to 1.8 shows the call alone") {
    const LogRnnConfig config = config_in("InternalError: Failed to call ThenRnnForward\n");
    CHECK(config.call == "ThenRnnForward");
    CHECK(config.missing == std::vector<std::string>{"model config"});
    CHECK_FALSE(config.cell);
}

TEST_CASE("TensorFlow 1.9 to 1.12: seq_length") {
    const LogRnnConfig config = config_in(
        "Failed to call ThenRnnForward" + modes +
        "3, 0, 1 , [num_layers, input_size, num_units, dir_count, seq_length, "
        "batch_size]: [2, 32, 256, 2, 30, 1024] \n");
    CHECK(config.cell == "gru");
    CHECK(config.direction == "bidirectional");
    CHECK(config.layers == 2);
    CHECK(config.input_size == 32);
    CHECK(config.units == 256);
    CHECK(config.directions == 2);
    CHECK(config.sequence_length == 30);
    CHECK(config.batch == 1024);
    CHECK_FALSE(config.cell_units);
    CHECK(config.missing.empty());
}

TEST_CASE("TensorFlow 1.13 and 1.14: max_seq_length") {
    const LogRnnConfig config = config_in(
        "Failed to call ThenRnnBackward" + modes +
        "2, 1, 0 , [num_layers, input_size, num_units, dir_count, max_seq_length, "
        "batch_size]: [1, 8, 16, 1, 99, 4] ");
    CHECK(config.call == "ThenRnnBackward");
    CHECK(config.cell == "lstm");
    CHECK(config.input_mode == "skip_input");
    CHECK(config.sequence_length == 99);
    CHECK(config.missing.empty());
}

TEST_CASE("TensorFlow 1.15 to 2.15, and DoRnn since 2.16: cell_num_units") {
    for (const std::string call : {"ThenRnnForward", "DoRnnForward", "DoRnnBackward"}) {
        const LogRnnConfig config = config_in(
            "Failed to call " + call + modes +
            "2, 9999999, 0 , [num_layers, input_size, num_units, "
            "dir_count, max_seq_length, batch_size, "
            "cell_num_units]: [1, 32, 32, 1, 5, 6464, 32] ");
        CHECK(config.call == call);
        CHECK(config.input_mode == "auto_select");
        CHECK(config.batch == 6464);
        CHECK(config.cell_units == 32);
        CHECK(config.missing.empty());
    }
}

TEST_CASE("a line that was cut shows what is missing, and a number that may be cut is not taken") {
    const LogRnnConfig config = config_in(
        "Failed to call ThenRnnForward" + modes +
        "2, 0, 0 , [num_layers, input_size, num_units, dir_count, max_seq_length, "
        "batch_size, cell_num_units]: [1, 32, 32, 1, 5, 64\n");
    CHECK(config.sequence_length == 5);
    CHECK_FALSE(config.batch);
    CHECK(config.missing == std::vector<std::string>{"batch_size", "cell_num_units"});

    const LogRnnConfig names_cut = config_in(
        "Failed to call ThenRnnForward" + modes + "2, 0, 0 , [num_layers, input_size, num_u");
    CHECK(names_cut.cell == "lstm");
    CHECK_FALSE(names_cut.missing.empty());
}

TEST_CASE("a wrapped line is read whole, wherever it was broken") {
    const std::string whole =
        "Failed to call ThenRnnForward" + modes +
        "2, 0, 0 , [num_layers, input_size, num_units, dir_count, max_seq_length, batch_size, "
        "cell_num_units]: [1, 32, 48, 1, 57, 6464, 32] ";
    for (std::size_t at = 8; at < whole.size() - 3; ++at) {
        INFO("broken at " << at);
        const LogRnnConfig config = config_in(whole.substr(0, at) + "\n    " + whole.substr(at));
        CHECK(config.batch == 6464);
        CHECK(config.units == 48);
        CHECK(config.missing.empty());
    }
}

TEST_CASE("a line cut anywhere gives no wrong number, and what it does not show is missing") {
    const std::string whole =
        "Failed to call ThenRnnForward" + modes +
        "2, 0, 0 , [num_layers, input_size, num_units, dir_count, max_seq_length, batch_size, "
        "cell_num_units]: [1, 32, 48, 1, 57, 6464, 32] ";
    const auto is_right = [](const auto& value, std::int64_t right) {
        return !value || *value == right;
    };
    for (std::size_t size = std::string("Failed to call ThenRnnForward").size();
         size + 2 < whole.size();
         ++size) {
        INFO("cut after " << whole.substr(0, size));
        const LogRnnConfig config = config_in(whole.substr(0, size) + "\n");
        CHECK_FALSE(config.missing.empty());
        CHECK((!config.cell || config.cell == "lstm"));
        CHECK(is_right(config.layers, 1));
        CHECK(is_right(config.input_size, 32));
        CHECK(is_right(config.units, 48));
        CHECK(is_right(config.directions, 1));
        CHECK(is_right(config.sequence_length, 57));
        CHECK(is_right(config.batch, 6464));
        CHECK(is_right(config.cell_units, 32));
    }
}

TEST_CASE(
    "each form is read with what TensorFlow, terminals and collectors put around it, in logs of "
    "any size") {
    const std::string sizes = "3, 0, 1 , [num_layers, input_size, num_units, dir_count, ";
    const std::vector<std::pair<std::string, std::string>> forms = {
        {"ThenRnnForward", sizes + "seq_length, batch_size]: [2, 32, 256, 2, 30, 1024] "},
        {"ThenRnnBackward", sizes + "max_seq_length, batch_size]: [2, 32, 256, 2, 30, 1024] "},
        {"ThenRnnForward",
         sizes + "max_seq_length, batch_size, cell_num_units]: [2, 32, 256, 2, 30, 1024, 0] "},
        {"DoRnnForward",
         sizes + "max_seq_length, batch_size, cell_num_units]: [2, 32, 256, 2, 30, 1024, 0] "}};
    std::string filler;
    while (filler.size() < 100 << 10)
        filler += "Epoch 1 step 1 accuracy 0.9\n";
    for (const auto& [call, rest] : forms) {
        const std::string message = "Failed to call " + call + modes + rest;
        for (const std::string& line :
             {"tensorflow.python.framework.errors_impl.InternalError: 2 root error(s) found.\n  "
              "(0) Internal: " +
                  message + "\n\t [[{{node CudnnRNN}}]]\n",
              "InternalError: " + message + "[Op:CudnnRNN]\n",
              "W tensorflow/core/framework/op_kernel.cc:1655] OP_REQUIRES failed at "
              "cudnn_rnn_ops.cc:1524 : "
              "Internal: " +
                  message + "\n",
              "{\"log\":\"\\u001b[31m" + message + "\\u001b[0m\\n\",\"stream\":\"stderr\"}\n"})
            for (const std::string& log : {line, filler + line + filler}) {
                INFO(line << log.size());
                const LogRnnConfig config = config_in(log);
                CHECK(config.call == call);
                CHECK(config.cell == "gru");
                CHECK(config.units == 256);
                CHECK(config.sequence_length == 30);
                CHECK(config.batch == 1024);
                CHECK(config.missing.empty());
            }
    }
}
