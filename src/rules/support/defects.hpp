// Documented defects of cuDNN releases. Pure.
#pragma once

#include "rules/support/cudnn.hpp"

namespace rnncheck::rules {

/// The whole of a rule about defects that are documented for a release and that `cause` reports. `excused` tells
/// whether what ran shows a release free of them; null when no run can.
Verdict documented_defects(const Facts& facts, const Matrix& matrix, std::string_view cause, const Remedy& remedy,
                           bool (*excused)(const Facts&, const Version& release));

}  // namespace rnncheck::rules
