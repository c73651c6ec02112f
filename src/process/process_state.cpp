#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/files.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "process/child.hpp"

namespace rnncheck::process {

namespace {

using std::chrono::milliseconds;

std::string content(pid_t process, const char* name) {
    return Root().read("/proc/" + std::to_string(process) + '/' + name, 4096).value_or("");
}

struct Stat {
    char state;  ///< of its main thread: R on a processor or waiting for one, S sleeping, D uninterruptible
    milliseconds processor_time;  ///< of all its threads
};

/// "4711 (name) S 1 ...", proc(5); the name may hold parentheses.
std::optional<Stat> stat_of(pid_t process) {
    const std::string text = content(process, "stat");
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos) return std::nullopt;
    char state = '?';
    long long user_ticks = 0, kernel_ticks = 0;
    constexpr const char* fields = " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld %lld";  // from the third on
    if (std::sscanf(text.c_str() + name_end + 1, fields, &state, &user_ticks, &kernel_ticks) != 3) return std::nullopt;
    return Stat{state, milliseconds(1000 * (user_ticks + kernel_ticks) / std::max(sysconf(_SC_CLK_TCK), 1L))};
}

std::string word_of(char state) {
    static const std::map<char, const char*> words = {
        {'R', "running"}, {'S', "sleeping"}, {'D', "uninterruptible"}, {'T', "stopped"}, {'t', "stopped"}};
    const auto* const word = look_up(words, state);
    return word ? *word : std::string(1, state);
}

}  // namespace

std::optional<Hang> what_it_does(pid_t process) {
    const auto stat = stat_of(process);
    if (!stat) return std::nullopt;
    Hang hang{word_of(stat->state), {}, {}, static_cast<double>(stat->processor_time.count())};
    const std::string function = content(process, "wchan");
    if (!function.empty() && function != "0") hang.kernel_function = function;
    for (const std::string& line : split(content(process, "stack"), '\n'))
        if (const auto at = line.find("] "); at != std::string::npos && hang.kernel_stack.size() < 16)
            hang.kernel_stack.push_back(line.substr(at + 2));
    return hang;
}

void RunClock::restart() {
    looked_ = Clock::now();
    processor_time_.reset();
    counted_ = {};
}

milliseconds RunClock::elapsed() {
    constexpr milliseconds often{50};
    constexpr milliseconds longest{250};  // looked at later than that, we were kept from a processor ourselves
    const auto passed = std::chrono::duration_cast<milliseconds>(Clock::now() - looked_);
    if (passed < often) return counted_ + passed;
    const auto now = stat_of(process_);
    if (!now) {
        counted_ += passed;
    } else {
        const milliseconds used = processor_time_ ? now->processor_time - *processor_time_ : passed;
        counted_ += std::min(longest, now->state == 'R' ? std::min(passed, used) : passed);
        processor_time_ = now->processor_time;
    }
    looked_ = Clock::now();
    return counted_;
}

}  // namespace rnncheck::process
