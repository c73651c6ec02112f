// Whether dropout, as it was measured, is what it should be.
#pragma once

#include "commands/lstm_agreement.hpp"

namespace rnncheck {

/// What is wrong with it, or empty: the share kept beyond six standard deviations of the binomial distribution and
/// twelve elements, a kept element that is not 1 / (1 - probability) to TF32's precision, a mask that the seed does not
/// decide, or, where chance must tell them apart, the same mask in every call.
std::vector<std::string> faults_of(const RnnDropout& dropout);

/// Of each measurement, and unknown where one was asked for and is missing.
std::vector<Remark> dropout_of(const Facts& facts);

}  // namespace rnncheck
