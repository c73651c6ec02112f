#include <bit>
#include <cmath>
#include <limits>

#include "rnn/case.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

static const double positive_infinity = std::numeric_limits<double>::infinity();

static std::uint64_t bits_of(double value, Dtype dtype) {
    std::uint64_t bits = 0;
    const std::vector<std::byte> bytes = encode(std::vector<double>{value}, dtype);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bits |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    return bits;
}

static double value_of(std::uint64_t bits, Dtype dtype) {
    std::vector<std::byte> bytes(bytes_of(dtype));
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(bits >> (8 * i) & 0xFF);
    return decode(bytes, dtype).at(0);
}

TEST_CASE("numbers have the bytes that IEEE 754 and bfloat16 give them") {
    struct Known {
        double value;
        std::uint64_t fp32, fp16, bf16;
    };
    const Known known = GENERATE(
        Known{0.0, 0, 0, 0},
        Known{-0.0, 0x80000000, 0x8000, 0x8000},
        Known{1.0, 0x3F800000, 0x3C00, 0x3F80},
        Known{-2.5, 0xC0200000, 0xC100, 0xC020},
        Known{0.1, 0x3DCCCCCD, 0x2E66, 0x3DCD},
        Known{65504.0, 0x477FE000, 0x7BFF, 0x4780},
        Known{1e-7, 0x33D6BF95, 0x0002, 0x33D7},
        Known{positive_infinity, 0x7F800000, 0x7C00, 0x7F80},
        Known{-positive_infinity, 0xFF800000, 0xFC00, 0xFF80});
    CAPTURE(known.value);
    CHECK(bits_of(known.value, Dtype::fp64) == std::bit_cast<std::uint64_t>(known.value));
    CHECK(bits_of(known.value, Dtype::fp32) == known.fp32);
    CHECK(bits_of(known.value, Dtype::fp16) == known.fp16);
    CHECK(bits_of(known.value, Dtype::bf16) == known.bf16);
}

TEST_CASE("numbers are rounded to the nearest, ties to even, and overflow to positive_infinity") {
    CHECK(rounded(1 + 0x1p-11, Dtype::fp16) == 1);
    CHECK(rounded(1 + 3 * 0x1p-11, Dtype::fp16) == 1 + 0x1p-9);
    CHECK(rounded(1 + 0x1p-11 + 0x1p-50, Dtype::fp16) == 1 + 0x1p-10);
    CHECK(rounded(1 + 0x1p-8, Dtype::bf16) == 1);
    CHECK(rounded(1 + 3 * 0x1p-8, Dtype::bf16) == 1 + 0x1p-6);
    CHECK(rounded(65519.999, Dtype::fp16) == 65504);
    CHECK(rounded(65520, Dtype::fp16) == positive_infinity);
    CHECK(rounded(-1e300, Dtype::bf16) == -positive_infinity);
    CHECK(rounded(0x1p-25, Dtype::fp16) == 0);
    CHECK(rounded(0x1.8p-25, Dtype::fp16) == 0x1p-24);
    CHECK(rounded(0x1p-1074, Dtype::fp32) == 0);
    CHECK(rounded(0.1, Dtype::fp64) == 0.1);
}

TEST_CASE("fp32 is what the processor makes of it") {
    std::uint64_t random = 1;
    for (int i = 0; i < 100000; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const double fraction = static_cast<double>(static_cast<std::int64_t>(random)) * 0x1p-63;
        const double value = std::ldexp(fraction, static_cast<int>(random >> 40 & 0xFF) - 150);
        if (rounded(value, Dtype::fp32) != static_cast<double>(static_cast<float>(value)))
            FAIL(value);
    }
}

TEST_CASE(
    "every 16-bit pattern survives the way there and back, and neighbours round to the nearer "
    "one") {
    const Dtype dtype = GENERATE(Dtype::fp16, Dtype::bf16);
    const std::uint64_t first_beyond = dtype == Dtype::fp16 ? 0x7C00 : 0x7F80;
    for (std::uint64_t bits = 0; bits <= 0xFFFF; ++bits) {
        const double value = value_of(bits, dtype);
        const bool is_number = (bits & 0x7FFF) <= first_beyond;
        if (is_number && bits_of(value, dtype) != bits)
            FAIL("pattern " << bits);
        if (is_number == std::isnan(value))
            FAIL("pattern " << bits);
        if (!is_number && !std::isnan(value_of(bits_of(value, dtype), dtype)))
            FAIL("pattern " << bits);
        if ((bits & 0x7FFF) + 1 >= first_beyond)
            continue;
        const double next = value_of(bits + 1, dtype), middle = (value + next) / 2;
        if (rounded(middle, dtype) != (bits % 2 == 0 ? value : next))
            FAIL("pattern " << bits);
        if (rounded(std::nextafter(middle, next), dtype) != next)
            FAIL("pattern " << bits);
        if (rounded(std::nextafter(middle, value), dtype) != value)
            FAIL("pattern " << bits);
    }
}

TEST_CASE("bytes 0xFF, which mean never written, are no number in any type") {
    for (const Dtype dtype : {Dtype::fp64, Dtype::fp32, Dtype::fp16, Dtype::bf16}) {
        CHECK(std::isnan(value_of(~std::uint64_t{0}, dtype)));
        CHECK(std::isnan(rounded(std::numeric_limits<double>::quiet_NaN(), dtype)));
    }
    CHECK(bytes_of(Dtype::fp64) == 8);
    CHECK(bytes_of(Dtype::fp32) == 4);
    CHECK(bytes_of(Dtype::fp16) == 2);
    CHECK(bytes_of(Dtype::bf16) == 2);
}
