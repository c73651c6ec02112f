// The tables of the matrix for people. Text from a table goes through shown() on its way to the page.
#pragma once

#include <string>

#include "report/format.hpp"
#include "report/table_documents.hpp"

namespace rnncheck {

/// A paragraph per table.
std::string table_text(const TablesDocument& document, const Style& style);

/// Aligned columns; long texts below their row; sources by number, below all rows.
std::string table_text(const TableDocument& document, const Style& style);

/// One line per complaint, with the path of its file below `folder`.
std::string table_text(const VerifyDocument& document, const std::string& folder);

}  // namespace rnncheck
