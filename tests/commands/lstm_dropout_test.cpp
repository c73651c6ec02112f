// Judging dropout: what is right, each way of being wrong, and what is not known.
#include "commands/lstm_dropout.hpp"

#include "base/text.hpp"
#include "commands/lstm_report.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

RnnDropout right() {
    RnnDropout dropout;
    dropout.probability = 0.25;
    dropout.elements = 65536;
    dropout.kept = 49152 + 400;  // 3.6 standard deviations
    dropout.scale_error = 0x1p-11;
    dropout.repeats = dropout.moves_on = true;
    return dropout;
}

Facts with(const RnnDropout& dropout) {
    Facts facts;
    facts.rnn_runs.emplace_back().end = RunEnd::ok;
    facts.rnn_dropouts = {dropout};
    return facts;
}

std::string told(const Facts& facts) {
    const auto remarks = dropout_of(facts);
    return remarks.size() == 1 ? std::string(name_of(remarks[0].weight)) + ": " + remarks[0].text : "";
}

}  // namespace

TEST_CASE("dropout: within chance it is right") {
    CHECK(faults_of(right()).empty());
    CHECK(told(with(right())) ==
          "note: dropout 0.25 on GPU 0 (v8 interface): 75.6 % of 65536 elements kept, rightly "
          "multiplied, the same for the same seed");
    CHECK(verdict_of(with(right())).code == healthy);
}

TEST_CASE("dropout: each fault is named and is a problem") {
    const auto wrong = [](auto change, const char* words) {
        RnnDropout dropout = right();
        change(dropout);
        CAPTURE(words, told(with(dropout)));
        CHECK(told(with(dropout)).starts_with("wrong: "));
        CHECK(contains(told(with(dropout)), words));
        CHECK(verdict_of(with(dropout)).code == problem);
        CHECK(contains(verdict_of(with(dropout)).sentence, "dropout WRONG"));
    };
    wrong([](RnnDropout& d) { d.kept = 49152 + 700; }, "75 % should be");  // 6.3 standard deviations
    wrong([](RnnDropout& d) { d.kept = 49152 - 700; }, "75 % should be");
    wrong([](RnnDropout& d) { d.kept = 0, d.scale_error = 0; }, "0 % of 65536 elements kept");
    wrong([](RnnDropout& d) { d.scale_error = 0.004; }, "not multiplied by 1 / (1 - 0.25)");
    wrong([](RnnDropout& d) { d.scale_error.reset(); }, "not multiplied");
    wrong([](RnnDropout& d) { d.repeats = false; }, "the same seed gives another mask");
    wrong([](RnnDropout& d) { d.moves_on = false; }, "every call draws the same mask");
}

TEST_CASE("dropout: what was asked for and not measured is unknown") {
    Facts facts = with({});
    facts.rnn_dropouts[0].result = CallResult{"cuMemAlloc_v2", 2, "out of memory"};
    CHECK(contains(told(facts),
                   "unknown: dropout 0 on GPU 0 (v8 interface): not measured, cuMemAlloc_v2: out of memory"));
    CHECK(verdict_of(facts).code == undetermined);
    Facts crashed = with(right());
    ProbeRun& run = crashed.probe_runs.emplace_back();
    run.probe = "rnn_dropout";
    run.target = "GPU 1 v8 /a";
    run.end = ProbeEnd::crashed;
    run.last_call = "cudnnRNNForward";
    CHECK(contains(dropout_of(crashed).back().text,
                   "GPU 1 v8 /a: not measured, the process ended as crashed in cudnnRNNForward"));
    CHECK(verdict_of(crashed).code == undetermined);
    facts.rnn_dropouts.clear();
    CHECK(told(facts).empty());
    facts.rnn_request.emplace().dropout = 0.5;
    CHECK(told(facts).starts_with("unknown: dropout was asked for and not measured"));
    CHECK(verdict_of(facts).code == undetermined);
}

TEST_CASE("dropout: at extreme probabilities equal masks and a few elements are chance") {
    for (const double probability : {1e-9, 0.999999}) {
        RnnDropout dropout = right();
        dropout.probability = probability;
        dropout.kept = probability < 0.5 ? 65535 : 1;  // one element, where none is expected
        dropout.moves_on = false;
        CAPTURE(probability);
        CHECK(faults_of(dropout).empty());
        dropout.kept = probability < 0.5 ? 65500 : 36;
        CHECK(faults_of(dropout).size() == 1);
    }
    RnnDropout dropout = right();
    dropout.probability = 0.999999;
    dropout.kept = 0;
    CHECK(contains(told(with(dropout)), "dropout 0.999999 on GPU 0"));
    CHECK(!contains(told(with(dropout)), "rightly multiplied"));
    dropout.probability = 0.001;  // 131 of them should differ
    dropout.kept = 65536 - 66;
    dropout.moves_on = false;
    CHECK(contains(told(with(dropout)), "every call draws the same mask"));
}
