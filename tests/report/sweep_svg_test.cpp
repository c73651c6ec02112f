// The picture of the cases: every case has its square, with a letter beside the colour, and no text
// from outside is markup.
#include "report/sweep.hpp"
#include "rnn/sweep.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

std::size_t count_of(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

Facts with_ends(const std::vector<RunEnd>& ends) {
    Facts facts;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        RnnRun& run = facts.rnn_runs.emplace_back();
        run.library = "/lib/<script>\"&'.so\x1b[31m";
        run.number = static_cast<int>(i) + 1;
        run.rnn_case = parse_case("fp32 fma H=5 B=3 T=4", {.input = static_cast<int>(i) + 1});
        run.end = ends[i];
    }
    return facts;
}

}  // namespace

TEST_CASE("svg: each case is a square with the letter of its end and a colour of its own") {
    const std::vector<RunEnd> ends = {
        RunEnd::ok,
        RunEnd::not_supported,
        RunEnd::rejected,
        RunEnd::out_of_memory,
        RunEnd::failed,
        RunEnd::incorrect,
        RunEnd::skipped};
    const std::string svg = sweeps_svg(with_ends(ends), "title");
    for (const char letter : std::string(".-rmXWs"))  // one in the grid, one in the legend
        CHECK(count_of(svg, ">" + std::string(1, letter) + "</text></g>") == 2);
    for (const char* colour :
         {"#009E73", "#DDDDDD", "#E69F00", "#56B4E9", "#000000", "#D55E00", "#F0E442"})
        CHECK(count_of(svg, "fill=\"" + std::string(colour) + "\"/>") == 2);
    CHECK(
        svg.find("<title>WRONG: LSTM fp32 fma standard, I=6 H=5 B=3 T=4 L=1</title>") !=
        std::string::npos);
}

TEST_CASE("svg: more shapes than letters still have a column each") {
    const std::string svg = sweeps_svg(with_ends(std::vector<RunEnd>(300, RunEnd::ok)), "title");
    CHECK(count_of(svg, "<g><title>ok: LSTM ") == 300);
    CHECK(svg.find(">300: I=300 H=5 B=3 T=4 L=1<") != std::string::npos);
}

TEST_CASE("svg: text from outside is text") {
    const std::string svg = sweeps_svg(with_ends({RunEnd::ok}), "a < b & \"c\"");
    CHECK(svg.find("a &lt; b &amp; &quot;c&quot;") != std::string::npos);
    CHECK(svg.find("/lib/&lt;script&gt;&quot;&amp;&#39;.so\\x1b[31m") != std::string::npos);
    CHECK(count_of(svg, "<script") == 0);
    CHECK(count_of(svg, "\x1b") == 0);
    CHECK(count_of(sweeps_svg(Facts(), "nothing ran"), "<rect") == 1);
}
