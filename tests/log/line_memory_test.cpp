// Lines that are known again hide nothing.
#include "log/line_memory.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "log/read_log.hpp"
#include "support/catch.hpp"

using namespace rnncheck;
using log_reader::Line;
using log_reader::LineMemory;
using log_reader::lines_in;
using log_reader::Verdict;

namespace {

const std::string before = "it\n1\n2\n3\n", after = "4\n5\n6\n7\n";

/// A line of `text`, which has three others on both sides.
Line line_at(const std::string& text, std::size_t place) {
    const std::vector<Line> lines = lines_in(text, place, place + 1);
    REQUIRE(lines.size() == 1);
    return lines.front();
}

/// Whether the last line of `later`, between before and after, is known when that of `first` was learnt.
bool is_known(Verdict why, const std::string& first, const std::string& later, const std::string& after_later = after) {
    LineMemory memory;
    const std::string learnt = before + first + after, asked = before + later + after_later;
    memory.learn(line_at(learnt, before.size()), why, learnt);
    return memory.knows(line_at(asked, before.size()));
}

std::string repeated(const std::string& text, std::size_t bytes) {
    std::string out;
    while (out.size() < bytes) out += text;
    return out;
}

std::string with_other_digits(std::string text, int add) {
    for (char& c : text)
        if (c >= '0' && c <= '9') c = static_cast<char>('0' + (c - '0' + add) % 10);
    return text;
}

std::set<std::string> signatures_in(const std::string& text) {
    static const Matrix matrix = Matrix::bundled();
    std::set<std::string> all;
    for (const LogEvent& event : read_log_text(text, matrix).events) all.insert(event.signature);
    return all;
}

}  // namespace

TEST_CASE("a line is known again whatever its digits are, and no other line is") {
    const std::string line = "I0613 10:02:07 solver.cpp:228] Iteration 1200, loss = 0.04\n";
    CHECK(is_known(Verdict::refuted_by_line, line, line));
    CHECK(is_known(Verdict::refuted_by_line, line, "I9999 99:99:99 solver.cpp:999] Iteration 9999, loss = 9.99\n"));
    CHECK(is_known(Verdict::refuted_by_line, "\n", "\n"));
    CHECK_FALSE(is_known(Verdict::refuted_by_line, line, line.substr(1)));
    for (std::size_t at = 0; at + 1 < line.size(); ++at) {
        std::string other = line;
        other[at] = 'x';
        CHECK_FALSE(is_known(Verdict::refuted_by_line, line, other));
    }
    CHECK_FALSE(is_known(Verdict::possible, line, line));
    CHECK_FALSE(is_known(Verdict::refuted, line, line));
}

TEST_CASE("where the lines around decided, a line is known among the same lines only") {
    const std::string line = "libcudnn.so.8\n";
    CHECK(is_known(Verdict::refuted_by_two, line, line, "7\n6\nx\n"));
    CHECK_FALSE(is_known(Verdict::refuted_by_two, line, line, "x\n5\n6\n"));
    CHECK(is_known(Verdict::refuted_by_lines, line, line, "7\n6\n5\n"));
    CHECK_FALSE(is_known(Verdict::refuted_by_lines, line, line, "4\n5\nx\n"));
    CHECK_FALSE(is_known(Verdict::refuted_by_lines, line, line, "4\n5\n"));  // the log may go on
}

TEST_CASE("what was not learnt is not known, also where lines repeat") {
    const std::string text = repeated("Error 3\n", 200);
    LineMemory memory;
    for (const Line& line : lines_in(text, 0, text.size())) CHECK_FALSE(memory.knows(line));
}

TEST_CASE("lines whose digits spell something, or that a tag goes beyond, are not learnt") {
    for (const char* line : {"can&#39;t\n", "can\\u0027t\n", "\\033[0m it\n", "\\x1b[0m it\n", "it <b\n"})
        CHECK_FALSE(is_known(Verdict::refuted_by_line, line, line));
    for (const char* line : {"C:\\Program <b> it\n", "5 < 7 [00:01<00:02, 3 it/s]\n"})
        CHECK(is_known(Verdict::refuted_by_line, line, line));
}

TEST_CASE("cut lines and endless ones have no memory") {
    const std::string text = "cut\nwhole\n" + std::string(5000, 'x') + "\nlast";
    const std::vector<Line> lines = lines_in(text, 0, text.size());
    REQUIRE(lines.size() == 4);
    CHECK_FALSE(lines[0].itself);
    CHECK(lines[1].itself);
    CHECK_FALSE(lines[1].with_next);
    CHECK_FALSE(lines[2].itself);
    CHECK_FALSE(lines[3].itself);
}

TEST_CASE("a log that says nothing with other digits hides no message") {
    std::ifstream file(std::string(TEST_FOLDER) + "/messages.jsonl");
    for (std::string row; std::getline(file, row);) {
        const std::string message = "Epoch 1\n" + nlohmann::json::parse(row)["log"].get<std::string>() + "\nEpoch 2\n";
        INFO(message);
        std::string others;
        for (int add = 1; add < 10; ++add) others += with_other_digits(message, add);
        const auto seen = signatures_in(repeated(others, 220 << 10) + message + repeated(others, 80 << 10));
        for (const std::string& signature : signatures_in(message)) {
            INFO(signature);
            CHECK(seen.contains(signature));
        }
    }
}

TEST_CASE("lines that tell nothing alone tell what they tell together") {
    std::ifstream file(std::string(TEST_FOLDER) + "/messages.jsonl");
    for (std::string row; std::getline(file, row);) {
        const std::string message = nlohmann::json::parse(row)["log"].get<std::string>() + "\n";
        INFO(message);
        std::string apart;
        for (const char c : message) apart += c == '\n' ? "\nEpoch 1\nEpoch 2\nEpoch 3\n" : std::string(1, c);
        const auto seen = signatures_in(repeated(apart, 220 << 10) + message + repeated(apart, 80 << 10));
        for (const std::string& signature : signatures_in("----\n" + message)) {
            INFO(signature);
            CHECK(seen.contains(signature));
        }
    }
}
