// Finds where any of many literals stands, in one fast pass over the bytes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace rnncheck::log_reader {

/// Four bytes are looked at in every second place. Of each literal two such windows, one byte apart, are its marks: one
/// of them is met wherever the literal stands. A table of bits over all marks decides for nearly every window with one
/// look that no literal stands there.
class Scanner {
  public:
    /// Literals of at least three bytes.
    explicit Scanner(std::vector<std::string> literals);

    /// Calls visit(place, index of the literal) for each literal wherever it stands.
    template <class Visit>
    void find_all(std::string_view text, Visit&& visit) const {
        for (std::size_t at = candidate(text, 0); at < text.size(); at = candidate(text, at + stride)) {
            const std::uint32_t window = window_at(text, at);
            for (std::uint32_t i = heads_[head_of(window)]; i != none; i = marks_[i].next) {
                const Mark& mark = marks_[i];
                const std::size_t place = at - static_cast<std::size_t>(mark.offset);
                if (mark.window == window && place < text.size() &&
                    text.substr(place).starts_with(literals_[mark.literal]))
                    visit(place, std::size_t{mark.literal});
            }
        }
    }

    /// This literal is not told any more.
    void forget(std::size_t literal);

  private:
    static constexpr std::size_t stride = 2;
    static constexpr unsigned table_bits = 18, head_bits = 12;
    static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

    struct Mark {
        std::uint32_t window = 0;
        std::uint32_t literal = 0;
        std::int32_t offset = 0;  ///< of the window in the literal; -1 for one that begins a byte before
        std::uint32_t next = none;
    };

    /// Six bits of a byte tell letters apart, and make fewer windows of those with a byte that may be any.
    static constexpr std::uint32_t told_bits = 0x3F3F3F3FU;

    static std::uint32_t hash(std::uint32_t window) { return window * 0x9E3779B1U; }
    static std::uint32_t head_of(std::uint32_t window) { return hash(window) >> (32 - head_bits); }
    static std::uint32_t whole_window(const char* bytes) {
        std::uint32_t window = 0;
        std::memcpy(&window, bytes, sizeof window);
        return window & told_bits;
    }
    /// Behind the end of the text stand zeros.
    static std::uint32_t window_at(std::string_view text, std::size_t at) {
        if (at + sizeof(std::uint32_t) <= text.size()) return whole_window(text.data() + at);
        std::array<char, sizeof(std::uint32_t)> bytes{};
        text.copy(bytes.data(), bytes.size(), at);
        return whole_window(bytes.data());
    }
    bool may_be_mark(std::uint32_t window) const;
    std::size_t candidate(std::string_view text, std::size_t from) const;
    void add_windows(std::uint32_t literal, std::int32_t offset);
    void build();

    std::vector<std::string> literals_;
    std::vector<bool> forgotten_;
    std::vector<Mark> marks_;
    std::array<std::uint32_t, std::size_t{1} << head_bits> heads_{};
    std::array<std::uint64_t, (std::size_t{1} << table_bits) / 64> bits_{};
};

}  // namespace rnncheck::log_reader
