#include "report/secrets.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace rnncheck {

namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool starts_with(std::string_view text, std::size_t at, std::string_view part) {
    return text.substr(at, part.size()) == part;
}

bool starts_with_any_case(std::string_view text, std::size_t at, std::string_view part) {
    const std::string_view here = text.substr(at, part.size());
    return std::equal(here.begin(), here.end(), part.begin(), part.end(), [](char a, char b) { return lower(a) == b; });
}

bool ends_a_name(char c) {
    constexpr std::string_view ends = "/\\:;,=\"'`()[]{}<>|*?&!#$";
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7F || ends.find(c) != std::string_view::npos;
}

bool is_in_web_address(std::string_view text, std::size_t at) {
    constexpr std::size_t far = 200;
    const std::size_t from = at > far ? at - far : 0;
    const std::string_view before = text.substr(from, at - from);
    const auto scheme = before.rfind("http");
    return scheme != std::string_view::npos && before.find("://", scheme) != std::string_view::npos &&
           before.find(' ', scheme) == std::string_view::npos;
}

/// "John Smith" in C:\Users\John Smith\x: a space belongs to the name when a separator follows soon after the last
/// word.
std::size_t end_with_spaces(std::string_view text, std::size_t end, char separator) {
    constexpr std::size_t longest = 40;
    std::size_t further = end;
    while (further < text.size() && further - end < longest && (text[further] == ' ' || !ends_a_name(text[further])))
        ++further;
    return further < text.size() && text[further] == separator && text[further - 1] != ' ' ? further : end;
}

/// A Windows disk as WSL mounts it: /mnt/c.
bool is_after_windows_disk(std::string_view text, std::size_t at) {
    return at >= 6 && text.substr(at - 6, 5) == "/mnt/" && is_letter(text[at - 1]);
}

std::optional<Span> name_from(std::string_view text, std::size_t begin, std::optional<char> separator) {
    std::size_t end = begin;
    while (end < text.size() && !ends_a_name(text[end])) ++end;
    if (separator) end = end_with_spaces(text, end, *separator);
    while (end > begin && (text[end - 1] == '.' || text[end - 1] == '-')) --end;
    if (end == begin) return std::nullopt;
    return Span{begin, end};
}

constexpr std::array<std::size_t, 5> uuid_groups{8, 4, 4, 4, 12};

std::size_t end_of_hex(std::string_view text, std::size_t at) {
    while (at < text.size() && is_hex(text[at])) ++at;
    return at;
}

/// End of the UUID that begins at `at`, complete or, with `shortened`, cut anywhere after six digits.
std::size_t end_of_uuid(std::string_view text, std::size_t at, bool shortened) {
    std::size_t end = at;
    for (std::size_t group = 0; group < uuid_groups.size(); ++group) {
        const std::size_t stop = end_of_hex(text, end);
        const bool full = stop - end == uuid_groups[group];
        const bool last = group + 1 == uuid_groups.size();
        if (last && full) return stop;
        const bool goes_on = full && stop + 1 < text.size() && text[stop] == '-' && is_hex(text[stop + 1]);
        if (!goes_on) return shortened && stop - at >= 6 && stop - end <= uuid_groups[group] ? stop : at;
        end = stop + 1;
    }
    return at;
}

bool has_digit(std::string_view text) {
    return std::any_of(text.begin(), text.end(), is_digit);
}

}  // namespace

