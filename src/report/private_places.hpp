// Where private things are in a text, by the patterns of texts/private_patterns.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"

namespace rnncheck {

/// Kinds up to `token` are replaced where they are found, whatever they are; values of the others
/// everywhere.
RNNCHECK_ENUM(
    PrivateKind,
    uuid,
    user,
    email,
    secret,
    ip_address,
    mac_address,
    pci_id,
    token,
    serial,
    host,
    home,
    ssid,
    process)

/// Whether the kind is replaced only where a pattern finds it: a number that
/// looks like an address in one place may be a version elsewhere.
bool is_in_place(PrivateKind kind);

/// Whether the table has the text as "not KIND", e.g. "not user", or an ordinary word as "not
/// name".
bool only_looks_like(std::string_view kind, std::string_view text);

/// The length of the domain at the beginning, ".cluster.example.com"; 0 without one.
std::size_t length_of_domain(std::string_view text);

/// One thing in a text.
struct PrivatePlace {
    std::size_t begin, end;
    PrivateKind kind;

    std::string_view of(std::string_view text) const {
        return text.substr(begin, end - begin);
    }
};

/// A text as it is displayed: without terminal codes, which may be inside a secret, and with %2F as
/// '/'.
struct SearchedText {
    std::string text = {};
    std::vector<std::size_t> from =
        {};  ///< where each character begins in the original; empty: the same text
    std::vector<PrivatePlace> places = {};  ///< in `text`, in its order, the longest first

    /// How the original writes the character at `at`.
    std::string_view written(std::size_t at, std::string_view original) const {
        if (from.empty())
            return original.substr(at, 1);
        return original.substr(from[at], from[at + 1] - from[at]);
    }
};

/// Every private place of a text, from left to right; places may overlap.
SearchedText searched(std::string_view original);

}  // namespace rnncheck
