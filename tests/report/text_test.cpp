#include "base/text.hpp"

#include <limits>
#include <sstream>

#include "report/text.hpp"
#include "sample_reports.hpp"
#include "support/catch.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::test;

std::string as_text(const Report& report, const Style& style = {}) {
    std::ostringstream out;
    (*find_named(all_formats(), "text"))->write(report, out, style);
    return out.str();
}

std::vector<Report> all_samples() {
    return {healthy_report(), report_with_many_findings(), report_of_eight_gpus(), {}};
}

bool has_control_character(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool c1 = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if ((c < 0x20 && c != '\n') || c == 0x7F || c1) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("no control character from outside reaches the page, in any style") {
    for (const Report& report : all_samples())
        for (const bool verbose : {false, true})
            for (const bool quiet : {false, true})
                CHECK_FALSE(has_control_character(as_text(report, {false, verbose, quiet})));
}

TEST_CASE("colour adds codes and changes nothing else") {
    for (const Report& report : all_samples()) {
        std::string coloured = as_text(report, {.color = true});
        CHECK(contains(coloured, "\x1b["));
        for (auto at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b'))
            coloured.erase(at, coloured.find('m', at) - at + 1);
        CHECK(coloured == as_text(report));
    }
}

TEST_CASE("lines are at most 100 columns, unless one word or a command is longer") {
    for (const Report& report : all_samples())
        for (const std::string& line : split(as_text(report, {.verbose = true}), '\n')) {
            const bool is_command = line.starts_with("              ");
            const bool has_long_word = trim(line).find(' ') == std::string_view::npos || line.size() > 300;
            INFO(line);
            CHECK((columns_of(line) <= page_width || is_command || has_long_word));
        }
}

TEST_CASE("the first line tells whether recurrent networks run and what to repair first") {
    CHECK(headline(healthy_report()) ==
          "rnncheck 0.1.0: no problem found; recurrent networks gave right results in 6 cases");
    CHECK(contains(headline(report_with_many_findings()),
                   "1 problem, 1 warning; a tiny kernel ran on a GPU, but no recurrent network could be run; "
                   "repair first: cuDNN 9.19.0 at /opt/cudnn/libcudnn.so.9 lacks"));
    CHECK(contains(headline(report_of_eight_gpus()), "failed or gave wrong results in 5 of 45 cases"));
    Report look_only = sample_report(Health::healthy, {});
    look_only.facts.tool.stages = {"look"};
    CHECK(contains(headline(look_only), "nothing was run on a GPU, as asked"));
    CHECK(contains(headline(sample_report(Health::undetermined, {})), "no verdict"));
}

TEST_CASE("GPUs that fared alike share a grid, the others have their own") {
    const std::string text = as_text(report_of_eight_gpus());
    CHECK(contains(text, "GPUs 0-2, 4 and 6-7, cuDNN 8.9.7"));
    CHECK(contains(text, "GPU 3, cuDNN 8.9.7, v8 interface: 2 right, 1 not offered, 4 WRONG"));
    CHECK(contains(text, "and 1 more such case"));
    CHECK(contains(text, "cudnnRNNForward crashed with SIGSEGV\n"));
}

TEST_CASE("cases that ran out of memory are counted and marked as such, beside skipped and failed ones") {
    Report report = healthy_report();
    report.facts.rnn_runs[0].end = RunEnd::out_of_memory;
    report.facts.rnn_runs[0].result = CallResult{"cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY"};
    report.facts.rnn_runs[1].end = RunEnd::skipped;
    report.facts.rnn_runs[2].end = RunEnd::failed;
    const std::string text = as_text(report);
    CHECK(contains(text, "1 out of memory, 1 failed, 1 skipped"));
    CHECK(contains(text, "out_of_memory: case 1, "));
    for (const char* mark : {" m ", " s ", " X "}) CHECK(contains(text, mark));
}

TEST_CASE("every finding, its fix and its page are told") {
    const std::string text = as_text(report_with_many_findings());
    for (const Finding& finding : report_with_many_findings().findings)
        CHECK(contains(text, "rnncheck explain " + finding.rule));
    CHECK(contains(text, "              sudo apt-get install --reinstall libcudnn9-cuda-12\n"));
    CHECK_FALSE(contains(text, "pip install"));
    CHECK(contains(as_text(report_with_many_findings(), {.verbose = true}), "pip install nvidia-cudnn-cu12"));
}

TEST_CASE("quiet is one line for the verdict and one for each finding") {
    const std::string text = as_text(report_with_many_findings(), {.quiet = true});
    CHECK(std::count(text.begin(), text.end(), '\n') == 4);
}

TEST_CASE("hostile sweeps are told in bounded space") {
    Report report = healthy_report();
    RnnRun run = report.facts.rnn_runs.front();
    for (int i = 0; i < 3000; ++i) {
        run.rnn_case.hidden = i;
        run.gpu = i % 2 ? std::numeric_limits<int>::max() : std::numeric_limits<int>::min();
        report.facts.rnn_runs.push_back(run);
    }
    CHECK(as_text(report).size() < 20'000);
}

TEST_CASE("words are wrapped, never broken") {
    CHECK(wrapped("  a: ", "b c") == "  a: b c\n");
    const std::string word(90, 'w');
    CHECK(wrapped("> ", word + " " + word, 4) == "> " + word + "\n    " + word + "\n");
    CHECK(wrapped("", std::string(150, 'w')) == std::string(150, 'w') + "\n");
    CHECK(columns_of("\x1b[1;31mr\xc3\xa4\x1b[0m") == 2);
}

TEST_CASE("the age of the tables stands on the page when it is known") {
    Report report = healthy_report();
    CHECK_FALSE(contains(as_text(report), "tables of"));
    report.tool.matrix_age_days = 1;
    CHECK(contains(as_text(report), "\ntables of 2026-11-21, 1 day old\n"));
    report.tool.matrix_age_days = 100;
    CHECK(contains(as_text(report), "\ntables of 2026-11-21, 3 months old\n"));
    report.tool.matrix_age_days = 800;
    CHECK(contains(as_text(report), "\ntables of 2026-11-21, 2 years old\n"));
    CHECK_FALSE(contains(as_text(report, {.quiet = true}), "tables of"));
}

TEST_CASE("a requested case is told with its numbers and how to run it again, without a grid") {
    Report report = healthy_report();
    report.lstm.emplace();
    report.facts.rnn_request.emplace();
    report.facts.rnn_runs.resize(2);
    RnnRun& run = report.facts.rnn_runs[1];
    run.end = RunEnd::incorrect;
    run.where = "y of sequence 0, step 1, unit 2: found 3, expected 4";
    run.limit = 1e-3;
    run.largest_error = 0.25;
    const std::string text = as_text(report);
    std::istringstream words(text);
    std::string one_line;
    for (std::string word; words >> word;) one_line += word + ' ';
    CHECK(contains(one_line, "unit 2: found 3, expected 4"));
    CHECK(contains(text, "error 250 times what is allowed"));
    CHECK(contains(text, "run it again: rnncheck lstm --device 0 --"));
    CHECK_FALSE(contains(text, "I input, H hidden"));
    CHECK_FALSE(contains(text, "This machine"));
    CHECK(contains(as_text(report, {.verbose = true}), "This machine"));
}

TEST_CASE("the smallest case that fails is told by how it fails, and what a log's network showed") {
    Report report = healthy_report();
    MinimalCase& minimal = report.lstm.emplace().minimal_case.emplace();
    minimal.rerun_command = "rnncheck lstm --device 0 --cell gru";
    for (const auto& [end, words] : {std::pair{RunEnd::incorrect, "is still wrong"},
                                     {RunEnd::rejected, "is still refused"},
                                     {RunEnd::failed, "still fails"}}) {
        minimal.run.end = end;
        CHECK(contains(as_text(report), "The smallest case that " + std::string(words)));
        CHECK(contains(as_text(report), "\n  rnncheck lstm --device 0 --cell gru\n"));
    }
    minimal.alone = false;
    CHECK(contains(as_text(report), "run alone it is right"));
    report.lstm->log_replay = LogReplay{LogFailure::memory, {"the network of the log does not fit"}};
    CHECK(contains(as_text(report), "\nthe network of the log does not fit\n"));
}
