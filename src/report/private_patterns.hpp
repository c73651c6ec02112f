// What is private in a text by its form or by what stands around it: a table of patterns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rnncheck {

/// What a private thing becomes: `word` and a number.
struct PrivateKind {
    std::string_view word;
    std::string_view name;  ///< in the report
    bool is_in_place;       ///< replaced where it stands, whatever it is; the others become known words
    bool has_digit;
    std::size_t shortest;
};

namespace private_kinds {
inline constexpr PrivateKind uuid{"UUID-", "uuid", true, true, 6}, user{"USER", "user", true, false, 1};
inline constexpr PrivateKind email{"EMAIL", "email", true, false, 5}, secret{"SECRET", "secret", true, false, 4};
inline constexpr PrivateKind ip{"IP-", "ip_address", true, true, 3}, mac{"MAC-", "mac_address", true, false, 11};
inline constexpr PrivateKind pci{"PCI-ID-", "pci_id", true, false, 9}, serial{"SERIAL", "serial", false, true, 6};
inline constexpr PrivateKind host{"HOST", "host", false, false, 2}, token{"TOKEN", "token", true, false, 16};
inline constexpr PrivateKind home{"HOME", "home", false, false, 1}, ssid{"SSID", "ssid", false, false, 1};
inline constexpr PrivateKind process{"PROCESS", "process", false, false, 2};
inline constexpr const PrivateKind* all[] = {&uuid,   &user, &email, &secret, &ip,   &mac,    &pci,
                                             &serial, &host, &token, &home,   &ssid, &process};
}  // namespace private_kinds

/// One thing in a text.
struct PrivatePlace {
    std::size_t begin, end;
    const PrivateKind* kind;

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
