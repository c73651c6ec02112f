#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    tf32_reduced_precision,
    Fires{
        {{"forced by the environment",
          but([](Facts& f) {
              f.host.environment["NVIDIA_TF32_OVERRIDE"] = "1";
              for (auto& run : f.rnn_runs)
                  if (run.end == RunEnd::ok && run.rnn_case.dtype == Dtype::fp32)
                      run.precision = Precision::tf32;
          }),
          "computes in TF32 although full single precision was requested: results differ "
          "from a CPU's in the "
          "third or fourth"}}},
    silent_about_cases(
        {{"the default of these GPUs",
          but([](Facts& f) {
              for (auto& run : f.rnn_runs)
                  if (run.end == RunEnd::ok && run.rnn_case.dtype == Dtype::fp32 &&
                      run.rnn_case.math == MathType::standard)
                      run.precision = Precision::tf32;
          }),
          ""},
         {"half precision is no TF32",
          but([](Facts& f) {
              for (auto& run : f.rnn_runs)
                  if (run.rnn_case.dtype == Dtype::fp16)
                      run.precision = Precision::tf32;
          }),
          ""}}),
    undecided_about_cases(
        {{"not measured",
          but([](Facts& f) {
              for (auto& run : f.rnn_runs)
                  run.precision.reset();
          }),
          ""}}))
