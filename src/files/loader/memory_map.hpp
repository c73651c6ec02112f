// What Linux tells about a running process.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rnncheck::which {

struct MappedFile {
    std::string path;      ///< as the process sees it
    bool deleted = false;  ///< removed or replaced on disk since
};

struct RunningProcess {
    std::string program;  ///< /proc/N/exe
    std::string working_folder;
    std::string root;               ///< prefix under which we see its files; empty when it sees the same as we
    std::vector<MappedFile> files;  ///< files mapped, each once, in the order of addresses
    std::optional<std::string>
        library_path;  ///< LD_LIBRARY_PATH at its start, empty when not set; nothing when unreadable
    bool secure = false;
};

/// InputError when there is no such process, when this user may not look into it, or when it has no memory of its own.
RunningProcess look_into(int id);

/// The files of /proc/N/maps, which writes a line end as \012.
std::vector<MappedFile> files_of_map(std::string_view map);

}  // namespace rnncheck::which
