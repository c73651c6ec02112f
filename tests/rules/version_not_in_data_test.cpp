#include "support/given_machine.hpp"
#include "support/installed_machines.hpp"

RULE_TEST(
    version_not_in_data,
    Fires{
        {{"a CUDA that only a driver names",
          given({"cuda=12.7"}),
          "no CUDA toolkit 12.7 was ever released"}}},
    Silent{
        {{"a driver", given({"driver=535.104.05"}), ""},
         {"a driver newer than the data, of which others decide", given({"driver=999"}), ""},
         {"a CUDA", given({"cuda=12.4.1"}), ""},
         {"a GPU", given({"gpu=8.6"}), ""},
         {"a cuDNN", given({"cudnn=8.9"}), ""},
         {"frameworks", given({"tensorflow=2.15", "keras=2.15"}), ""},
         {"specified on a machine, and known",
          but([](Facts& f) { request(f, "tensorflow", "2.15"); }),
          ""},
         {"a machine", a_healthy_machine(), ""}}},
    WhenUndecided{
        {{"specified on a machine", but([](Facts& f) { request(f, "tensorflow", "2.99"); }), ""},
         {"nothing with a version", given({"os=linux", "dtype=bf16"}), ""},
         {"a CUDA newer than the data", given({"cuda=99.0"}), ""},
         {"a CUDA older than the data", given({"cuda=1.0"}), ""},
         {"a cuDNN newer than the data", given({"cudnn=99.0.0"}), ""},
         {"a GPU newer than the data", given({"gpu=99.0"}), ""},
         {"a framework newer than the data", given({"pytorch=99.0"}), ""}}})
