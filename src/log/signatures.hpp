// The table of signatures made ready for matching.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <optional>

#include "base/pattern_filter.hpp"
#include "facts/log.hpp"
#include "log/normalize.hpp"
#include "matrix/matrix.hpp"

namespace rnncheck::log_reader {

/// One signature of a table.
class Signature {
  public:
    /// InputError when the kind is wrong.
    explicit Signature(const LogSignature& row);

    const std::string& id() const {
        return id_;
    }
    LogKind kind() const {
        return kind_;
    }

    /// Number of fields that the pattern captures.
    std::size_t groups() const {
        return static_cast<std::size_t>(regex().NumberOfCapturingGroups());
    }

    struct Match {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::vector<LogField> captures;
    };
    /// The first match in `text` at or after `from`.
    std::optional<Match> match(std::string_view text, std::size_t from) const;

    /// Whether some text that differs from `text` in digits only may match.
    bool may_match_with_other_digits(const NormalizedText& text) const;

  private:
    const re2::RE2& regex() const;

    std::string id_;
    LogKind kind_;
    std::string pattern_;                                         ///< as the table has it
    mutable std::unique_ptr<re2::RE2> regex_, any_digits_regex_;  ///< compiled when needed
};

/// The table. A text is first searched for the words that the patterns require, and a pattern is
/// compiled when they are seen.
class Signatures {
  public:
    /// InputError names the signature whose kind is wrong. A wrong pattern is named by
    /// verify_signatures(), and by the first text that has its words.
    explicit Signatures(const std::vector<LogSignature>& rows);

    std::size_t size() const {
        return all_.size();
    }
    const Signature& operator[](std::size_t i) const {
        return all_[i];
    }

    /// Indexes of the signatures that can match the text, or one that differs from it only in
    /// digits.
    std::vector<std::size_t> candidates(std::string_view text) const {
        return filter_.candidates(text);
    }

  private:
    std::vector<Signature> all_;
    PatternFilter filter_;
};

}  // namespace rnncheck::log_reader
