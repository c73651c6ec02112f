// Sums of products, the bulk of the arithmetic: in a fixed order, whatever the processor and the
// number of threads.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "rnn/team.hpp"

namespace rnncheck {

/// The definition. For step = 0, 1, ... depth - 1: to[row][column] += left(row, step, 0) *
/// right(step, column, 0), with two terms += the sum of that and left(row, step, 1) * right(step,
/// column, 1). Each product and each sum is rounded to fp64. add_products() gives bitwise the same.
template <int terms, class Left, class Right>
void add_products_plainly(std::span<double* const> to, std::size_t columns, std::size_t depth,
                          const Left& left, const Right& right) {
    for (std::size_t row = 0; row < to.size(); ++row)
        for (std::size_t column = 0; column < columns; ++column)
            for (std::size_t step = 0; step < depth; ++step) {
                double term = left(row, step, 0) * right(step, column, 0);
                if (terms == 2)
                    term += left(row, step, 1) * right(step, column, 1);
                to[row][column] += term;
            }
}

/// Columns of a panel, which are summed side by side in the processor's vectors.
inline constexpr std::size_t panel_width = 16;

/// Of both factors so many steps at a time are used that the left one stays in the second-level
/// cache, while a panel of the right one, in the first-level cache, is applied to it.
inline constexpr std::size_t rows_at_once = 128, steps_at_once = 256;

/// The right factor, laid out once for many uses, in the order in which it is used.
template <int terms>
class Panels {
  public:
    Panels() = default;
    template <class Right>
    Panels(Team& team, std::size_t depth, std::size_t columns, const Right& right)
        : depth_(depth),
          columns_(columns),
          values_(std::make_unique_for_overwrite<double[]>(count() * depth * panel_width * terms)) {
        team.run(count(), static_cast<double>(depth * columns * terms), [&](std::size_t panel) {
            const std::size_t first = panel * panel_width,
                              used = std::min(panel_width, columns - first);
            for (std::size_t begin = 0; begin < depth; begin += steps_at_once) {
                double* to = values_.get() + place(panel, begin);
                for (std::size_t step = begin; step < std::min(begin + steps_at_once, depth);
                     ++step)
                    for (int term = 0; term < terms; ++term, to += panel_width) {
                        for (std::size_t i = 0; i < used; ++i)
                            to[i] = right(step, first + i, term);
                        std::fill(to + used, to + panel_width, 0.0);
                    }
            }
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

  private:
    std::size_t place(std::size_t panel, std::size_t step) const {
        return (step * count() + panel * std::min(steps_at_once, depth_ - step)) * panel_width *
               terms;
    }

    std::size_t depth_ = 0, columns_ = 0;
    std::unique_ptr<double[]>
        values_;  ///< [steps_at_once][panel][step][term][column in panel], zeros behind columns
};

/// What is to be in the second-level cache for the next call: at each step numbers `per_step`
/// further.
struct Soon {
    const double* from;
    std::size_t per_step;
};

/// How one kind of processor adds up.
struct ProductKernel {
    const char* name;  ///< "SSE2", "AVX2", "AVX-512", "NEON"
    std::size_t rows;  ///< at most so many at a time
    /// Adds `depth` steps to `columns` columns, from `column` on, of some rows; `left` is
    /// [step][term][row], `panel` one of a Panels.
    using Add = void (*)(double* const* to, std::size_t column, std::size_t rows,
                         std::size_t columns, const double* left, const double* panel,
                         std::size_t depth, const Soon& soon);
    Add one_term, two_terms;
};

/// Those that this processor has, the fastest last.
std::vector<ProductKernel> product_kernels();

/// The fastest, or the one that the tests chose.
const ProductKernel& product_kernel();
/// For tests. Not while something is computed.
void use_product_kernel(const ProductKernel& kernel);

namespace products {

/// The rows and panels of one task.
struct Block {
    std::size_t first_row, rows, first_panel, panels;
};

/// Splits rows and panels into about equal tasks, enough for all threads.
std::vector<Block> blocks_for(std::size_t rows, std::size_t panels, std::size_t threads);

}  // namespace products

/// As add_products_plainly, much faster.
template <int terms, class Left>
void add_products(Team& team, std::span<double* const> to, const Left& left,
                  const Panels<terms>& right) {
    using namespace products;
    const ProductKernel& kernel = product_kernel();
    const ProductKernel::Add add = terms == 1 ? kernel.one_term : kernel.two_terms;
    const double operations =
        static_cast<double>(to.size() * right.depth() * right.columns() * terms);
    const auto work = [&](const Block& block) {
        const std::size_t steps_packed = std::min(steps_at_once, right.depth());
        const auto packed =
            std::make_unique_for_overwrite<double[]>(block.rows * steps_packed * terms);
        for (std::size_t step = 0; step < right.depth(); step += steps_at_once) {
            const std::size_t steps = std::min(steps_at_once, right.depth() - step);
            double* place = packed.get();
            for (std::size_t row = 0; row < block.rows; row += kernel.rows) {
                const std::size_t rows = std::min(kernel.rows, block.rows - row);
                for (std::size_t s = 0; s < steps; ++s)
                    for (int term = 0; term < terms; ++term)
                        for (std::size_t r = 0; r < rows; ++r)
                            *place++ = left(block.first_row + row + r, step + s, term);
            }
            for (std::size_t panel = block.first_panel; panel < block.first_panel + block.panels;
                 ++panel) {
                const std::size_t column = panel * panel_width;
                const std::size_t columns = std::min(panel_width, right.columns() - column);
                for (std::size_t row = 0; row < block.rows; row += kernel.rows) {
                    const std::size_t rows = std::min(kernel.rows, block.rows - row);
                    // A part of the next panel for each group of rows, so that memory has something
                    // to do all the time.
                    const std::size_t per_step = panel_width * terms * kernel.rows / block.rows;
                    const double* const here = right.panel(panel, step);
                    const Soon soon{
                        here + steps * (panel_width * terms + per_step * (row / kernel.rows)),
                        per_step};
                    add(to.data() + block.first_row + row, column, rows, columns,
                        packed.get() + row * steps * terms, here, steps, soon);
                }
            }
        }
    };
    const std::vector<Block> blocks = blocks_for(to.size(), right.count(), team.threads());
    team.run(blocks.size(), operations, [&](std::size_t number) { work(blocks[number]); });
}

/// Of a right factor that is used once: use(the step that a part of it begins with, the part), for
/// all parts. They are laid out one after the other, in little memory.
template <int terms, class Right, class Use>
void for_each_part(Team& team, std::size_t depth, std::size_t columns, const Right& right,
                   const Use& use) {
    for (std::size_t begin = 0; begin < depth; begin += steps_at_once) {
        const auto of_part = [&](std::size_t step, std::size_t column, int term) {
            return right(begin + step, column, term);
        };
        use(begin, Panels<terms>(team, std::min(steps_at_once, depth - begin), columns, of_part));
    }
}

}  // namespace rnncheck
