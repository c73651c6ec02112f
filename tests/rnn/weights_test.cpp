// Which networks are too large for cuDNN. The sizes at both sides of the limit were queried:
// cudnnGetRNNWeightSpaceSize of 9.28.0 returns the correct size for the first of each pair and an
// incorrect one for the second.
#include "rnn/weights.hpp"

#include "base/text.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

TEST_CASE("weights: networks whose matrices have 2^31 numbers or more are too large") {
    struct Pair {
        const char *largest, *too_large;
        double weights_of_largest, weights_of_too_large;
    };
    const Pair pairs[] = {
        {"tanh I=2147483646 H=1", "tanh I=2147483647 H=1", 2147483647, 2147483648},
        {"relu I=2147483646 H=1 bias=none",
         "relu I=2147483647 H=1 bias=none",
         2147483647,
         2147483648},
        {"lstm I=536870910 H=1", "lstm I=536870911 H=1", 2147483644, 2147483648},
        {"gru I=715827881 H=1", "gru I=715827882 H=1", 2147483646, 2147483649},
        {"tanh I=1073741822 H=1 bidirectional",
         "tanh I=1073741823 H=1 bidirectional",
         2147483646,
         2147483648},
        {"tanh I=2147483644 H=1 L=2", "tanh I=2147483645 H=1 L=2", 2147483647, 2147483648},
        {"tanh I=1073741819 H=1 L=2 bidirectional",
         "tanh I=1073741820 H=1 L=2 bidirectional",
         2147483646,
         2147483648},
        {"lstm I=67108855 H=8 P=7", "lstm I=67108856 H=8 P=7", 2147483640, 2147483672}};
    for (const Pair& pair : pairs) {
        INFO(pair.largest);
        CHECK(matrix_weights(parse_case(pair.largest)) == pair.weights_of_largest);
        CHECK(matrix_weights(parse_case(pair.too_large)) == pair.weights_of_too_large);
        CHECK_FALSE(too_many_weights(parse_case(pair.largest)));
        CHECK(too_many_weights(parse_case(pair.too_large)));
    }
}

TEST_CASE("weights: the input of skip mode has no matrix") {
    RnnCase network = parse_case("tanh I=46340 H=46340");
    network.input_mode = InputMode::skip;
    CHECK_FALSE(too_many_weights(network));
    network.input = network.hidden = 46341;
    CHECK(too_many_weights(network));
}

TEST_CASE("weights: the message states the numbers and the limit, and no size overflows") {
    const std::string why = too_many_weights(parse_case("lstm I=16384 H=16384")).value_or("");
    CHECK(contains(why, "have 2147483648 numbers"));
    CHECK(contains(why, "from 2147483648 on"));
    const RnnCase huge = parse_case("lstm I=2147483647 H=2147483647 L=2147483647 bidirectional");
    CHECK(contains(too_many_weights(huge).value_or(""), "numbers"));
}
