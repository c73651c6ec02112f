// Sentences name a version or a reason only if there is one: "driver
// 535.104.05", "the driver".
// What a sentence has only where it is known.
#pragma once

#include "base/text.hpp"

namespace rnncheck {

/// " (reason)" of a text that is not empty, else nothing: if_any(" (", reason, ")").
inline std::string if_any(
    std::string_view before, std::string_view text, std::string_view after = "") {
    if (text.empty())
        return "";
    return concat(before, text, after);
}
/// The same of a value that is known, an optional one or that of a
/// pointer: if_any(" ", version).
template <class Known>
requires(!std::is_convertible_v<const Known&, std::string_view>) std::string
    if_any(std::string_view before, const Known& value, std::string_view after = "") {
    if (!value)
        return "";
    // a version
    if constexpr (requires { value->text; })
        return concat(before, value->text, after);
    else
        return concat(before, *value, after);
}

}  // namespace rnncheck
