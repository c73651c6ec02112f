// Numbers of the four data types as bytes, for copying to and from a device. Pure arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rnn/case.hpp"

namespace rnncheck {

std::size_t bytes_of(Dtype dtype);

/// The nearest value of the type, ties to even; overflow gives infinity.
double rounded(double value, Dtype dtype);

/// Little-endian bytes of the values in the type, and back.
std::vector<std::byte> encode(std::span<const double> values, Dtype dtype);
std::vector<double> decode(std::span<const std::byte> bytes, Dtype dtype);

}  // namespace rnncheck
