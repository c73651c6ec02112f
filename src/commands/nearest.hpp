// What somebody who mistyped a word may have meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rnncheck {

/// The candidate with the fewest typing errors (letters missing, too many, changed or swapped), if they are few for the
/// word's length, or the only one that contains the word.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'doctor'?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace rnncheck
