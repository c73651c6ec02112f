// The causes that a log points to, ranked. Pure.
#pragma once

#include "facts/facts.hpp"
#include "matrix/matrix.hpp"
#include "report/finding.hpp"

namespace rnncheck::rules {

/// One finding per cause, the most likely first, each with the lines it rests on and the check that would decide.
/// Empty without a log. At most five: what is far behind the first is left out.
std::vector<Finding> causes_in_log(const Facts& facts, const Matrix& matrix);

}  // namespace rnncheck::rules
