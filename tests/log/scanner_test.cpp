// The fast scanner finds exactly what a slow search finds.
#include "log/scanner.hpp"

#include <random>
#include <set>

#include "support/catch.hpp"

using rnncheck::log_reader::Scanner;

namespace {

using Found = std::multiset<std::pair<std::size_t, std::size_t>>;  // place, literal

Found found(const Scanner& scanner, std::string_view text) {
    Found all;
    scanner.find_all(text, [&](std::size_t place, std::size_t literal) { all.insert({place, literal}); });
    return all;
}

Found there(const std::vector<std::string>& literals, std::string_view text) {
    Found all;
    for (std::size_t i = 0; i < literals.size(); ++i)
        for (auto at = text.find(literals[i]); at != std::string_view::npos; at = text.find(literals[i], at + 1))
            all.insert({at, i});
    return all;
}

}  // namespace

TEST_CASE("every literal is found once wherever it stands") {
    std::mt19937 random(7);
    const auto letter = [&] { return static_cast<char>("abcC_ \n\xE2"[random() % 8]); };
    for (int round = 0; round < 1000; ++round) {
        std::vector<std::string> literals;
        for (int i = 0; i < 6; ++i) {
            std::string literal;
            for (auto n = 3 + random() % 6; n > 0; --n) literal += letter();
            literals.push_back(literal);
        }
        std::string text;
        for (auto n = random() % 30; n > 0; --n)
            text += random() % 3 == 0 ? literals[random() % 6] : std::string(1, letter());
        CHECK(found(Scanner(literals), text) == there(literals, text));
    }
}

TEST_CASE("what is forgotten is not told, the others are") {
    Scanner scanner({"loss", "cuDNN"});
    scanner.forget({0});
    CHECK(found(scanner, "loss cuDNN loss") == Found{{5, 1}});
}

TEST_CASE("a text that is too short holds nothing") {
    const Scanner scanner({"abc"});
    CHECK(found(scanner, "").empty());
    CHECK(found(scanner, "ab").empty());
    CHECK(found(scanner, "abc") == Found{{0, 0}});
    CHECK(found(scanner, "xabc") == Found{{1, 0}});
}
