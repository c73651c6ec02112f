// Mutated messages and noise: nothing that is in a log may crash the reader or leave it with text that is not safe.
// RNNCHECK_FUZZ=1000000 test_log "[fuzz]" runs as many; by default a few, so that the test stays quick.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "log/read_log.hpp"
#include "rules/support/log_verdict.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

std::vector<std::string> seeds() {
    std::vector<std::string> texts;
    std::ifstream file(std::string(TEST_FOLDER) + "/messages.jsonl");
    for (std::string line; std::getline(file, line);) texts.push_back(nlohmann::json::parse(line)["log"]);
    return texts;
}

class Mutator {
  public:
    explicit Mutator(std::vector<std::string> texts) : texts_(std::move(texts)) {}

    std::string next() {
        std::string text = texts_[below(texts_.size())];
        if (below(4) == 0) text += texts_[below(texts_.size())];
        for (std::size_t n = below(8); n > 0; --n) change(text);
        return text;
    }

  private:
    std::size_t below(std::size_t limit) { return random_() % limit; }

    void change(std::string& text) {
        static const std::vector<std::string> pieces = {"\n",
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
                                                        "{\"log\":\""};
        const std::size_t at = below(text.size() + 1);
        switch (below(5)) {
            case 0:
                text.insert(at, pieces[below(pieces.size())]);
                break;
            case 1:
                text.erase(at, below(20));
                break;
            case 2:
                text.insert(at, std::string(below(300), static_cast<char>(below(256))));
                break;
            case 3:
                text.insert(at, text.substr(below(text.size() + 1), below(80)));
                break;
            default:
                if (!text.empty()) text[at % text.size()] = static_cast<char>(below(256));
        }
    }

    std::vector<std::string> texts_;
    std::mt19937_64 random_{20261121};
};

}  // namespace

TEST_CASE("mutated logs do no harm", "[fuzz]") {
    const char* wanted = std::getenv("RNNCHECK_FUZZ");
    const long rounds = wanted ? std::atol(wanted) : 200;
    const Matrix matrix = Matrix::bundled();
    Mutator mutator(seeds());
    for (long round = 0; round < rounds; ++round) {
        Facts facts;
        facts.tool.stages = {"log"};
        const std::string text = mutator.next();
        facts.log = read_log_text(text, matrix);
        facts.log->said = {{"gpu", text.substr(0, 40), {}}, {"framework", text.substr(0, 60), {}}, {"cuda", "12", {}}};
        const auto findings = rules::causes_in_log(facts, matrix);
        bool safe = true;
        for (const LogEvent& event : facts.log->events)
            for (const char c : event.text) safe &= static_cast<unsigned char>(c) >= 0x20 && c != 0x7F;
        if (!safe || findings.size() > 5) FAIL("round " << round);
    }
    SUCCEED();
}
