// The JSON of a table as flat objects of cells: known to be JSON, not yet to be right. Everything that a table says
// lies at most one object deep, so no tree of values is built.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rnncheck {

/// What no column takes: null, a fraction, a list, an object.
using NoCell = std::monostate;
/// A whole number is an int64 where it fits, and a uint64 only where it is too large for that.
using CellValue = std::variant<NoCell, bool, std::int64_t, std::uint64_t, std::string>;

struct Cell {
    std::string name;
    CellValue value;
};

struct FlatObject {
    bool is_object = true;    ///< otherwise something else stands in its place
    std::vector<Cell> cells;  ///< in the order of the file; a name may come twice
};

struct TableText {
    bool is_object = false;
    std::string about;
    std::optional<FlatObject> columns;
    std::optional<FlatObject> holes;
    std::optional<std::vector<std::pair<std::string, FlatObject>>> sources;  ///< by id
    std::optional<std::vector<FlatObject>> rows;
};

/// Why a text is no table, and at which byte, counted from 1, that shows; 0 where it is not told.
struct NoTable {
    std::string why;
    std::size_t at = 0;
};

/// Unset: no JSON, or one that no reader should meet: with a NUL or nested deeply. A member of another form than a
/// table has is left out.
std::optional<TableText> table_text(std::string_view json, NoTable& no_table);

}  // namespace rnncheck
