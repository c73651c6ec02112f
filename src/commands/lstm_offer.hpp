// Whether cuDNN has to offer a case that it does not offer.
#pragma once

#include "commands/lstm_agreement.hpp"
#include "facts/facts.hpp"

namespace rnncheck {

/// The case is not offered, though the compatibility tables oblige this release on this GPU to offer it, as the rule
/// rnn_case_not_offered has it. They tell of LSTMs of the plain form alone: of no other case this is said.
bool is_owed(const Facts& facts, const RnnRun& run);

/// Of each GPU and copy that owes cases.
std::vector<Remark> offers_of(const Facts& facts);

}  // namespace rnncheck
