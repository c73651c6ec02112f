#include "commands/find_in_path.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "base/program.hpp"
#include "base/text.hpp"

namespace rnncheck {

std::optional<std::string> find_in_path(const std::string& name) {
    for (const std::string& directory : split(environment_variable("PATH").value_or("/usr/bin:/bin"), ':')) {
        const std::string file = (directory.empty() ? "." : directory) + '/' + name;
        struct stat about;
        if (::stat(file.c_str(), &about) == 0 && S_ISREG(about.st_mode) && ::access(file.c_str(), X_OK) == 0)
            return file;
    }
    return std::nullopt;
}

}  // namespace rnncheck
