// Converts between double and the types of cuDNN as GPUs round, bit by bit: the C++ of today has no
// fp16 and bf16 of its own.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "rnn/case.hpp"

namespace rnncheck {

namespace {

/// A binary interchange format: significand bits without the implicit one, exponent bits, bytes.
struct Format {
    int fraction_bits, exponent_bits;
    std::size_t bytes;
};

Format format_of(Dtype dtype) {
    static constexpr Format in_order_of_dtype[] = {{52, 11, 8}, {23, 8, 4}, {10, 5, 2}, {7, 8, 2}};
    return in_order_of_dtype[static_cast<std::size_t>(dtype)];
}

constexpr int double_fraction = 52;
constexpr int double_bias = 1023;
constexpr std::uint64_t double_sign = std::uint64_t{1} << 63;
constexpr std::uint64_t double_infinity = std::uint64_t{0x7FF} << double_fraction;

constexpr int bias_of(const Format& format) {
    return (1 << (format.exponent_bits - 1)) - 1;
}

constexpr std::uint64_t infinity_of(const Format& format) {
    return ((std::uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
}

/// Divides by 2^shift, ties to even.
constexpr std::uint64_t shifted(std::uint64_t value, int shift) {
    if (shift > 62)
        return 0;
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    return (value + half - 1 + ((value >> shift) & 1)) >> shift;
}

/// Bits of a narrower format. A carry out of the fraction runs into the exponent, which is what
/// rounding up means there, up to infinity.
std::uint64_t narrowed(double value, const Format& format) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t magnitude = bits & ~double_sign;
    const std::uint64_t sign = (bits & double_sign) >> (64 - 8 * static_cast<int>(format.bytes));
    const std::uint64_t infinity = infinity_of(format);
    if (magnitude > double_infinity)
        return sign | infinity | (infinity >> 1 & ~infinity);
    const int drop = double_fraction - format.fraction_bits;
    const int rebias = double_bias - bias_of(format);
    const int exponent = static_cast<int>(magnitude >> double_fraction) - rebias;
    if (exponent > 0) {
        const std::uint64_t wide =
            magnitude - (static_cast<std::uint64_t>(rebias) << double_fraction);
        const std::uint64_t narrow = shifted(wide, drop);
        return sign | (narrow < infinity ? narrow : infinity);
    }
    const std::uint64_t implicit = std::uint64_t{1} << double_fraction;
    return sign | shifted((magnitude & (implicit - 1)) | implicit, drop + 1 - exponent);
}

/// Exact: a double holds every number of a narrower format. Below the smallest
/// normal number there is no implicit bit, and the exponent is that of 1.
double widened(std::uint64_t bits, const Format& format) {
    const std::uint64_t sign_bit = std::uint64_t{1} << (8 * format.bytes - 1),
                        magnitude = bits & (sign_bit - 1);
    const std::uint64_t implicit = std::uint64_t{1} << format.fraction_bits,
                        infinity = infinity_of(format);
    const double sign = bits & sign_bit ? -1 : 1;
    if (magnitude > infinity)
        return sign * std::numeric_limits<double>::quiet_NaN();
    if (magnitude == infinity)
        return sign * HUGE_VAL;
    const bool normal = magnitude >= implicit;
    const std::uint64_t fraction = (magnitude & (implicit - 1)) | (normal ? implicit : 0);
    const int exponent = normal ? static_cast<int>(magnitude >> format.fraction_bits) : 1;
    return sign *
           std::ldexp(
               static_cast<double>(fraction), exponent - bias_of(format) - format.fraction_bits);
}

/// For fp64 and fp32 the processor has the conversions: IEEE 754, to nearest, ties to even.
std::uint64_t bits_of(double value, Dtype dtype) {
    if (dtype == Dtype::fp64)
        return std::bit_cast<std::uint64_t>(value);
    if (dtype == Dtype::fp32)
        return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return narrowed(value, format_of(dtype));
}

double value_of(std::uint64_t bits, Dtype dtype) {
    if (dtype == Dtype::fp64)
        return std::bit_cast<double>(bits);
    if (dtype == Dtype::fp32)
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return widened(bits, format_of(dtype));
}

static_assert(
    std::endian::native == std::endian::little, "devices and their hosts are little-endian");

/// use(an unsigned number of the type's width), chosen before a loop over many values.
template <class Use>
auto with_bits(Dtype dtype, Use&& use) {
    const std::size_t bytes = bytes_of(dtype);
    if (bytes == 8)
        return use(std::uint64_t());
    if (bytes == 4)
        return use(std::uint32_t());
    return use(std::uint16_t());
}

}  // namespace

std::size_t bytes_of(Dtype dtype) {
    return format_of(dtype).bytes;
}

double rounded(double value, Dtype dtype) {
    return value_of(bits_of(value, dtype), dtype);
}

std::vector<std::byte> encode(std::span<const double> values, Dtype dtype) {
    return with_bits(dtype, [&]<class Bits>(Bits bits) {
        std::vector<std::byte> bytes(values.size() * sizeof bits);
        for (std::size_t i = 0; i < values.size(); ++i) {
            bits = static_cast<Bits>(bits_of(values[i], dtype));
            std::memcpy(bytes.data() + i * sizeof bits, &bits, sizeof bits);
        }
        return bytes;
    });
}

std::vector<double> decode(std::span<const std::byte> bytes, Dtype dtype) {
    return with_bits(dtype, [&](auto bits) {
        std::vector<double> values(bytes.size() / sizeof bits);
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::memcpy(&bits, bytes.data() + i * sizeof bits, sizeof bits);
            values[i] = value_of(bits, dtype);
        }
        return values;
    });
}

}  // namespace rnncheck
