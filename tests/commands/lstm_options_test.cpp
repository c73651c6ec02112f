// `rnncheck lstm`: options that cannot be, or cannot be together, are rejected and never ignored.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/command_line.hpp"
#include "commands/lstm.hpp"
#include "rnn/case.hpp"
#include "rnn/sweep.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

LstmOptions options_given(const std::vector<std::string>& arguments) {
    CLI::App app;
    LstmOptions options;
    add_lstm_options(app, options);
    parse_arguments(app, arguments);
    check_lstm_options(app, options);
    return options;
}

RnnRequest requested(const std::vector<std::string>& arguments, const Log& log = {}) {
    return request_of(options_given(arguments), log);
}

/// Options as a shell parts them.
RnnCase case_of(const std::string& options) {
    return requested(split(options, ' ')).cases.at(0);
}

std::string error_of(const std::vector<std::string>& arguments, const Log& log = {}) {
    try {
        requested(arguments, log);
    } catch (const UsageError& error) {
        return error.what();
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

std::string error_of_case(const std::string& options) {
    return error_of(split(options, ' '));
}

}  // namespace

TEST_CASE("lstm options: an empty value is no option left out") {
    for (const char* option :
         {"--level",
          "--from-log",
          "--cudnn",
          "--rnn-api",
          "--deadline",
          "--save",
          "--resume",
          "--dropout",
          "--svg",
          "--fit",
          "--emit-repro",
          "--lengths",
          "--hidden",
          "--cell",
          "--clip",
          "--device"})
        CHECK(error_of({option, ""}).starts_with(std::string(option) + " needs a value: give "));
    CHECK(options_given({"--save", "a.json", "--svg", "b.svg"}).files.save == "a.json");
}

TEST_CASE("lstm options: a GPU has no negative number") {
    CHECK(error_of({"--device", "-5"})
              .starts_with("--device cannot be '-5'; give a whole number from 0"));
    CHECK(requested({"--device", "0"}).gpu == 0);
    CHECK(!requested({}).gpu);
}

TEST_CASE("lstm options: what cannot be used together is rejected") {
    const auto rejected =
        [](const std::string& one, const std::string& other, const std::vector<std::string>& all) {
            INFO(one << ' ' << other);
            CHECK(error_of(all).starts_with(one + " and " + other + " cannot be used together: "));
        };
    rejected("--fit", "--batch", {"--fit", "batch", "--batch", "4"});
    rejected("--fit", "--length", {"--fit", "length", "--length", "4"});
    CHECK(error_of({"--fit", "length", "--batch", "4"}) == "none");
    rejected("--fit", "--dropout", {"--fit", "batch", "--dropout", "0.5"});
    rejected("--fit", "--save", {"--fit", "batch", "--save", "a"});
    rejected("--fit", "--level", {"--fit", "batch", "--level", "quick"});
    rejected("--resume", "--fit", {"--resume", "a", "--fit", "batch"});
    rejected("--resume", "--hidden", {"--resume", "a", "--hidden", "4"});
    rejected("--resume", "--device", {"--resume", "a", "--device", "0"});
    rejected("--level", "--training", {"--level", "quick", "--training"});
    rejected("--level", "--from-log", {"--level", "quick", "--from-log", "a"});
    rejected("--batch", "--lengths", {"--lengths", "3", "--batch", "1"});
}

TEST_CASE("lstm options: the legacy interface has no empty sequences") {
    CHECK(contains(error_of({"--rnn-api", "legacy", "--lengths", "3,0"}), "--lengths above 0"));
    CHECK(error_of({"--rnn-api", "v8", "--lengths", "3,0"}) == "none");
    CHECK(!expressible(case_of("--lengths 3,0"), RnnApi::legacy));
}

TEST_CASE("lstm options: a file that cannot be written is rejected before the run") {
    const auto complaint = [](const std::string& option, const std::string& file) {
        return error_of({option, file});
    };
    const std::string directory = std::filesystem::temp_directory_path().string();
    for (const char* option : {"--svg", "--emit-repro"}) {
        CHECK(
            complaint(option, directory + "/no/such/directory/file") ==
            option + (": cannot write '" + directory +
                      "/no/such/directory/file': No such file or directory"));
        CHECK(contains(complaint(option, directory), "Is a directory"));
        CHECK(complaint(option, directory + "/a-new-file") == "none");
        CHECK(complaint(option, "/dev/null") == "none");
        CHECK(complaint(option, "a-new-file") == "none");
    }
    CHECK(!std::filesystem::exists(directory + "/a-new-file"));
}

TEST_CASE("lstm: every case of every sweep can be reported as options and is read back the same") {
    for (const RnnApi rnn_api : {RnnApi::legacy, RnnApi::v8})
        for (const RnnCase& rnn_case : sweep(Level::thorough, rnn_api)) {
            CAPTURE(options_of(rnn_case));
            CHECK(describe(case_of(options_of(rnn_case))) == describe(rnn_case));
        }
}

TEST_CASE("lstm: words that cannot be are rejected with what could be") {
    CHECK(
        error_of_case("--cell lstn") ==
        "--cell cannot be 'lstn'; it is one of lstm, gru, tanh and relu");
    CHECK(
        error_of_case("--hidden 0") ==
        "--hidden cannot be '0'; give a whole number from 1 to 1048576");
    CHECK(case_of("--hidden 010").hidden == 10);
    CHECK(error_of_case("--hidden 0x10").starts_with("--hidden cannot be '0x10'"));
    CHECK(error_of_case("--hidden 64x").starts_with("--hidden cannot be '64x'"));
    CHECK(
        error_of_case("--lengths 3,9 --length 4") ==
        "none of --lengths may be longer than --length");
    CHECK(error_of_case("--lengths 3,,9").starts_with("--lengths cannot be ''; "));
    CHECK(error_of_case("--cell gru --projection 4") == "--projection is only for --cell lstm");
    CHECK(contains(
        error_of_case("--hidden 16384 --input 16384"),
        "the network is too large: its weight matrices have "
        "2147483648 numbers"));
    CHECK(error_of_case("--hidden 16384 --input 16383") == "none");
    CHECK(
        error_of_case("--input-mode skip --input 3") ==
        "--input-mode skip needs --input equal to --hidden");
    CHECK(error_of_case("--clip -1") == "--clip cannot be '-1'; give a number from 0 to 1000000");
    CHECK(
        error_of_case("--dropout 1") ==
        "--dropout cannot be '1'; give a probability above 0 and below 1");
    CHECK(contains(error_of_case("--layout sequence_major_packed --lengths 1,2"), "do not grow"));
    const auto packed = [](const std::string& lengths, const std::string& length) {
        return error_of_case(
            "--layout sequence_major_packed --lengths " + lengths + " --length " + length);
    };
    CHECK(contains(packed("3,2", "5"), "a first of --lengths that is --length"));
    CHECK(contains(packed("5,0", "5"), "--lengths above 0"));
    CHECK(packed("5,2", "5") == "none");
    CHECK(error_of_case("--training --lengths 5,0") == "--training needs --lengths above 0");
    CHECK(error_of({}) == "none");
}

TEST_CASE("lstm: numbers are written so that they are read back the same") {
    for (const std::string clip : {"0.123456", "0.1", "12345.6789", "1e-05", "3.4028234e-08"}) {
        const RnnCase rnn_case = case_of("--clip " + clip);
        CAPTURE(options_of(rnn_case));
        CHECK(case_of(options_of(rnn_case)).clip == rnn_case.clip);
    }
    CHECK(contains(options_of(case_of("--clip 0.1")), "--clip 0.1"));
}

TEST_CASE("lstm: the network of a log becomes a case, which options change") {
    Log log;
    LogRnnConfig& config = log.rnn_config.emplace();
    config.call = "DoRnnBackward";
    config.cell = "rnn_tanh";
    config.units = 48;
    config.input_size = 7;
    config.layers = 2;
    config.sequence_length = 30;
    config.batch = 5;
    config.direction = "bidirectional";
    const auto described = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"--from-log", "train.log"});
        return describe(requested(options, log).cases.at(0));
    };
    CHECK(
        described({}) == "tanh fp32 default standard I=7 H=48 B=5 T=30 L=2 bidirectional training");
    CHECK(
        described({"--hidden", "9", "--cell", "gru"}) ==
        "gru fp32 default standard I=7 H=9 B=5 T=30 L=2 bidirectional training");
    config.units = std::int64_t{1} << 40;
    CHECK(contains(
        error_of({"--from-log", "train.log"}, log),
        "its hidden of 1099511627776 is above 1048576"));
    config.units.reset();
    config.missing = {"model config"};
    CHECK(contains(
        error_of({"--from-log", "train.log"}, log),
        "DoRnnBackward, but its model configuration was cut or left out: model config is missing"));
    CHECK(contains(error_of({"--from-log", "train.log"}), "contains no failed recurrent network"));
}
