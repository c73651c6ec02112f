// Directories as lists that the build generates: of objects, one in each file
// (cmake/directory_list.cmake), and of files compiled into the program (cmake/embed.cmake).
#pragma once

#include <span>
#include <string_view>

#include "base/lists.hpp"

namespace rnncheck {

/// A thing with the name of the file that defines it: {"driver_too_old", &rule}.
template <class Thing>
struct Named {
    std::string_view name;  ///< the file's stem, the id on screen
    const Thing* thing;

    const Thing* operator->() const {
        return thing;
    }
};

/// Null when the list has none of this name.
template <class Thing>
const Named<Thing>* find_named(std::span<const Named<Thing>> list, std::string_view name) {
    return find_by(list, &Named<Thing>::name, name);
}

/// A file compiled into the program: a rule's page, a matrix table.
struct EmbeddedFile {
    std::string_view name;     ///< stem
    std::string_view content;  ///< a NUL follows
    std::string_view sha256;   ///< in hexadecimal digits
};

/// The content of the file; empty where there is none of this stem.
inline std::string_view page_named(std::span<const EmbeddedFile> pages, std::string_view name) {
    const EmbeddedFile* const page = find_by(pages, &EmbeddedFile::name, name);
    if (!page)
        return {};
    return page->content;
}

/// One list for each directory that the build compiles into the program, sorted
/// by stem (cmake/embed.cmake).
std::span<const EmbeddedFile> rule_pages();
std::span<const EmbeddedFile> probe_pages();
std::span<const EmbeddedFile> sweeps();
std::span<const EmbeddedFile> python_texts();
std::span<const EmbeddedFile> report_texts();
std::span<const EmbeddedFile> kernels();
std::span<const EmbeddedFile> command_texts();
std::span<const EmbeddedFile> help_topics();
std::span<const EmbeddedFile> reproducers();
std::span<const EmbeddedFile> matrix_tables();
/// The SHA-256 of what `sha256sum *.json` prints among the tables, and the
/// newest date at which a row was seen, "2026-11-21".
std::string_view matrix_tables_digest();
std::string_view matrix_tables_date();

}  // namespace rnncheck
