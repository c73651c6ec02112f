#include "report/layout.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck {

namespace {

constexpr std::string_view code_of(Ink ink) {
    switch (ink) {
        case Ink::red:
            return "\x1b[1;31m";
        case Ink::yellow:
            return "\x1b[33m";
        case Ink::green:
            return "\x1b[32m";
        case Ink::cyan:
            return "\x1b[36m";
        case Ink::bold:
            return "\x1b[1m";
        case Ink::faint:
            break;
    }
    return "\x1b[2m";
}

}  // namespace

std::string inked(const Style& style, Ink ink, std::string_view text) {
    if (!style.color || text.empty()) return std::string(text);
    return std::string(code_of(ink)) + std::string(text) + "\x1b[0m";
}

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    bool in_code = false;
    for (const char c : text) {
        if (c == '\x1b')
            in_code = true;
        else if (in_code)
            in_code = c != 'm';
        else
            columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }
    return columns;
}

std::string wrapped(std::string_view first, std::string_view text, std::size_t indent) {
    const std::string margin(indent == std::string_view::npos ? columns_of(first) : indent, ' ');
    std::string out(first);
    std::size_t column = columns_of(first);
    bool at_start = true;
    for (const std::string& word : split(text, ' ')) {
        const std::size_t width = columns_of(word);
        if (!at_start && column + 1 + width > page_width) {
            out += '\n' + margin;
            column = margin.size();
            at_start = true;
        }
        if (!at_start) out += ' ';
        out += word;
        column += width + !at_start;
        at_start = false;
    }
    return out + '\n';
}

std::string padded(std::string_view text, std::size_t width) {
    const std::size_t columns = columns_of(text);
    return std::string(text) + std::string(width - std::min(width, columns), ' ');
}

std::string label(std::string_view word, std::size_t width) {
    return "  " + padded(word, width);
}

}  // namespace rnncheck
