// A format prints the outline of a report or of another document. It may not look anything up and may not decide.
#pragma once

#include <span>
#include <string>

#include "base/directory_list.hpp"
#include "report/report.hpp"

namespace rnncheck {

/// Indented on a terminal; else without line ends.
enum class JsonLines { indented, one };

struct Style {
    bool color = false;
    bool verbose = false;  ///< evidence, documentation, passed checks and timings too
    bool quiet = false;    ///< the headline only
    bool ascii = false;    ///< no character beyond ASCII
    JsonLines json_lines = JsonLines::indented;
    std::size_t width = 100;  ///< columns of the terminal
};

struct Outline;

struct Format {
    std::string_view title;
    std::string (*write)(const Outline&, const Style&);
};

/// Every file of src/report/formats/, by name.
std::span<const Named<Format>> all_formats();

}  // namespace rnncheck
