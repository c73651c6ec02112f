// What an answer or a finding rests on. Data only.
#pragma once

#include "base/fields.hpp"

namespace rnncheck {

/// `source` is a path into the facts ("driver.kernel_version") or the link of the matrix row.
struct Evidence {
    std::string what;
    std::string value;
    std::string source;

    static void fields(auto& self, auto&& visit) {
        visit("what", self.what, "what was found or is known");
        visit("value", self.value, "its value");
        visit("source", self.source, "path into the facts, or link to the source of the table row");
    }
};

}  // namespace rnncheck
