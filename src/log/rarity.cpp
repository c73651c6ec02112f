#include "log/rarity.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

namespace rnncheck::log_reader {

namespace {

constexpr auto common_words = std::to_array<std::string_view>(
    {"after",      "annot",    "availability", "can't",   "cost",    "could",     "CUDA",   "cuda",    "cuDNN",
     "device",     "Driver",   "driver",       "enabled", "ERROR",   "Error",     "error",  "Error:",  "error:",
     "expected",   "failed",   "failed:",      "file",    "find",    "for",       "form",   "found",   "from",
     "GPU",        "gradient", "in",           "ing",     "input",   "is",        "kernel", "library", "load",
     "locate",     "loss",     "Memory",       "memory",  "module",  "network",   "not",    "NVIDIA",  "nvidia",
     "of",         "open",     "operation",    "out",     "output",  "requested", "result", "RNN",     "runtime",
     "samples",    "should",   "size",         "stream",  "support", "system",    "Tensor", "tensor",  "TensorFlow",
     "tensorflow", "the",      "thread",       "to",      "torch",   "type",      "unable", "value",   "values",
     "version",    "warning",  "when",         "with"});

constexpr std::size_t shortest_piece = 3;
constexpr double of_common_word = 5;

using Words = std::unordered_set<std::string_view>;

template <class Take>
void each_piece(std::string_view word, Take&& take) {
    for (std::size_t at = 0; at < word.size(); ++at)
        for (std::size_t size = shortest_piece; at + size <= word.size(); ++size) take(word.substr(at, size));
}

/// The words and their pieces.
const Words& common() {
    static const Words all = [] {
        Words words(common_words.begin(), common_words.end());
        for (const std::string_view word : common_words)
            each_piece(word, [&](std::string_view piece) { words.insert(piece); });
        return words;
    }();
    return all;
}

double rarity(char c) {
    constexpr std::string_view from_common = " etaoinsrlcdupmhgf.-_:/bykvwxqzj";
    constexpr double of_digit = 1, of_other = 7;
    if (c >= '0' && c <= '9') return of_digit;
    const auto at = from_common.find(c);
    return at == std::string_view::npos ? of_other : 3.5 + 0.1 * static_cast<double>(at);
}

}  // namespace

bool Rarity::is_frequent(std::string_view text) const {
    return common().contains(text) || frequent_.contains(text);
}

bool Rarity::add_frequent(const std::string& word) {
    if (frequent_.contains(word)) return false;
    each_piece(word, [&](std::string_view piece) { frequent_.emplace(piece); });
    known_.clear();
    return true;
}

double Rarity::of(std::string_view text) const {
    const auto known = known_.find(text);
    if (known != known_.end()) return known->second;
    return known_.emplace(text, find(text)).first->second;
}

double Rarity::find(std::string_view text) const {
    constexpr std::size_t longest = 10, shortest = 2;
    std::vector<double> least(text.size() + 1, 0);  // of the first n bytes
    for (std::size_t end = 1; end <= text.size(); ++end) {
        least[end] = least[end - 1] + rarity(text[end - 1]);
        for (std::size_t size = shortest; size <= std::min(longest, end); ++size)
            if (least[end - size] + of_common_word < least[end] && is_frequent(text.substr(end - size, size)))
                least[end] = least[end - size] + of_common_word;
    }
    return least.back();
}

const Rarity& rarity_in_any_log() {
    static const Rarity rarity;
    return rarity;
}

}  // namespace rnncheck::log_reader
