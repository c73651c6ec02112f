#include "log/blocks.hpp"

#include <algorithm>

namespace rnncheck::log_reader {

namespace {

/// A log of ASCII letters in UTF-16 has a zero byte in every second place.
bool zeros_at(std::string_view bytes, std::size_t first) {
    const std::string_view sample = bytes.substr(0, 64);
    if (sample.size() < 8) return false;
    std::size_t zeros = 0, places = 0;
    for (std::size_t i = first; i < sample.size(); i += 2, ++places) zeros += sample[i] == '\0';
    return zeros * 10 >= places * 8;
}

void append_utf8(std::string& out, unsigned unit) {
    if (unit < 0x80) {
        out += static_cast<char>(unit);
    } else if (unit < 0x800) {
        out += static_cast<char>(0xC0 | unit >> 6);
        out += static_cast<char>(0x80 | (unit & 63));
    } else {
        out += static_cast<char>(0xE0 | unit >> 12);
        out += static_cast<char>(0x80 | (unit >> 6 & 63));
        out += static_cast<char>(0x80 | (unit & 63));
    }
}

}  // namespace

Blocks::Blocks(ReadBytes read) : read_(std::move(read)), raw_(block_size, '\0') {}

void Blocks::append(std::string_view bytes) {
    if (encoding_ == Encoding::unknown) {
        if (bytes.starts_with("\xFF\xFE") || (zeros_at(bytes, 1) && !zeros_at(bytes, 0)))
            encoding_ = Encoding::utf16_little;
        else if (bytes.starts_with("\xFE\xFF") || (zeros_at(bytes, 0) && !zeros_at(bytes, 1)))
            encoding_ = Encoding::utf16_big;
        else
            encoding_ = Encoding::bytes;
    }
    if (encoding_ == Encoding::bytes) {
        buffer_ += bytes;
        return;
    }
    odd_ += bytes;
    const std::size_t high = encoding_ == Encoding::utf16_little ? 1 : 0;
    std::size_t at = 0;
    for (; at + 1 < odd_.size(); at += 2) {
        const unsigned unit =
            static_cast<unsigned char>(odd_[at + high]) * 256U + static_cast<unsigned char>(odd_[at + 1 - high]);
        if (unit != 0xFEFF) append_utf8(buffer_, unit);
    }
    odd_.erase(0, at);
}

void Blocks::fill() {
    buffer_.erase(0, given_);
    given_ = 0;
    while (!at_end_ && buffer_.size() < block_size) {
        const std::size_t got = read_(raw_.data(), raw_.size());
        at_end_ = got == 0;
        append({raw_.data(), got});
    }
}

std::string_view Blocks::next() {
    fill();
    if (at_end_) {
        given_ = buffer_.size();
        return buffer_;
    }
    const std::size_t last_end = buffer_.rfind('\n');
    given_ = last_end == std::string::npos ? buffer_.size() : last_end + 1;
    return std::string_view(buffer_).substr(0, given_);
}

}  // namespace rnncheck::log_reader
