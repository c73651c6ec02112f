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
          silent_about_cases(
              {{"mixed parts are another fault", but([](Facts& f) {
                    all_cases(f, RunEnd::refused, {"cudnnSetRNNDescriptor_v8", 14, "CUDNN_STATUS_VERSION_MISMATCH"});
                }),
                ""}}),
          cannot_tell_about_cases({}))
