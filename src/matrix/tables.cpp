// From the files of tables to typed rows. The only place that knows the file format.
#include "matrix/tables.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/json.hpp"
#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t most_bytes = 1 << 20;  // ten times the largest bundled table and more
constexpr std::string_view suffix = ".json";
constexpr std::size_t date_length = 10;

void read_file(TableFiles& files, const std::string& name) {
    const std::string place = files.place + "/" + name;
    std::error_code error;
    std::ifstream file;
    if (std::filesystem::is_regular_file(place, error))
        file.open(place, std::ios::binary);
    std::string text(most_bytes + 1, '\0');
    file.read(text.data(), std::ssize(text));
    if (!file.is_open() || file.bad())
        throw InputError(escaped(place) + ": the file cannot be read");
    if (!file.eof())
        throw InputError(escaped(place) + ": the file is larger than 1 MiB");
    text.resize(static_cast<std::size_t>(file.gcount()));
    const std::string stem = name.substr(0, name.size() - suffix.size());
    files.content[stem] = files.owned[stem] = std::move(text);
}

/// A table is 3 deep. A file nested to exhaust memory is given up long before.
constexpr int deepest = 32;

/// Where reading is, and the list of what is wrong.
struct Place {
    const std::string& table;
    std::vector<Issue>& issues;
    std::size_t row = 0;       ///< 0 is the head
    std::size_t reported = 0;  ///< whether it is in `issues` or not

    /// A file of nothing but faults shall not fill the memory.
    void report(const std::string& what) {
        constexpr std::size_t most = 1000;
        if (++reported < most)
            issues.push_back({table, row, escaped(what)});
        if (reported == most)
            issues.push_back(
                {table, row, "there are more errors from here on; correct the above first"});
    }
};

std::string column_place(std::string_view name) {
    return "column '" + std::string(name) + "'";
}

/// An object; InputError states why there is none. Duplicate keys, of which a reader would silently
/// use one, are reported; not in the bundled tables, which the tests verify, because the search
/// takes long.
Json parse(std::string_view text, bool is_ours, Place& place) {
    if (const auto nul = text.find('\0');
        nul != std::string_view::npos)  // the parser would take it for the end
        throw InputError("a NUL byte at line " +
                         std::to_string(std::count(text.begin(), text.begin() + nul, '\n') + 1));
    std::vector<std::vector<std::string>> open;  // the keys of the objects around this place
    std::string part;                            // key at the top
    std::size_t row = 0;
    const auto take = [&](int depth, Json::parse_event_t event, const Json& parsed) {
        using Event = Json::parse_event_t;
        if (depth > deepest)
            throw InputError("nested too deeply");
        if (event == Event::object_start)
            open.emplace_back();
        if (event == Event::object_end)
            open.pop_back();
        if (event == Event::object_start && open.size() == 2 && part == "rows")
            ++row;
        if (event != Event::key)
            return true;
        const auto& key = parsed.get_ref<const std::string&>();
        if (open.size() == 1)
            part = key;
        if (includes(open.back(), key)) {
            const bool in_row = part == "rows" && open.size() > 1;
            place.row = in_row ? row : 0;
            std::string where;
            if (!in_row && open.size() != 1)
                where = " in '" + part + "'";
            place.report("the key '" + key + "' is duplicated" + where + "; keep one of them");
            place.row = 0;
        }
        open.back().push_back(key);
        return true;
    };
    try {
        Json table = is_ours ? Json::parse(text) : Json::parse(text, take);
        if (!table.is_object())
            throw InputError("not an object");
        return table;
    } catch (const Json::exception& error) {
        const std::string what =
            error.what();  // "... parse error at line 2, column 3: syntax error ..."
        const auto at = std::min(what.find(" at line "), what.size());
        throw InputError("invalid JSON" + what.substr(at, what.find(':', at) - at));
    }
}

std::string fault_of(const Source& source) {
    if (source.title.empty())
        return "'title' is missing";
    if (source.url.empty())
        return "'url' is missing";
    if (source.seen.empty())
        return "'seen' is missing";
    if (!source.url.starts_with("https://"))
        return "'url' does not begin with https://";
    if (parse_date(source.seen))
        return "";
    return "'seen' is not a date of the form 2026-11-21";
}

