#include "files/python/literals.hpp"

#include <algorithm>

#include "files/python/metadata.hpp"

namespace rnncheck::python {

namespace {

constexpr std::size_t most_text = 64 * 1024;
constexpr std::size_t most_names = 256, most_values = 128, longest_value = 200;

bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Goes through a text; every step that does not fit leaves it where it was.
class Cursor {
  public:
    explicit Cursor(std::string_view text) : rest_(text) {}

    bool take(char c) {
        blanks();
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }

    std::string name() {
        std::size_t length = 0;
        while (length < rest_.size() && is_name_char(rest_[length])) ++length;
        std::string text(rest_.substr(0, std::min(length, longest_value)));
        rest_.remove_prefix(length);
        return text;
    }

    /// In quotes, without escapes, on one line.
    std::optional<std::string> quoted() {
        blanks();
        if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
        const auto end = rest_.find_first_of(rest_.front() == '\'' ? "'\\\n" : "\"\\\n", 1);
        if (end == std::string_view::npos || rest_[end] != rest_.front() || end > longest_value) return std::nullopt;
        std::string text(rest_.substr(1, end - 1));
        rest_.remove_prefix(end + 1);
        return text;
    }

    std::optional<std::string> literal() {
        if (auto text = quoted()) return text;
        blanks();
        const std::size_t end = std::min(
            rest_.find_first_not_of("0123456789.ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), rest_.size());
        std::string word(rest_.substr(0, std::min(end, longest_value)));
        const bool known = word == "True" || word == "False" || word == "None" ||
                           (!word.empty() && word.find_first_not_of("0123456789.") == std::string::npos);
        if (!known) return std::nullopt;
        rest_.remove_prefix(end);
        return word;
    }

    std::vector<std::string> value() {
        std::vector<std::string> values;
        if (!take('[')) {
            if (auto one = literal()) values.push_back(std::move(*one));
            return values;
        }
        while (values.size() < most_values) {
            auto one = literal();
            if (!one) break;
            values.push_back(std::move(*one));
            if (!take(',')) break;
        }
        return take(']') ? values : std::vector<std::string>();
    }

    bool skip_to(char c) {
        const auto at = rest_.find_first_of(std::string{c, '\n'});
        if (at == std::string_view::npos || rest_[at] != c) return false;
        rest_.remove_prefix(at);
        return true;
    }

  private:
    void blanks() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
    }
    std::string_view rest_;
};

void read_assignment(std::string_view line, Literals& literals) {
    Cursor cursor(line);
    std::string name = cursor.name();
    if (name.empty()) return;
    if (cursor.take(':') && !cursor.skip_to('=')) return;
    if (!cursor.take('=')) return;
    if (auto values = cursor.value(); !values.empty()) literals.put(std::move(name), std::move(values));
}

void read_pairs(std::string_view line, Literals& literals) {
    for (auto at = line.find('('); at != std::string_view::npos; at = line.find('(', at + 1)) {
        Cursor cursor(line.substr(at + 1));
        auto name = cursor.quoted();
        if (!name || !cursor.take(',')) continue;
        if (auto values = cursor.value(); !values.empty()) literals.put(std::move(*name), std::move(values));
    }
}

}  // namespace

std::optional<std::string> Literals::one(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end() || found->second.size() != 1 || found->second.front() == "None") return std::nullopt;
    return found->second.front();
}

std::optional<bool> Literals::yes_no(std::string_view name) const {
    const auto word = one(name);
    if (word == "True") return true;
    if (word == "False") return false;
    return std::nullopt;
}

std::vector<std::string> Literals::all(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::vector<std::string>() : found->second;
}

void Literals::put(std::string name, std::vector<std::string> values) {
    if (values_.size() < most_names) values_.try_emplace(std::move(name), std::move(values));
}

Literals read_literals(std::string_view text) {
    Literals literals;
    text = text.substr(0, most_text);
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        read_assignment(line, literals);
        read_pairs(line, literals);
    }
    return literals;
}

}  // namespace rnncheck::python
