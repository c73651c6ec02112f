#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(rnn_call_refused,
          Fires{{{"bad parameter", but([](Facts& f) {
                      one_case(f, RunEnd::refused, {"cudnnSetRNNDataDescriptor", 3, "CUDNN_STATUS_BAD_PARAM"});
                  }),
                  "refuses 1 LSTM case, first"},
                 {"without a reason", but([](Facts& f) {
                      one_case(f, RunEnd::refused, {});
                      for (auto& run : f.rnn_runs)
                          if (run.end == RunEnd::refused) run.result.reset();
                  }),
                  "without telling why"},
                 {"each GPU has its finding", but([](Facts& f) {
                      add_second_gpu(f);
                      all_cases(f, RunEnd::refused, {"cudnnSetRNNDescriptor_v8", 3, "CUDNN_STATUS_BAD_PARAM"});
                  }),
                  "GPU 0"}}},
          Silent{{{"healthy", a_healthy_machine(), ""},
                  {"mixed parts are another fault", but([](Facts& f) {
                       all_cases(f, RunEnd::refused, {"cudnnSetRNNDescriptor_v8", 14, "CUDNN_STATUS_VERSION_MISMATCH"});
                   }),
                   ""},
                  {"no driver", without_driver(), ""},
                  {"no cuDNN", but([](Facts& f) {
                       without(f, LibraryKind::cudnn);
                       without(f, LibraryKind::cudnn_part);
                       f.cudnns.clear();
                       no_cases(f);
                   }),
                   ""},
                  {"its RNN half does not work",
                   but([](Facts& f) { rnn_half_fails(f, "cudnnCreateRNNDescriptor", 4, ""); }), ""}}},
          CannotTell{{{"nothing learnt", nothing_learnt(), ""},
                      {"no case was run", but([](Facts& f) { no_cases(f); }), ""},
                      {"all cases were skipped", but([](Facts& f) {
                           all_cases(f, RunEnd::skipped, {"?", -1, "not tried: earlier cases ended the process"});
                       }),
                       ""}}})
