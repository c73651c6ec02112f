// What a person sees of a page: what is folded, what is one card, what comes first.
#include "base/text.hpp"
#include "facts/queries.hpp"
#include "report/outline.hpp"
#include "sample_reports.hpp"
#include "support/catch.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

std::string page_of(const Outline& outline) {
    const auto* const format = find_named(all_formats(), "html");
    REQUIRE(format);
    const std::string page = (*format)->write(outline, {});
    return page.substr(page.find("<main>"));
}

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

/// Whether the first such part is inside of <details> that are not open.
bool is_folded(const std::string& page, std::string_view part) {
    const std::size_t at = page.find(part);
    REQUIRE(at != std::string::npos);
    const std::size_t begin = page.rfind("<details", at), end = page.rfind("</details>", at);
    const bool is_inside = begin != std::string::npos && (end == std::string::npos || end < begin);
    return is_inside && page.compare(begin, 9, "<details>") == 0;
}

Report report_with_sentence(Report report) {
    report.sentence = sentence_of(report);
    return report;
}

Report diagnosis_with_weights() {
    Report report = report_with_sentence(diagnosis_of_a_log());
    for (Finding& cause : report.findings)
        cause.weight = 50;
    return report;
}

FleetField field(const char* what, const char* usual, const char* other, const char* nodes) {
    return {what, what, FleetAgreement::majority, {{usual, 9, "", false}, {other, 1, nodes, true}}};
}

ModelDocument model_with_lstm(CudnnUse use) {
    ModelDocument document;
    document.sentence = "about the layer lstm";
    document.file = "model.keras";
    JudgedLayer& layer = document.layers.emplace_back();
    layer.name = "lstm";
    layer.cudnn = use;
    return document;
}

}  // namespace

TEST_CASE(
    "html: charts and the results of a machine are folded, the verdict and what was found are "
    "not") {
    const Report healthy = report_with_sentence(healthy_report());
    const std::string page = page_of(outline_of(healthy));
    CHECK(count_of(page, "<figure") >= 1);
    CHECK(is_folded(page, "<figure"));
    CHECK(is_folded(page, "LSTM fp64"));
    CHECK_FALSE(is_folded(page, "<th scope=\"row\">Networks</th>"));
    CHECK_FALSE(is_folded(page, "</h1>"));

    Report swept = report_with_sentence(report_of_a_sweep());
    swept.command = "lstm";  // what was run is what the command is for
    CHECK_FALSE(is_folded(page_of(outline_of(swept)), "LSTM fp64"));
}

TEST_CASE("html: the heading is the sentence behind a mark") {
    const Report report = report_with_sentence(report_of_eight_gpus());
    const std::string page = page_of(outline_of(report));
    const std::string heading = page.substr(0, page.find("</h1>"));
    CHECK(
        heading ==
        "<main><h1><span role=\"img\" aria-label=\"problems\" class=\"failed\">✗</span> " +
            report.sentence);
}

TEST_CASE("html: one error in a log is one card, with its causes in the order of the checks") {
    const Report report = diagnosis_with_weights();
    const std::string page = page_of(outline_of(report));
    CHECK(count_of(page, "<article") == 1);
    CHECK(count_of(page, "Problem:") == 1);
    CHECK(count_of(page, "<ol>") == 1);
    CHECK(count_of(page, "<li>") == report.findings.size());
    std::size_t last = 0;
    for (const Finding& cause : report.findings) {
        const std::size_t at = page.find("<h4>" + xml(cause.title));
        REQUIRE(at != std::string::npos);
        CHECK(at > last);
        last = at;
    }
    CHECK_FALSE(is_folded(page, "line 7: cuda_dnn.cc:439]"));
    CHECK(count_of(page, "line 7: cuda_dnn.cc:439]") == 1);
    CHECK_FALSE(is_folded(page, "nvidia-smi --query-compute-apps"));
    CHECK_FALSE(is_folded(page, "End the other process"));  // of a likely cause
    CHECK(is_folded(page, "TF_FORCE_GPU_ALLOW_GROWTH"));    // of a possible one
}

TEST_CASE("html: a log with one cause is a card that shows the line") {
    Report report = diagnosis_with_weights();
    report.findings.resize(1);
    const std::string page = page_of(outline_of(report));
    CHECK(count_of(page, "<article") == 1);
    CHECK(count_of(page, "<li>") == 0);
    CHECK_FALSE(is_folded(page, "line 7: cuda_dnn.cc:439]"));
}

TEST_CASE("html: what a note advises is folded, what an error needs is not") {
    Report report = report_without_driver();
    CHECK_FALSE(is_folded(page_of(outline_of(report)), "sudo apt-get install nvidia-driver"));
    report.findings[0].severity = Severity::note;
    CHECK(is_folded(page_of(outline_of(report)), "sudo apt-get install nvidia-driver"));
}

