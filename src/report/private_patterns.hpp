// What is private in a text by its form or by what stands around it: the patterns of texts/private_patterns.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"

namespace rnncheck {

/// Those to `token` are replaced where they stand, whatever they are; the others become known words.
RNNCHECK_ENUM(PrivateKind, uuid, user, email, secret, ip_address, mac_address, pci_id, token, serial, host, home, ssid,
              process)
inline bool is_in_place(PrivateKind kind) {
    return kind <= PrivateKind::token;
}

/// What a private thing becomes, with a number behind it: "USER".
std::string_view placeholder_of(PrivateKind kind);

/// The number of "USER7" as one of a user; 0 when it is none of this kind.
int number_in_placeholder(std::string_view text, PrivateKind kind);
bool is_placeholder(std::string_view text);

/// "/home/USER7/lib" as "/home/USER/lib": each report has numbers of its own.
std::string without_numbers(std::string_view text);

/// Whether the table says "not KIND" of the text: "not user", or "not name" of an ordinary word.
bool only_looks_like(std::string_view kind, std::string_view text);

/// The length of the domain at the beginning, ".cluster.example.com"; 0 without one.
std::size_t length_of_domain(std::string_view text);

/// One thing in a text.
struct PrivatePlace {
    std::size_t begin, end;
    PrivateKind kind;

    std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// A text as a person reads it: without a terminal's codes, which may stand inside a secret, and with %2F as '/'.
struct SearchedText {
    std::string text = {};
    std::vector<std::size_t> from = {};     ///< where each character begins in the original; empty: the same text
    std::vector<PrivatePlace> places = {};  ///< in `text`, in its order, the longest first

    /// How the original writes the character at `at`.
    std::string_view written(std::size_t at, std::string_view original) const {
        return from.empty() ? original.substr(at, 1) : original.substr(from[at], from[at + 1] - from[at]);
    }
};
SearchedText searched(std::string_view original);

}  // namespace rnncheck
