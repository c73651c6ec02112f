// Large logs: lines that were searched before, with other digits or other neighbours, hide nothing.
#include <algorithm>
#include <array>
#include <set>

#include "support/catch.hpp"
#include "support/logs.hpp"

using namespace rnncheck;
using test::log_read, test::Message, test::messages, test::repeated;

namespace {

std::string with_other_digits(std::string text, int add) {
    for (char& c : text)
        if (c >= '0' && c <= '9')
            c = static_cast<char>('0' + (c - '0' + add) % 10);
    return text;
}

std::set<std::string> signatures_in(const std::string& text) {
    return test::signatures_in(log_read(text));
}

constexpr std::size_t large = 100 << 10;  ///< a log that is not matched as a whole

template <class Check>
void for_each_message(Check&& check) {
    for (const Message& message : messages())
        check(message.log + "\n");
}

/// What `message` shows alone it shows behind `log`, too.
void check_found(const std::string& log, const std::string& message) {
    const auto seen = signatures_in(log + message + "Epoch 1\nEpoch 2\nEpoch 3\n");
    for (const std::string& signature : signatures_in("----\n" + message)) {
        INFO(signature << " in " << message);
        CHECK(seen.contains(signature));
    }
}

}  // namespace

TEST_CASE("a log that shows nothing with other digits hides no message") {
    for_each_message([](const std::string& message) {
        std::string others;
        for (int add = 1; add < 10; ++add)
            others += with_other_digits(message + "Epoch 2\n", add);
        check_found(repeated(others, large), message);
    });
}

TEST_CASE("lines that show nothing far from each other show something next to each other") {
    for_each_message([](const std::string& message) {
        const std::size_t middle = message.find_first_of(" \n", message.size() / 2);
        if (middle == message.npos)
            return;
        const std::string first = message.substr(0, middle) + "\n",
                          second = message.substr(middle + 1) + "\n";
        const std::string far = first + std::string(66, '.') + second + "\n\n\n\n",
                          near = first + second;
        check_found(repeated(far, large), near);
    });
}

TEST_CASE("a message where a line is cut between two blocks is reported whole") {
    const std::string bar =
        repeated("\r 12%|#2        | 123/1000 [00:01<00:02, 3 it/s]", 800 << 10);
    const std::string message =
        " NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus. ";
    for (std::size_t place = (512 << 10) - 80; place < (512 << 10) + 20; place += 10)
        CHECK(signatures_in(bar.substr(0, place) + message + bar).contains("xid_79"));
}

TEST_CASE("lines that show nothing alone show what they show together") {
    for_each_message([](const std::string& message) {
        std::string apart;
        for (const char c : message)
            apart += c == '\n' ? "\nEpoch 1\nEpoch 2\nEpoch 3\n" : std::string(1, c);
        check_found(repeated(apart, large), message);
    });
}

TEST_CASE("lines in which nothing is found hide none that differs from them in digits alone") {
    for (const auto& [others, message, signature] :
         std::initializer_list<std::array<const char*, 3>>{
             {"it got Error 801 there\n", "it got Error 802 there\n", "error_802"},
             {"&#38;CUDAExecutionProvider&#38; is not in available provider\n",
              "&#39;CUDAExecutionProvider&#39; is not in available provider\n",
              "torch_not_built_with_cuda"},
             {"{\"log\":\"\\u0028CUDAExecutionProvider\\u0028 is not in available provider\"}\n",
              "{\"log\":\"\\u0027CUDAExecutionProvider\\u0027 is not in available provider\"}\n",
              "torch_not_built_with_cuda"}}) {
        INFO(message);
        CHECK(signatures_in(repeated(others, large)).empty());
        CHECK(signatures_in(repeated(others, large) + message + repeated(others, 1 << 10))
                  .contains(signature));
    }
}
