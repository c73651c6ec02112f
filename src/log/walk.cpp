#include "log/walk.hpp"

#include <cctype>

namespace rnncheck::log_reader {

namespace {

using Kind = Step::Kind;

constexpr std::size_t most_blanks = 256;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// How many bytes from `at` on are of this set, no blanks, and stand for themselves.
std::size_t plain_size(std::string_view text, std::size_t at, const std::bitset<256>& bytes) {
    static const std::bitset<256> plain = [] {
        std::bitset<256> all;
        for (std::size_t c = 0; c < 0xC2; ++c)
            all[c] = !is_blank(static_cast<char>(c)) &&
                     std::string_view("[<^&\\>").find(static_cast<char>(c)) == std::string_view::npos;
        return all;
    }();
    std::size_t end = at;
    while (end < text.size() && bytes[static_cast<unsigned char>(text[end])] &&
           plain[static_cast<unsigned char>(text[end])])
        ++end;
    return end - at;
}

/// Whoever leaves the text, or meets what may be undone, may still be right.
class Walk {
  public:
    Walk(std::string_view text, std::size_t at, bool forward, bool blanks_count)
        : text_(text), at_(at), go_(forward ? 1 : static_cast<std::size_t>(-1)), blanks_count_(blanks_count) {}

    Verdict go(const Steps& steps) {
        for (auto step = steps.begin(); step != steps.end();) {
            if (step->kind == Kind::many && go_ == 1) at_ += plain_size(text_, at_, step->bytes);
            if (at_ >= text_.size() || blanks_ > most_blanks) return Verdict::possible;
            if (step->kind == Kind::boundary) {
                if (is_word(text_[at_]) && is_word(text_[at_ - go_]) && !may_be_undone_here()) return refuted();
                ++step;
                continue;
            }
            const auto c = static_cast<unsigned char>(text_[at_]);
            const bool is_many = step->kind == Kind::many;
            const auto next = is_many ? step + 1 : step;
            const bool to_line_start = next != steps.end() && next->kind == Kind::line_start;
            if (is_blank(text_[at_])) {
                if (c == '\x1B' || (c == '\n' && to_line_start)) return Verdict::possible;
                if (c == 0 || !blanks_count_ || step->kind == Kind::line_start || step->bytes[' '] ||
                    step->bytes['\n']) {
                    if (c == '\n' && ++line_ends_ > lines_around) return refuted();
                    ++blanks_;
                    at_ += go_;
                } else if (is_many) {
                    ++step;
                } else {
                    return refuted();
                }
            } else if (may_be_undone_here()) {
                return Verdict::possible;
            } else if (step->bytes[c]) {
                at_ += go_;
                if (!is_many) ++step;
            } else if (is_many) {
                ++step;
            } else {
                return refuted();
            }
        }
        return Verdict::possible;
    }

  private:
    Verdict refuted() const { return go_ == 1 ? refuted_after(line_ends_) : refuted_before(line_ends_); }
    bool may_be_undone_here() const { return go_ == 1 ? may_be_undone(text_, at_) : may_end_undone(text_, at_); }

    std::string_view text_;
    std::size_t at_;
    std::size_t go_;
    bool blanks_count_;
    std::size_t blanks_ = 0, line_ends_ = 0;
};

}  // namespace

Verdict go_on(std::string_view text, std::size_t at, const Steps& steps, bool blanks_count) {
    return Walk(text, at, true, blanks_count).go(steps);
}

Verdict go_back(std::string_view text, std::size_t at, const Steps& steps, bool blanks_count) {
    return Walk(text, at, false, blanks_count).go(steps);
}

}  // namespace rnncheck::log_reader
