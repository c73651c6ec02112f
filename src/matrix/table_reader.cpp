#include "matrix/table_reader.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "matrix/columns.hpp"

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
        std::string place = file;
        if (row > 0) place += ", row " + std::to_string(row);
        if (!column.empty()) place += ", column '" + std::string(column) + "'";
        throw InputError(escaped(place + ": " + what));
    }
};

std::string quoted(const Json& value) {
    return "'" + value.get<std::string>() + "'";
}

const std::string& text_of(const Json& value, const Place& place) {
    if (!value.is_string()) place.complain("not a text in quotes");
    return value.get_ref<const std::string&>();
}

void take(const Json& value, const Place& place, const Sources&, std::string& out) {
    out = text_of(value, place);
}

void take(const Json& value, const Place& place, const Sources&, bool& out) {
    if (!value.is_boolean()) place.complain("neither true nor false");
    out = value.get<bool>();
}

void take(const Json& value, const Place& place, const Sources&, std::int64_t& out) {
    if (!value.is_number_integer()) place.complain("not a whole number");
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
        place.complain("the number is too large");
    out = value.get<std::int64_t>();
}

void take(const Json& value, const Place& place, const Sources& sources, int& out) {
    std::int64_t wide = 0;
    take(value, place, sources, wide);
    if (wide < 0 || wide > std::numeric_limits<int>::max()) place.complain("the number is out of range");
    out = static_cast<int>(wide);
}

void take(const Json& value, const Place& place, const Sources&, Version& out) {
    auto version = parse_version(text_of(value, place));
    if (!version) place.complain(quoted(value) + " is no version");
    out = std::move(*version);
}

void take(const Json& value, const Place& place, const Sources&, Known& out) {
    const auto known = from_name<Known>(text_of(value, place));
    if (!known) place.complain(quoted(value) + " is none of documented, source_code, inferred, unconfirmed");
    out = *known;
}

void take(const Json& value, const Place& place, const Sources& sources, Source& out) {
    const auto found = sources.find(text_of(value, place));
    if (found == sources.end()) place.complain("source " + quoted(value) + " is not in the table's list of sources");
    out = found->second;
}

template <class T>
void take(const Json& value, const Place& place, const Sources& sources, std::optional<T>& out) {
    take(value, place, sources, out.emplace());
}

/// The word for a column's type in the head of the file.
template <class T>
std::string type_word() {
    if constexpr (IsOptional<T>::value)
        return "optional " + type_word<typename T::value_type>();
    else if constexpr (std::is_same_v<T, Version>)
        return "version";
    else if constexpr (std::is_same_v<T, Source>)
        return "source";
    else if constexpr (std::is_same_v<T, Known>)
        return "known";
    else if constexpr (std::is_same_v<T, bool>)
        return "yes_no";
    else if constexpr (std::is_integral_v<T>)
        return "integer";
    else
        return "text";
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

/// Reads one row; counts the columns found, so that one too many is noticed without a second look-up.
struct RowReader {
    const Json& row;
    Place place;
    const Sources& sources;
    std::size_t found = 0;

    template <class T>
    void operator()(const char* name, T& value, bool missing = IsOptional<T>::value) {
        place.column = name;
        const auto cell = row.find(name);
        if (cell != row.end()) {
            take(*cell, place, sources, value);
            ++found;
        } else if (!missing) {
            place.complain("missing");
        }
    }
};

const Json& member(const Json& table, const Place& place, const char* name, Json::value_t type, const char* form) {
    const auto found = table.find(name);
    if (found == table.end() || found->type() != type) place.complain(std::string("'") + name + "' is not " + form);
    return *found;
}

Source read_source(const Json& json, const Place& place) {
    if (!json.is_object()) place.complain("not an object with title, url and seen");
    const auto field = [&](const char* name) {
        const auto found = json.find(name);
        if (found == json.end() || !found->is_string() || found->get_ref<const std::string&>().empty())
            place.complain(std::string("'") + name + "' is missing");
        return found->get<std::string>();
    };
    Source source{field("title"), field("url"), field("seen")};
    if (!source.url.starts_with("https://")) place.complain("'url' does not begin with https://");
    if (!is_iso_date(source.seen)) place.complain("'seen' is no date of the form 2026-11-21");
    return source;
}

Sources read_sources(const Json& table, const Place& place) {
    Sources sources;
    for (const auto& [id, json] : member(table, place, "sources", Json::value_t::object, "a list of sources").items())
        sources.emplace(id, read_source(json, {place.file + ", source '" + id + "'", 0, {}}));
    return sources;
}

template <class R>
void check_columns(const Json& table, const Place& place) {
    const auto known = types_of_columns<R>();
    const Json& declared = member(table, place, "columns", Json::value_t::object, "a list of columns");
    for (const auto& [name, type] : declared.items()) {
        const Place at{place.file, 0, name};
        const auto found = known.find(name);
        if (found == known.end()) at.complain("unknown column");
        if (type != found->second) at.complain("the type of this column is '" + found->second + "'");
    }
}

template <class R>
R read_row(const Json& json, const Place& place, const Sources& sources) {
    if (!json.is_object()) place.complain("not an object");
    R row;
    RowReader reader{json, place, sources};
    all_columns(row, reader);
    if (reader.found < json.size()) {
        const auto known = types_of_columns<R>();
        for (const auto& [name, value] : json.items())
            if (!known.contains(name)) Place{place.file, place.row, name}.complain("unknown column");
    }
    return row;
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

}  // namespace

template <class R>
std::vector<R> read_table(const TableFiles& files, const std::string& stem) {
    Place place{files.path_of(stem), 0, {}};
    const auto file = files.content.find(stem);
    if (file == files.content.end()) place.complain("this table is missing");
    const Json table = parse(file->second, place);
    if (!table.is_object()) place.complain("not an object");
    check_columns<R>(table, place);
    const Sources sources = read_sources(table, place);
    const Json& json_rows = member(table, place, "rows", Json::value_t::array, "a list of rows");
    std::vector<R> rows;
    rows.reserve(json_rows.size());
    for (const Json& json : json_rows) {
        ++place.row;
        rows.push_back(read_row<R>(json, place, sources));
    }
    return rows;
}

template std::vector<DriverForCuda> read_table(const TableFiles&, const std::string&);
template std::vector<CudaOfDriver> read_table(const TableFiles&, const std::string&);
template std::vector<Architecture> read_table(const TableFiles&, const std::string&);
template std::vector<CudnnBuild> read_table(const TableFiles&, const std::string&);
template std::vector<CudnnPart> read_table(const TableFiles&, const std::string&);
template std::vector<StatusName> read_table(const TableFiles&, const std::string&);
template std::vector<RnnDefect> read_table(const TableFiles&, const std::string&);
template std::vector<RnnOffer> read_table(const TableFiles&, const std::string&);
template std::vector<GpuProduct> read_table(const TableFiles&, const std::string&);
template std::vector<FrameworkBuild> read_table(const TableFiles&, const std::string&);
template std::vector<KerasBackend> read_table(const TableFiles&, const std::string&);
template std::vector<LogSignature> read_table(const TableFiles&, const std::string&);
template std::vector<LogPointer> read_table(const TableFiles&, const std::string&);
template std::vector<LogCause> read_table(const TableFiles&, const std::string&);
template std::vector<FrameworkCuda> read_table(const TableFiles&, const std::string&);

}  // namespace rnncheck
