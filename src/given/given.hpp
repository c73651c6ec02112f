// Versions and names as people write them ("gpu=RTX 3090 Ti", "driver=535"), turned into facts. May not judge, and
// guesses nothing: what was not given stays unknown.
#pragma once

#include <set>

#include "facts/facts.hpp"
#include "matrix/matrix.hpp"

namespace rnncheck {

struct Given {
    Facts facts;  ///< ToolFacts::stages is `given`
    std::set<std::string> keys;
    std::vector<std::string> not_understood;  ///< one sentence for each item that could not be read
};

/// "gpu", "driver", ...; for messages and help.
const std::vector<std::string>& given_keys();

/// From items of the form key=value.
Given read_given(const std::vector<std::string>& items, const Matrix& matrix);

}  // namespace rnncheck
