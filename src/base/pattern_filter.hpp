// Finds which of many patterns may match a text, so that few need to
// be compiled and searched for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rnncheck {

/// What a text must contain.
struct Requirement {
    enum Kind { word, each_of, one_of } kind = each_of;
    /// of a word
    std::string text = {};
    /// of the others; each of none is no requirement
    std::vector<Requirement> parts = {};
};

/// What every text contains that `pattern`, in RE2's syntax for bytes, matches:
/// the word "cudnn_status_" and one of "failed" and "error" for
/// "CUDNN_STATUS_[A-Z]+ (?:failed|error)". Words are in lower case, without
/// white space, and with 0 for each digit, as the text is to be searched.
/// Nothing where the syntax is wrong, or so rare that no table needs it.
Requirement requirement_of(std::string_view pattern);

class PatternFilter {
  public:
    void add(std::string_view pattern) {
        requirements_.push_back(requirement_of(pattern));
    }

    /// Those of the added patterns, numbered from 0, that can match the text or
    /// one that differs from it in digits, case and white space only.
    std::vector<std::size_t> candidates(std::string_view text) const;

  private:
    std::vector<Requirement> requirements_;
};

}  // namespace rnncheck
