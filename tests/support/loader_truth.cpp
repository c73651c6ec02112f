#include "support/loader_truth.hpp"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/text.hpp"
#include "files/elf/elf_file.hpp"

namespace rnncheck::test {

namespace {

std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

bool is_no_library(const std::string& name) {
    return name.starts_with("linux-vdso") || name.starts_with("linux-gate") ||
           name.find("/ld-linux") != std::string::npos || name.starts_with("ld-linux");
}

std::string real(const std::string& path, const std::string& directory) {
    return Root().real_path(path.starts_with('/') ? path : directory + '/' + path).value_or(path);
}

/// "	libz.so.1 => /lib/libz.so.1 (0x0000)", "	libz.so.1 => not found", "
/// /opt/libz.so.1 (0x0000)".
void take_line(std::string line, const std::string& directory, Truth& truth) {
    while (!line.empty() && (line.back() == '\n' || line.back() == ' '))
        line.pop_back();
    if (!line.starts_with('\t'))
        return;
    line.erase(0, 1);
    if (const auto address = line.rfind(" (0x"); address != std::string::npos)
        line.erase(address);
    const auto arrow = line.find(" => ");
    const std::string name = line.substr(0, arrow);
    if (line == "statically linked" || is_no_library(name))
        return;
    const std::string path = arrow == std::string::npos ? name : line.substr(arrow + 4);
    truth.libraries.emplace_back(name, path == "not found" ? "" : real(path, directory));
}

}  // namespace

std::string Truth::in_words() const {
    std::string text = fails ? "fails after" : "";
    for (const auto& [name, path] : libraries)
        text += "\n  " + name + " => " + (path.empty() ? "not found" : path);
    return text;
}

Truth loader_result(const std::string& path, const LoaderVariables& variables) {
    std::string command =
        "cd " + quoted(variables.working_directory) + " && LD_TRACE_LOADED_OBJECTS=1";
    if (!variables.library_path.empty())
        command += " LD_LIBRARY_PATH=" + quoted(variables.library_path);
    if (!variables.preload.empty())
        command += " LD_PRELOAD=" + quoted(variables.preload);
    command +=
        " exec " + std::string(loader::usual_interpreter()) + ' ' + quoted(path) + " 2>/dev/null";
    Truth truth;
    FILE* output = popen(command.c_str(), "r");
    char line[16384];
    while (output && std::fgets(line, sizeof line, output))
        take_line(line, variables.working_directory, truth);
    truth.fails = !output || pclose(output) != 0;
    return truth;
}

Truth prediction(const std::string& path, const LoaderVariables& variables) {
    loader::LoaderSetting setting;
    setting.library_path = variables.library_path;
    setting.working_directory = variables.working_directory;
    setting.program_directory = loader::origin_of(path);
    const loader::Loader loader = loader::loader_of(Root(), setting);
    elf::ElfFile file = elf::read_elf_file(Root(), path, elf::ElfUse::program);
    Truth truth;
    truth.fails = file.problem.has_value() || !file.has_dynamic_section;
    if (truth.fails)
        return truth;
    loader::Process process(loader, path, std::move(file));
    process.start(variables.preload);
    std::set<std::size_t> output;
    for (const auto& answer : process.answers()) {
        truth.fails |= !answer.stopped_at.empty() && answer.rule != LoaderRule::ld_preload;
        if (answer.object.value_or(2) < 2 ||
            (answer.object && !output.insert(*answer.object).second))
            continue;
        if (!answer.object && answer.rule == LoaderRule::ld_preload)
            continue;
        truth.libraries.emplace_back(
            answer.name, answer.object ? real(process.objects()[*answer.object].path, "/") : "");
    }
    return truth;
}

loader::Lookup in_plain_program(const loader::Loader& loader, const std::string& name) {
    return loader::Process(loader, "", {}).look_up(name, 0);
}

void collect_elf_files(const std::string& top, std::set<std::string>& files) {
    std::error_code error;
    std::filesystem::recursive_directory_iterator walk(
        top, std::filesystem::directory_options::skip_permission_denied, error);
    for (; !error && walk != std::filesystem::recursive_directory_iterator();
         walk.increment(error)) {
        if (walk->is_symlink() || !walk->is_regular_file())
            continue;
        char start[20] = {};
        std::ifstream(walk->path(), std::ios::binary).read(start, sizeof start);
        std::uint16_t type = 0, machine = 0;
        std::memcpy(&type, start + 16, 2);
        std::memcpy(&machine, start + 18, 2);
        if (std::memcmp(start, ELFMAG, SELFMAG) != 0 || start[EI_CLASS] != elf::own_class)
            continue;
        if (machine == elf::own_machine && (type == ET_DYN || type == ET_EXEC))
            files.insert(walk->path());
    }
}

std::string output_of_child(const std::string& test, const std::string& marker) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    FILE* child = popen(("'" + self + "' '" + test + "' 2>/dev/null").c_str(), "r");
    if (!child)
        throw std::runtime_error("no child can be started");
    std::string output;
    char line[8192];
    while (std::fgets(line, sizeof line, child))
        if (const std::string text = line; text.starts_with(marker))
            output = text.substr(marker.size(), text.size() - marker.size() - 1);
    pclose(child);
    return output;
}

}  // namespace rnncheck::test
