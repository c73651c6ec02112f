// Repairs are carried out on the stack and judged again before they are shown.
#pragma once

#include "judge/evaluate.hpp"

namespace rnncheck {

/// Gives faults of versions the repairs that hold: each is carried out on the stack and judged
/// again. What only the machine shows, and what no repair helps, keeps its rule's own remedies.
void add_repairs(
    std::span<const Named<Rule>> rules,
    std::vector<Verdict>& verdicts,
    const stack::Stack& stack,
    const Facts& facts,
    const Matrix& matrix);

}  // namespace rnncheck
