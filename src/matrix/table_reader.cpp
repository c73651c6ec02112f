#include "matrix/table_reader.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "matrix/cell_values.hpp"
#include "matrix/column_types.hpp"
#include "matrix/columns.hpp"
#include "matrix/row_kinds.hpp"

namespace rnncheck {

namespace {

using Faults = std::vector<TableFault>;

/// Does `work`; its fault is noted in `faults`, or goes on to the caller where there are none. Whether all went well.
template <class Work>
bool attempt(Faults* faults, Work&& work) {
    if (!faults) {
        work();
        return true;
    }
    try {
        work();
        return true;
    } catch (const TableFault& fault) {
        faults->push_back(fault);
        return false;
    }
}

template <class R>
std::map<std::string, std::string> types_of_columns() {
    std::map<std::string, std::string> types;
    R row;
    all_columns(row, [&]<class T>(const char* name, T&, bool missing = false) {
        types[name] = (missing ? "optional " : "") + type_word<T>();
    });
    return types;
}

/// Reads one row, whose texts are moved out of it; counts the columns found, so that one too many is noticed without a
/// second look-up. Rows have their columns in the order of the table, so the next cell is mostly the one asked for.
struct RowReader {
    std::vector<Cell>& cells;
    Place place;
    const Sources& sources;
    Faults* faults;
    std::size_t found = 0;
    std::size_t next = 0;
    bool good = true;

    CellValue* cell(std::string_view name) {
        for (std::size_t step = 0; step < cells.size(); ++step) {
            const std::size_t at = (next + step) % cells.size();
            if (cells[at].name != name) continue;
            ++found;
            next = at + 1;
            return &cells[at].value;
        }
        return nullptr;
    }

