// Finds where any of many literals stands, in one fast pass over the bytes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rnncheck::log_reader {

/// Four bytes are looked at in every second place. Of each literal two such windows, one byte apart, are its marks: one
/// of them is met wherever the literal stands. Two bits in one word of a table decide for nearly every window that no
/// literal stands there.
class Scanner {
  public:
    static constexpr std::size_t shortest = 3;
    static constexpr std::size_t longest = 8;

    /// Literals of `shortest` to `longest` bytes.
    explicit Scanner(std::vector<std::string> literals);

    /// Calls visit(place, index of the literal) for each literal wherever it stands.
    template <class Visit>
    void find_all(std::string_view text, Visit&& visit) const {
        Candidates candidates;
        for (std::size_t begin = 0; begin < text.size(); begin += at_once)
            for (const std::uint32_t after_begin : find_candidates(text, begin, candidates)) {
                const std::size_t at = begin + after_begin;
                const std::uint32_t window = window_at(text, at);
                const std::uint32_t head = head_of(window);
                for (std::uint32_t i = heads_[head]; i < heads_[head + 1]; ++i) {
                    const Mark& mark = marks_[i];
                    const std::size_t place = at - static_cast<std::size_t>(mark.offset);
                    if (mark.window == window && place < text.size() &&
                        ((bytes_at(text, place) ^ mark.literal) & mark.told) == 0)
                        visit(place, std::size_t{mark.index});
                }
            }
    }

    /// These literals, by index, are not told any more.
    void forget(const std::vector<std::size_t>& literals);

  private:
    static constexpr std::size_t stride = 2;
    static constexpr unsigned word_bits = 12, head_bits = 12;
    static constexpr std::size_t at_once = 4096;  ///< bytes
    using Candidates = std::array<std::uint32_t, at_once / stride + 1>;

    struct Mark {
        std::uint32_t window = 0;
        std::uint32_t index = 0;    ///< of the literal
        std::uint64_t literal = 0;  ///< as bytes_at() tells it
        std::uint64_t told = 0;     ///< those bytes of `literal` that are its own
        std::int32_t offset = 0;    ///< of the window in the literal; -1 for one that begins a byte before
    };

    /// Six bits of a byte tell letters apart, and make fewer windows of those with a byte that may be any.
    static constexpr unsigned told_bits = 0x3F;
    static constexpr std::uint32_t told_of_window = told_bits * 0x01010101U;

    static std::uint32_t hash(std::uint32_t window) { return window * 0x9E3779B1U; }
    static std::uint32_t head_of(std::uint32_t window) { return hash(window) >> (32 - head_bits); }
    static std::uint32_t whole_window(const char* bytes) {
        std::uint32_t window = 0;
        std::memcpy(&window, bytes, sizeof window);
        return window & told_of_window;
    }
    /// Behind the end of the text stand zeros.
    template <class Number>
    static Number number_at(std::string_view text, std::size_t at) {
        Number number = 0;
        if (at + sizeof number <= text.size()) [[likely]] {
            std::memcpy(&number, text.data() + at, sizeof number);
            return number;
        }
        std::array<char, sizeof number> bytes{};
        text.copy(bytes.data(), bytes.size(), at);
        std::memcpy(&number, bytes.data(), sizeof number);
        return number;
    }
    static std::uint32_t window_at(std::string_view text, std::size_t at) {
        return number_at<std::uint32_t>(text, at) & told_of_window;
    }
    static std::uint64_t bytes_at(std::string_view text, std::size_t at) { return number_at<std::uint64_t>(text, at); }

    static std::uint64_t bits_of(std::uint32_t hashed) {
        return std::uint64_t{1} << (hashed >> 14 & 63) | std::uint64_t{1} << (hashed >> 8 & 63);
    }
    bool may_be_mark(std::uint32_t window) const {
        const std::uint32_t hashed = hash(window);
        const std::uint64_t word = words_[hashed >> (32 - word_bits)];
        return word >> (hashed >> 14 & 63) & word >> (hashed >> 8 & 63) & 1;
    }
    std::span<const std::uint32_t> find_candidates(std::string_view text, std::size_t begin, Candidates& found) const;
    std::vector<Mark> marks_of(std::uint32_t index, std::int32_t offset) const;
    void build();

    std::vector<std::string> literals_;
    std::vector<bool> forgotten_;
    std::vector<Mark> marks_;                                               ///< in the order of their heads
    std::array<std::uint32_t, (std::size_t{1} << head_bits) + 1> heads_{};  ///< where the marks of a head begin
    std::array<std::uint64_t, std::size_t{1} << word_bits> words_{};
};

}  // namespace rnncheck::log_reader
