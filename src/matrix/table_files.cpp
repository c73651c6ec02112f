#include <algorithm>
#include <chrono>

#include "base/directory_list.hpp"
#include "base/files.hpp"
#include "base/program.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "matrix/tables.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t most_bytes = 1 << 20;  // ten times the largest bundled table and more
constexpr std::string_view suffix = ".json";
constexpr std::size_t date_length = 10;

/// Root wants absolute paths.
std::string absolute(const std::string& directory) {
    if (directory.starts_with('/')) return directory;
    const auto here = Root().real_path("/proc/self/cwd");
    return here.value_or("") + "/" + directory;
}

/// The bundled table of this name, if it says the same byte for byte: what is known of it holds for both.
const EmbeddedFile* bundled_twin(const TableFiles& files, const std::string& stem) {
    const auto file = files.content.find(stem);
    if (file == files.content.end()) return nullptr;
    for (const EmbeddedFile& table : matrix_tables())
        if (table.name == stem && table.content == file->second) return &table;
    return nullptr;
}

void read_file(TableFiles& files, const std::string& directory, const std::string& name) {
    auto text = Root().read(directory + "/" + name, most_bytes + 1);
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

TableFiles table_files_of(const std::string& directory) {
    TableFiles files;
    files.place = directory;
    const std::string path = absolute(directory);
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
    if (files.content.empty())
        throw InputError(escaped(directory) + ": no table (*.json) can be read in this directory");
    files.digest = "sha256:" + sha256_hex(sums);
    return files;
}

bool same_as_bundled(const TableFiles& files, const std::string& stem) {
    return bundled_twin(files, stem) != nullptr;
}

bool is_date(std::string_view text) {
    if (text.size() != date_length || text[4] != '-' || text[7] != '-') return false;
    const auto numbers = parse_version(join(split(text, '-'), "."));
    if (!numbers) return false;
    const auto& [year, month, day, none] = numbers->parts;
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    return year >= 2007 && year <= 2099 && date.ok();
}

std::string newest_date(std::string_view table) {
    constexpr std::string_view key = "\"seen\"";  // cannot occur inside a JSON text, where quotes are escaped
    std::string_view newest;
    for (auto at = table.find(key); at != std::string_view::npos; at = table.find(key, at)) {
        at = table.find('"', at + key.size());
        if (at == std::string_view::npos) break;
        const std::string_view date = table.substr(at + 1, date_length);
        if (is_date(date)) newest = std::max(newest, date);
    }
    return std::string(newest);
}

}  // namespace rnncheck
