#include "commands/restrictions.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.hpp"
#include "process/this_process.hpp"

namespace rnncheck {

namespace {

std::optional<std::string> probes_not_started(const Facts& facts) {
    const auto not_started = [](const ProbeRun& run) { return run.end == ProbeEnd::not_started; };
    const auto first = std::ranges::find_if(facts.probe_runs, not_started);
    if (first == facts.probe_runs.end()) return std::nullopt;
    const auto count = static_cast<std::size_t>(std::ranges::count_if(facts.probe_runs, not_started));
    return "the processes of " + pluralized(count, "probe", "probes") + " could not be started (" +
           first->reason.value_or("no reason given") + "), so what they look at was not examined";
}

}  // namespace

std::string without_directory(const std::string& directory) {
    const std::string hidden = directory + " is empty or closed to this process";
    if (directory == "/proc")
        return hidden +
               ", so the version of the driver's kernel module cannot be read, nor what a hanging process does";
    if (directory == "/sys") return hidden + ", so the PCI bus and the loaded kernel modules cannot be seen";
    return hidden + ", so the driver's device nodes cannot be seen";
}

std::string without_temporary_files(const std::string& reason) {
    return "no file can be made in " + process::temporary_directory() + " (" + reason +
           "), so kernels that must be compiled for a GPU are compiled again in every process, which takes longer";
}

std::vector<std::string> restrictions_of(const Facts& facts) {
    std::vector<std::string> sentences;
    if (const auto sentence = probes_not_started(facts)) sentences.push_back(*sentence);
    for (const std::string& directory : facts.host.hidden_directories)
        sentences.push_back(without_directory(directory));
    if (access(process::temporary_directory().c_str(), W_OK | X_OK) != 0)
        sentences.push_back(without_temporary_files(std::strerror(errno)));
    return sentences;
}

}  // namespace rnncheck
