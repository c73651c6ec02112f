#include "matrix/table_file.hpp"

#include <algorithm>

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
        sums += sha256_hex(files.content[name.substr(0, name.size() - suffix.size())]) + "  " + name + "\n";
    }
    if (files.content.empty()) throw InputError(escaped(folder) + ": no table (*.json) can be read in this folder");
    files.digest = "sha256:" + sha256_hex(sums);
    return files;
}

std::string newest_date(const TableFiles& files) {
    constexpr std::string_view key = "\"seen\"";  // cannot occur inside a JSON text, where quotes are escaped
    std::string_view newest;
    for (const auto& [stem, text] : files.content) {
        for (auto at = text.find(key); at != std::string_view::npos; at = text.find(key, at + key.size())) {
            const auto quote = text.find('"', at + key.size());
            if (quote == std::string_view::npos) break;
            newest = std::max(newest, text.substr(quote + 1, date_length));
        }
    }
    return std::string(newest);
}

}  // namespace rnncheck
