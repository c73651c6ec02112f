// The kernel of one instruction set. products.cpp includes this once for each, between definitions
// of its name, of the bytes of its vectors, of the rows that its registers hold, and of the
// attribute that makes the compiler use it. Vectors are spelt out, because left to itself the
// compiler mixes columns and spills registers.

namespace rnncheck::RNNCHECK_KERNEL {

using Vector [[gnu::vector_size(RNNCHECK_VECTOR_BYTES)]] = double;
/// The same in memory, where numbers have any address that a double may have.
using InMemory [[gnu::vector_size(RNNCHECK_VECTOR_BYTES), gnu::aligned(8), gnu::may_alias]] =
    double;
constexpr std::size_t vectors = panel_width * sizeof(double) / RNNCHECK_VECTOR_BYTES;

/// A whole tile: all sums stay in registers.
template <std::size_t rows, int terms>
RNNCHECK_TARGET void add_tile(double* const* to, std::size_t column, const double* left,
                              const double* panel, std::size_t depth, const Soon& soon) {
    for (std::size_t row = 0; row < soon.rows; ++row)
        for (std::size_t i = 0; i < panel_width; i += numbers_in_cache_line)
            __builtin_prefetch(soon.to[row] + soon.column + i, 1);
    Vector sums[rows][vectors];
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < vectors; ++i)
            sums[row][i] = reinterpret_cast<const InMemory*>(to[row] + column)[i];
    for (std::size_t step = 0; step < depth; ++step) {
        const InMemory* const right = reinterpret_cast<const InMemory*>(panel);
        __builtin_prefetch(soon.panel + step * soon.bytes_per_step, 0, 2);
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t i = 0; i < vectors; ++i) {
                Vector term = left[row] * right[i];
                if constexpr (terms == 2)
                    term += left[rows + row] * right[vectors + i];
                sums[row][i] += term;
            }
        left += rows * terms;
        panel += panel_width * terms;
    }
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < vectors; ++i)
            reinterpret_cast<InMemory*>(to[row] + column)[i] = sums[row][i];
}

/// The tile for so many rows, of at most `most`.
template <std::size_t most, int terms>
void add_rows(double* const* to, std::size_t column, std::size_t rows, const double* left,
              const double* panel, std::size_t depth, const Soon& soon) {
    if constexpr (most > 1)
        if (rows < most)
            return add_rows<most - 1, terms>(to, column, rows, left, panel, depth, soon);
    add_tile<most, terms>(to, column, left, panel, depth, soon);
}

/// Of the last panel fewer columns may be there: the tile is then computed apart.
template <int terms>
void add(double* const* to, std::size_t column, std::size_t rows, std::size_t columns,
         const double* left, const double* panel, std::size_t depth, const Soon& soon) {
    constexpr std::size_t most = RNNCHECK_KERNEL_ROWS;
    if (columns == panel_width)
        return add_rows<most, terms>(to, column, rows, left, panel, depth, soon);
    double tile[most][panel_width] = {};
    double* apart[most] = {};
    for (std::size_t row = 0; row < rows; ++row) {
        apart[row] = tile[row];
        std::copy_n(to[row] + column, columns, tile[row]);
    }
    add_rows<most, terms>(apart, 0, rows, left, panel, depth, soon);
    for (std::size_t row = 0; row < rows; ++row)
        std::copy_n(tile[row], columns, to[row] + column);
}

constexpr ProductKernel kernel = {RNNCHECK_KERNEL_TEXT, RNNCHECK_KERNEL_ROWS, add<1>, add<2>};

}  // namespace rnncheck::RNNCHECK_KERNEL

#undef RNNCHECK_KERNEL
#undef RNNCHECK_KERNEL_TEXT
#undef RNNCHECK_VECTOR_BYTES
#undef RNNCHECK_KERNEL_ROWS
#undef RNNCHECK_TARGET
