// From the files of tables to typed rows. The only place that knows the file format.
#include "matrix/tables.hpp"

#include <rapidjson/document.h>

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

/// One byte more than a file may have is requested, so that a larger one shows.
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

using rapidjson::Value;

std::string_view text_of(const Value& string) {
    return {string.GetString(), string.GetStringLength()};
}

/// In the form that from_json() reads. What has no place in a cell is an empty object or list.
Json as_json(const Value& cell) {
    if (cell.IsString())
        return text_of(cell);
    if (cell.IsBool())
        return cell.GetBool();
    if (cell.IsUint64())
        return cell.GetUint64();
    if (cell.IsInt64())
        return cell.GetInt64();
    if (cell.IsNumber())
        return cell.GetDouble();
    if (cell.IsNull())
        return nullptr;
    if (cell.IsObject())
        return Json::object();
    return Json::array();
}

/// What a reader would not notice or not survive: a key that is duplicated `where` ("", or
/// " in 'sources'"), and depth; a table is 3 deep.
void check_form(const Value& value, const std::string& where, int depth, Place& place) {
    constexpr int deepest = 32;
    if (depth > deepest)
        throw InputError("nested too deeply");
    if (value.IsArray())
        for (const Value& item : value.GetArray())
            check_form(item, where, depth + 1, place);
    if (!value.IsObject())
        return;
    std::set<std::string_view> keys;
    for (const auto& [name, member] : value.GetObject()) {
        if (!keys.insert(text_of(name)).second)
            place.report(
                concat("the key '", text_of(name), "' is duplicated", where, "; keep one of them"));
        if (depth > 0)
            check_form(member, where, depth + 1, place);
    }
}

/// The whole table, with the number of the row that is being looked at.
void check_form(const Value& table, Place& place) {
    check_form(table, "", 0, place);
    for (const auto& [name, part] : table.GetObject()) {
        const bool is_rows = text_of(name) == "rows" && part.IsArray();
        if (!is_rows)
            check_form(part, concat(" in '", text_of(name), "'"), 1, place);
        else
            for (const Value& row : part.GetArray()) {
                ++place.row;
                check_form(row, "", 2, place);
            }
        place.row = 0;
    }
}

/// " at line 3, column 17", as editors count.
std::string place_in(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const std::size_t line_begin = before.rfind('\n') + 1;  // 0 in the first line
    return concat(
        " at line ",
        std::ranges::count(before, '\n') + 1,
        ", column ",
        before.size() - line_begin + 1);
}

/// An object, whose strings are in `copy`, which has the table's text; InputError states why there
/// is none. The form of the bundled tables is not checked: the tests have verified them.
rapidjson::Document parse(std::string_view text, std::string& copy, bool is_ours, Place& place) {
    if (const auto nul = text.find('\0'); nul != text.npos)  // the parser would take it for the end
        throw InputError("a NUL byte" + place_in(text, nul));
    copy = text;
    rapidjson::Document table;
    if (is_ours)
        table.ParseInsitu(copy.data());
    else
        table.ParseInsitu<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(
            copy.data());
    if (table.HasParseError())
        throw InputError("invalid JSON" + place_in(text, table.GetErrorOffset()));
    if (!table.IsObject())
        throw InputError("not an object");
    if (!is_ours)
        check_form(table, place);
    return table;
}

/// The member of an object, if it is of this type.
const Value* member(const Value& object, std::string_view name, rapidjson::Type type) {
    const auto found = object.FindMember(Value(rapidjson::StringRef(name.data(), name.size())));
    return found != object.MemberEnd() && found->value.GetType() == type ? &found->value : nullptr;
}

/// In the text of the table, which has to live longer.
std::string_view quoted_text(const Value& cell, const std::string& place) {
    if (!cell.IsString())
        wrong(place, "a text is expected");
    return text_of(cell);
}

/// What is wrong with a source; empty where it is complete.
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

void read_source(const Value& written, Source& source, const std::string& where) {
    if (!written.IsObject())
        wrong(where, "an object is expected");
    Source::fields(source, [&](const char* name, std::string& value, const char*) {
        if (const auto found = written.FindMember(name); found != written.MemberEnd())
            value = quoted_text(found->value, where + '.' + name);
    });
    if (const std::string fault = fault_of(source); !fault.empty())
        wrong(where, fault);
}

/// By their ids, which rows name.
void read_sources(const Value& table, TableHead& head, Place& place) {
    const Value* const sources = member(table, "sources", rapidjson::kObjectType);
    if (!sources)
        throw InputError("'sources' is not a list of sources");
    for (const auto& [id, written] : sources->GetObject()) {
        Source& source = head.sources[id.GetString()];  // there in any case, so that its rows raise
                                                        // no second issue
        try {
            read_source(written, source, concat("source '", text_of(id), "'"));
        } catch (const InputError& error) {
            place.report(error.what());
        }
    }
}

/// Reads a cell into a member of its type; InputError names the place.
using ReadCell = void (*)(
    const Value& cell,
    void* value,
    const std::string& place,
    const std::map<std::string, Source>& sources);

/// A member of a row that is a column, so that rows of every kind are read by the same code.
struct RowMember {
    const char* name;
    std::string type;
    bool may_miss;
    std::size_t offset;  ///< in a row, in bytes
    ReadCell read;
};

/// The word by which a table's head declares a column of this type.
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

