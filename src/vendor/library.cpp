#include "vendor/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <fstream>
#include <set>

namespace rnncheck::vendor {

void* Library::symbol(const char* name) const { return handle ? dlsym(handle, name) : nullptr; }

Library open_library(Trace& trace, const std::string& name) {
    const std::string call_name = "dlopen(" + name + ")";
    trace.calling(call_name);
    Library library;
    library.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library.handle) {
        const char* const why = dlerror();
        library.error = why ? why : "dlopen failed without a reason";
        trace.failed({call_name, missing_symbol, library.error});
        return library;
    }
    library.path = name;
    link_map* map = nullptr;
    if (dlinfo(library.handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name) library.path = map->l_name;
    return library;
}

std::vector<std::string> mapped_files(const std::string& part) {
    std::set<std::string> files;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const auto path = line.find('/');
        if (path == std::string::npos) continue;
        const auto name = line.rfind('/');
        if (line.find(part, name) != std::string::npos) files.insert(line.substr(path));
    }
    return {files.begin(), files.end()};
}

}  // namespace rnncheck::vendor
