#include "support/given_machine.hpp"
#include "support/installed_machines.hpp"

RULE_TEST(
    keras_backend_not_supported,
    Fires{
        {{"a TensorFlow from before Keras 3",
          given({"keras=3.5", "tensorflow=2.10"}),
          "Keras 3.5 does not work with TensorFlow 2.10; it needs"},
         {"specified on a machine with an old TensorFlow",
          but([](Facts& f) {
              add_tensorflow(f).version = v("2.10.1");
              request(f, "keras", "3.5");
          }),
          "Keras 3.5 does not work with TensorFlow 2.10.1"}}},
    Silent{
        {{"a late enough one", given({"keras=3.5", "tensorflow=2.18"}), ""},
         {"specified, and late enough",
          but([](Facts& f) {
              add_tensorflow(f).version = v("2.18.0");
              request(f, "keras", "3.5");
          }),
          ""},
         {"an old TensorFlow that is specified bundles its own",
          but([](Facts& f) {
              request(f, "tensorflow", "2.10");
              Framework& keras = add_tensorflow(f);
              keras.name = "keras";
              keras.version = v("3.5.0");
          }),
          ""},
         {"a machine", a_healthy_machine(), ""}}},
    WhenUndecided{
        {{"no backend", given({"keras=3.5"}), ""},
         {"no Keras", given({"tensorflow=2.18"}), ""},
         {"a Keras newer than the data", given({"keras=99.0", "tensorflow=2.18"}), ""}}})
