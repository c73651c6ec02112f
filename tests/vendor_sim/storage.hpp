// Numbers as cuDNN's data types hold them in memory. The simulation's own code, apart from src/rnn
// on purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim {

/// cudnnDataType_t
enum class Storage : int { fp32 = 0, fp64 = 1, fp16 = 2, bf16 = 9 };

std::size_t bytes_of(Storage storage);

/// `count` numbers from element `first` on.
template <class Real>
std::vector<Real> load(const void* base, std::size_t first, std::size_t count, Storage storage);

template <class Real>
void store(void* base, std::size_t first, const std::vector<Real>& values, Storage storage);

/// The nearest number that the type holds.
template <class Real>
Real held(Real value, Storage storage);

/// The nearest number with the ten fraction bits that a tensor core reads of an fp32 operand.
float tf32(float value);
/// The same with the lower bits cut off, as some do.
float tf32_cut(float value);

}  // namespace sim