void read_sources(const Json& table, TableHead& head, Place& place) {
    if (!table.contains("sources") || !table["sources"].is_object())
        throw InputError("'sources' is not a list of sources");
    for (const auto& [id, written] : table["sources"].items()) {
        const std::string where = "source '" + id + "'";
        Source& source =
            head.sources[id];  // there in any case, so that its rows raise no second issue
        try {
            from_json(written, source, where);
            if (const std::string fault = fault_of(source); !fault.empty())
                wrong(where, fault);
        } catch (const InputError& error) {
            place.report(error.what());
        }
    }
}

template <class T>
std::string type_word() {
    if constexpr (IsOptional<T>::value)
        return "optional " + type_word<typename T::value_type>();
    if constexpr (std::is_same_v<T, Version>)
        return "version";
    if constexpr (std::is_same_v<T, Source>)
        return "source";
    if constexpr (std::is_same_v<T, Provenance>)
        return "provenance";
    if constexpr (std::is_same_v<T, bool>)
        return "yes_no";
    return std::is_integral_v<T> ? "integer" : "text";
}

template <class Part>
bool may_miss(std::string_view column) {
    return includes(Part::may_be_missing, column);
}

/// The columns that `Part` (a kind of row, or Row itself) lists.
template <class Part>
std::vector<Column> columns_of() {
    std::vector<Column> columns;
    Part row;
    Part::fields(row, [&]<class T>(const char* name, T&) {
        columns.push_back(
            {name, may_miss<Part>(name) ? "optional " + type_word<T>() : type_word<T>()});
    });
    return columns;
}

/// Those that every row has included.
std::vector<Column> all_columns(const TableHead& head) {
    std::vector<Column> columns = head.columns;
    for (const Column& common : columns_of<Row>())
        columns.push_back(common);
    return columns;
}

/// The columns that the head declares are those that this program reads.
void check_columns(const Json& table, const std::vector<Column>& known, Place& place) {
    if (!table.contains("columns") || !table["columns"].is_object())
        throw InputError("'columns' is not a list of columns");
    for (const auto& [name, type] : table["columns"].items()) {
        const Column* const found = find_by(known, &Column::name, name);
        if (!found)
            place.report(column_place(name) + ": unknown column");
        else if (type != found->type)
            place.report(column_place(name) + ": the type of this column is '" + found->type + "'");
    }
}

template <class T>
void read_cell(const Json& cell, T& value, const std::string& place,
               const std::map<std::string, Source>& sources) {
    if constexpr (IsOptional<T>::value) {
        read_cell(cell, value.emplace(), place, sources);
    } else if constexpr (std::is_same_v<T, Source>) {
        const Source* const source = look_up(sources, quoted_text(cell, place));
        if (!source)
            wrong(place, "source '" + cell.get<std::string>() +
                             "' is not in the table's list of sources; add it there");
        value = *source;
    } else if constexpr (std::is_same_v<T, std::string>) {
        value = quoted_text(cell, place);  // to the byte: a table is UTF-8
    } else {
        from_json(cell, value, place);
        if constexpr (std::is_same_v<T, int>)
            if (value < 0)
                wrong(place, "the number is out of range");
    }
}

/// Whether the row is without an issue.
template <class R>
bool read_row(const Json& written, R& row, const TableHead& head, Place& place) {
    const std::size_t reported_before = place.reported;
    std::size_t found = 0;
    std::string where;
    const auto read = [&]<class T>(std::string_view name, T& value) {
        const auto cell = written.find(name);
        where.assign("column '").append(name) += '\'';
        try {
            if (cell != written.end())
                ++found, read_cell(*cell, value, where, head.sources);
            else if (!IsOptional<T>::value && !may_miss<R>(name) && !may_miss<Row>(name))
                wrong(where, "missing; every row needs it");
        } catch (const InputError& error) {
            place.report(error.what());
        }
    };
    row.number = place.row;
    R::fields(row, read);
    Row::fields(row, read);
    if (found < written.size()) {
        const std::vector<Column> known = all_columns(head);
        for (const auto& [name, cell] : written.items())
            if (!find_by(known, &Column::name, name))
                place.report(column_place(name) + ": unknown column");
    }
    return place.reported == reported_before;
}

