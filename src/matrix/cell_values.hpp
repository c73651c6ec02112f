// One cell of a table as a value of its column's type.
#pragma once

#include <functional>
#include <map>

#include "matrix/rows.hpp"
#include "matrix/table_text.hpp"

namespace rnncheck {

using Sources = std::map<std::string, Source, std::less<>>;  ///< of a table, by id

/// Where we are in a table; row 0 is the head of the file.
struct Place {
    std::string file;
    std::size_t row = 0;
    std::string_view column;

    [[noreturn]] void complain(const std::string& what) const;  ///< throws TableFault
};

/// Each takes the value, whose text may be moved out of it, or complains of it at `place`.
void take(CellValue& value, const Place& place, const Sources&, std::string& out);
void take(CellValue& value, const Place& place, const Sources&, bool& out);
void take(CellValue& value, const Place& place, const Sources&, std::int64_t& out);
void take(CellValue& value, const Place& place, const Sources& sources, int& out);
void take(CellValue& value, const Place& place, const Sources&, Version& out);
void take(CellValue& value, const Place& place, const Sources&, Known& out);
void take(CellValue& value, const Place& place, const Sources& sources, Source& out);

template <class T>
void take(CellValue& value, const Place& place, const Sources& sources, std::optional<T>& out) {
    take(value, place, sources, out.emplace());
}

}  // namespace rnncheck
