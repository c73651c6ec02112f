// The directories compiled into the program (cmake/embed.cmake).
#pragma once

#include <span>

#include "base/directory_list.hpp"

namespace rnncheck {

std::span<const EmbeddedFile> rule_pages();
std::span<const EmbeddedFile> probe_pages();
std::span<const EmbeddedFile> matrix_tables();
std::string_view matrix_tables_digest();
std::string_view matrix_tables_date();

}  // namespace rnncheck
