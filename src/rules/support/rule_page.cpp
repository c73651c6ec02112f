#include "base/embedded.hpp"
#include "rules/rule.hpp"

namespace rnncheck {

std::string_view rule_page(std::string_view name) {
    for (const EmbeddedFile& page : rule_pages())
        if (page.name == name) return page.content;
    return {};
}

}  // namespace rnncheck