/// InputError where the cell is not of the column's type.
template <class T>
void read_cell(
    const Value& cell,
    T& value,
    const std::string& place,
    const std::map<std::string, Source>& sources) {
    if constexpr (IsOptional<T>::value) {
        read_cell(cell, value.emplace(), place, sources);
    } else if constexpr (std::is_same_v<T, Source>) {
        const Source* const source = look_up(sources, std::string(quoted_text(cell, place)));
        if (!source)
            wrong(
                place,
                concat(
                    "source '",
                    text_of(cell),
                    "' is not in the table's list of sources; add it there"));
        value = *source;
    } else if constexpr (std::is_same_v<T, std::string>) {
        value = quoted_text(cell, place);  // to the byte: a table is UTF-8
    } else {
        from_json(as_json(cell), value, place);
        if constexpr (std::is_same_v<T, int>)
            if (value < 0)
                wrong(place, "the number is out of range");
    }
}

template <class T>
void read_cell_at(
    const Value& cell,
    void* value,
    const std::string& place,
    const std::map<std::string, Source>& sources) {
    read_cell(cell, *static_cast<T*>(value), place, sources);
}

/// Adds those that `Part` lists, which is `R` or the `Row` in it.
template <class R, class Part>
void add_members(std::vector<RowMember>& members) {
    R row;
    Part& part = row;
    Part::fields(part, [&]<class T>(const char* name, T& member) {
        const auto offset =
            reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&row);
        const bool may_be_missing = includes(Part::may_be_missing, std::string_view(name));
        const std::string type = (may_be_missing ? "optional " : "") + type_word<T>();
        members.push_back(
            {.name = name,
             .type = type,
             .may_miss = may_be_missing || IsOptional<T>::value,
             .offset = static_cast<std::size_t>(offset),
             .read = read_cell_at<T>});
    });
}

/// The columns that the head declares are those that this program reads.
void check_columns(const Value& table, const std::vector<RowMember>& known, Place& place) {
    const Value* const columns = member(table, "columns", rapidjson::kObjectType);
    if (!columns)
        throw InputError("'columns' is not a list of columns");
    for (const auto& [name, type] : columns->GetObject()) {
        const RowMember* const found = find_by(known, &RowMember::name, text_of(name));
        if (!found)
            place.report(column_place(text_of(name)) + ": unknown column");
        else if (!type.IsString() || text_of(type) != found->type)
            place.report(
                column_place(text_of(name)) + ": the type of this column is '" + found->type + "'");
    }
}

/// Whether the row is without an issue.
bool read_row(
    const Value& written,
    void* row,
    const std::vector<RowMember>& members,
    const TableHead& head,
    Place& place) {
    const std::size_t reported_before = place.reported;
    std::size_t found = 0;
    std::string where;
    for (const RowMember& member : members) {
        const auto cell = written.FindMember(member.name);
        where.assign("column '").append(member.name) += '\'';
        try {
            if (cell != written.MemberEnd()) {
                ++found;
                member.read(
                    cell->value, static_cast<char*>(row) + member.offset, where, head.sources);
            } else if (!member.may_miss) {
                wrong(where, "missing; every row needs it");
            }
        } catch (const InputError& error) {
            place.report(error.what());
        }
    }
    if (found < written.MemberCount())
        for (const auto& [name, cell] : written.GetObject())
            if (!find_by(members, &RowMember::name, text_of(name)))
                place.report(column_place(text_of(name)) + ": unknown column");
    return place.reported == reported_before;
}

/// What a table states about itself: columns, sources, and the holes that its
/// ranges have on purpose.
void read_head(
    const Value& table, const std::vector<RowMember>& members, TableHead& head, Place& place) {
    if (const Value* const about = member(table, "about", rapidjson::kStringType))
        head.about = text_of(*about);
    if (const Value* const holes = member(table, "holes", rapidjson::kObjectType))
        for (const auto& [hole, why] : holes->GetObject())
            if (why.IsString())
                head.holes[hole.GetString()] = text_of(why);
    check_columns(table, members, place);
    read_sources(table, head, place);
}

/// Rows with an issue are left out, so that the others can be checked.
template <class R>
void read_into(
    ReadTable<R>& read,
    const std::vector<RowMember>& members,
    const TableFiles& files,
    Place& place) {
    const std::string_view* const content = look_up(files.content, place.table);
    if (!content)
        throw InputError("this table is missing");
    std::string text;
    const rapidjson::Document table =
        parse(*content, text, bundled_twin(files, place.table), place);
    read_head(table, members, read, place);
    const Value* const rows = member(table, "rows", rapidjson::kArrayType);
    if (!rows)
        throw InputError("'rows' is not a list of rows");
    read.written = rows->Size();
    read.rows.reserve(read.written);
    for (const Value& written : rows->GetArray()) {
        ++place.row;
        R row;
        row.number = place.row;
        if (!written.IsObject())
            place.report("not an object");
        else if (read_row(written, &row, members, read, place))
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
    const std::chrono::year_month_day date{
        std::chrono::year(year),
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

void reject(const TableFiles& files, const Issue& issue) {
    std::string row;
    if (issue.row > 0)
        row = ", row " + std::to_string(issue.row);
    throw InputError(escaped(files.place + "/" + issue.table + ".json") + row + ": " + issue.text);
}

template <class R>
ReadTable<R> read_table(const TableFiles& files, const std::string& stem) {
    ReadTable<R> read;
    std::vector<RowMember> members;
    add_members<R, R>(members);
    for (const RowMember& member : members)
        read.columns.push_back({member.name, member.type});
    add_members<R, Row>(members);
    Place place{stem, read.issues};
    try {
        read_into(read, members, files, place);
    } catch (const InputError& error) {
        place.row = 0;
        place.report(error.what());
    }
    return read;
}

Tables::Tables(TableFiles table_files) : files(std::move(table_files)) {
}

}  // namespace rnncheck