TEST_CASE("html: a fleet's nodes head their cards, and the values of all groups are folded") {
    Fleet fleet;
    fleet.outcome = FleetOutcome::problems;
    fleet.sentence = "10 nodes were compared: 1 has problems";
    fleet.problems = {{"gpu_out_of_memory", 1, "gpu007", "A GPU ran out of memory"}};
    fleet.missing = "gpu[011-012]";
    fleet.groups = {
        {"1 x NVIDIA H200",
         10,
         90,
         {field("driver kernel version", "580.159.04", "535.183.01", "gpu004")}}};
    const std::string page = page_of(outline_of(fleet));
    CHECK(contains(page, " gpu007: A GPU ran out of memory</h3>"));
    CHECK(contains(page, " gpu004: driver kernel version 535.183.01</h3>"));
    CHECK(contains(page, " gpu[011-012]: no report</h3>"));
    CHECK(is_folded(page, "<td>580.159.04</td>"));

    fleet.missing = "gpu[000";
    for (int node = 1; node < 400; node += 2)
        fleet.missing += "," + std::to_string(node + 1000);
    const std::string many = page_of(outline_of(fleet));
    const std::size_t begin = many.find(" gpu[000,"), end = many.find("</h3>", begin);
    CHECK(end - begin < 90);
}

TEST_CASE("html: a change of a model is code, and is printed once") {
    ModelDocument document = model_with_lstm(CudnnUse::no);
    JudgedLayer& layer = document.layers.front();
    layer.reasons = {"activation is relu; cuDNN computes tanh only"};
    layer.add_change("LSTM(..., activation=\"tanh\")", true);
    layer.add_change("Remove the Masking layer", false);
    layer.modeled_speedup = 5.0;
    const std::string page = page_of(outline_of(document));
    CHECK(contains(page, "aria-label=\"Code\">LSTM(..., activation=&quot;tanh&quot;)</pre>"));
    CHECK(contains(page, "Remove the Masking layer</p>"));
    for (const char* once :
         {"activation=&quot;",
          "Remove the Masking layer",
          "cuDNN computes tanh only",
          "about 5 times"})
        CHECK(count_of(page, once) == 1);
}

TEST_CASE("html: what is typed as it is looks like code, whatever its text") {
    Report report = report_without_driver();
    Remedy& remedy = report.findings[0].remedies[0];
    remedy.risk = Risk::safe;
    for (const char* text :
         {"LSTM(..., unroll=False)", "Remove the input P", "dtype=float32 for this layer"}) {
        remedy.text = text;
        remedy.text_is_code = true;
        CHECK(
            contains(page_of(outline_of(report)), concat("aria-label=\"Code\">", text, "</pre>")));
        remedy.text_is_code = false;
        CHECK(
            contains(page_of(outline_of(report)), concat("<strong>Fix:</strong> ", text, "</p>")));
    }
}

TEST_CASE(
    "html: what is folded and drawn is decided by the kind of a section, not by its heading") {
    const Report healthy = report_with_sentence(healthy_report());
    Outline outline = outline_of(healthy);
    for (OutlineSection& section : outline.sections)
        section.heading = "Anything";
    const std::string page = page_of(outline);
    CHECK(is_folded(page, "LSTM fp64"));
    CHECK(count_of(page, "<h2>Anything</h2>") == outline.sections.size());
}

TEST_CASE("html: networks, layers and nodes are tables") {
    const Report healthy = report_with_sentence(healthy_report());
    const std::string page = page_of(outline_of(healthy));
    CHECK(contains(page, "<th scope=\"row\">LSTM fp64</th>"));
    CHECK(contains(page, "<td class=\"passed\">ok</td>"));

    Report swept = report_with_sentence(report_of_a_sweep());
    CHECK(contains(page_of(outline_of(swept)), "<td class=\"failed\">WRONG</td>"));

    const ModelDocument document = model_with_lstm(CudnnUse::yes);
    const std::string layers = page_of(outline_of(document));
    CHECK(contains(layers, "<th scope=\"row\">lstm</th>"));
    CHECK_FALSE(contains(layers, "<pre"));

    Fleet fleet;
    fleet.groups = {
        {"8 x H100", 10, 90, {field("driver", "580.1", "535.2", "gpu004")}}, {"1 x T4", 3, 80, {}}};
    const std::string nodes = page_of(outline_of(fleet));
    CHECK(contains(nodes, "<td class=\"warning\">535.2</td>"));
    CHECK(contains(nodes, "All 80 fields are the same"));
    CHECK_FALSE(contains(nodes, "<pre"));
}

TEST_CASE("the result of a call is one line") {
    CHECK(
        in_words(CallResult{"cudnnRNNForward", 5003, "err 2 :: cudaGetLastError()\n at: err\n"}) ==
        "cudnnRNNForward returned 5003 (err 2 :: cudaGetLastError() at: err )");
}
