#include "commands/input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/program.hpp"
#include "base/text.hpp"
#include "facts/facts_json.hpp"

namespace rnncheck {

namespace {

[[noreturn]] void cannot_read(const std::string& name) {
    throw InputError("cannot read " + name + ": " + std::strerror(errno));
}

std::string read_all(int descriptor, const std::string& name) {
    std::string text;
    std::string block(1 << 16, '\0');
    while (true) {
        const ssize_t got = ::read(descriptor, block.data(), block.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) cannot_read(name);
        if (got == 0) return text;
        text.append(block, 0, static_cast<std::size_t>(got));
        if (text.size() > largest_facts_file) throw InputError(name + " is larger than 64 MiB; no facts file is");
    }
}

std::string read_path(const std::string& path, const std::string& name) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) cannot_read(name);
    struct Closer {
        int descriptor;
        ~Closer() { ::close(descriptor); }
    } closer{descriptor};
    return read_all(descriptor, name);
}

std::string first_of(const std::vector<std::string>& places) {
    constexpr std::size_t told = 5;
    const std::vector<std::string> first(places.begin(), places.begin() + std::min(told, places.size()));
    return escaped(join(first, ", "), 400) +
           (places.size() > told ? " and " + std::to_string(places.size() - told) + " more" : "");
}

}  // namespace

std::string read_document(const std::string& path) {
    return path == "-" ? read_all(STDIN_FILENO, "standard input") : read_path(path, "'" + path + "'");
}

Facts read_facts(const std::string& path) {
    const std::string name = path == "-" ? "standard input" : "'" + path + "'";
    std::vector<std::string> unknown;
    Facts facts = facts_from_text(read_document(path), name, &unknown);
    if (!unknown.empty())
        log::warn(name + " holds what this rnncheck does not know and passes over: " + first_of(unknown));
    return facts;
}

}  // namespace rnncheck
