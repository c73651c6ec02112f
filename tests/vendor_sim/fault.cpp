#include "fault.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <utility>

#include "faults.hpp"

namespace sim {

namespace {

struct Entry {
    Tags tags;
    std::string key, value;
    long long calls = 0;
};

bool splits(char letter) {
    return letter == ' ' || letter == ';' || letter == '\t' || letter == '\n';
}

Entry parse_word(std::string_view word) {
    Entry entry;
    const auto equals = word.find('=');
    std::string_view left = word.substr(0, equals);
    for (auto colon = left.find(':'); colon != left.npos; colon = left.find(':')) {
        entry.tags.emplace_back(left.substr(0, colon));
        left.remove_prefix(colon + 1);
    }
    entry.key = left;
    if (equals != word.npos)
        entry.value = word.substr(equals + 1);
    return entry;
}

std::vector<Entry> parse(std::string_view text) {
    std::vector<Entry> entries;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = begin;
        while (end < text.size() && !splits(text[end]))
            ++end;
        if (end > begin)
            entries.push_back(parse_word(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return entries;
}

/// Read again whenever SIM has changed, so that one process can plant one fault after the other.
std::vector<Entry>& entries() {
    // Never destroyed: a library's clean-up at exit uses it, too.
    static auto& parsed = *new std::vector<Entry>;
    static auto& seen = *new std::string;
    const char* const variable = std::getenv("SIM");
    const std::string_view now = variable ? variable : "";
    if (now != seen) {
        seen = now;
        parsed = parse(now);
    }
    return parsed;
}

bool holds(const Entry& entry, const Tags& tags) {
    return std::ranges::all_of(
        entry.tags, [&](const auto& tag) { return std::ranges::find(tags, tag) != tags.end(); });
}

/// Faults in what a call gives back that are none of the arithmetic.
constexpr std::array<std::string_view, 9> other_faults = {
    "unrepeatable",
    "other_bits",
    "wild_address",
    "fast_math",
    "dropout_inverted",
    "dropout_ignored",
    "dropout_not_scaled",
    "dropout_mask_stays",
    "dropout_mask_wanders"};

bool is_fault(std::string_view word) {
    return fault_named(word) || std::ranges::find(other_faults, word) != other_faults.end();
}

[[noreturn]] void hang() {
    for (;;)
        pause();
}

[[noreturn]] void busy() {
    for (volatile unsigned long long turns = 0;;)
        turns = turns + 1;
}

/// Never mapped, and not known to the compiler, which would warn.
volatile int* nowhere() {
    static volatile std::uintptr_t address = 16;
    return reinterpret_cast<volatile int*>(address);
}

void write_where_nothing_is() {
    *nowhere() = 1;
}
void read_where_nothing_is() {
    static_cast<void>(*nowhere());
}

void chatter() {
    const std::string line(1023, 'x');
    for (int kilobyte = 0; kilobyte < 100 * 1024; ++kilobyte)
        std::puts(line.c_str());
    std::fflush(stdout);
}

std::optional<int>& garbage() {
    static std::optional<int> byte;
    return byte;
}

/// One line for each call, in one write: many processes add to the file.
void record_call(const std::string& file, std::string_view function) {
    const std::string line = std::to_string(getpid()) + ' ' + std::string(function) + '\n';
    const int to = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (to < 0 || write(to, line.data(), line.size()) < 0)
        std::abort();
    close(to);
}

[[noreturn]] void unknown(const Entry& entry) {
    std::fprintf(
        stderr,
        "SIM: '%s=%s' is no fault that tests/vendor_sim/fault.cpp knows\n",
        entry.key.c_str(),
        entry.value.c_str());
    std::abort();
}

void act_out(const Entry& entry, std::string_view kind, Act& act) {
    constexpr int usual_garbage = 0xB5;
    const auto colon = kind.find(':');
    const std::string_view word = kind.substr(0, colon);
    const auto argument = [&] {
        return std::stoll(std::string(kind.substr(colon + 1)), nullptr, 0);
    };
    if (word == "fail" || word == "value")
        act.result = argument();
    else if (word == "nothing")
        act.result = 0;
    else if (word == "garbage") {
        act.result = 0;
        garbage() = colon == kind.npos ? usual_garbage : static_cast<int>(argument());
    } else if (word == "slow")
        std::this_thread::sleep_for(std::chrono::milliseconds(argument()));
    else if (word == "segv")
        read_where_nothing_is();
    else if (word == "bad_write")
        write_where_nothing_is();
    else if (word == "abort")
        std::abort();
    else if (word == "hang")
        hang();
    else if (word == "busy")
        busy();
    else if (word == "exit")
        _exit(0);
    else if (word == "throw")
        throw std::runtime_error("thrown by the simulated library");
    else if (word == "kill")
        raise(SIGKILL);
    else if (word == "chatter")
        chatter();
    else if (word == "close_stdout")
        close(STDOUT_FILENO);
    else if (is_fault(word))
        act.arithmetic = word;
    else
        unknown(entry);
}

}  // namespace

std::string setting(std::string_view key, std::string_view otherwise, const Tags& tags) {
    std::string value(otherwise);
    for (const Entry& entry : entries())
        if (entry.key == key && holds(entry, tags))
            value = entry.value;
    return value;
}

long long number(std::string_view key, long long otherwise, const Tags& tags) {
    const std::string text = setting(key, "", tags);
    return text.empty() ? otherwise : std::stoll(text, nullptr, 0);
}

bool mentioned(std::string_view function) {
    return std::ranges::any_of(entries(), [&](const Entry& entry) {
        return entry.key == function || entry.key == "calls_to";
    });
}

Act act(std::string_view function, const Tags& tags) {
    Act act;
    garbage().reset();
    if (const std::string file = setting("calls_to", ""); !file.empty())
        record_call(file, function);
    for (Entry& entry : entries()) {
        if (entry.key != function || !holds(entry, tags))
            continue;
        ++entry.calls;
        const auto at = entry.value.find('@');
        if (at != entry.value.npos && entry.calls < std::stoll(entry.value.substr(at + 1)))
            continue;
        act_out(entry, std::string_view(entry.value).substr(0, at), act);
    }
    return act;
}

void start_gpus() {
    static bool started = number("start_ms", 0) == 0;
    if (std::exchange(started, true))
        return;
    const int lock = open(
        setting("start_lock", "").c_str(),
        O_RDWR | O_CREAT | O_CLOEXEC,
        0666);  // held to the end
    if (flock(lock, LOCK_EX | LOCK_NB) == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(number("start_ms", 0)));
    flock(lock, LOCK_SH);
}

std::optional<int> garbage_wanted() {
    return std::exchange(garbage(), std::nullopt);
}

}  // namespace sim
