#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    cudnn_bug,
    Fires{
        {{"7.5.0",
          but([](Facts& f) { cudnn_version(f, "7.5.0"); }),
          "gradients of the persistent algorithm are incorrect (a synchronization"},
         {"7.1.3 has several",
          but([](Facts& f) { cudnn_version(f, "7.1.3"); }),
          "half-precision LSTM gradients are incorrect"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"7.6.5", but([](Facts& f) { cudnn_version(f, "7.6.5"); }), ""},
         {"none installed", but(no_cudnn), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the version is not known", but([](Facts& f) { f.cudnns.front().version.reset(); }), ""},
         {"newer than the tables", but([](Facts& f) { cudnn_version(f, "9.99.0"); }), ""}}})
