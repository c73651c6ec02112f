#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

namespace {

/// Dropout of 0.25 as it should be, but for one thing.
template <class Change>
rnncheck::Facts with_dropout(Change change) {
    using namespace rnncheck;
    return test::but([&](Facts& f) {
        f.rnn_request.emplace().dropout = 0.25;
        RnnDropout dropout;
        dropout.library = test::cudnn8;
        dropout.probability = 0.25;
        dropout.elements = 65536;
        dropout.kept = 49152 + 400;  // 3.6 standard deviations
        dropout.scale_error = 0x1p-11;
        dropout.repeats = dropout.mask_changes = true;
        change(dropout);
        f.rnn_dropouts = {dropout};
    });
}

/// Where chance gives one element of 65536, and every mask is the same.
template <class Change>
rnncheck::Facts extreme(double probability, Change change) {
    return with_dropout([&](rnncheck::RnnDropout& d) {
        d.probability = probability;
        d.kept = probability < 0.5 ? 65535 : 1;
        d.mask_changes = false;
        change(d);
    });
}

void unchanged(rnncheck::RnnDropout&) {
}

}  // namespace

RULE_TEST(
    rnn_dropout_wrong,
    Fires{
        {{"too many are kept",
          with_dropout([](RnnDropout& d) { d.kept = 49152 + 700; }),
          "expected 75 %"},
         {"too few are kept",
          with_dropout([](RnnDropout& d) { d.kept = 49152 - 700; }),
          "expected 75 %"},
         {"none is kept",
          with_dropout([](RnnDropout& d) { d.kept = 0, d.scale_error = 0; }),
          "0 % of 65536 elements kept"},
         {"not scaled",
          with_dropout([](RnnDropout& d) { d.scale_error = 0.004; }),
          "not multiplied by 1 / (1 - 0.25)"},
         {"infinite", with_dropout([](RnnDropout& d) { d.scale_error.reset(); }), "not multiplied"},
         {"the seed does not decide",
          with_dropout([](RnnDropout& d) { d.repeats = false; }),
          "the same seed generates a different mask"},
         {"one mask for all",
          with_dropout([](RnnDropout& d) { d.mask_changes = false; }),
          "every call generates the same"},
         {"131 elements should differ",
          with_dropout([](RnnDropout& d) {
              d.probability = 0.001;
              d.kept = 65536 - 66;
              d.mask_changes = false;
          }),
          "every call generates the same mask"},
         {"at an extreme probability",
          extreme(1e-9, [](RnnDropout& d) { d.kept = 65500; }),
          "expected 100 %"}}},
    Silent{
        {{"within chance", with_dropout(unchanged), ""},
         {"not requested", a_healthy_machine(), ""},
         {"hardly any is dropped", extreme(1e-9, unchanged), ""},
         {"hardly any is kept", extreme(0.999999, unchanged), ""}}},
    WhenUndecided{
        {{"not measured",
          with_dropout([](RnnDropout& d) {
              d.kept.reset();
              d.result = CallResult{"cuMemAlloc_v2", 2, "out of memory"};
          }),
          ""},
         {"no process came to its end",
          but([](Facts& f) { f.rnn_request.emplace().dropout = 0.5; }),
          ""},
         {"one process crashed",
          [] {
              Facts facts = with_dropout(unchanged);
              ProbeRun& run = facts.probe_runs.emplace_back();
              run.probe = "rnn_dropout";
              run.target = "GPU 1 v8 /a";
              run.end = ProbeEnd::crashed;
              return facts;
          }(),
          ""}}})
