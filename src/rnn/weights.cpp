#include "rnn/weights.hpp"

#include <cstdio>

namespace rnncheck {

static std::string whole_text(double number) {
    char text[40];
    std::snprintf(text, sizeof text, "%.0f", number);
    return text;
}

double matrix_weights(const RnnCase& c) {
    const double rows = double{1} * gates_of(c.cell) * c.hidden * c.directions();
    double first = c.input;
    if (c.input_mode == InputMode::skip)
        first = 0;
    const double projections = double{1} * c.projection * c.hidden * c.directions();
    const double inputs = first + (c.layers - 1.0) * c.directions() * c.output();
    return rows * (inputs + double{1} * c.layers * c.output()) + projections * c.layers;
}

std::optional<std::string> too_many_weights(const RnnCase& c) {
    // cudnnGetRNNWeightSpaceSize of 8.5.0 to 9.28.1, queried at both sides of the limit: row
    // matrix_weights of compat_matrix/rnn_limits.json
    constexpr double limit = 2147483648.0;
    const double weights = matrix_weights(c);
    if (weights < limit)
        return std::nullopt;
    return "its weight matrices have " + whole_text(weights) +
           " numbers; cuDNN counts them in 32 bits and from " + whole_text(limit) +
           " on returns an incorrect size without an error, so that it cannot compute this network";
}

}  // namespace rnncheck
