#include "vendor/library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <utility>

namespace rnncheck::vendor {

const std::string driver_library = "libcuda.so.1", nvml_library = "libnvidia-ml.so.1";

std::string opening_of(const std::string& name) {
    return "dlopen(" + name + ")";
}

/// In this library and those that it needs: what the process has
/// loaded otherwise does not count.
void* Library::symbol(const char* name) const {
    if (!handle)
        return nullptr;
    return dlsym(handle, name);
}

static std::function<std::optional<std::string>(const std::string&)> reason_to_reject;

/// Why the name may not be given to the loader, which would wait there forever.
static std::optional<std::string> rejection(const std::string& name) {
    struct stat about {};
    const bool is_path = name.find('/') != std::string::npos;
    if (is_path && stat(name.c_str(), &about) == 0 && !S_ISREG(about.st_mode))
        return name + " is not a file";
    if (!reason_to_reject)
        return std::nullopt;
    return reason_to_reject(name);
}

void reject_openings(std::function<std::optional<std::string>(const std::string&)> reason) {
    reason_to_reject = std::move(reason);
}

/// RTLD_NOW, so that a symbol that a dependency lacks is an error of this call
/// and not a crash of a later one. RTLD_LOCAL, as Python opens extension modules.
Library open_library(ProbeWriter& writer, const std::string& name) {
    const std::string call_name = opening_of(name);
    writer.calling(call_name);
    Library library;
    if (const auto reason = rejection(name)) {
        library.failure = CallResult{"dlopen", would_block, "not opened: " + *reason};
    } else if (library.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL); !library.handle) {
        const char* const why = dlerror();
        library.failure =
            CallResult{"dlopen", missing_symbol, why ? why : "dlopen failed without a reason"};
    }
    if (library.failure) {
        writer.failed({call_name, library.failure->code, library.failure->text});
        return library;
    }
    library.path = name;
    link_map* map = nullptr;
    // The path that the loader chose, which may be another than the name suggests.
    if (dlinfo(library.handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name)
        library.path = map->l_name;
    return library;
}

/// As the kernel shows them: what a library opened by itself is in no list of ours.
std::vector<std::string> mapped_files(const std::string& part) {
    std::set<std::string> files;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const auto path = line.find('/');
        if (path == std::string::npos)
            continue;
        const auto name = line.rfind('/');
        if (line.find(part, name) != std::string::npos)
            files.insert(line.substr(path));
    }
    return {files.begin(), files.end()};
}

}  // namespace rnncheck::vendor
