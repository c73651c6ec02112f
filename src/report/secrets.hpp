// Finds private things in a text: pure functions, each looks at one place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rnncheck {

/// A private part of a text, as a range of it.
struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;

    std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// Letters and digits, and all beyond ASCII.
bool is_word_char(char c);

/// Whether a word can begin or end at this place, that is, between `at - 1` and `at`.
bool is_word_edge(std::string_view text, std::size_t at);

/// The user's name when a home folder begins at `at`: "/home/NAME", "/Users/NAME", "\Users\NAME".
std::optional<Span> user_of_home_at(std::string_view text, std::size_t at);

/// Whether `folder` stands at `at` as a whole path or as the beginning of one.
bool is_folder_at(std::string_view text, std::size_t at, std::string_view folder);

/// The hexadecimal part of a UUID at `at`, with what stands before it: "GPU-", "MIG-", "MIG-GPU-" or nothing. Behind
/// a prefix the shortened form that CUDA_VISIBLE_DEVICES allows counts too.
struct UuidPlace {
    std::string_view prefix;
    Span digits;
};
std::optional<UuidPlace> uuid_at(std::string_view text, std::size_t at);

/// The number when "serial number: NUMBER", "serial NUMBER" or the like begins at `at`.
std::optional<Span> serial_at(std::string_view text, std::size_t at);

/// The host's name when words that logs put before it begin at `at`, "hostname=NAME" and the like, or the time of a line
/// of syslog, "Nov 21 10:00:01 NAME kernel:", of which `at` is the hour.
std::optional<Span> host_at(std::string_view text, std::size_t at);

/// A token for a service on the network, as GitHub, GitLab, Hugging Face, AWS, Slack and OpenAI write theirs.
std::optional<Span> token_at(std::string_view text, std::size_t at);

/// A name that is also an ordinary word in reports ("cuda", "test", "max"), or too short to tell from one. Only at the
/// place of a user's name in a path is it taken for one.
bool is_ordinary_word(std::string_view name);

}  // namespace rnncheck
