// The table of signatures made ready for matching.
#pragma once

#include <re2/re2.h>

#include <memory>

#include "facts/log.hpp"
#include "log/phrase.hpp"
#include "matrix/matrix.hpp"

namespace rnncheck::log_reader {

/// One signature; its expression is compiled when its literal is first seen.
class Signature {
  public:
    /// InputError names the signature when its kind or expression is wrong.
    explicit Signature(const LogSignature& row);

    const std::string& id() const { return id_; }
    LogKind kind() const { return kind_; }
    bool has_literal(std::string_view text) const;

    /// InputError where the pattern holds nothing to search for.
    std::vector<Phrase> phrases(const Rarity& rarity = rarity_in_any_log()) const;

    /// How many things a line can tell.
    std::size_t groups() const { return static_cast<std::size_t>(regex().NumberOfCapturingGroups()); }

    /// Whether a text may match and another that differs only in digits may not.
    bool tells_digits_apart() const { return tells_digits_apart_; }

    struct Match {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::vector<LogField> told;
    };
    /// The first match in `text` at or after `from`.
    std::optional<Match> match(std::string_view text, std::size_t from) const;

  private:
    const re2::RE2& regex() const;

    std::string id_;
    std::string written_;  ///< the pattern of the table
    std::string pattern_;  ///< as RE2 takes it
    LogKind kind_;
    std::vector<std::string> literals_;
    bool tells_digits_apart_ = false;
    mutable std::unique_ptr<re2::RE2> regex_;
};

std::vector<Signature> signatures_of(const Matrix& matrix);

}  // namespace rnncheck::log_reader
