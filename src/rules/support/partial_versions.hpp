// CUDA or cuDNN told in part ("12", "8.9"): every release that it may be is judged. Pure.
#pragma once

#include "rules/rule.hpp"

namespace rnncheck::rules {

/// What was given, once for each CUDA and cuDNN of the tables that it may mean; the facts themselves when both are told
/// in full, or the tables know none.
std::vector<Facts> as_full_releases(const Facts& facts, const Matrix& matrix);

/// The rule's verdict when it is the same for all of `possible`, else that it depends on the release.
Verdict judge_possible(const Rule& rule, const Facts& told, const std::vector<Facts>& possible, const Matrix& matrix);

}  // namespace rnncheck::rules
