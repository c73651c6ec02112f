// The watch is on the device files, so that no process need be looked at.
#include "files/device_opens.hpp"

#include <fcntl.h>
#include <sys/inotify.h>

#include <string>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

/// nvidia0, not nvidiactl or nvidia-uvm, which are also opened to query a version.
bool is_gpu(const std::string& name) {
    const std::string prefix = "nvidia";
    return name.starts_with(prefix) && name.size() > prefix.size() && is_digit(name[prefix.size()]);
}

/// A kernel in user space might accept the watch and send nothing.
bool sends_notices(int notices) {
    const int watch = ::inotify_add_watch(notices, "/dev/null", IN_OPEN);
    const Descriptor opened(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    std::string seen, rest;
    const bool sends = read_onto(seen, notices) > 0;
    ::inotify_rm_watch(notices, watch);  // which is a notice as well
    read_onto(rest, notices);
    return sends;
}

}  // namespace

/// One file that cannot be watched makes the whole answer uncertain.
DeviceOpens::DeviceOpens() : notices_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    if (!notices_.open() || !sends_notices(notices_.number()))
        return;
    for (const std::string& name : Root().names_in("/dev")) {
        if (!is_gpu(name))
            continue;
        watches_all_ =
            ::inotify_add_watch(notices_.number(), ("/dev/" + name).c_str(), IN_OPEN) >= 0;
        if (!watches_all_)
            return;
    }
}

bool DeviceOpens::are_possible() const {
    std::string notices;
    return !watches_all_ || read_onto(notices, notices_.number()) > 0;
}

}  // namespace rnncheck
