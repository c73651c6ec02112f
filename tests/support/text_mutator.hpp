// Texts made of known ones, cut, joined and spoilt at random; the same ones for the same seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace rnncheck::test {

class TextMutator {
  public:
    /// `pieces` are put in as a whole.
    TextMutator(std::vector<std::string> texts, std::vector<std::string> pieces, std::uint64_t seed)
        : texts_(std::move(texts)), pieces_(std::move(pieces)), random_(seed) {
    }

    std::string next() {
        std::string text = texts_[below(texts_.size())];
        if (below(4) == 0)
            text += texts_[below(texts_.size())];
        for (std::size_t n = below(8); n > 0; --n)
            change(text);
        return text;
    }

  private:
    std::size_t below(std::size_t limit) {
        return random_() % limit;
    }

    void change(std::string& text) {
        const std::size_t at = below(text.size() + 1);
        switch (below(5)) {
            case 0:
                text.insert(at, pieces_[below(pieces_.size())]);
                break;
            case 1:
                text.erase(at, below(20));
                break;
            case 2:
                text.insert(at, std::string(below(600), static_cast<char>(below(256))));
                break;
            case 3:
                text.insert(at, text.substr(below(text.size() + 1), below(80)));
                break;
            default:
                if (!text.empty())
                    text[at % text.size()] = static_cast<char>(below(256));
        }
    }

    std::vector<std::string> texts_, pieces_;
    std::mt19937_64 random_;
};

}  // namespace rnncheck::test
