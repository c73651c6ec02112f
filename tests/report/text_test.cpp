#include "base/text.hpp"

#include <limits>
#include <sstream>

#include "report/outline.hpp"
#include "sample_reports.hpp"
#include "support/catch.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::test;

std::string as_text(const Report& report, const Style& style = {}) {
    return text_of(report, style);
}

std::string headline_of(Report report) {
    report.sentence.clear();
    return headline(report, Page({}));
}

/// With one blank between words, however the lines are broken.
std::string unwrapped(const std::string& text) {
    std::istringstream in(text);
    std::string words;
    for (std::string word; in >> word;)
        words += word + ' ';
    return words;
}

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::vector<Report> all_samples() {
    return {
        healthy_report(),
        report_with_many_findings(),
        report_of_eight_gpus(),
        report_without_driver(),
        diagnosis_of_a_log(),
        report_of_a_sweep(),
        {}};
}

bool has_control_character(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool c1 =
            c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if ((c < 0x20 && c != '\n') || c == 0x7F || c1)
            return true;
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

TEST_CASE("no line is longer than the page, but commands, paths and URLs") {
    for (const Report& report : all_samples())
        for (const std::size_t width : {60, 80, 100, 200})
            for (const bool ascii : {false, true})
                for (const std::string& line : split(
                         as_text(report, {.verbose = true, .ascii = ascii, .width = width}),
                         '\n')) {
                    const bool is_command =
                        contains(line, "rnncheck lstm") || contains(line, "sudo ") ||
                        contains(line, "nvidia-smi") || contains(line, "https://") ||
                        contains(line, "pip ") || contains(line, "export ");
                    const bool has_long_word = std::ranges::any_of(
                        split(line, ' '),
                        [&](const std::string& word) { return word.size() > width / 2; });
                    INFO(width << " " << line);
                    CHECK(
                        (columns_of(line) <= std::min<std::size_t>(width, 100) || is_command ||
                         has_long_word || contains(line, "\\x")));
                }
}

TEST_CASE("in ASCII nothing else is printed, and every mark has its word") {
    for (const Report& report : all_samples()) {
        CHECK(is_ascii(as_text(report, {.ascii = true})));
        CHECK(is_ascii(as_text(report, {.quiet = true, .ascii = true})));
        CHECK(is_ascii(
            (*find_named(all_formats(), "markdown"))->write(outline_of(report), {.ascii = true})));
    }
    CHECK_FALSE(is_ascii(as_text(healthy_report())));
    CHECK(contains(as_text(healthy_report(), {.ascii = true}), "\n [ok] Driver     550.54.14"));
    const std::string text = as_text(report_without_driver(), {.ascii = true});
    CHECK(contains(text, "[!!] Problem: No NVIDIA driver is installed"));
    CHECK(contains(text, " [!!] Driver"));
    CHECK(contains(unwrapped(text), "(see driver_missing)"));
    CHECK(contains(text, " [--] Networks   not run"));
    Report unusual = healthy_report();
    unusual.facts.cuda_devices[0].name = "GPU \xc3\xa4";
    CHECK(contains(as_text(unusual, {.ascii = true}), "GPU \\xc3\\xa4"));
    CHECK(contains(as_text(unusual), "GPU \xc3\xa4"));
}

TEST_CASE("the headline: the verdict, and the first to repair") {
    CHECK(
        headline_of(healthy_report()) ==
        "rnncheck 0.1.0   \u2713 recurrent networks work: all 6 cases passed on 1 GPU");
    CHECK(
        headline_of(report_with_many_findings()) ==
        "rnncheck 0.1.0   \u2717 no recurrent network was run on a GPU: A cuDNN library is "
        "missing");
    CHECK(
        headline_of(report_of_eight_gpus()) ==
        "rnncheck 0.1.0   \u2717 5 of 49 cases failed: Recurrent networks compute incorrect "
        "results");
    CHECK(
        headline_of(report_without_driver()) ==
        "rnncheck 0.1.0   \u2717 nothing was run on a GPU: No NVIDIA driver is installed");
    CHECK(
        headline_of(diagnosis_of_a_log()) ==
        "rnncheck 0.1.0   \u2717 likely cause: Other processes hold the memory of a GPU; 2 "
        "others are possible");
    Report look_only = sample_report(OverallVerdict::healthy, {});
    look_only.facts.tool.stages = {"look"};
    CHECK(
        contains(headline_of(look_only), "but only files were examined; nothing was run on a GPU"));
    CHECK(contains(
        headline_of(sample_report(OverallVerdict::undetermined, {})),
        "? undetermined: nothing was run on a GPU"));
    Report long_title = report_without_driver();
    for (int i = 0; i < 20; ++i)
        long_title.findings[0].title += " and so on";
    CHECK(sentence_of(long_title).ends_with(" and so on"));
    Report with_log = report_without_driver();
    with_log.findings.insert(
        with_log.findings.begin(),
        2,
        {.title = "A guess", .severity = Severity::error, .confidence = Confidence::possible});
    CHECK(
        sentence_of(with_log) ==
        "1 problem and 2 possible, nothing was run on a GPU: No NVIDIA driver is installed");
    with_log.findings.pop_back();
    CHECK(sentence_of(with_log) == "2 possible problems, nothing was run on a GPU: A guess");
}

TEST_CASE("what could not be decided is shown as such and is no pass") {
    Report report = healthy_report();
    report.verdicts.push_back(
        {"gpu_throttled", Outcome::undecided, "NVML did not report", {}, {}, Layer::gpu});
    report.counts.undecided = 1;
    const std::string text = as_text(report);
    CHECK(contains(text, " ? GPU        NVIDIA GeForce RTX 3090"));
    CHECK(contains(unwrapped(text), "(undetermined: gpu_throttled)"));
    CHECK(contains(text, "\n? Undetermined\n  gpu_throttled: NVML did not report\n"));
    CHECK(contains(text, "1 check undetermined"));
}

TEST_CASE("a library that was not queried is not reported as missing") {
    Report report = healthy_report();
    Facts& facts = report.facts;
    facts.tool.stages = {"look"};
    facts.runtimes.clear();
    facts.cudnns.clear();
    facts.rnn_runs.clear();
    const std::string text = as_text(report);
    CHECK(contains(
        text, " \u2013 cuDNN      8.9.7, not queried  /usr/local/cuda-12.4/lib64/libcudnn.so.8"));
    CHECK(contains(text, " \u2013 Networks   not run, as requested"));
    facts.libraries.clear();
    CHECK(contains(as_text(report), "no cuDNN was found\n"));
    facts.probe_runs.clear();
    CHECK(contains(as_text(report), "no cuDNN was found, but the search is incomplete"));
}

TEST_CASE("a table of words: by type and kind of shape, counts where a place is mixed") {
    std::vector<std::string> rows;
    for (const std::string& line : split(as_text(report_of_a_sweep()), '\n'))
        if (line.starts_with("   LSTM"))
            rows.push_back(line);
    REQUIRE(rows.size() == 4);
    CHECK(contains(rows[1], "LSTM fp32          WRONG"));
    CHECK(contains(rows[2], "LSTM fp32 no TF32  ok"));
    CHECK(contains(rows[2], "timed out"));
    CHECK(contains(rows[3], "not supported"));
    const std::string narrow = as_text(report_of_a_sweep(), {.width = 60});
    CHECK(contains(narrow, "   LSTM fp32 no TF32  ok: plain, layers or directions;"));
}

TEST_CASE("a diagnosis quotes a line once and lists the checks in their order") {
    const std::string text = as_text(diagnosis_of_a_log());
    const auto line = text.find("line 7: cuda_dnn.cc:439]");
    REQUIRE(line != std::string::npos);
    CHECK(text.find("line 7: cuda_dnn", line + 1) == std::string::npos);
    const auto first = text.find("\n  1  Other processes"),
               second = text.find("\n  2  The framework took"),
               third = text.find("\n  3  The batch");
    CHECK((line < first && first < second && second < third && third != std::string::npos));
    CHECK(contains(
        text, "\n     nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv\n"));
    CHECK(contains(text, "Follow-up errors: line 9."));
    CHECK_FALSE(contains(text, "log.events"));
    CHECK(contains(as_text(diagnosis_of_a_log(), {.verbose = true}), "[log.events[0]]"));
    Report certain = diagnosis_of_a_log();
    certain.findings.resize(1);
    certain.findings[0].confidence = Confidence::certain;
    certain.findings[0].decided_by.reset();
    CHECK_FALSE(contains(as_text(certain), "check in this order"));
}

TEST_CASE("GPUs with the same results share a line, the others have a table of their own") {
    const std::string text = as_text(report_of_eight_gpus());
    CHECK(contains(text, "8 x NVIDIA GeForce RTX 3090"));
    CHECK(contains(text, "GPUs 0-2, 4 and 6-7, cuDNN 8.9.7, v8 API: 6 ok, 1 not supported\n"));
    CHECK(contains(text, "GPU 3, cuDNN 8.9.7, v8 API: 2 ok, 1 not supported, 4 WRONG"));
    CHECK(contains(unwrapped(text), "WRONG: case 1 (and 3 other cases), LSTM fp32"));
    CHECK_FALSE(contains(text, "WRONG: case 2"));
    CHECK(contains(as_text(report_of_eight_gpus(), {.verbose = true}), "WRONG: case 2"));
    CHECK(contains(unwrapped(text), "cudnnRNNForward: crashed with SIGSEGV"));
}

TEST_CASE(
    "the last line of a report that is longer than a screen is the verdict, that of a short one is "
    "not") {
    const std::string verdict = "recurrent networks work: all 6 cases passed on 1 GPU\n";
    CHECK(
        as_text(healthy_report()).ends_with(verdict) ==
        (std::ranges::count(as_text(healthy_report()), '\n') > 24));
    CHECK(as_text(report_with_many_findings()).ends_with("A cuDNN library is missing\n"));
    CHECK(as_text(report_of_eight_gpus())
              .ends_with("Recurrent networks compute incorrect results\n"));
}

TEST_CASE("a report about saved facts shows that in its second line") {
    Report report = healthy_report();
    CHECK_FALSE(contains(as_text(report), "not of this machine"));
    report.options = {"--facts=node7.json", "--verbose"};
    CHECK(
        contains(unwrapped(as_text(report)), "facts are saved in node7.json, not of this machine"));
}

TEST_CASE(
    "cases that ran out of memory are counted and marked as such, beside skipped and failed ones") {
    Report report = healthy_report();
    report.facts.rnn_runs[0].end = RunEnd::out_of_memory;
    report.facts.rnn_runs[0].result = CallResult{"cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY"};
    report.facts.rnn_runs[1].end = RunEnd::skipped;
    report.facts.rnn_runs[2].end = RunEnd::failed;
    const std::string text = as_text(report);
    CHECK(contains(text, "1 out of memory, 1 failed, 1 not run"));
    CHECK(contains(text, "out of memory: case 1, "));
}

TEST_CASE(
    "every finding has its rule, its fix with the command first, and documentation where requested "
    "for") {
    const std::string text = as_text(report_with_many_findings());
    for (const Finding& finding : report_with_many_findings().findings) {
        const bool is_note = finding.severity == Severity::note;
        CHECK(contains(text, is_note ? " (" + finding.rule + ")\n" : finding.rule + "\n"));
    }
    CHECK(contains(text, "rnncheck explain cudnn_part_missing, or -v"));
    CHECK(contains(
        text,
        "  Fix       sudo apt-get install --reinstall libcudnn9-cuda-12\n"
        "            sudo ldconfig\n"
        "            Install the whole of cuDNN (needs administrator rights)\n"
        "  Verify    rnncheck doctor --only cudnn_part_missing\n"));
    for (const char* hidden : {"pip install", "Evidence", "Docs"})
        CHECK_FALSE(contains(text, hidden));
    const std::string all = as_text(report_with_many_findings(), {.verbose = true});
    for (const char* more :
         {"  Or        pip install nvidia-cudnn-cu12",
          "  Evidence  needed: libcudnn_adv.so.9 [",
          "  Docs      https://docs.nvidia.com"})
        CHECK(contains(all, more));
}

TEST_CASE("what is the same on several GPUs is shown once") {
    Report report = report_without_driver();
    report.findings.push_back(report.findings.front());
    report.findings.back().message = "GPU 1 too";
    report.verdicts.push_back({"gpu_throttled", Outcome::undecided, "NVML did not report"});
    report.verdicts.push_back({"gpu_memory_low", Outcome::undecided, "NVML did not report"});
    const std::string text = as_text(report);
    CHECK(text.find("  Fix ") == text.rfind("  Fix "));
    CHECK(contains(text, "\n  GPU 1 too\n"));
    CHECK(contains(text, "\n  gpu_throttled, gpu_memory_low: NVML did not report\n"));
    report.findings.back().remedies.back().text = "Replace it";
    CHECK(contains(as_text(report), "  GPU 1 too\n  Fix "));
}

TEST_CASE("a message is printed as the rule has it, with the whole path") {
    Report report = report_without_driver();
    report.findings[0].message = "cuDNN 8.9.7 at " + report.facts.cudnns[0].library + " fails";
    CHECK(contains(unwrapped(as_text(report)), report.findings[0].message));
}

TEST_CASE(
    "networks of which some ran out of memory are marked as a warning, not as if nothing was run") {
    Report report = healthy_report();
    CHECK(contains(as_text(report), " ✓ Networks   "));
    report.facts.rnn_runs[0].end = RunEnd::out_of_memory;
    CHECK(contains(as_text(report), " ! Networks   "));
    for (RnnRun& run : report.facts.rnn_runs)
        run.end = RunEnd::out_of_memory;
    CHECK(contains(as_text(report), " – Networks   "));
}

TEST_CASE("cases that no computation reached name the error below them, and are not listed") {
    Report report = report_without_driver();
    report.facts.rnn_runs = healthy_report().facts.rnn_runs;
    for (RnnRun& run : report.facts.rnn_runs) {
        run.end = RunEnd::out_of_memory;
        report.findings[0].explains.push_back(place_of(report.facts, run));
    }
    const std::string text = as_text(report);
    CHECK(contains(text, "none could be computed: fix " + report.findings[0].rule + " first"));
    CHECK_FALSE(contains(text, "out of memory"));
    CHECK(contains(as_text(report, {.verbose = true}), "out of memory"));
    report.findings[0].explains.pop_back();  // one case is not accounted for
    CHECK(contains(as_text(report), "out of memory"));
}

TEST_CASE("the driver's row shows which library is loaded, and a row each that none is") {
    Report report = report_without_driver();
    Facts& facts = report.facts;
    facts.driver = {};
    facts.driver.library = "/opt/stubs/libcuda.so.1";
    facts.driver.init = CallResult{"cuInit", 34, ""};
    for (const char* path : {"/opt/stubs/libcuda.so.1", "/usr/lib/libcuda.so.1"}) {
        Library& library = facts.libraries.emplace_back();
        library.kind = LibraryKind::cuda;
        library.path = path;
    }
    const std::string text = unwrapped(as_text(report));
    CHECK(contains(
        text,
        "the loaded library is a stub of the CUDA Toolkit, not the driver "
        "/opt/stubs/libcuda.so.1"));
    CHECK(contains(text, "not queried /usr/lib/libcuda.so.1"));
    CHECK_FALSE(contains(text, "not queried /opt/stubs"));
}

TEST_CASE("a framework that loads a cuDNN without a usable RNN API is marked as failed") {
    Report report = healthy_report();
    Facts& facts = report.facts;
    facts.cudnns[0].rnn_usable = false;
    PythonEnvironment& python = facts.pythons.emplace_back();
    python.path = "/venv";
    python.active = true;
    Framework& framework = facts.frameworks.emplace_back();
    framework.name = "pytorch";
    framework.environment = python.path;
    FrameworkLibrary& library = framework.libraries.emplace_back();
    library.soname = "libcudnn.so.9";
    library.path = facts.cudnns[0].library;
    const std::string text = unwrapped(as_text(report));
    CHECK(contains(text, " ✗ Frameworks "));
    CHECK(contains(text, "whose RNN API does NOT work"));
}

TEST_CASE("the user's own home directory, which is shown as ~, does not count as hidden") {
    Report report = healthy_report();
    report.hidden = {{"home", 1}};
    CHECK(contains(as_text(report), "Hidden because private: 1 x home"));
    report.own_home = "/HOME1";
    CHECK_FALSE(contains(as_text(report), "Hidden because"));
    report.hidden = {{"home", 2}, {"uuid", 1}};
    CHECK(contains(as_text(report), "Hidden because private: 1 x home, 1 x uuid"));
}

TEST_CASE("where a version was named, the checks of versions that passed are the answer") {
    Report report = healthy_report();
    report.verdicts = {
        {"driver_too_old", Outcome::pass, "driver 580 runs CUDA 13"},
        {"gpu_throttled", Outcome::pass, "no GPU is throttled"}};
    CHECK_FALSE(contains(as_text(report), "driver 580 runs CUDA 13"));
    Framework& named = report.facts.frameworks.emplace_back();
    named.name = "pytorch";
    named.requested = true;
    CHECK(contains(as_text(report), "  driver_too_old: driver 580 runs CUDA 13\n"));
    CHECK_FALSE(contains(as_text(report), "throttled"));
}

TEST_CASE("quiet is the headline alone") {
    for (const Report& report : all_samples()) {
        const std::string text = as_text(report, {.quiet = true});
        CHECK(text == headline(report, Page({})) + "\n");
    }
}

TEST_CASE("hostile sweeps are reported in bounded space") {
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
    const auto wrapped = [](std::string_view first, std::string_view text, std::size_t indent) {
        Page page({});
        page.wrap(first, text, indent);
        return page.text();
    };
    CHECK(wrapped("  a: ", "b c", 5) == "  a: b c\n");
    const std::string word(90, 'w');
    CHECK(wrapped("> ", word + " " + word, 4) == "> " + word + "\n    " + word + "\n");
    CHECK(wrapped("", std::string(150, 'w'), 0) == std::string(150, 'w') + "\n");
    CHECK(columns_of("\x1b[1;31mr\xc3\xa4\x1b[0m") == 2);
}

TEST_CASE("the age of the compatibility data is on the page when it is known") {
    Report report = healthy_report();
    for (const auto& [days, words] :
         {std::pair{0, "2026-11-21, today."},
          {1, "2026-11-21, 1 day old."},
          {100, "2026-11-21, 3 months old."},
          {800, "2026-11-21, 2 years old."}}) {
        report.tool.matrix_age_days = days;
        CHECK(contains(as_text(report), std::string("Compatibility data: ") + words));
    }
    report.tool.matrix_age_days.reset();
    CHECK(contains(as_text(report), "Compatibility data: 2026-11-21."));
}

TEST_CASE("a requested case is shown with its numbers and how to run it again, without a table") {
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
    CHECK(contains(unwrapped(text), "unit 2: found 3, expected 4"));
    CHECK(contains(text, "error 250 times what is allowed"));
    CHECK(contains(text, "run it again: rnncheck lstm --device 0 --"));
    CHECK_FALSE(contains(text, "directions"));
}

TEST_CASE(
    "the smallest case that fails is reported by how it fails, and what a log's network showed") {
    Report report = healthy_report();
    MinimalCase& minimal = report.lstm.emplace().minimal_case.emplace();
    minimal.rerun_command = "rnncheck lstm --device 0 --cell gru";
    for (const auto& [end, words] :
         {std::pair{RunEnd::incorrect, "is still wrong"},
          {RunEnd::rejected, "is still rejected"},
          {RunEnd::failed, "still fails"}}) {
        minimal.run.end = end;
        CHECK(contains(as_text(report), "The smallest case that " + std::string(words)));
        CHECK(contains(as_text(report), "\n  rnncheck lstm --device 0 --cell gru\n"));
    }
    minimal.reproduces_alone = false;
    CHECK(contains(as_text(report), "it is correct when run alone"));
    report.lstm->log_replay =
        LogReplay{LogFailure::memory, {"the network of the log does not fit"}};
    CHECK(contains(as_text(report), "\nthe network of the log does not fit\n"));
}
