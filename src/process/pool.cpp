#include "process/pool.hpp"

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "process/child.hpp"

namespace rnncheck::process {

namespace {

// No descriptor that wakes us when a child ends (pidfd): kernels too old for it are our public. A child that closed
// its answers is about to leave, so it is looked at more often; so is one whose lines do not wake us.
constexpr int usual_wait_ms = 20;
constexpr int short_wait_ms = 1;

/// Raises a tight soft limit and tells how many descriptors there may be.
int allow_descriptors() {
    constexpr rlim_t enough = 1024;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return enough;
    if (limit.rlim_cur >= enough) return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1 << 20));
    limit.rlim_cur = std::min(enough, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<int>(limit.rlim_cur);
}

Wire wire_within(int most_descriptors) {
    const Wire usual;
    return most_descriptors > usual.answer ? usual : Wire{most_descriptors - 2, most_descriptors - 1};
}

}  // namespace

Pool::Pool() {
    signal(SIGPIPE, SIG_IGN);
    most_descriptors_ = allow_descriptors();
    wire_ = wire_within(most_descriptors_);
    signal(SIGCHLD, SIG_DFL);  // inherited as ignored, children would vanish before they can be observed
}

Pool::~Pool() = default;

int Pool::start(const Command& command, OnLine on_line) {
    children_.push_back(std::make_unique<Child>(next_id_, command, wire_, std::move(on_line)));
    return next_id_++;
}

std::size_t Pool::running() const {
    return children_.size();
}

bool Pool::is_slow(int id) const {
    return std::ranges::any_of(children_, [&](const auto& child) { return child->id == id && child->is_slow(); });
}

void Pool::shorten(int id, std::chrono::milliseconds quiet_limit) {
    for (const auto& child : children_)
        if (child->id == id) child->shorten(quiet_limit);
}

std::size_t Pool::capacity() const {
    // Standard streams and the wire's two, three pipe ends for each child, three more while one is started.
    constexpr int fixed = 3 + 2 + 3;
    constexpr int for_each = 3;
    const int staying = static_cast<int>(staying_.size());
    return static_cast<std::size_t>(std::max((most_descriptors_ - fixed) / for_each - staying, 1));
}

Pool::Ended Pool::wait(const std::function<void()>& idle) {
    while (true) {
        for (auto child = children_.begin(); child != children_.end(); ++child) {
            (*child)->exchange();
            auto result = (*child)->check();
            if (!result) continue;
            const Ended ended{(*child)->id, std::move(*result)};
            if ((*child)->stays()) staying_.push_back(std::move(*child));
            children_.erase(child);
            return ended;
        }
        idle();
        std::vector<pollfd> polls;
        int timeout = usual_wait_ms;
        for (const auto& child : children_) {
            child->add_to_poll(polls);
            if (child->leaving() || child->chatters()) timeout = short_wait_ms;
        }
        poll(polls.data(), polls.size(), timeout);
    }
}

std::string signal_name(int signal) {
    // sigabbrev_np would do this, but needs glibc 2.32.
    static constexpr std::pair<int, const char*> names[] = {
        {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},   {SIGFPE, "SIGFPE"},
        {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"}, {SIGPIPE, "SIGPIPE"}, {SIGSYS, "SIGSYS"}};
    for (const auto& [number, name] : names)
        if (number == signal) return name;
    return "signal " + std::to_string(signal);
}

}  // namespace rnncheck::process
