// `rnncheck lstm`: options that cannot be, or cannot be together, are refused and never ignored.
#include "commands/lstm_options.hpp"

#include <filesystem>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

LstmOptions options_of(std::vector<std::string> arguments) {
    CLI::App app;
    const auto given = declare_lstm_options(app);
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    return *given;
}

/// Of reading the options or, with --fit, of taking them together.
std::string complaint_about(const std::vector<std::string>& arguments) {
    try {
        const LstmOptions given = options_of(arguments);
        if (!given.resume.empty()) refuse_choice_of_cases(given);
        const RnnRequest request = request_of(given, {});
        if (!given.fit.empty()) fit_of(given, request);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("lstm options: an empty value is no option left out") {
    for (const char* option : {"--level", "--from-log", "--cudnn", "--interface", "--deadline", "--output", "--resume",
                               "--dropout", "--svg", "--fit", "--emit-repro", "--color"}) {
        CHECK(complaint_about({option, ""}).starts_with(std::string(option) + " has an empty value: give "));
    }
    for (const char* option : {"--lengths", "--hidden", "--cell", "--clip"})
        CHECK(complaint_about({option, ""}).starts_with(option + std::string(" cannot be ''; ")));
    CHECK(options_of({"--output", "a.json", "--svg", "b.svg"}).output == "a.json");
}

TEST_CASE("lstm options: a GPU has no negative number") {
    CHECK(complaint_about({"--device", "-5"}) == "--device cannot be -5; CUDA counts GPUs from 0");
    CHECK(request_of(options_of({"--device", "0"}), {}).gpu == 0);
    CHECK(!request_of(options_of({}), {}).gpu);
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
    CHECK(!expressible(request_of(options_of({"--lengths", "3,0"}), {}).cases.at(0), Dialect::legacy));
}

TEST_CASE("lstm options: a file that cannot be written is refused before the run") {
    const auto complaint = [](const std::string& option, const std::string& file) {
        try {
            refuse_closed_files(options_of({option, file}));
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    const std::string folder = std::filesystem::temp_directory_path().string();
    for (const char* option : {"--svg", "--emit-repro"}) {
        CHECK(complaint(option, folder + "/no/such/folder/file") ==
              option + (": cannot write '" + folder + "/no/such/folder/file': No such file or directory"));
        CHECK(contains(complaint(option, folder), "Is a directory"));
        CHECK(complaint(option, folder + "/a-new-file") == "none");
        CHECK(complaint(option, "/dev/null") == "none");
        CHECK(complaint(option, "a-new-file") == "none");
    }
    CHECK(!std::filesystem::exists(folder + "/a-new-file"));
}
