// The fast scanner finds exactly what a slow search finds.
#include "log/scanner.hpp"

#include <random>
#include <set>

#include "support/catch.hpp"

using rnncheck::log_reader::Scanner;

namespace {

std::set<std::size_t> places_found(const Scanner& scanner, std::string_view text) {
    std::set<std::size_t> places;
    for (std::size_t from = 0; from < text.size();) {
        const auto hit = scanner.find(text, from);
        if (hit.place == Scanner::none) break;
        places.insert(hit.place);
        from = hit.go_on;
    }
    return places;
}

std::set<std::size_t> places_there(const std::vector<std::string>& literals, std::string_view text) {
    std::set<std::size_t> places;
    for (const auto& literal : literals)
        for (auto at = text.find(literal); at != std::string_view::npos; at = text.find(literal, at + 1))
            places.insert(at);
    return places;
}

}  // namespace

TEST_CASE("every literal is found wherever it stands") {
    std::mt19937 random(7);
    const auto letter = [&] { return static_cast<char>("abcC_ \n"[random() % 7]); };
    for (int round = 0; round < 300; ++round) {
        std::vector<std::string> literals;
        for (int i = 0; i < 6; ++i) {
            std::string literal;
            for (auto n = 3 + random() % 3; n > 0; --n) literal += letter();
            literals.push_back(literal);
        }
        std::string text;
        for (auto n = random() % 200; n > 0; --n) text += letter();
        for (const auto& literal : literals)
            CHECK(places_found(Scanner({literal}), text) == places_there({literal}, text));
        const auto found = places_found(Scanner(literals), text), there = places_there(literals, text);
        CHECK(found.empty() == there.empty());
        for (const std::size_t place : found) CHECK(there.contains(place));
    }
}

TEST_CASE("a text that is too short holds nothing") {
    const Scanner scanner({"abc"});
    CHECK(scanner.find("", 0).place == Scanner::none);
    CHECK(scanner.find("ab", 0).place == Scanner::none);
    CHECK(scanner.find("abc", 0).place == 0);
    CHECK(scanner.find("xabc", 1).place == 1);
}
