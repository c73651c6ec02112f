// The tokens of a Python program.
#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/python_source.hpp"

namespace rnncheck::model {

namespace {

/// Python's tokens (reference, chapter 2); inside brackets lines do not
/// end. What is none is skipped.
class Tokens {
  public:
    explicit Tokens(std::string_view program) : program_(program) {
        // Far above the tokens of any program that is written by hand.
        constexpr std::size_t most = 2'000'000;
        while (at_ < program.size() && tokens_.size() < most)
            next();
        push(TokenKind::line_end, program.size(), program.size());
    }
    std::vector<Token> take() {
        return std::move(tokens_);
    }

  private:
    /// Letters of other alphabets have bytes above 127 in UTF-8; no other sign
    /// of Python has.
    static bool starts_name(char c) {
        return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
    }
    static bool in_name(char c) {
        return starts_name(c) || (c >= '0' && c <= '9');
    }
    /// The character so many places further; 0 behind the end.
    char peek(std::size_t more) const {
        if (at_ + more < program_.size())
            return program_[at_ + more];
        return '\0';
    }

    void push(TokenKind kind, std::size_t begin, std::size_t end, bool formatted = false) {
        tokens_.push_back(
            {kind, program_.substr(begin, end - begin), begin, end, line_, formatted});
    }

    /// One token, or what is between tokens: blanks, comments, and the end of a
    /// line that a backslash joins to the next.
    void next() {
        const char c = program_[at_];
        if (c == '\n') {
            if (depth_ == 0)
                push(TokenKind::line_end, at_, at_ + 1);
            ++line_;
            ++at_;
        } else if (c == '#') {
            while (at_ < program_.size() && program_[at_] != '\n')
                ++at_;
        } else if (c == '\\' && peek(1) == '\n') {
            at_ += 2;
            ++line_;
        } else if (c == '"' || c == '\'') {
            read_text(at_, false, false);
        } else if (starts_name(c)) {
            read_name();
        } else if ((c >= '0' && c <= '9') || (c == '.' && peek(1) >= '0' && peek(1) <= '9')) {
            read_number();
        } else {
            if (c == '(' || c == '[' || c == '{')
                ++depth_;
            if ((c == ')' || c == ']' || c == '}') && depth_ > 0)
                --depth_;
            if (c != ' ' && c != '\t' && c != '\r')
                read_sign();
            else
                ++at_;
        }
    }

    /// Signs of two characters as far as they matter: ** spreads a
    /// dictionary, := and += bind a name.
    void read_sign() {
        constexpr std::string_view two[] = {
            "==", "!=", "<=", ">=", "->", ":=", "**", "//", "+=", "-=", "*=", "/=", "|="};
        std::size_t length = 1;
        if (includes(two, program_.substr(at_, 2)))
            length = 2;
        push(TokenKind::sign, at_, at_ + length);
        at_ += length;
    }

    /// A name, or the prefix of a text: r"...", f"...".
    void read_name() {
        const std::size_t begin = at_;
        while (at_ < program_.size() && in_name(program_[at_]))
            ++at_;
        const std::string prefix = lower(std::string(program_.substr(begin, at_ - begin)));
        const bool quoted =
            at_ < program_.size() && (program_[at_] == '"' || program_[at_] == '\'');
        if (quoted && prefix.size() <= 2 && prefix.find_first_not_of("rbuf") == std::string::npos)
            return read_text(begin, contains(prefix, "r"), contains(prefix, "f"));
        push(TokenKind::name, begin, at_);
    }

    /// Also 1e-5, 0x1f and 1_000.
    void read_number() {
        const std::size_t begin = at_;
        while (at_ < program_.size() && (in_name(program_[at_]) || program_[at_] == '.' ||
                                         ((program_[at_] == '-' || program_[at_] == '+') &&
                                          (program_[at_ - 1] == 'e' || program_[at_ - 1] == 'E'))))
            ++at_;
        push(TokenKind::number, begin, at_);
    }

    /// A backslash and the character behind it belong to the text, of r"..."
    /// too. A text of one quote that is not closed ends with its line: the
    /// program is wrong there, and is read on.
    void read_text(std::size_t begin, bool, bool formatted) {
        const char quote = program_[at_];
        const bool three = peek(1) == quote && peek(2) == quote;
        std::size_t quotes = 1;
        if (three)
            quotes = 3;
        const std::size_t inside = at_ + quotes, line = line_;
        at_ = inside;
        while (at_ < program_.size()) {
            if (program_[at_] == '\n') {
                if (!three)
                    break;
                ++line_;
            }
            if (program_[at_] == '\\') {
                if (peek(1) == '\n')
                    ++line_;
                at_ += 2;
                continue;
            }
            if (program_[at_] == quote && (!three || (peek(1) == quote && peek(2) == quote)))
                break;
            ++at_;
        }
        at_ = std::min(at_, program_.size());
        tokens_.push_back(
            {TokenKind::text, program_.substr(inside, at_ - inside), begin, 0, line, formatted});
        at_ = std::min(at_ + quotes, program_.size());
        tokens_.back().end = at_;
    }

    std::string_view program_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0, line_ = 1;
    int depth_ = 0;
};

}  // namespace

std::vector<Token> python_tokens(std::string_view program) {
    return Tokens(program).take();
}

}  // namespace rnncheck::model
