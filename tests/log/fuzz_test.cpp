// Mutated messages and noise: nothing that is in a log may crash the reader or leave it with text
// that is not safe, and what the reader of large logs finds the reader of small ones finds as well.
// RNNCHECK_FUZZ=1000000 test_log "[fuzz]" runs as many; by default a few, so that the test stays
// quick. RNNCHECK_FUZZ_SEED starts elsewhere.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "rules/causes/log_causes.hpp"
#include "support/catch.hpp"
#include "support/logs.hpp"
#include "support/text_mutator.hpp"

using namespace rnncheck;

namespace {

std::vector<std::string> seeds() {
    std::vector<std::string> texts;
    for (const test::Message& message : test::messages())
        texts.push_back(message.log);
    return texts;
}

const std::vector<std::string> pieces = {
    "\n",
    "\r\n",
    std::string(1, '\0'),
    "\x1B[31m",
    "&lt;",
    "\\n",
    "{\"a\":\"",
    "\xFF\xFE",
    "\xE2\x80",
    "[",
    "]",
    "(",
    "9999999999999999999999",
    "CUDNN_STATUS_",
    "{\"log\":\"",
    "\xC2\x9B"
    "31m",
    "\xE2\x80\xAE",
    "\x1B]0;title\x07",
    "> "};

bool is_safe(std::string_view text) {
    return escaped(text, text.size() + 1) == text;
}

bool is_safe(const Log& log) {
    return std::all_of(log.events.begin(), log.events.end(), [](const LogEvent& event) {
        return is_safe(event.text) &&
               std::all_of(event.captures.begin(), event.captures.end(), [](const LogField& field) {
                   return is_safe(field.value);
               });
    });
}

/// What a large log shows and a small one with the same neighbours of the text does not.
std::string more_in_large(const std::string& text) {
    static const std::string filler = "Epoch 1 step 1 accuracy 0.9\n";
    static const std::string much = test::repeated(filler, 66 << 10);
    const std::string few = much.substr(0, 9 * filler.size());
    const auto large = test::signatures_in(test::log_read(much + text + "\n" + few));
    const auto small = test::signatures_in(test::log_read(few + text + "\n" + few));
    for (const std::string& signature : large)
        if (!small.contains(signature))
            return signature;
    return "";
}

/// The text after many of its own words.
std::string among_its_words(const std::string& text) {
    std::vector<std::string> words = {"cuda"};
    std::istringstream all(text);
    for (std::string word; all >> word;)
        words.push_back(word.substr(0, 40));
    std::string full;
    for (std::size_t i = 0; full.size() < (3 << 20); ++i)
        full += words[i * 7 % words.size()] + " 1 ";
    return full + "\n" + text;
}

void read_safely(const std::string& text) {
    if (!is_safe(test::log_read(text)))
        throw std::runtime_error("a control character is left");
}

void judge_safely(const std::string& text) {
    Facts facts;
    facts.tool.stages = {"log"};
    facts.log = test::log_read(text);
    facts.log->user_hints = {
        {"gpu", text.substr(0, 40), {}}, {"framework", text.substr(0, 60), {}}, {"cuda", "12", {}}};
    if (rules::causes_in_log(facts, test::bundled_matrix()).size() > 5)
        throw std::runtime_error("too many causes");
}

/// The rounds wanted of a fuzz test, and where its random numbers begin.
long number_from(const char* name, long otherwise) {
    const char* value = std::getenv(name);
    return value ? std::atol(value) : otherwise;
}

}  // namespace

TEST_CASE("mutated logs do no harm, and large ones show what small ones show", "[fuzz]") {
    constexpr long rare = 16;  // what takes long
    const long rounds = number_from("RNNCHECK_FUZZ", 200);
    test::TextMutator mutator(
        seeds(), pieces, static_cast<std::uint64_t>(number_from("RNNCHECK_FUZZ_SEED", 20261121)));
    for (long round = 0; round < rounds; ++round) {
        const std::string text = mutator.next();
        INFO("round " << round << " of the seed");
        CHECK_NOTHROW(read_safely(text));
        if (round % (4 * rare) == 0)
            CHECK_NOTHROW(judge_safely(text));
        if (round % rare == 1)
            CHECK(more_in_large(text).empty());
        if (round % (32 * rare) == 2)
            CHECK_NOTHROW(read_safely(among_its_words(text)));
        if (round % 10000 == 9999)
            std::cerr << round + 1 << " inputs\n";
    }
}
