// Sums of products, the bulk of the arithmetic: in a fixed order, whatever the processor and the
// number of threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rnn/team.hpp"

namespace rnncheck {

/// The definition. For step = 0, 1, ... depth - 1: to[row][column] += left(row, step) *
/// right(step, column). Each product and each sum is rounded to fp64. add_products() gives bitwise
/// the same.
template <class Left, class Right>
void add_products_plainly(
    std::span<double* const> to,
    std::size_t columns,
    std::size_t depth,
    const Left& left,
    const Right& right) {
    for (std::size_t row = 0; row < to.size(); ++row)
        for (std::size_t column = 0; column < columns; ++column)
            for (std::size_t step = 0; step < depth; ++step)
                to[row][column] += left(row, step) * right(step, column);
}

/// A number is short if it is 0 or has at most 24 significant bits and a magnitude of 2^-500 to
/// 2^500, as all numbers of fp32, fp16 and bf16 have. The product of two is exact in fp64, so that
/// a fused multiply-add, which rounds the sum alone, gives bitwise what two operations give.
inline constexpr std::uint64_t bits_beyond_short = (std::uint64_t{1} << 29) - 1;
inline constexpr double least_short = 0x1p-500, most_short = 0x1p500;

/// The least short number that is not below `value`: 1 + 2^-52 becomes 1 + 2^-23. `value` is not
/// negative; what is beyond 2^500 only loses bits.
inline double short_above(double value) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value) + bits_beyond_short;
    const double above = std::bit_cast<double>(bits & ~bits_beyond_short);
    return value > 0 ? std::max(above, least_short) : above;
}

/// Columns of a panel, which are summed side by side in the processor's vectors.
inline constexpr std::size_t panel_width = 16;

/// Of both factors so many steps at a time are used that the left one stays in the second-level
/// cache, while a panel of the right one, in the first-level cache, is applied to it.
inline constexpr std::size_t rows_at_once = 96, steps_at_once = 256;

/// What the processor fetches while it computes a tile, so that the next one need not wait: a piece
/// of the next panel at each step, and the sums of the next tile.
struct Soon {
    const char* panel;
    std::size_t bytes_per_step;
    double* const* to;
    std::size_t rows, column;
};

/// How one kind of processor adds up.
struct ProductKernel {
    const char* name;  ///< "SSE2", "AVX2", "AVX2 and FMA", "AVX-512", "NEON"
    std::size_t rows;  ///< at most so many at a time
    /// Adds `depth` steps to `columns` columns, from `column` on, of some rows; `left` is
    /// [step][row], `panel` one of a Panels.
    using Add = void (*)(
        double* const* to,
        std::size_t column,
        std::size_t rows,
        std::size_t columns,
        const double* left,
        const double* panel,
        std::size_t depth,
        const Soon& soon);
    Add add;
    Add add_short;  ///< of factors that are all short; fused where the processor can
    bool (*all_short)(std::span<const double> values);
};

/// Those that this processor has, the fastest last.
std::vector<ProductKernel> product_kernels();

/// The fastest, or the one that the tests chose.
const ProductKernel& product_kernel();
/// For tests. Not while something is computed.
void use_product_kernel(const ProductKernel& kernel);

/// Numbers without values that begin with a cache line, so that no vector lies in two of them.
class AlignedNumbers {
  public:
    AlignedNumbers() = default;
    explicit AlignedNumbers(std::size_t count)
        : memory_(std::make_unique_for_overwrite<double[]>(count + spare)) {
        void* place = memory_.get();
        std::size_t bytes = (count + spare) * sizeof(double);
        first_ = static_cast<double*>(std::align(64, count * sizeof(double), place, bytes));
    }
    double* get() const {
        return first_;
    }

  private:
    static constexpr std::size_t spare = 7;
    std::unique_ptr<double[]> memory_;
    double* first_ = nullptr;
};

/// The right factor, laid out once for many uses, in the order in which it is used.
class Panels {
  public:
    Panels() = default;
    template <class Right>
    Panels(Team& team, std::size_t depth, std::size_t columns, const Right& right)
        : depth_(depth),
          columns_(columns),
          values_(count() * depth * panel_width),
          short_(count() * ((depth + steps_at_once - 1) / steps_at_once)) {
        team.run(count(), static_cast<double>(depth * columns), [&](std::size_t panel) {
            for (std::size_t begin = 0; begin < depth; begin += steps_at_once)
                lay_out(panel, begin, right);
        });
    }

    std::size_t depth() const {
        return depth_;
    }
    std::size_t columns() const {
        return columns_;
    }
    std::size_t count() const {
        return (columns_ + panel_width - 1) / panel_width;
    }
    /// steps_at_once steps or what is left of them, `step` a multiple of it.
    const double* panel(std::size_t number, std::size_t step) const {
        return values_.get() + place(number, step);
    }
    /// Whether those steps of the panel are all short.
    bool is_short(std::size_t number, std::size_t step) const {
        return short_[step / steps_at_once * count() + number];
    }

  private:
    std::size_t steps_from(std::size_t step) const {
        return std::min(steps_at_once, depth_ - step);
    }
    std::size_t place(std::size_t panel, std::size_t step) const {
        return (step * count() + panel * steps_from(step)) * panel_width;
    }

    template <class Right>
    void lay_out(std::size_t panel, std::size_t begin, const Right& right) {
        const std::size_t first = panel * panel_width,
                          used = std::min(panel_width, columns_ - first), steps = steps_from(begin);
        double* const values = values_.get() + place(panel, begin);
        double* to = values;
        for (std::size_t step = begin; step < begin + steps; ++step, to += panel_width) {
            for (std::size_t i = 0; i < used; ++i)
                to[i] = right(step, first + i);
            std::fill(to + used, to + panel_width, 0.0);
        }
        short_[begin / steps_at_once * count() + panel] = product_kernel().all_short({values, to});
    }

