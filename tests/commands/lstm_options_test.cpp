// `rnncheck lstm`: options that cannot be, or cannot be together, are refused and never ignored.
#include "commands/lstm_options.hpp"

#include <filesystem>

#include "base/program.hpp"
#include "base/text.hpp"
#include "rnn/options.hpp"
#include "rnn/sweep.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

LstmOptions options_given(std::vector<std::string> arguments) {
    CLI::App app;
    const auto given = declare_lstm_options(app);
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    return *given;
}

/// Of reading the options or, with --fit, of taking them together.
std::string complaint_about(const std::vector<std::string>& arguments) {
    try {
        const LstmOptions given = options_given(arguments);
        if (!given.resume.empty()) refuse_choice_of_cases(given);
        const RnnRequest request = request_of(given, {});
        if (!given.fit.empty()) fit_of(given, request);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

std::string complaint_about_case(const CaseWords& words) {
    try {
        case_from_words(words);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

/// Options as a shell would part them, back into words.
CaseWords parsed(const std::string& options) {
    CaseWords words;
    std::string last;
    for (const std::string& word : split(options, ' ')) {
        if (word.starts_with("--"))
            words[last = word.substr(2)];
        else
            words[last] = word;
    }
    return words;
}

}  // namespace

TEST_CASE("lstm options: an empty value is no option left out") {
    for (const char* option : {"--level", "--from-log", "--cudnn", "--interface", "--deadline", "--output", "--resume",
                               "--dropout", "--svg", "--fit", "--emit-repro"}) {
        CHECK(complaint_about({option, ""}).starts_with(std::string(option) + " has an empty value: give "));
    }
    for (const char* option : {"--lengths", "--hidden", "--cell", "--clip"})
        CHECK(complaint_about({option, ""}).starts_with(option + std::string(" cannot be ''; ")));
    CHECK(options_given({"--output", "a.json", "--svg", "b.svg"}).output == "a.json");
}

TEST_CASE("lstm options: a GPU has no negative number") {
    CHECK(complaint_about({"--device", "-5"}) == "--device cannot be -5; CUDA counts GPUs from 0");
    CHECK(request_of(options_given({"--device", "0"}), {}).gpu == 0);
    CHECK(!request_of(options_given({}), {}).gpu);
}

TEST_CASE("lstm options: --fit refuses what it would not heed") {
    CHECK(contains(complaint_about({"--fit", "batch", "--batch", "4"}), "cannot be used with --batch"));
    CHECK(contains(complaint_about({"--fit", "length", "--length", "4"}), "cannot be used with --length"));
    CHECK(complaint_about({"--fit", "length", "--batch", "4"}) == "none");
    CHECK(contains(complaint_about({"--fit", "batch", "--dropout", "0.5"}), "cannot be used with --dropout"));
    CHECK(contains(complaint_about({"--fit", "batch", "--output", "a"}), "cannot be used with --output"));
    CHECK(contains(complaint_about({"--fit", "batch", "--level", "quick"}), "cannot be used with --level"));
    CHECK(contains(complaint_about({"--resume", "a", "--fit", "batch"}), "cannot be used with"));
}

TEST_CASE("lstm options: the legacy interface has no empty sequences") {
    CHECK(contains(complaint_about({"--interface", "legacy", "--lengths", "3,0"}), "--lengths above 0"));
    CHECK(complaint_about({"--interface", "v8", "--lengths", "3,0"}) == "none");
    CHECK(!expressible(request_of(options_given({"--lengths", "3,0"}), {}).cases.at(0), Dialect::legacy));
}

TEST_CASE("lstm options: a file that cannot be written is refused before the run") {
    const auto complaint = [](const std::string& option, const std::string& file) {
        try {
            check_writable(options_given(std::vector<std::string>{option, file}));
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    const std::string directory = std::filesystem::temp_directory_path().string();
    for (const char* option : {"--svg", "--emit-repro"}) {
        CHECK(complaint(option, directory + "/no/such/directory/file") ==
              option + (": cannot write '" + directory + "/no/such/directory/file': No such file or directory"));
        CHECK(contains(complaint(option, directory), "Is a directory"));
        CHECK(complaint(option, directory + "/a-new-file") == "none");
        CHECK(complaint(option, "/dev/null") == "none");
        CHECK(complaint(option, "a-new-file") == "none");
    }
    CHECK(!std::filesystem::exists(directory + "/a-new-file"));
}

TEST_CASE("lstm: every case of every sweep can be told as options and is read back the same") {
    for (const Dialect dialect : {Dialect::legacy, Dialect::v8})
        for (const RnnCase& rnn_case : sweep(Level::thorough, dialect)) {
            CAPTURE(options_of(rnn_case));
            CHECK(describe(case_from_words(parsed(options_of(rnn_case)))) == describe(rnn_case));
        }
}

TEST_CASE("lstm: words that cannot be are refused with what could be") {
    CHECK(complaint_about_case({{"cell", "lstn"}}).find("lstm") != std::string::npos);
    CHECK(complaint_about_case({{"hidden", "0"}}) == "--hidden cannot be '0'; give a whole number from 1 to 1048576");
    CHECK(complaint_about_case({{"hidden", "64x"}}).starts_with("--hidden cannot be '64x'"));
    CHECK(complaint_about_case({{"lengths", "3,9"}, {"length", "4"}}) ==
          "--lengths cannot be '3,9'; none may be longer than --length");
    CHECK(complaint_about_case({{"lengths", ""}}) ==
          "--lengths cannot be ''; give the length of each sequence, e.g. 7,3,5");
    CHECK(complaint_about_case({{"lengths", "3"}, {"batch", "1"}}).find("cannot be used together") !=
          std::string::npos);
    CHECK(complaint_about_case({{"cell", "gru"}, {"projection", "4"}}) == "--projection is for --cell lstm alone");
    CHECK(complaint_about_case({{"input-mode", "skip"}, {"input", "3"}}) ==
          "--input-mode skip needs --input equal to --hidden");
    CHECK(complaint_about_case({{"clip", "-1"}}) == "--clip cannot be '-1'; give a number above 0");
    CHECK(complaint_about_case({{"layout", "sequence_major_packed"}, {"lengths", "1,2"}}).find("do not grow") !=
          std::string::npos);
    const auto packed = [](const std::string& lengths, const std::string& length) {
        return complaint_about_case({{"layout", "sequence_major_packed"}, {"lengths", lengths}, {"length", length}});
    };
    CHECK(packed("3,2", "5").find("a first of --lengths that is --length") != std::string::npos);
    CHECK(packed("5,0", "5").find("--lengths above 0") != std::string::npos);
    CHECK(packed("5,2", "5") == "none");
    CHECK(complaint_about_case({{"training", ""}, {"lengths", "5,0"}}) == "--training needs --lengths above 0");
    CHECK(complaint_about_case({}) == "none");
}

TEST_CASE("lstm: numbers are told so that they are read back the same") {
    for (const std::string clip : {"0.123456", "0.1", "12345.6789", "1e-05", "3.4028234e-08"}) {
        const RnnCase rnn_case = case_from_words({{"clip", clip}});
        CAPTURE(options_of(rnn_case));
        CHECK(case_from_words(parsed(options_of(rnn_case))).clip == rnn_case.clip);
    }
    CHECK(options_of(case_from_words({{"clip", "0.1"}})).find("--clip 0.1") != std::string::npos);
}

TEST_CASE("lstm: the network of a log becomes a case") {
    LogRnnConfig config;
    config.call = "DoRnnBackward";
    config.cell = "rnn_tanh";
    config.units = 48;
    config.input_size = 7;
    config.layers = 2;
    config.sequence_length = 30;
    config.batch = 5;
    config.direction = "bidirectional";
    const RnnCase rnn_case = case_from_words(words_from_log(config));
    CHECK(describe(rnn_case) == "tanh fp32 default standard I=7 H=48 B=5 T=30 L=2 bidirectional training");
    config.units.reset();
    CHECK_THROWS_AS(words_from_log(config), InputError);
}
