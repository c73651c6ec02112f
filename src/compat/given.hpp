// What a person tells of a machine that is not at hand, as facts. May not guess: what was not told stays unset.
#pragma once

#include <set>

#include "facts/facts.hpp"
#include "matrix/matrix.hpp"

namespace rnncheck {

struct GivenValue {
    std::string key;
    std::string value;
};

/// `expected` says what could stand there: "a release such as 12.4".
struct NotUnderstood {
    GivenValue given;
    std::string expected;
};

struct Given {
    Facts facts;                 ///< tool.stages is {"given"}
    std::set<std::string> keys;  ///< those that were understood
    std::vector<NotUnderstood> not_understood;
};

/// "driver=535" or "driver = 535"; nothing without a '='. The key is in lower case.
std::optional<GivenValue> split_given(std::string_view text);

/// Every key there is, by name.
std::vector<std::string> given_keys();

/// What one key takes, for help: "a release (535.104.05) or a branch (535)". The key must exist.
std::string_view expected_of(std::string_view key);

/// The facts that the values tell. The tables are asked for the names of GPUs. What cannot be understood, unknown keys
/// and a second value for what has one included, is listed and left out.
Given read_given(const std::vector<GivenValue>& values, const Matrix& matrix);

/// "cuda=twelve is not understood: a release (12.4) is expected".
std::string in_words(const NotUnderstood& complaint);

}  // namespace rnncheck