    template <class T>
    void operator()(const char* name, T& value, bool missing = IsOptional<T>::value) {
        place.column = name;
        CellValue* const written = cell(name);
        good &= attempt(faults, [&] {
            if (written)
                take(*written, place, sources, value);
            else if (!missing)
                place.complain("missing; every row needs it");
        });
    }
};

Source read_source(const FlatObject& written, const std::string& id, const Place& place) {
    const auto complain = [&](const std::string& what) { place.complain("source '" + id + "': " + what); };
    if (!written.is_object) complain("not an object with title, url and seen");
    const auto field = [&](const char* name) {
        const auto found = std::find_if(written.cells.begin(), written.cells.end(),
                                        [name](const Cell& cell) { return cell.name == name; });
        const auto* text = found == written.cells.end() ? nullptr : std::get_if<std::string>(&found->value);
        if (!text || text->empty()) complain(std::string("'") + name + "' is missing");
        return *text;
    };
    Source source{field("title"), field("url"), field("seen")};
    if (!source.url.starts_with("https://")) complain("'url' does not begin with https://");
    if (!is_date(source.seen)) complain("'seen' is no date of the form 2026-11-21");
    return source;
}

Sources read_sources(const TableText& table, const Place& place, Faults* faults) {
    if (!table.sources) place.complain("'sources' is not a list of sources");
    Sources sources;
    for (const auto& [id, written] : *table.sources) {
        Source& source = sources[id];  // there in any case, so that its rows raise no second complaint
        attempt(faults, [&source, &from = written, &name = id, &place] { source = read_source(from, name, place); });
    }
    return sources;
}

template <class R>
void check_columns(const TableText& table, const Place& place, Faults* faults) {
    const auto known = types_of_columns<R>();
    if (!table.columns) place.complain("'columns' is not a list of columns");
    for (const Cell& declared : table.columns->cells) {
        const Place at{place.file, 0, declared.name};
        const auto found = known.find(declared.name);
        attempt(faults, [&] {
            if (found == known.end()) at.complain("unknown column");
            if (declared.value != CellValue(found->second))
                at.complain("the type of this column is '" + found->second + "'");
        });
    }
}

template <class R>
bool check_for_unknown_columns(const std::vector<Cell>& cells, const Place& place, Faults* faults) {
    const auto known = types_of_columns<R>();
    bool good = true;
    for (const Cell& cell : cells)
        if (!known.contains(cell.name))
            good &= attempt(faults, [&] { Place{place.file, place.row, cell.name}.complain("unknown column"); });
    return good;
}

/// Nothing when the row has a fault, which then stands in `faults`.
template <class R>
std::optional<R> read_row(FlatObject& written, const Place& place, const Sources& sources, Faults* faults) {
    if (!attempt(faults, [&] {
            if (!written.is_object) place.complain("not an object");
        }))
        return std::nullopt;
    R row;
    RowReader reader{written.cells, place, sources, faults};
    all_columns(row, reader);
    bool good = reader.good;
    if (reader.found < written.cells.size()) good &= check_for_unknown_columns<R>(written.cells, place, faults);
    return good ? std::optional(std::move(row)) : std::nullopt;
}

TableText parse(std::string_view text, const Place& place) {
    NoTable no_table;
    if (auto table = table_text(text, no_table)) return std::move(*table);
    if (no_table.at == 0) place.complain(no_table.why);
    const std::string_view before = text.substr(0, std::min(text.size(), no_table.at - 1));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const auto column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0: the first line
    place.complain(no_table.why + " at line " + std::to_string(line) + ", column " + std::to_string(column));
}

TableHead head_of(const TableText& table) {
    TableHead head{table.about, {}};
    if (!table.holes) return head;
    for (const Cell& hole : table.holes->cells)
        if (const auto* why = std::get_if<std::string>(&hole.value)) head.holes[hole.name] = *why;
    return head;
}

template <class R>
void read_into(ReadRows<R>& read, const TableFiles& files, const std::string& stem, Faults* faults) {
    Place place{files.path_of(stem), 0, {}};
    const auto file = files.content.find(stem);
    if (file == files.content.end()) place.complain("this table is missing");
    TableText table = parse(file->second, place);
    if (!table.is_object) place.complain("not an object");
    read.head = head_of(table);
    check_columns<R>(table, place, faults);
    const Sources sources = read_sources(table, place, faults);
    if (!table.rows) place.complain("'rows' is not a list of rows");
    read.written = table.rows->size();
    read.rows.reserve(read.written);
    for (FlatObject& written : *table.rows) {
        ++place.row;
        auto row = read_row<R>(written, place, sources, faults);
        if (!row) continue;
        read.rows.push_back(std::move(*row));
        read.numbers.push_back(place.row);
    }
}

std::string sentence(const std::string& file, std::size_t row, const std::string& detail) {
    const bool names_a_part = detail.starts_with("column '") || detail.starts_with("source '");
    const std::string_view between = names_a_part ? ", " : ": ";
    return escaped(file + (row > 0 ? ", row " + std::to_string(row) : "") + std::string(between) + detail);
}

}  // namespace

TableFault::TableFault(const std::string& file, std::size_t row_number, const std::string& what_is_wrong)
    : InputError(sentence(file, row_number, what_is_wrong)), row(row_number), detail(escaped(what_is_wrong)) {}

template <class R>
std::vector<R> read_table(const TableFiles& files, const std::string& stem) {
    return std::move(read_whole<R>(files, stem).rows);
}

template <class R>
ReadRows<R> read_whole(const TableFiles& files, const std::string& stem) {
    ReadRows<R> read;
    read_into(read, files, stem, nullptr);
    return read;
}

template <class R>
ReadRows<R> read_all(const TableFiles& files, const std::string& stem, Faults& faults) {
    ReadRows<R> read;
    attempt(&faults, [&] { read_into(read, files, stem, &faults); });
    return read;
}

#define RNNCHECK_READ(R)                                                       \
    template std::vector<R> read_table(const TableFiles&, const std::string&); \
    template ReadRows<R> read_whole(const TableFiles&, const std::string&);    \
    template ReadRows<R> read_all(const TableFiles&, const std::string&, Faults&);
RNNCHECK_EVERY_ROW(RNNCHECK_READ)
#undef RNNCHECK_READ

}  // namespace rnncheck
