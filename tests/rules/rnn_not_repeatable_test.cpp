#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    rnn_not_repeatable,
    Fires{
        {{"one case",
          but([](Facts& f) { good_case(f).bitwise_repeatable = false; }),
          "1 RNN case returned results that are not bitwise identical when repeated on GPU 0"},
         {"several",
          but([](Facts& f) {
              for (auto& run : f.rnn_runs)
                  if (run.end == RunEnd::ok)
                      run.bitwise_repeatable = false;
          }),
          "RNN cases returned results that are not bitwise"}}},
    silent_about_cases(
        {{"a wrong case is another fault",
          but([](Facts& f) {
              RnnRun& run = good_case(f);
              run.end = RunEnd::incorrect;
              run.bitwise_repeatable = false;
          }),
          ""}}),
    undecided_about_cases(
        {{"not compared", but([](Facts& f) { good_case(f).bitwise_repeatable.reset(); }), ""}}))
