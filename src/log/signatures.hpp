// The table of signatures made ready for matching.
#pragma once

#include <re2/filtered_re2.h>
#include <re2/set.h>

#include <memory>
#include <optional>

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

/// The table. A text is first searched for the words that, according to RE2, the patterns require:
/// letters are compared without case, white space is ignored, and each digit counts as any digit.
class Signatures {
  public:
    /// InputError names the signature whose kind or pattern is wrong; where only the bounds of a
    /// repetition are, at the first match.
    explicit Signatures(const std::vector<LogSignature>& rows);

    std::size_t size() const {
        return all_.size();
    }
    const Signature& operator[](std::size_t i) const {
        return all_[i];
    }

    /// Indexes of the signatures that can match the text, or one that differs from it only in
    /// digits. `text` contains no white space.
    std::vector<int> candidates(std::string text) const;

  private:
    std::vector<Signature> all_;
    re2::FilteredRE2
        filter_;           ///< of patterns that accept '0' for a digit and no white space for any
    re2::RE2::Set words_;  ///< the words that the filter requires
};

}  // namespace rnncheck::log_reader
