// Files with small changes, for the fuzz tests of readers. RNNCHECK_FUZZ=1000000 makes as many of
// each; by default a few, so that the test stays quick.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace rnncheck::test {

/// How many changed files a test reads.
inline long fuzz_rounds() {
    const char* wanted = std::getenv("RNNCHECK_FUZZ");
    return wanted ? std::atol(wanted) : 500;
}

/// Changes bytes, numbers, lengths, and puts in one of the `pieces`.
class FileMutator {
  public:
    explicit FileMutator(
        std::vector<std::string> seeds, std::vector<std::string> pieces = {std::string(1, '\0')})
        : seeds_(std::move(seeds)), pieces_(std::move(pieces)) {
    }

    std::string next() {
        std::string bytes = seeds_[below(seeds_.size())];
        for (std::size_t n = 1 + below(8); n > 0; --n)
            change(bytes);
        return bytes;
    }

  private:
    std::size_t below(std::size_t limit) {
        return random_() % limit;
    }

    void change(std::string& bytes) {
        static constexpr std::uint64_t numbers[] = {
            0,
            1,
            2,
            0xFF,
            0xFFFF,
            0xFFFFFFFF,
            0x7FFFFFFF,
            0x80000000,
            0x1000000,
            ~std::uint64_t{0},
            ~std::uint64_t{7},
            std::uint64_t{1} << 63,
            std::uint64_t{1} << 62};
        if (bytes.empty())
            bytes = "\x7f";
        const std::size_t at = below(bytes.size());
        switch (below(6)) {
            case 0:
                bytes[at] = static_cast<char>(below(256));
                break;
            case 1: {
                const std::size_t width = std::size_t{1} << below(4), place = at / width * width;
                const std::uint64_t number = numbers[below(std::size(numbers))] + below(3);
                if (place + width <= bytes.size())
                    std::memcpy(&bytes[place], &number, width);
                break;
            }
            case 2:
                bytes.resize(at);
                break;
            case 3:
                bytes.insert(at, std::string(below(40), static_cast<char>(below(256))));
                break;
            case 4: {
                const std::string& piece = pieces_[below(pieces_.size())];
                bytes.replace(at, std::min(piece.size(), bytes.size() - at), piece);
                break;
            }
            default:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        }
    }

    std::vector<std::string> seeds_, pieces_;
    std::mt19937_64 random_{20261121};
};

/// One file rewritten in place: a million new ones would take long.
class RewrittenFile {
  public:
    explicit RewrittenFile(const std::string& path)
        : file_(open(path.c_str(), O_RDWR | O_CREAT, 0755)) {
        REQUIRE(file_ >= 0);
    }
    ~RewrittenFile() {
        close(file_);
    }
    RewrittenFile(const RewrittenFile&) = delete;
    RewrittenFile& operator=(const RewrittenFile&) = delete;

    void holds(const std::string& bytes) const {
        REQUIRE(ftruncate(file_, 0) == 0);
        REQUIRE(pwrite(file_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    }

  private:
    int file_;
};

}  // namespace rnncheck::test
