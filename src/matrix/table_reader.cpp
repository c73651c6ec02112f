#include "matrix/table_reader.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "matrix/column_types.hpp"
#include "matrix/columns.hpp"
#include "matrix/row_kinds.hpp"

namespace rnncheck {

namespace {

using Json = nlohmann::json;
using Sources = std::map<std::string, Source, std::less<>>;

/// Where we are in a table; row 0 is the head of the file.
struct Place {
    std::string file;
    std::size_t row = 0;
    std::string_view column;

    [[noreturn]] void complain(const std::string& what) const {
        throw TableFault(file, row, (column.empty() ? "" : "column '" + std::string(column) + "': ") + what);
    }
};

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

std::string quoted(const Json& value) {
    return "'" + value.get<std::string>() + "'";
}

const std::string& text_of(const Json& value, const Place& place) {
    if (!value.is_string()) place.complain("not a text in quotes");
    return value.get_ref<const std::string&>();
}

void take(Json& value, const Place& place, const Sources&, std::string& out) {
    text_of(value, place);
    out = std::move(value.get_ref<std::string&>());
}

void take(Json& value, const Place& place, const Sources&, bool& out) {
    if (!value.is_boolean()) place.complain("neither true nor false");
    out = value.get<bool>();
}

void take(Json& value, const Place& place, const Sources&, std::int64_t& out) {
    if (!value.is_number_integer()) place.complain("not a whole number");
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
        place.complain("the number is too large");
    out = value.get<std::int64_t>();
}

void take(Json& value, const Place& place, const Sources& sources, int& out) {
    std::int64_t wide = 0;
    take(value, place, sources, wide);
    if (wide < 0 || wide > std::numeric_limits<int>::max()) place.complain("the number is out of range");
    out = static_cast<int>(wide);
}

void take(Json& value, const Place& place, const Sources&, Version& out) {
    auto version = parse_version(text_of(value, place));
    if (!version) place.complain(quoted(value) + " is no version: one to four numbers with dots between, e.g. 12.4");
    out = std::move(*version);
}

void take(Json& value, const Place& place, const Sources&, Known& out) {
    const auto known = from_name<Known>(text_of(value, place));
    if (!known) place.complain(quoted(value) + " is none of documented, source_code, inferred, unconfirmed");
    out = *known;
}

void take(Json& value, const Place& place, const Sources& sources, Source& out) {
    const auto found = sources.find(text_of(value, place));
    if (found == sources.end())
        place.complain("source " + quoted(value) + " is not in the table's list of sources; add it there");
    out = found->second;
}

template <class T>
void take(Json& value, const Place& place, const Sources& sources, std::optional<T>& out) {
    take(value, place, sources, out.emplace());
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
/// second look-up.
struct RowReader {
    Json& row;
    Place place;
    const Sources& sources;
    Faults* faults;
    std::size_t found = 0;
    bool good = true;

    template <class T>
    void operator()(const char* name, T& value, bool missing = IsOptional<T>::value) {
        place.column = name;
        const auto cell = row.find(name);
        if (cell != row.end()) ++found;
        good &= attempt(faults, [&] {
            if (cell != row.end())
                take(*cell, place, sources, value);
            else if (!missing)
                place.complain("missing; every row needs it");
        });
    }
};

const Json& member(const Json& table, const Place& place, const char* name, Json::value_t type, const char* form) {
    const auto found = table.find(name);
    if (found == table.end() || found->type() != type) place.complain(std::string("'") + name + "' is not " + form);
    return *found;
}

Source read_source(const Json& json, const std::string& id, const Place& place) {
    const auto complain = [&](const std::string& what) { place.complain("source '" + id + "': " + what); };
    if (!json.is_object()) complain("not an object with title, url and seen");
    const auto field = [&](const char* name) {
        const auto found = json.find(name);
        if (found == json.end() || !found->is_string() || found->get_ref<const std::string&>().empty())
            complain(std::string("'") + name + "' is missing");
        return found->get<std::string>();
    };
    Source source{field("title"), field("url"), field("seen")};
    if (!source.url.starts_with("https://")) complain("'url' does not begin with https://");
    if (!is_date(source.seen)) complain("'seen' is no date of the form 2026-11-21");
    return source;
}

Sources read_sources(const Json& table, const Place& place, Faults* faults) {
    Sources sources;
    for (const auto& [id, json] : member(table, place, "sources", Json::value_t::object, "a list of sources").items()) {
        Source& source = sources[id];  // there in any case, so that its rows raise no second complaint
        attempt(faults, [&source, &written = json, &name = id, &place] { source = read_source(written, name, place); });
    }
    return sources;
}

template <class R>
void check_columns(const Json& table, const Place& place, Faults* faults) {
    const auto known = types_of_columns<R>();
    const Json& declared = member(table, place, "columns", Json::value_t::object, "a list of columns");
    for (const auto& [name, type] : declared.items()) {
        const Place at{place.file, 0, name};
        const auto found = known.find(name);
        attempt(faults, [&, &word = type] {
            if (found == known.end()) at.complain("unknown column");
            if (word != found->second) at.complain("the type of this column is '" + found->second + "'");
        });
    }
}

template <class R>
bool check_for_unknown_columns(const Json& json, const Place& place, Faults* faults) {
    const auto known = types_of_columns<R>();
    bool good = true;
    for (const auto& [name, value] : json.items())
        if (!known.contains(name))
            good &= attempt(faults, [&, &column = name] {
                Place{place.file, place.row, column}.complain("unknown column");
            });
    return good;
}

/// Nothing when the row has a fault, which then stands in `faults`.
template <class R>
std::optional<R> read_row(Json& json, const Place& place, const Sources& sources, Faults* faults) {
    if (!attempt(faults, [&] {
            if (!json.is_object()) place.complain("not an object");
        }))
        return std::nullopt;
    R row;
    RowReader reader{json, place, sources, faults};
    all_columns(row, reader);
    bool good = reader.good;
    if (reader.found < json.size()) good &= check_for_unknown_columns<R>(json, place, faults);
    return good ? std::optional(std::move(row)) : std::nullopt;
}

Json parse(std::string_view text, const Place& place) {
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& error) {
        const std::string_view before = text.substr(0, std::min(text.size(), error.byte == 0 ? 0 : error.byte - 1));
        const auto line = std::count(before.begin(), before.end(), '\n') + 1;
        const auto column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0: the first line
        place.complain("no valid JSON at line " + std::to_string(line) + ", column " + std::to_string(column));
    }
}

void read_head(TableHead& head, const Json& table) {
    if (const auto about = table.find("about"); about != table.end() && about->is_string()) head.about = *about;
    const auto holes = table.find("holes");
    if (holes == table.end() || !holes->is_object()) return;
    for (const auto& [what, why] : holes->items())
        if (why.is_string()) head.holes[what] = why;
}

template <class R>
void read_into(ReadRows<R>& read, const TableFiles& files, const std::string& stem, Faults* faults) {
    Place place{files.path_of(stem), 0, {}};
    const auto file = files.content.find(stem);
    if (file == files.content.end()) place.complain("this table is missing");
    Json table = parse(file->second, place);
    if (!table.is_object()) place.complain("not an object");
    read_head(read.head, table);
    check_columns<R>(table, place, faults);
    const Sources sources = read_sources(table, place, faults);
    member(table, place, "rows", Json::value_t::array, "a list of rows");
    Json& json_rows = table["rows"];
    read.written = json_rows.size();
    read.rows.reserve(json_rows.size());
    for (Json& json : json_rows) {
        ++place.row;
        auto row = read_row<R>(json, place, sources, faults);
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
