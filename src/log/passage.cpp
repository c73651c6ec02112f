#include "log/passage.hpp"

#include <algorithm>
#include <array>

#include "log/neighbours.hpp"
#include "log/undo.hpp"

namespace rnncheck::log_reader {

namespace {

/// Takes characters in reading order and keeps both forms.
class Writer {
  public:
    explicit Writer(Passage& passage) : passage_(passage) {}

    void begin_line() {
        if (!passage_.text.empty()) passage_.text += '\n';
        passage_.text_starts.push_back(static_cast<std::uint32_t>(passage_.text.size()));
        passage_.squeezed_starts.push_back(static_cast<std::uint32_t>(passage_.squeezed.size()));
        pending_blank_ = false;
    }

    void put(std::string_view piece) {
        while (!piece.empty()) {
            std::size_t size = 0;
            while (size < piece.size() && !is_blank(piece[size])) ++size;
            put_word(piece.substr(0, size));
            if (size < piece.size()) pending_blank_ = true;
            piece.remove_prefix(std::min(size + 1, piece.size()));
        }
    }

  private:
    void put_word(std::string_view word) {
        if (word.empty()) return;
        if (pending_blank_ && passage_.text.size() > passage_.text_starts.back()) passage_.text += ' ';
        pending_blank_ = false;
        passage_.text += word;
        passage_.squeezed += word;
    }

    Passage& passage_;
    bool pending_blank_ = false;
};

/// "> > text" as mail and forums quote.
std::string_view without_quote_marks(std::string_view line) {
    while (true) {
        std::size_t at = 0;
        while (at < line.size() && is_blank(line[at])) ++at;
        if (at + 1 >= line.size() || line[at] != '>' || line[at + 1] != ' ') return line;
        line.remove_prefix(at + 2);
    }
}

void write_line(std::string_view line, Writer& writer) {
    line = without_quote_marks(line);
    const bool is_json = looks_like_json(line);
    while (!line.empty()) {
        const std::size_t plain = plain_size(line);
        writer.put(line.substr(0, plain));
        line.remove_prefix(plain);
        if (line.empty()) return;
        const Undone undone = undo_at(line, is_json);
        writer.put(undone.instead);
        line.remove_prefix(undone.length);
    }
}

std::size_t place_in(const std::vector<std::uint32_t>& starts, std::size_t place) {
    const auto after = std::upper_bound(starts.begin(), starts.end(), place);
    return after == starts.begin() ? 0 : static_cast<std::size_t>(after - starts.begin()) - 1;
}

}  // namespace

std::size_t Passage::line_at(std::size_t place) const {
    return place_in(text_starts, place);
}

std::size_t Passage::line_at_squeezed(std::size_t place) const {
    return place_in(squeezed_starts, place);
}

Passage make_passage(std::string_view raw, std::int64_t first_line) {
    Passage passage;
    passage.first_line = first_line;
    passage.text.reserve(raw.size());
    passage.squeezed.reserve(raw.size());
    Writer writer(passage);
    while (!raw.empty()) {
        const std::size_t end = std::min(raw.find('\n'), raw.size());
        passage.lines.push_back(raw.substr(0, end));
        writer.begin_line();
        write_line(passage.lines.back(), writer);
        raw.remove_prefix(std::min(end + 1, raw.size()));
    }
    return passage;
}

}  // namespace rnncheck::log_reader
