// The kernel of one instruction set. products.cpp includes this once for each, between definitions
// of its name, of the bytes of its vectors, of the rows that its registers hold, of the attribute
// that makes the compiler use it, and of sum + left * right, rounded once where the processor can.
// Vectors are spelt out, because left to itself the compiler mixes columns and spills registers.

namespace rnncheck::RNNCHECK_KERNEL {

using Vector [[gnu::vector_size(RNNCHECK_VECTOR_BYTES)]] = double;
/// The same in memory, where numbers have any address that a double may have.
using InMemory [[gnu::vector_size(RNNCHECK_VECTOR_BYTES), gnu::aligned(8), gnu::may_alias]] =
    double;
constexpr std::size_t vectors = panel_width * sizeof(double) / RNNCHECK_VECTOR_BYTES;

/// A whole tile: all sums stay in registers.
template <std::size_t rows, bool fused>
RNNCHECK_TARGET void add_tile(
    double* const* to,
    std::size_t column,
    const double* left,
    const double* panel,
    std::size_t depth,
    const Soon& soon) {
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
                if constexpr (fused)
                    sums[row][i] = RNNCHECK_FUSED(sums[row][i], left[row], right[i]);
                else
                    sums[row][i] += left[row] * right[i];
            }
        left += rows;
        panel += panel_width;
    }
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < vectors; ++i)
            reinterpret_cast<InMemory*>(to[row] + column)[i] = sums[row][i];
}

/// The tile for so many rows, of at most `most`.
template <std::size_t most, bool fused>
void add_rows(
    double* const* to,
    std::size_t column,
    std::size_t rows,
    const double* left,
    const double* panel,
    std::size_t depth,
    const Soon& soon) {
    if constexpr (most > 1)
        if (rows < most)
            return add_rows<most - 1, fused>(to, column, rows, left, panel, depth, soon);
    add_tile<most, fused>(to, column, left, panel, depth, soon);
}

/// Of the last panel fewer columns may be there: the tile is then computed apart.
template <bool fused>
void add(
    double* const* to,
    std::size_t column,
    std::size_t rows,
    std::size_t columns,
    const double* left,
    const double* panel,
    std::size_t depth,
    const Soon& soon) {
    constexpr std::size_t most = RNNCHECK_KERNEL_ROWS;
    if (columns == panel_width)
        return add_rows<most, fused>(to, column, rows, left, panel, depth, soon);
    double tile[most][panel_width] = {};
    double* apart[most] = {};
    for (std::size_t row = 0; row < rows; ++row) {
        apart[row] = tile[row];
        std::copy_n(to[row] + column, columns, tile[row]);
    }
    add_rows<most, fused>(apart, 0, rows, left, panel, depth, soon);
    for (std::size_t row = 0; row < rows; ++row)
        std::copy_n(tile[row], columns, to[row] + column);
}

/// Some at a time, because most that are not short show it at once.
RNNCHECK_TARGET inline bool all_short(std::span<const double> values) {
    constexpr std::size_t at_once = 128;
    for (std::size_t begin = 0; begin < values.size(); begin += at_once) {
        std::uint64_t beyond = 0;
        for (const double value : values.subspan(begin, std::min(at_once, values.size() - begin))) {
            const double magnitude = std::abs(value);
            const bool out =
                magnitude != 0 && !(magnitude >= least_short && magnitude <= most_short);
            beyond |= (std::bit_cast<std::uint64_t>(value) & bits_beyond_short) | out;
        }
        if (beyond)
            return false;
    }
    return true;
}

constexpr ProductKernel kernel = {
    RNNCHECK_KERNEL_TEXT, RNNCHECK_KERNEL_ROWS, add<false>, add<true>, all_short};

}  // namespace rnncheck::RNNCHECK_KERNEL

#undef RNNCHECK_KERNEL
#undef RNNCHECK_KERNEL_TEXT
#undef RNNCHECK_VECTOR_BYTES
#undef RNNCHECK_KERNEL_ROWS
#undef RNNCHECK_TARGET
#undef RNNCHECK_FUSED