template <class R>
void read_into(ReadTable<R>& read, const TableFiles& files, Place& place) {
    const std::string_view* const content = look_up(files.content, place.table);
    if (!content)
        throw InputError("this table is missing");
    const Json table = parse(*content, bundled_twin(files, place.table), place);
    if (table.contains("about") && table["about"].is_string())
        read.about = table["about"];
    if (table.contains("holes") && table["holes"].is_object())
        for (const auto& [hole, why] : table["holes"].items())
            if (why.is_string())
                read.holes[hole] = why;
    check_columns(table, all_columns(read), place);
    read_sources(table, read, place);
    if (!table.contains("rows") || !table["rows"].is_array())
        throw InputError("'rows' is not a list of rows");
    read.written = table["rows"].size();
    read.rows.reserve(read.written);
    for (const Json& written : table["rows"]) {
        ++place.row;
        R row;
        if (!written.is_object())
            place.report("not an object");
        else if (read_row(written, row, read, place))
            read.rows.push_back(std::move(row));
    }
}

}  // namespace

TableFiles bundled_table_files() {
    TableFiles files;
    files.place = "compat_matrix";
    for (const EmbeddedFile& file : matrix_tables())
        files.content.emplace(file.name, file.content);
    files.digest = "sha256:" + std::string(matrix_tables_digest());
    files.date = matrix_tables_date();
    return files;
}

const EmbeddedFile* bundled_twin(const TableFiles& files, const std::string& stem) {
    const std::string_view* const content = look_up(files.content, stem);
    return find_where(matrix_tables(), [&](const EmbeddedFile& table) {
        return content && table.name == stem && table.content == *content;
    });
}

TableFiles table_files_of(const std::string& directory) {
    TableFiles files;
    files.place = directory;
    std::error_code error;
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
        names.insert(entry.path().filename().string());
    std::string sums;
    for (const std::string& name : names) {
        if (!name.ends_with(suffix))
            continue;
        read_file(files, name);
        const std::string stem = name.substr(0, name.size() - suffix.size());
        const std::string_view text = files.content[stem];
        const EmbeddedFile* const twin = bundled_twin(files, stem);
        const std::string sum = twin ? std::string(twin->sha256) : sha256_hex(text);
        sums += sum + "  " + name + "\n";
        files.date = std::max(files.date, newest_date(text));
    }
    if (files.content.empty())
        throw InputError(escaped(directory) + ": no table (*.json) can be read in this directory");
    files.digest = "sha256:" + sha256_hex(sums);
    return files;
}

std::optional<std::chrono::sys_days> parse_date(std::string_view text) {
    if (text.size() != date_length || text[4] != '-' || text[7] != '-')
        return std::nullopt;
    const auto numbers = parse_version(join(split(text, '-'), "."));
    if (!numbers)
        return std::nullopt;
    const auto& [year, month, day, none] = numbers->parts;
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (year < 2007 || year > 2099 || !date.ok())
        return std::nullopt;
    return std::chrono::sys_days(date);
}

std::string newest_date(std::string_view table) {
    constexpr std::string_view key =
        "\"seen\"";  // cannot occur inside a JSON text, where quotes are escaped
    std::string_view newest;
    for (auto at = table.find(key); at != std::string_view::npos; at = table.find(key, at)) {
        at = table.find('"', at + key.size());
        if (at == std::string_view::npos)
            break;
        const std::string_view date = table.substr(at + 1, date_length);
        if (parse_date(date))
            newest = std::max(newest, date);
    }
    return std::string(newest);
}

void refuse(const TableFiles& files, const Issue& issue) {
    std::string row;
    if (issue.row > 0)
        row = ", row " + std::to_string(issue.row);
    throw InputError(escaped(files.place + "/" + issue.table + ".json") + row + ": " + issue.text);
}

template <class R>
ReadTable<R> read_table(const TableFiles& files, const std::string& stem) {
    ReadTable<R> read;
    read.columns = columns_of<R>();
    Place place{stem, read.issues};
    try {
        read_into(read, files, place);
    } catch (const InputError& error) {
        place.row = 0;
        place.report(error.what());
    }
    return read;
}

Tables::Tables(TableFiles table_files) : files(std::move(table_files)) {
}

}  // namespace rnncheck