    std::size_t depth_ = 0, columns_ = 0;
    AlignedNumbers
        values_;  ///< [steps_at_once][panel][step][column in panel], zeros behind columns
    std::vector<char> short_;  ///< [steps_at_once][panel]
};

namespace products {

/// The rows and panels of one task.
struct Block {
    std::size_t first_row, rows, first_panel, panels;
};

/// Splits rows and panels into about equal tasks, enough for all threads.
std::vector<Block> blocks_for(std::size_t rows, std::size_t panels, std::size_t threads);

/// The most rows that a kernel adds up at a time.
inline constexpr std::size_t most_rows = 8;

/// Copies steps of a few rows of the left factor to `to`, [step][row].
template <std::size_t most = most_rows, class Left>
void pack_rows(
    const Left& left,
    std::size_t first_row,
    std::size_t rows,
    std::size_t begin,
    std::size_t end,
    double* to) {
    if constexpr (most > 1)
        if (rows < most)
            return pack_rows<most - 1>(left, first_row, rows, begin, end, to);
    for (std::size_t step = begin; step < end; ++step)
        for (std::size_t row = 0; row < most; ++row)
            *to++ = left(first_row + row, step);
}

/// One task of add_products: a block of `to`.
template <class Left>
class BlockSum {
  public:
    BlockSum(std::span<double* const> to, const Left& left, const Panels& right, const Block& block)
        : to_(to.data() + block.first_row),
          left_(left),
          right_(right),
          block_(block),
          packed_(block.rows * std::min(steps_at_once, right.depth())) {
    }

    /// Steps in ascending order, whatever the blocks: a sum that is stored and loaded between two
    /// parts is the same fp64 number, so that no part changes a bit.
    void run() {
        for (std::size_t begin = 0; begin < right_.depth(); begin += steps_at_once) {
            const std::size_t steps = std::min(steps_at_once, right_.depth() - begin);
            pack(begin, steps);
            const bool short_left = kernel_.all_short({packed_.get(), block_.rows * steps});
            for (std::size_t i = 0; i < block_.panels; ++i)
                add_panel(block_.first_panel + i, begin, steps, short_left);
        }
    }

  private:
    std::size_t rows_from(std::size_t row) const {
        return std::min(kernel_.rows, block_.rows - row);
    }

    /// A few steps of all rows at a time: whether the left factor has its rows or its steps in
    /// neighbouring places, a cache line is used up when it is there.
    void pack(std::size_t begin, std::size_t steps) {
        constexpr std::size_t at_once = 8;
        for (std::size_t step = 0; step < steps; step += at_once)
            for (std::size_t row = 0; row < block_.rows; row += kernel_.rows) {
                const std::size_t rows = rows_from(row);
                pack_rows(
                    left_,
                    block_.first_row + row,
                    rows,
                    begin + step,
                    begin + std::min(step + at_once, steps),
                    packed_.get() + row * steps + step * rows);
            }
    }

    void add_panel(
        std::size_t number, std::size_t begin, std::size_t steps, bool short_left) const {
        const bool exact = short_left && right_.is_short(number, begin);
        const ProductKernel::Add add = exact ? kernel_.add_short : kernel_.add;
        const double* const panel = right_.panel(number, begin);
        const std::size_t column = number * panel_width,
                          columns = std::min(panel_width, right_.columns() - column);
        // The next panel lies behind this one; each group of rows fetches its share of it.
        const std::size_t size = panel_width * sizeof(double),
                          share = size * kernel_.rows / block_.rows;
        for (std::size_t row = 0; row < block_.rows; row += kernel_.rows) {
            const std::size_t rows = rows_from(row), next = row + rows;
            const Soon soon{
                reinterpret_cast<const char*>(panel) + steps * size +
                    steps * share * (row / kernel_.rows),
                share,
                to_ + next,
                rows_from(next),
                column};
            add(to_ + row, column, rows, columns, packed_.get() + row * steps, panel, steps, soon);
        }
    }

    double* const* to_;
    const Left& left_;
    const Panels& right_;
    const Block block_;
    const ProductKernel& kernel_ = product_kernel();
    /// A part of the left factor, [group of the kernel's rows][step][row].
    AlignedNumbers packed_;
};

}  // namespace products

/// As add_products_plainly, much faster.
template <class Left>
void add_products(Team& team, std::span<double* const> to, const Left& left, const Panels& right) {
    using namespace products;
    const double operations = static_cast<double>(to.size() * right.depth() * right.columns());
    const std::vector<Block> blocks = blocks_for(to.size(), right.count(), team.threads());
    team.run(blocks.size(), operations, [&](std::size_t number) {
        BlockSum<Left>(to, left, right, blocks[number]).run();
    });
}

/// Of a right factor that is used once: use(the step that a part of it begins with, the part), for
/// all parts. They are laid out one after the other, in little memory.
template <class Right, class Use>
void for_each_part(
    Team& team, std::size_t depth, std::size_t columns, const Right& right, const Use& use) {
    for (std::size_t begin = 0; begin < depth; begin += steps_at_once) {
        const auto of_part = [&](std::size_t step, std::size_t column) {
            return right(begin + step, column);
        };
        use(begin, Panels(team, std::min(steps_at_once, depth - begin), columns, of_part));
    }
}

}  // namespace rnncheck
