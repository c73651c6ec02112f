#include "log/blocks.hpp"

#include <algorithm>
#include <cstring>

namespace rnncheck::log_reader {

namespace {

constexpr std::size_t raw_size = 64 * 1024;
constexpr std::size_t sample_size = 64;

/// A log of ASCII letters in UTF-16 has a zero byte in every second place.
bool zeros_at(std::string_view bytes, std::size_t first) {
    const std::string_view sample = bytes.substr(0, sample_size);
    if (sample.size() < 8) return false;
    std::size_t zeros = 0, places = 0;
    for (std::size_t i = first; i < sample.size(); i += 2, ++places) zeros += sample[i] == '\0';
    return zeros * 10 >= places * 8;
}

}  // namespace

Blocks::Blocks(ReadBytes read) : read_(std::move(read)), buffer_(std::make_unique_for_overwrite<char[]>(buffer_size)) {}

void Blocks::append_utf8(unsigned unit) {
    const auto put = [this](unsigned byte) { buffer_[filled_++] = static_cast<char>(byte); };
    if (unit < 0x80) {
        put(unit);
    } else if (unit < 0x800) {
        put(0xC0 | unit >> 6);
        put(0x80 | (unit & 63));
    } else {
        put(0xE0 | unit >> 12);
        put(0x80 | (unit >> 6 & 63));
        put(0x80 | (unit & 63));
    }
}

void Blocks::decode(std::string_view bytes) {
    const std::size_t high = encoding_ == Encoding::utf16_little ? 1 : 0;
    const auto take = [&](const char* unit) {
        const auto high_byte = static_cast<unsigned char>(unit[high]), low = static_cast<unsigned char>(unit[1 - high]);
        if (high_byte == 0 && low < 0x80)
            buffer_[filled_++] = static_cast<char>(low);
        else if (const unsigned whole = high_byte * 256U + low; whole != 0xFEFF)
            append_utf8(whole);
    };
    if (!odd_.empty() && !bytes.empty()) {
        odd_ += bytes[0];
        take(odd_.data());
        odd_.clear();
        bytes.remove_prefix(1);
    }
    for (; bytes.size() > 1; bytes.remove_prefix(2)) take(bytes.data());
    odd_ = bytes;
}

/// Looks at the first bytes, which are in the buffer.
void Blocks::learn_encoding() {
    const std::string bytes(buffer_.get(), filled_);
    if (bytes.starts_with("\xFF\xFE") || (zeros_at(bytes, 1) && !zeros_at(bytes, 0)))
        encoding_ = Encoding::utf16_little;
    else if (bytes.starts_with("\xFE\xFF") || (zeros_at(bytes, 0) && !zeros_at(bytes, 1)))
        encoding_ = Encoding::utf16_big;
    else
        encoding_ = Encoding::bytes;
    if (encoding_ == Encoding::bytes) return;
    raw_.resize(raw_size);
    filled_ = 0;
    decode(bytes);
}

/// Reads until a block and what follows it are there.
void Blocks::fill() {
    while (!at_end_ && filled_ - end_ < block_size + around) {
        const bool is_decoded = !raw_.empty();
        char* const to = is_decoded ? raw_.data() : buffer_.get() + filled_;
        const std::size_t got = read_(to, is_decoded ? raw_.size() : block_size);
        at_end_ = got == 0;
        if (is_decoded)
            decode({to, got});
        else
            filled_ += got;
        if (encoding_ == Encoding::unknown && (at_end_ || filled_ >= sample_size)) learn_encoding();
    }
}

Block Blocks::next() {
    const std::size_t kept = std::min(around, end_);
    std::copy(buffer_.get() + end_ - kept, buffer_.get() + filled_, buffer_.get());
    filled_ -= end_ - kept;
    end_ = kept;
    fill();
    Block block{{buffer_.get(), filled_}, kept, filled_};
    if (!at_end_) {
        const std::string_view own = block.text.substr(kept, filled_ - kept - around);
        const std::size_t last_end = own.rfind('\n');
        block.end = kept + (last_end == std::string_view::npos ? own.size() : last_end + 1);
    }
    end_ = block.end;
    return block;
}

}  // namespace rnncheck::log_reader
