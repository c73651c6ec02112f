#include "support/given_machine.hpp"
#include "support/rule_test.hpp"

RULE_TEST(keras_backend_not_supported,
          Fires{{{"a TensorFlow from before Keras 3", given({"keras=3.5", "tensorflow=2.10"}),
                  "Keras 3.5 does not work with TensorFlow 2.10; it wants from"}}},
          Silent{{{"a late enough one", given({"keras=3.5", "tensorflow=2.18"}), ""},
                  {"a machine", a_healthy_machine(), ""}}},
          CannotTell{{{"no backend", given({"keras=3.5"}), ""},
                      {"no Keras", given({"tensorflow=2.18"}), ""},
                      {"a Keras newer than the data", given({"keras=99.0", "tensorflow=2.18"}), ""}}})
