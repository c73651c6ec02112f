#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(rnn_not_repeatable,
          Fires{{{"one case", but([](Facts& f) { good_case(f).bitwise_repeatable = false; }),
                  "1 LSTM case gives other bits when run again on GPU 0"},
                 {"several", but([](Facts& f) {
                      for (auto& run : f.rnn_runs)
                          if (run.end == RunEnd::ok) run.bitwise_repeatable = false;
                  }),
                  "LSTM cases give other bits"}}},
          Silent{{{"healthy", a_healthy_machine(), ""},
                  {"a wrong case is another fault", but([](Facts& f) {
                       RnnRun& run = good_case(f);
                       run.end = RunEnd::wrong;
                       run.bitwise_repeatable = false;
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
                       ""},
                      {"not compared", but([](Facts& f) { good_case(f).bitwise_repeatable.reset(); }), ""}}})
