#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    rnn_result_wrong,
    Fires{
        {{"one case",
          but([](Facts& f) {
              RnnRun& run = good_case(f);
              run.end = RunEnd::incorrect;
              run.largest_error = 0.25;
              run.where = "y of sequence 0, step 3, unit 1: found 0.25, expected 0.5";
          }),
          "error 0.25 where 1e-05 is allowed, y of sequence 0, step 3, unit 1"},
         {"the worst of several comes first",
          but([](Facts& f) {
              for (auto& run : f.rnn_runs)
                  if (run.end == RunEnd::ok)
                      run.end = RunEnd::incorrect;
              f.rnn_runs[3].largest_error = 7;
              f.rnn_runs[3].where = "cy of layer 0, sequence 0, unit 0: found 8, expected 1";
          }),
          "error 7 where"},
         {"not a number is the worst",
          but([](Facts& f) {
              for (auto& run : f.rnn_runs)
                  if (run.end == RunEnd::ok)
                      run.end = RunEnd::incorrect;
              f.rnn_runs[4].largest_error.reset();
              f.rnn_runs[4].where = "y of sequence 0, step 0, unit 0: found nan, expected 1";
          }),
          "found nan"},
         {"one GPU of two",
          but([](Facts& f) {
              add_second_gpu(f);
              f.rnn_runs.back().end = RunEnd::incorrect;
          }),
          "GPU 1"}}},
    silent_about_cases(
        {{"a failed call is another fault",
          but([](Facts& f) {
              one_case(f, RunEnd::failed, {"cudnnRNNForward", 8, "CUDNN_STATUS_EXECUTION_FAILED"});
          }),
          ""}}),
    undecided_about_cases(
        {{"no case ran to its end",
          but([](Facts& f) {
              all_cases(f, RunEnd::failed, {"cudnnRNNForward", 8, "CUDNN_STATUS_EXECUTION_FAILED"});
          }),
          ""}}))
