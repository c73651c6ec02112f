// A format prints a report. It may not look anything up and may not decide.
#pragma once

#include <iosfwd>
#include <span>

#include "base/directory_list.hpp"
#include "report/report.hpp"

namespace rnncheck {

struct Style {
    bool color = false;
    bool verbose = false;  ///< passes and timings too
    bool quiet = false;    ///< the verdict line and the findings' first lines only
};

struct Format {
    std::string_view title;
    void (*write)(const Report&, std::ostream&, const Style&);
};

/// Every file of src/report/formats/, by name.
std::span<const Named<Format>> all_formats();

}  // namespace rnncheck
