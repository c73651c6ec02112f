#include "matrix/table_file.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>

#include "base/embedded.hpp"
#include "base/errors.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t most_bytes = 1 << 20;  // ten times the largest bundled table and more
constexpr std::string_view suffix = ".json";
constexpr std::size_t date_length = 10;

/// Root wants absolute paths.
std::string absolute(const std::string& folder) {
    if (folder.starts_with('/')) return folder;
    const auto here = Root().real_path("/proc/self/cwd");
    return here.value_or("") + "/" + folder;
}

/// The bundled table of this name, if it says the same byte for byte: what is known of it holds for both.
const EmbeddedFile* bundled_twin(const TableFiles& files, const std::string& stem) {
    const auto file = files.content.find(stem);
    if (file == files.content.end()) return nullptr;
    for (const EmbeddedFile& table : matrix_tables())
        if (table.name == stem && table.content == file->second) return &table;
    return nullptr;
}

void read_file(TableFiles& files, const std::string& folder, const std::string& name) {
    auto text = Root().read(folder + "/" + name, most_bytes + 1);
    if (!text) throw InputError(escaped(files.place + "/" + name) + ": the file cannot be read");
    if (text->size() > most_bytes)
        throw InputError(escaped(files.place + "/" + name) + ": the file is larger than 1 MiB");
    const std::string stem = name.substr(0, name.size() - suffix.size());
    files.content[stem] = files.owned[stem] = std::move(*text);
}

}  // namespace

TableFiles bundled_table_files() {
    TableFiles files;
    files.place = "compat_matrix";
    for (const EmbeddedFile& file : matrix_tables()) files.content.emplace(file.name, file.content);
    files.digest = "sha256:" + std::string(matrix_tables_digest());
    files.date = matrix_tables_date();
    return files;
}

TableFiles table_files_of(const std::string& folder) {
    TableFiles files;
    files.place = folder;
    const std::string path = absolute(folder);
    std::string sums;
    for (const std::string& name : Root().names_in(path)) {
        if (!name.ends_with(suffix)) continue;
        read_file(files, path, name);
        const std::string stem = name.substr(0, name.size() - suffix.size());
        const std::string_view text = files.content[stem];
        const EmbeddedFile* const twin = bundled_twin(files, stem);
        sums += (twin ? std::string(twin->sha256) : sha256_hex(text)) + "  " + name + "\n";
        files.date = std::max(files.date, newest_date(text));
    }
    if (files.content.empty()) throw InputError(escaped(folder) + ": no table (*.json) can be read in this folder");
    files.digest = "sha256:" + sha256_hex(sums);
    return files;
}

bool same_as_bundled(const TableFiles& files, const std::string& stem) {
    return bundled_twin(files, stem) != nullptr;
}

bool is_iso_date(std::string_view text) {
    constexpr std::string_view form = "0000-00-00";
    return text.size() == form.size() && std::equal(text.begin(), text.end(), form.begin(), [](char c, char f) {
               return f == '0' ? c >= '0' && c <= '9' : c == f;
           });
}

bool is_date(std::string_view text) {
    if (!is_iso_date(text)) return false;
    const auto number = [&](std::size_t at, std::size_t size) {
        unsigned value = 0;
        std::from_chars(text.data() + at, text.data() + at + size, value);
        return value;
    };
    const unsigned year = number(0, 4);
    const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(year)), std::chrono::month(number(5, 2)),
                                          std::chrono::day(number(8, 2))};
    return year >= 2007 && year <= 2099 && day.ok();
}

std::string newest_date(std::string_view table) {
    constexpr std::string_view key = "\"seen\"";  // cannot occur inside a JSON text, where quotes are escaped
    const std::boyer_moore_horspool_searcher find_key(key.begin(), key.end());
    std::string_view newest;
    for (auto at = table.begin(); (at = std::search(at, table.end(), find_key)) != table.end();) {
        at = std::find(at + key.size(), table.end(), '"');
        const std::string_view rest = table.substr(static_cast<std::size_t>(at - table.begin()));
        if (rest.empty()) break;
        const std::string_view date = rest.substr(1, date_length);
        if (is_iso_date(date)) newest = std::max(newest, date);
    }
    return std::string(newest);
}

}  // namespace rnncheck
