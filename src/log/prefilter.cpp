#include <algorithm>
#include <cstring>
#include <numeric>

#include "log/signatures.hpp"

namespace rnncheck::log_reader {

namespace {

constexpr auto folded_bytes = [] {
    std::array<char, 256> folded{};
    for (std::size_t c = 0; c < folded.size(); ++c) {
        folded[c] = static_cast<char>(c);
        if (c >= 'A' && c <= 'Z') folded[c] = static_cast<char>(c - 'A' + 'a');
        if (c >= '0' && c <= '9') folded[c] = '0';
    }
    return folded;
}();

std::string folded(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = folded_bytes[static_cast<unsigned char>(c)];
    return result;
}

std::uint64_t eight_bytes(const char* text) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text, sizeof bytes);
    return bytes;
}

}  // namespace

re2::RE2::Options pattern_options() {
    re2::RE2::Options options;
    options.set_dot_nl(true);
    options.set_log_errors(false);
    options.set_encoding(re2::RE2::Options::EncodingLatin1);  // bytes: logs are not always valid UTF-8
    options.set_max_mem(std::int64_t{4} << 20);
    return options;
}

void Signatures::list_words() {
    if (filter_.NumRegexps() == 0) return;
    std::vector<std::string> required;
    filter_.Compile(&required);
    for (std::size_t i = 0; i < required.size(); ++i) {
        std::string word = folded(required[i]);
        std::erase_if(word, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; });
        if (word.size() < static_cast<std::size_t>(shortest_word))
            always_.push_back(static_cast<int>(i));
        else
            words_.push_back(word_of(std::move(word), static_cast<int>(i)));
    }
    std::ranges::sort(words_,
                      [](const Word& a, const Word& b) { return key_at(a.text.data()) < key_at(b.text.data()); });
    for (const Word& word : words_) ++first_[key_at(word.text.data()) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

/// A hash of three bytes.
std::size_t Signatures::key_at(const char* text) {
    const auto byte = [text](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(text[i])}; };
    return ((byte(0) | byte(1) << 8 | byte(2) << 16) * 0x9E3779B1U) >> (32 - key_bits);
}

Signatures::Word Signatures::word_of(std::string text, int number) {
    const std::size_t in_head = std::min(text.size(), sizeof(std::uint64_t));
    const std::string head = text.substr(0, in_head) + std::string(sizeof(std::uint64_t) - in_head, '\0');
    const std::string mask = std::string(in_head, '\xFF') + std::string(sizeof(std::uint64_t) - in_head, '\0');
    return {eight_bytes(head.data()), eight_bytes(mask.data()), std::move(text), number};
}

void Signatures::find_words(std::string_view text, std::vector<int>& found) const {
    const std::string searched = folded(text) + std::string(sizeof(std::uint64_t), '\0');
    std::vector<bool> is_found(words_.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::size_t key = key_at(searched.data() + at);
        if (first_[key] == first_[key + 1]) continue;
        const std::uint64_t head = eight_bytes(searched.data() + at);
        for (std::size_t i = first_[key]; i < first_[key + 1]; ++i) {
            const Word& word = words_[i];
            if (((head ^ word.head) & word.mask) != 0 || is_found[i] ||
                searched.compare(at, word.text.size(), word.text) != 0)
                continue;
            is_found[i] = true;
            found.push_back(word.number);
        }
    }
}

std::vector<int> Signatures::candidates(std::string_view text) const {
    std::vector<int> words = always_, patterns;
    if (filter_.NumRegexps() == 0) return patterns;
    find_words(text, words);
    filter_.AllPotentials(words, &patterns);
    return patterns;
}

}  // namespace rnncheck::log_reader
