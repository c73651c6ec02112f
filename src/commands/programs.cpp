#include "commands/programs.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/program.hpp"
#include "base/text.hpp"
#include "files/python/environments.hpp"
#include "files/which.hpp"
#include "process/apart.hpp"

namespace rnncheck {

std::optional<std::string> find_in_path(const std::string& name) {
    for (const std::string& directory :
         split(environment_variable("PATH").value_or("/usr/bin:/bin"), ':')) {
        std::string file = directory + '/' + name;
        if (directory.empty())  // the current directory
            file = "./" + name;
        struct stat about;
        if (::stat(file.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
            ::access(file.c_str(), X_OK) == 0)
            return file;
    }
    return std::nullopt;
}

std::optional<std::string> program_of_command(const std::string& name) {
    if (!contains(name, "/"))
        return find_in_path(name);
    // A file that may not be executed is reported by the system when it is started.
    if (::access(name.c_str(), F_OK) != 0)
        return std::nullopt;
    return name;
}

/// The interpreter that the command starts with, or that its first line names; empty for others.
static std::string python_that_runs(const std::string& name) {
    const auto file = program_of_command(name);
    if (!file)
        return "";
    const std::string runner = loader::program_of_script(Root(), *file).value_or(name);
    if (!contains(runner, "/") || !file_name(runner).starts_with("python"))
        return "";
    const std::string path = std::filesystem::absolute(runner).lexically_normal().string();
    if (python::environment_at(Root(), python::variables_of_process(), path))
        return path;
    return "";
}

std::string python_of_command(const std::string& name) {
    try {
        return process::apart([&] { return python_that_runs(name); });
    } catch (const InputError&) {
        return "";  // the command itself will show what is wrong with its file
    }
}

}  // namespace rnncheck
