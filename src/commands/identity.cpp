#include "commands/identity.hpp"

#include <unistd.h>

#include "base/files.hpp"
#include "base/program.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

void add_variable(std::vector<std::string>& values, const char* name) {
    auto value = environment_variable(name);
    if (value && !value->empty()) values.push_back(*std::move(value));
}

void add_from_passwd(Identity& identity) {
    const std::string own_id = std::to_string(getuid());
    for (const std::string& line : split(Root().read("/etc/passwd").value_or(""), '\n')) {
        const auto fields = split(line, ':');
        if (fields.size() < 6 || fields[2] != own_id) continue;
        identity.users.push_back(fields[0]);
        identity.homes.push_back(fields[5]);
    }
}

}  // namespace

Identity this_machine() {
    Identity identity;
    for (const char* name : {"USER", "LOGNAME", "SUDO_USER"}) add_variable(identity.users, name);
    add_variable(identity.homes, "HOME");
    add_from_passwd(identity);
    char host[256] = {};
    if (gethostname(host, sizeof host - 1) == 0) identity.hosts.emplace_back(host);
    return identity;
}

}  // namespace rnncheck
