// Collects what the signatures of a table find in a log.
#pragma once

#include "log/normalize.hpp"
#include "log/signatures.hpp"

namespace rnncheck::log_reader {

class EventCollector {
  public:
    /// `signatures` must outlive it.
    explicit EventCollector(const Signatures& signatures);

    const Signatures& signatures() const {
        return signatures_;
    }

    /// The lines of `text` in which a match may begin.
    struct OwnLines {
        std::size_t begin = 0, end = 0;
    };

    /// Adds all matches of one signature that begin in `own` lines of the file; returns the numbers
    /// of their lines.
    std::vector<std::int64_t> take(
        std::size_t signature, const NormalizedText& text, OwnLines own, const std::string& file);

    /// Nothing more can be learned about this signature.
    bool is_full(std::size_t signature) const {
        return seen_[signature] >= most_seen;
    }

    std::vector<LogEvent> events() const;  ///< in the order of their first line

  private:
    std::vector<LogEvent> matches(
        const Signature& signature,
        const NormalizedText& text,
        bool without_whitespace,
        OwnLines own) const;

    static constexpr std::int64_t most_seen = 256;

    const Signatures& signatures_;
    std::vector<std::int64_t> seen_;
    std::vector<std::vector<LogEvent>> found_;
};

/// Adds what is found in a log that begins with `text`; returns the number of lines. Matches lines
/// together with the three that follow, and skips those that were searched before with the same
/// lines behind them. A match that extends over more than four lines may be missed.
std::int64_t search_large(
    LogText& log, std::string text, EventCollector& collector, const std::string& file);

/// The network in an event of the signature rnn_call_failed. Names that the line announces and that
/// have no number are `missing`.
LogRnnConfig rnn_config_of(const LogEvent& event);

}  // namespace rnncheck::log_reader