bool is_word_char(char c) {
    return is_digit(c) || is_letter(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool is_word_edge(std::string_view text, std::size_t at) {
    return at == 0 || at >= text.size() || !is_word_char(text[at - 1]) || !is_word_char(text[at]);
}

std::optional<Span> user_of_home_at(std::string_view text, std::size_t at) {
    constexpr std::string_view parents[] = {"/home/", "/users/", "\\users\\", "\\\\users\\\\"};
    for (const std::string_view parent : parents) {
        if (!starts_with_any_case(text, at, parent) || is_in_web_address(text, at)) continue;
        const bool windows = parent[0] == '\\' || is_after_windows_disk(text, at);
        return name_from(text, at + parent.size(), windows ? std::optional(parent[0]) : std::nullopt);
    }
    return std::nullopt;
}

bool is_folder_at(std::string_view text, std::size_t at, std::string_view folder) {
    if (folder.empty() || !starts_with(text, at, folder)) return false;
    constexpr std::string_view part_of_path = "._-/";
    if (at > 0 && (is_word_char(text[at - 1]) || part_of_path.find(text[at - 1]) != std::string_view::npos))
        return false;
    const std::size_t end = at + folder.size();
    return end == text.size() || (!is_word_char(text[end]) && text[end] != '_' && text[end] != '-');
}

std::optional<UuidPlace> uuid_at(std::string_view text, std::size_t at) {
    if (!is_word_edge(text, at)) return std::nullopt;
    for (const std::string_view prefix : {"MIG-GPU-", "MIG-", "GPU-", ""}) {
        if (!starts_with(text, at, prefix)) continue;
        const std::size_t begin = at + prefix.size();
        const std::size_t end = end_of_uuid(text, begin, !prefix.empty());
        const Span digits{begin, end};
        if (end > begin && is_word_edge(text, end) && has_digit(digits.of(text))) return UuidPlace{prefix, digits};
    }
    return std::nullopt;
}

std::optional<Span> serial_at(std::string_view text, std::size_t at) {
    constexpr std::string_view word = "serial";
    if (!is_word_edge(text, at) || !starts_with_any_case(text, at, word)) return std::nullopt;
    std::size_t begin = at + word.size();
    const auto skip = [&](std::string_view what) {
        while (begin < text.size() && what.find(text[begin]) != std::string_view::npos) ++begin;
    };
    skip(" _-.");
    for (const std::string_view more : {"number", "num", "no"})
        if (starts_with_any_case(text, begin, more)) {
            begin += more.size();
            break;
        }
    skip(" \t_.:=#\"'");
    std::size_t end = begin;
    while (end < text.size() && (is_word_char(text[end]) || text[end] == '-')) ++end;
    const Span span{begin, end};
    if (end - begin < 6 || !has_digit(span.of(text))) return std::nullopt;
    return span;
}

bool is_ordinary_word(std::string_view name) {
    constexpr std::string_view words[] = {
        "admin",   "administrator", "ai",        "all",        "and",       "anaconda",  "app",      "apps",
        "art",     "bin",           "build",     "builder",    "cache",     "centos",    "ci",       "compute",
        "conda",   "core",          "cpu",       "cuda",       "cudnn",     "cudart",    "cublas",   "data",
        "debian",  "default",       "deep",      "dev",        "device",    "docker",    "driver",   "error",
        "etc",     "fedora",        "file",      "files",      "for",       "gpu",       "gpus",     "group",
        "guest",   "has",           "home",      "host",       "installed", "jenkins",   "jovyan",   "jupyter",
        "kernel",  "keras",         "lab",       "lib",        "lib64",     "libcuda",   "libcudnn", "library",
        "linux",   "local",         "localhost", "login",      "main",      "mark",      "max",      "media",
        "memory",  "min",           "missing",   "ml",         "mnt",       "module",    "node",     "none",
        "not",     "nvidia",        "nvml",      "opt",        "path",      "proc",      "program",  "public",
        "python",  "pytorch",       "rnn",       "rnncheck",   "root",      "run",       "runner",   "sbin",
        "server",  "service",       "shared",    "snap",       "src",       "srv",       "step",     "student",
        "sys",     "system",        "temp",      "tensorflow", "test",      "tester",    "the",      "tmp",
        "toolkit", "torch",         "ubuntu",    "user",       "users",     "usr",       "var",      "version",
        "vagrant", "will",          "with",      "work",       "worker",    "workspace", "x86",      "install",
        "sudo",    "apt",           "run_path",  "batch",      "case"};
    const std::string small = rnncheck::lower(name);
    return name.size() < 3 || std::all_of(name.begin(), name.end(), is_digit) ||
           std::find(std::begin(words), std::end(words), small) != std::end(words);
}

}  // namespace rnncheck
