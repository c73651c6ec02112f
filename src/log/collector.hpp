// From passages to the facts of a log.
#pragma once

#include <map>

#include "log/passage.hpp"
#include "log/signatures.hpp"

namespace rnncheck::log_reader {

class Collector {
  public:
    /// `signatures` must outlive it.
    explicit Collector(const std::vector<Signature>& signatures);

    const std::vector<Signature>& signatures() const { return signatures_; }

    /// Matches everything.
    void take(const Passage& passage, const std::string& file);

    /// Matches of one signature, as far as they begin in one of the first `own_lines` lines of the passage.
    std::vector<LogEvent> find(std::size_t signature, const Passage& passage, const std::string& file,
                               std::size_t own_lines) const;
    void add(std::size_t signature, const std::vector<LogEvent>& events);

    /// Nothing more can be learnt about this signature.
    bool is_full(std::size_t signature) const { return seen_[signature] >= most_seen; }

    std::vector<LogEvent> events() const;  ///< in the order of their first line

  private:
    std::vector<LogEvent> matches(std::size_t signature, const Passage& passage, bool squeezed, const std::string& file,
                                  std::size_t own_lines) const;
    void add(std::size_t signature, const LogEvent& event);

    static constexpr std::int64_t most_seen = 256;

    const std::vector<Signature>& signatures_;
    std::vector<std::int64_t> seen_;
    std::vector<std::vector<LogEvent>> found_;
};

}  // namespace rnncheck::log_reader
