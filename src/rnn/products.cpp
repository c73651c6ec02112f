#include "rnn/products.hpp"

#include <cmath>

namespace rnncheck {

/// One prefetch loads a cache line of 64 bytes.
constexpr std::size_t numbers_in_cache_line = 8;

}  // namespace rnncheck

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define RNNCHECK_KERNEL sse2
#define RNNCHECK_KERNEL_TEXT "SSE2"
#define RNNCHECK_VECTOR_BYTES 16
#define RNNCHECK_KERNEL_ROWS 1
#define RNNCHECK_TARGET
#define RNNCHECK_FUSED(sum, left, right) ((sum) + (left) * (right))
#include "rnn/product_kernel.hpp"

#define RNNCHECK_KERNEL avx2
#define RNNCHECK_KERNEL_TEXT "AVX2"
#define RNNCHECK_VECTOR_BYTES 32
#define RNNCHECK_KERNEL_ROWS 3
#define RNNCHECK_TARGET [[gnu::target("avx2")]]
#define RNNCHECK_FUSED(sum, left, right) ((sum) + (left) * (right))
#include "rnn/product_kernel.hpp"

#define RNNCHECK_KERNEL avx2_fma
#define RNNCHECK_KERNEL_TEXT "AVX2 and FMA"
#define RNNCHECK_VECTOR_BYTES 32
#define RNNCHECK_KERNEL_ROWS 3
#define RNNCHECK_TARGET [[gnu::target("avx2,fma")]]
#define RNNCHECK_FUSED(sum, left, right) _mm256_fmadd_pd(_mm256_set1_pd(left), right, sum)
#include "rnn/product_kernel.hpp"

#define RNNCHECK_KERNEL avx512
#define RNNCHECK_KERNEL_TEXT "AVX-512"
#define RNNCHECK_VECTOR_BYTES 64
#define RNNCHECK_KERNEL_ROWS 8
#define RNNCHECK_TARGET [[gnu::target("avx512f")]]
#define RNNCHECK_FUSED(sum, left, right) _mm512_fmadd_pd(_mm512_set1_pd(left), right, sum)
#include "rnn/product_kernel.hpp"
#else
#include <arm_neon.h>

#define RNNCHECK_KERNEL neon
#define RNNCHECK_KERNEL_TEXT "NEON"
#define RNNCHECK_VECTOR_BYTES 16
#define RNNCHECK_KERNEL_ROWS 2
#define RNNCHECK_TARGET
#define RNNCHECK_FUSED(sum, left, right) vfmaq_n_f64(sum, right, left)
#include "rnn/product_kernel.hpp"
#endif

namespace rnncheck {

#if defined(__x86_64__)
namespace {

/// Vector registers that the operating system saves: XCR0 of the Intel manual, volume 1, 13.3. 0
/// for unknown.
unsigned saved_registers() {
    constexpr unsigned osxsave = 1u << 27;
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & osxsave))
        return 0;
    unsigned low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

bool has(unsigned feature, unsigned registers) {
    unsigned a, b, c, d;
    return (saved_registers() & registers) == registers &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & feature);
}

bool has_fma() {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_FMA);
}

constexpr unsigned ymm = 0x06, zmm = 0xE6;
constexpr unsigned avx2_feature = 1u << 5, avx512f_feature = 1u << 16;

}  // namespace

std::vector<ProductKernel> product_kernels() {
    std::vector<ProductKernel> kernels = {sse2::kernel};
    if (has(avx2_feature, ymm))
        kernels.push_back(avx2::kernel);
    if (has(avx2_feature, ymm) && has_fma())
        kernels.push_back(avx2_fma::kernel);
    if (has(avx512f_feature, zmm))
        kernels.push_back(avx512::kernel);
    return kernels;
}
#else
std::vector<ProductKernel> product_kernels() {
    return {neon::kernel};
}
#endif

namespace {

ProductKernel& chosen_kernel() {
    static ProductKernel kernel = product_kernels().back();
    return kernel;
}

}  // namespace

const ProductKernel& product_kernel() {
    return chosen_kernel();
}

void use_product_kernel(const ProductKernel& kernel) {
    chosen_kernel() = kernel;
}

namespace products {

std::vector<Block> blocks_for(std::size_t rows, std::size_t panels, std::size_t threads) {
    const std::size_t of_rows = (rows + rows_at_once - 1) / rows_at_once;
    // Two tasks for each thread, so that a thread that is held up does not hold up all.
    const std::size_t wanted = threads > 1 ? 2 * threads : 1;
    const std::size_t of_panels = std::clamp<std::size_t>(
        (wanted + of_rows - 1) / std::max<std::size_t>(of_rows, 1),
        1,
        std::max<std::size_t>(panels, 1));
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < of_rows; ++i)
        for (std::size_t j = 0; j < of_panels; ++j) {
            const std::size_t row = i * rows_at_once;
            const std::size_t panel = panels * j / of_panels, end = panels * (j + 1) / of_panels;
            blocks.push_back({row, std::min(rows_at_once, rows - row), panel, end - panel});
        }
    return blocks;
}

}  // namespace products

}  // namespace rnncheck
