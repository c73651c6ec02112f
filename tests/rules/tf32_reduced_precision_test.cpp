#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(tf32_reduced_precision,
          Fires{{{"forced by the environment", but([](Facts& f) {
                      f.host.environment["NVIDIA_TF32_OVERRIDE"] = "1";
                      for (auto& run : f.rnn_runs)
                          if (run.end == RunEnd::ok && run.rnn_case.dtype == Dtype::fp32) run.reduced_precision = true;
                  }),
                  "computes in TF32 although full single precision was asked for"}}},
          Silent{{{"healthy", a_healthy_machine(), ""},
                  {"the default of these GPUs", but([](Facts& f) {
                       for (auto& run : f.rnn_runs)
                           if (run.end == RunEnd::ok && run.rnn_case.dtype == Dtype::fp32 &&
                               run.rnn_case.math == MathType::standard)
                               run.reduced_precision = true;
                   }),
                   ""},
                  {"half precision is no TF32", but([](Facts& f) {
                       for (auto& run : f.rnn_runs)
                           if (run.rnn_case.dtype == Dtype::fp16) run.reduced_precision = true;
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
                      {"not measured", but([](Facts& f) {
                           for (auto& run : f.rnn_runs) run.reduced_precision.reset();
                       }),
                       ""}}})
