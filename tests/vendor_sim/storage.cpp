#include "storage.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace sim {

namespace {

constexpr unsigned quiet_nan_bits = 0x7FC0;  // of both 16-bit types, after a shift for fp16

float half_value(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float value = 0;
    if (exponent == 31)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = std::ldexp(static_cast<float>(fraction), -24);
    else
        value = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
    return bits >> 15 ? -value : value;
}

const std::array<float, 65536>& half_values() {
    static const auto table = [] {
        std::array<float, 65536> values{};
        for (unsigned bits = 0; bits < values.size(); ++bits)
            values[bits] = half_value(static_cast<std::uint16_t>(bits));
        return values;
    }();
    return table;
}

std::uint16_t half_bits(float value) {
    const unsigned sign = std::signbit(value) ? 0x8000U : 0U;
    const float size = std::fabs(value);
    if (std::isnan(value))
        return 0x7E00;
    if (size >= 65520.0F)
        return static_cast<std::uint16_t>(sign | 0x7C00);
    const int exponent = size < 0x1p-14F ? -14 : std::ilogb(size);
    // Adding the rounded significand, its leading one included, carries into the exponent where it
    // must.
    const auto significand = static_cast<unsigned>(std::nearbyint(std::ldexp(size, 10 - exponent)));
    return static_cast<std::uint16_t>(
        sign | (static_cast<unsigned>(exponent + 14) * 1024U + significand));
}

float bfloat_value(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t bfloat_bits(float value) {
    if (std::isnan(value))
        return quiet_nan_bits;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

template <class Element, class Real>
std::vector<Real> load_as(const void* base, std::size_t first, std::size_t count) {
    std::vector<Element> elements(count);
    if (count > 0)
        std::memcpy(
            elements.data(), static_cast<const Element*>(base) + first, count * sizeof(Element));
    return {elements.begin(), elements.end()};
}

template <class Element, class Real, class Convert>
void store_as(void* base, std::size_t first, const std::vector<Real>& values, Convert convert) {
    auto* const to = static_cast<Element*>(base) + first;
    for (std::size_t i = 0; i < values.size(); ++i)
        to[i] = convert(values[i]);
}

}  // namespace

std::size_t bytes_of(Storage storage) {
    return storage == Storage::fp64 ? 8 : storage == Storage::fp32 ? 4 : 2;
}

template <class Real>
std::vector<Real> load(const void* base, std::size_t first, std::size_t count, Storage storage) {
    if (storage == Storage::fp64)
        return load_as<double, Real>(base, first, count);
    if (storage == Storage::fp32)
        return load_as<float, Real>(base, first, count);
    std::vector<Real> values;
    values.reserve(count);
    const auto& halves = half_values();
    for (const std::uint16_t bits : load_as<std::uint16_t, std::uint16_t>(base, first, count))
        values.push_back(
            static_cast<Real>(storage == Storage::fp16 ? halves[bits] : bfloat_value(bits)));
    return values;
}

template <class Real>
void store(void* base, std::size_t first, const std::vector<Real>& values, Storage storage) {
    switch (storage) {
        case Storage::fp64:
            return store_as<double>(
                base, first, values, [](Real value) { return static_cast<double>(value); });
        case Storage::fp32:
            return store_as<float>(
                base, first, values, [](Real value) { return static_cast<float>(value); });
        case Storage::fp16:
            return store_as<std::uint16_t>(base, first, values, [](Real value) {
                return half_bits(static_cast<float>(value));
            });
        case Storage::bf16:
            return store_as<std::uint16_t>(base, first, values, [](Real value) {
                return bfloat_bits(static_cast<float>(value));
            });
    }
}

template <class Real>
Real held(Real value, Storage storage) {
    if (storage == Storage::fp16)
        return static_cast<Real>(half_values()[half_bits(static_cast<float>(value))]);
    if (storage == Storage::bf16)
        return static_cast<Real>(bfloat_value(bfloat_bits(static_cast<float>(value))));
    return value;
}

float tf32(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>((bits + 0xFFFU + (bits >> 13 & 1U)) & ~0x1FFFU);
}

float tf32_cut(float value) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~0x1FFFU);
}

template std::vector<float> load(const void*, std::size_t, std::size_t, Storage);
template std::vector<double> load(const void*, std::size_t, std::size_t, Storage);
template void store(void*, std::size_t, const std::vector<float>&, Storage);
template void store(void*, std::size_t, const std::vector<double>&, Storage);
template float held(float, Storage);
template double held(double, Storage);

}  // namespace sim
