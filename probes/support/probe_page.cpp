#include "base/directory_list.hpp"
#include "process/probe.hpp"

namespace rnncheck {

std::string_view probe_page(std::string_view name) {
    for (const EmbeddedFile& page : probe_pages())
        if (page.name == name) return page.content;
    return {};
}

}  // namespace rnncheck
