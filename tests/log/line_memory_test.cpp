// Lines that are known again hide nothing.
#include "log/line_memory.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "log/read_log.hpp"
#include "support/catch.hpp"

using namespace rnncheck;
using log_reader::LineMemory;
using log_reader::Lines;
using log_reader::Verdict;

namespace {

const std::string before = "it\n1\n2\n3\n", after = "4\n5\n6\n7\n";

/// The line behind `before`.
Lines lines_at(const std::string& text) {
    Lines lines(text, before.size(), before.size() + 1);
    REQUIRE(lines.last() == lines.first() + 1);
    return lines;
}

/// Whether `later`, between before and after, is known when `first` was learnt.
bool is_known(Verdict why, const std::string& first, const std::string& later, const std::string& after_later = after) {
    LineMemory memory;
    const std::string learnt = before + first + after, asked = before + later + after_later;
    const Lines lines = lines_at(learnt), lines_later = lines_at(asked);
    memory.learn(lines, lines.first(), why);
    return memory.knows(lines_later, lines_later.first());
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

constexpr std::size_t large = 100 << 10;  ///< a log that is not matched as a whole

template <class Check>
void for_each_message(Check&& check) {
    std::ifstream file(std::string(TEST_FOLDER) + "/messages.jsonl");
    for (std::string row; std::getline(file, row);) check(nlohmann::json::parse(row)["log"].get<std::string>() + "\n");
}

/// What `message` says alone it says behind `log`, too.
void check_found(const std::string& log, const std::string& message) {
    const auto seen = signatures_in(log + message + "Epoch 1\nEpoch 2\nEpoch 3\n");
    for (const std::string& signature : signatures_in("----\n" + message)) {
        INFO(signature << " in " << message);
        CHECK(seen.contains(signature));
    }
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
    const Lines lines(text, 0, text.size());
    for (std::size_t line = lines.first(); line < lines.last(); ++line) CHECK_FALSE(memory.knows(lines, line));
}

TEST_CASE("lines whose digits spell something, or that a tag goes beyond, are not learnt") {
    for (const char* line : {"can&#39;t\n", "can\\u0027t\n", "\\033[0m it\n", "\\x1b[0m it\n", "it <b\n"})
        CHECK_FALSE(is_known(Verdict::refuted_by_line, line, line));
    for (const char* line : {"C:\\Program <b> it\n", "5 < 7 [00:01<00:02, 3 it/s]\n"})
        CHECK(is_known(Verdict::refuted_by_line, line, line));
}

TEST_CASE("cut lines and endless ones have no memory") {
    const std::string text = "cut\nwhole\n" + std::string(5000, 'x') + "\nlast";
    const Lines lines(text, 0, text.size());
    REQUIRE(lines.last() == 4);
    CHECK_FALSE(lines[0].hash);
    CHECK(lines[1].hash);
    CHECK_FALSE(lines.hash_with_next(1));
    CHECK_FALSE(lines[2].hash);
    CHECK_FALSE(lines[3].hash);
}

TEST_CASE("a log that says nothing with other digits hides no message") {
    for_each_message([](const std::string& message) {
        std::string others;
        for (int add = 1; add < 10; ++add) others += with_other_digits(message + "Epoch 2\n", add);
        check_found(repeated(others, large), message);
    });
}

TEST_CASE("lines that tell nothing far from each other tell something next to each other") {
    for_each_message([](const std::string& message) {
        const std::size_t middle = message.find_first_of(" \n", message.size() / 2);
        if (middle == message.npos) return;
        const std::string first = message.substr(0, middle) + "\n", second = message.substr(middle + 1) + "\n";
        const std::string far = first + std::string(66, '.') + second + "\n\n\n\n", near = first + second;
        check_found(repeated(far, large), near);
    });
}

TEST_CASE("a message where a line is cut between two blocks is told whole") {
    const std::string bar = repeated("\r 12%|#2        | 123/1000 [00:01<00:02, 3 it/s]", 800 << 10);
    const std::string message = " NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus. ";
    for (std::size_t place = (512 << 10) - 80; place < (512 << 10) + 20; place += 10)
        CHECK(signatures_in(bar.substr(0, place) + message + bar).contains("xid_79"));
}

TEST_CASE("lines that told nothing are searched for other words when those are searched for") {
    const std::string message = "4\n3\n2\n1\nlibcudnn v8907\nwith header\nv8900 unmatched\n1\n2\n3\n4\n";
    std::string text = "it\n";
    std::int64_t messages = 0;
    for (std::size_t line = 0; text.size() < (5 << 20); ++line) {
        text += repeated("Epoch 1 step 2 loss 0.25 accuracy 0.75 of this long run\n", 600);
        text += repeated("unmatched ", 150);
        for (std::size_t digits = line; digits > 0; digits /= 16) text += static_cast<char>('a' + digits % 16);
        text += '\n';
        if (line % 40 != 0) continue;
        text += message;
        ++messages;
    }
    REQUIRE(messages > 30);
    for (const LogEvent& event : read_log_text(text, Matrix::bundled()).events)
        if (event.signature == "paddle_header_unmatched") CHECK(event.count == messages);
    CHECK(signatures_in(text).contains("paddle_header_unmatched"));
}

TEST_CASE("lines that tell nothing alone tell what they tell together") {
    for_each_message([](const std::string& message) {
        std::string apart;
        for (const char c : message) apart += c == '\n' ? "\nEpoch 1\nEpoch 2\nEpoch 3\n" : std::string(1, c);
        check_found(repeated(apart, large), message);
    });
}
