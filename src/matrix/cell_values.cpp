#include "matrix/cell_values.hpp"

#include <limits>

#include "base/text.hpp"
#include "matrix/table_reader.hpp"

namespace rnncheck {

namespace {

std::string quoted(const std::string& text) {
    return "'" + text + "'";
}

std::string& text_of(CellValue& value, const Place& place) {
    if (auto* text = std::get_if<std::string>(&value)) return *text;
    place.complain("not a text in quotes");
}

}  // namespace

void Place::complain(const std::string& what) const {
    throw TableFault(file, row, (column.empty() ? "" : "column '" + std::string(column) + "': ") + what);
}

void take(CellValue& value, const Place& place, const Sources&, std::string& out) {
    out = std::move(text_of(value, place));
}

void take(CellValue& value, const Place& place, const Sources&, bool& out) {
    const auto* yes_no = std::get_if<bool>(&value);
    if (!yes_no) place.complain("neither true nor false");
    out = *yes_no;
}

void take(CellValue& value, const Place& place, const Sources&, std::int64_t& out) {
    if (std::holds_alternative<std::uint64_t>(value)) place.complain("the number is too large");
    const auto* number = std::get_if<std::int64_t>(&value);
    if (!number) place.complain("not a whole number");
    out = *number;
}

void take(CellValue& value, const Place& place, const Sources& sources, int& out) {
    std::int64_t wide = 0;
    take(value, place, sources, wide);
    if (wide < 0 || wide > std::numeric_limits<int>::max()) place.complain("the number is out of range");
    out = static_cast<int>(wide);
}

void take(CellValue& value, const Place& place, const Sources&, Version& out) {
    const std::string& text = text_of(value, place);
    auto version = parse_version(text);
    if (!version) place.complain(quoted(text) + " is no version: one to four numbers with dots between, e.g. 12.4");
    out = std::move(*version);
}

void take(CellValue& value, const Place& place, const Sources&, Known& out) {
    const std::string& text = text_of(value, place);
    const auto known = from_name<Known>(text);
    if (!known) place.complain(quoted(text) + " is none of documented, source_code, inferred, unconfirmed");
    out = *known;
}

void take(CellValue& value, const Place& place, const Sources& sources, Source& out) {
    const std::string& id = text_of(value, place);
    const auto found = sources.find(id);
    if (found == sources.end())
        place.complain("source " + quoted(id) + " is not in the table's list of sources; add it there");
    out = found->second;
}

}  // namespace rnncheck
