#include "log/log_text.hpp"

namespace rnncheck::log_reader {

namespace {

constexpr std::size_t read_size = 64 * 1024;
constexpr std::size_t sample_size = 64;

/// A log of ASCII letters in UTF-16 has a zero byte in every second place.
bool zeros_at(std::string_view bytes, std::size_t first) {
    const std::string_view sample = bytes.substr(0, sample_size);
    if (sample.size() < 8) return false;
    std::size_t zeros = 0, places = 0;
    for (std::size_t i = first; i < sample.size(); i += 2, ++places) zeros += sample[i] == '\0';
    return zeros * 10 >= places * 8;
}

void append_utf8(std::string& text, unsigned unit) {
    const auto put = [&text](unsigned byte) { text += static_cast<char>(byte); };
    if (unit < 0x80) return put(unit);
    if (unit < 0x800) {
        put(0xC0 | unit >> 6);
    } else {
        put(0xE0 | unit >> 12);
        put(0x80 | (unit >> 6 & 63));
    }
    put(0x80 | (unit & 63));
}

/// All bytes except that of an incomplete unit.
void decode_utf16(std::string& raw, std::size_t high, std::string& text) {
    constexpr unsigned byte_order_mark = 0xFEFF;
    std::size_t at = 0;
    for (; at + 1 < raw.size(); at += 2) {
        const auto high_byte = static_cast<unsigned char>(raw[at + high]);
        const unsigned unit = high_byte * 256U + static_cast<unsigned char>(raw[at + 1 - high]);
        if (unit != byte_order_mark) append_utf8(text, unit);
    }
    raw.erase(0, at);
}

}  // namespace

LogText::Encoding LogText::encoding_of(std::string_view bytes) {
    const bool zeros_first = zeros_at(bytes, 0), zeros_second = zeros_at(bytes, 1);
    if (bytes.starts_with("\xFF\xFE") || (zeros_second && !zeros_first)) return Encoding::utf16_little;
    if (bytes.starts_with("\xFE\xFF") || (zeros_first && !zeros_second)) return Encoding::utf16_big;
    return Encoding::bytes;
}

bool LogText::append_to(std::string& text) {
    const std::size_t enough = text.size() + block_size;
    while (text.size() < enough && !at_end_) {
        const std::size_t before = raw_.size();
        raw_.resize(before + read_size);
        const std::size_t got = read_(raw_.data() + before, read_size);
        raw_.resize(before + got);
        at_end_ = got == 0;
        if (encoding_ == Encoding::unknown && (at_end_ || raw_.size() >= sample_size)) encoding_ = encoding_of(raw_);
        if (encoding_ == Encoding::bytes) {
            text += raw_;
            raw_.clear();
        } else if (encoding_ != Encoding::unknown) {
            decode_utf16(raw_, encoding_ == Encoding::utf16_little ? 1 : 0, text);
        }
    }
    return !at_end_;
}

}  // namespace rnncheck::log_reader
