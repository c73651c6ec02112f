// How rare text is in logs: what a log is searched for should be rare in it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace rnncheck::log_reader {

/// Learns what one log is full of.
class Rarity {
  public:
    /// Roughly, in bits. Words that stand in any log or are frequent in this one, and pieces of them, count little.
    double of(std::string_view text) const;

    /// False for a word, or a piece of one, that is known as frequent already.
    bool add_frequent(const std::string& word);

  private:
    bool is_frequent(std::string_view text) const;
    double find(std::string_view text) const;

    std::set<std::string, std::less<>> frequent_;
    mutable std::map<std::string, double, std::less<>> known_;
};

/// What is known before a log is read.
const Rarity& rarity_in_any_log();

}  // namespace rnncheck::log_reader
