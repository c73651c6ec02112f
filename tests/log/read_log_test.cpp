// Logs of every shape give the same facts.
#include "log/read_log.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "log/normalize.hpp"
#include "support/catch.hpp"
#include "support/logs.hpp"

using namespace rnncheck;
using test::log_read, test::repeated;

namespace {

const LogEvent* event(const Log& log, std::string_view signature) {
    const auto found = std::find_if(log.events.begin(), log.events.end(), [&](const auto& e) {
        return e.signature == signature;
    });
    return found == log.events.end() ? nullptr : &*found;
}

std::string captured(const Log& log, std::string_view signature, std::string_view name) {
    const LogEvent* found = event(log, signature);
    REQUIRE(found);
    for (const LogField& field : found->captures)
        if (field.name == name)
            return field.value;
    return "";
}

std::string utf16(std::string_view text, bool little) {
    std::string out;
    for (const char c : text)
        out += little ? std::string{c, '\0'} : std::string{'\0', c};
    return out;
}

/// Lines that begin alike and end in other letters each.
std::string all_different(std::string_view begin, std::size_t bytes) {
    std::mt19937 random(11);
    std::string out;
    while (out.size() < bytes) {
        out += begin;
        for (int i = 0; i < 9; ++i)
            out += static_cast<char>('a' + random() % 26);
        out += '\n';
    }
    return out;
}

/// Everything a log reported, one line each; lines are counted from `first_line`.
std::multiset<std::string> captured_in(const Log& log, std::int64_t first_line) {
    std::multiset<std::string> all;
    for (const LogEvent& event : log.events) {
        if (event.signature == "complaint")
            continue;  // of small logs alone
        // Not how often: lines that are together may share a match.
        std::string text = event.signature + " " + std::to_string(event.line - first_line);
        for (const LogField& field : event.captures)
            text += " " + field.name + "=" + field.value;
        all.insert(text + " " + event.text);
    }
    return all;
}

const std::string mismatch =
    "2019-12-24 05:34:15.862520: E tensorflow/stream_executor/cuda/cuda_dnn.cc:319] Loaded runtime "
    "CuDNN library: "
    "7.4.1 but source was compiled with: 7.6.0.  CuDNN library\n";

}  // namespace

TEST_CASE("versions, line number and the first error are reported") {
    const Log log = log_read(
        "starting\n" + mismatch + "UnknownError: Fail to find the dnn implementation.\n",
        "train.log");
    CHECK(captured(log, "cudnn_version_mismatch", "loaded") == "7.4.1");
    CHECK(captured(log, "cudnn_version_mismatch", "built") == "7.6.0");
    CHECK(event(log, "cudnn_version_mismatch")->line == 2);
    CHECK(event(log, "dnn_not_found")->kind == LogKind::consequence);
    CHECK(log.first_error_line == 2);
    CHECK(log.lines == 3);
    CHECK(log.files == std::vector<std::string>{"train.log"});
}

TEST_CASE("a fatal line is one in every form, and an ordinary one is none") {
    for (const char* line :
         {"F0613 10:15:03.468956 69692 net.cpp:171] cannot go on",
          "F20210613 10:15:03.468956 7 net.cpp:171] cannot go on",
          "2021-06-13 10:15:03.468956: F tensorflow/core/net.cc:171] cannot go on",
          "2021-06-13 10:15:03.468956: F ./tensorflow/core/net.h:171] cannot go on",
          "2021-06-13 10:15:03.468956: F external/local_xla/xla/net.cc:171] cannot go on"})
        CHECK(event(log_read(line), "glog_fatal"));
    for (const char* line :
         {"I0613 10:15:03.468956 69692 net.cpp:171] goes on",
          "2021-06-13 10:15:03.468956: I tensorflow/core/net.cc:171] goes on"})
        CHECK_FALSE(event(log_read(line), "glog_fatal"));
}

TEST_CASE("a crash inside cuDNN is distinguished from a path to cuDNN") {
    for (const char* line :
         {"python3[77]: segfault at 0 ip 00007f2a sp 00007ffd error 4 in "
          "libcudnn_ops_infer.so.8.9.7[7f2a00000000+5000]",
          "/usr/lib/libcudnn_adv.so.9(+0x12af)[0x7f2a]",
          "#5  0x00007f in cudnnRNNForward () from /usr/lib/libcudnn.so.7"})
        CHECK(event(log_read(line), "inside_libcudnn"));
    CHECK_FALSE(event(
        log_read(
            "  File \"/srv/a.py\", line 3, in main\nOSError: /opt/lib/libcudnn.so.8: cannot open"),
        "inside_libcudnn"));
}

TEST_CASE("the same message is understood however it was treated") {
    const std::vector<std::string> forms = {
        mismatch,
        repeated("\r\n", 4) +
            "2019 Loaded runtime CuDNN library: 7.4.1 but source was compiled with: 7.6.0.\r\n",
        "Loaded runtime CuDNN library: 7.4.1 but sou\nrce was compiled with: 7.6.0.\n",
        "> Loaded runtime CuDNN\n> library: 7.4.1 but source was\n> compiled with: 7.6.0.\n",
        "{\"log\":\"\\u001b[31mLoaded runtime CuDNN library: 7.4.1 but source was compiled with: "
        "7.6.0.\\u001b[0m\\n\"}\n",
        "<span>Loaded&nbsp;runtime CuDNN library: 7.4.1 but source was compiled with: "
        "7.6.0.</span>\n",
        "Jan 01 00:00:00 host docker[1]: Loaded runtime CuDNN library: 7.4.1 but source was "
        "compiled with: 7.6.0.\n",
        utf16("Loaded runtime CuDNN library: 7.4.1 but source was compiled with: 7.6.0.\r\n", true),
        "\xFF\xFE" +
            utf16(
                "Loaded runtime CuDNN library: 7.4.1 but source was compiled with: 7.6.0.\n", true),
        "\xFE\xFF" +
            utf16(
                "Loaded runtime CuDNN library: 7.4.1 but source was compiled with: 7.6.0.\n",
                false)};
    for (const std::string& form : forms) {
        const Log log = log_read(form);
        INFO(escaped(form));
        REQUIRE(event(log, "cudnn_version_mismatch"));
        CHECK(captured(log, "cudnn_version_mismatch", "loaded") == "7.4.1");
        CHECK(captured(log, "cudnn_version_mismatch", "built") == "7.6.0");
    }
}

TEST_CASE("a large log gives what a small one gives, with the right line") {
    const std::string before = repeated("Epoch 1 step 1 loss 0.25 accuracy 0.9\n", 3 << 20);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const Log log = log_read(before + mismatch + before);
    REQUIRE(event(log, "cudnn_version_mismatch"));
    CHECK(event(log, "cudnn_version_mismatch")->line == lines + 1);
    CHECK(captured(log, "cudnn_version_mismatch", "built") == "7.6.0");
    CHECK(log.lines == 2 * lines + 1);
    CHECK(log.first_error_line == lines + 1);
}

TEST_CASE("each message gives the same facts in a small log and in a large one") {
    const std::string ordinary = repeated("Epoch 1, step 1 of 9.\n", 300 << 10);
    const std::string few = repeated("Epoch 1, step 1 of 9.\n", 1 << 10);  // the same neighbours
    const auto lines = std::count(ordinary.begin(), ordinary.end(), '\n');
    const auto few_lines = std::count(few.begin(), few.end(), '\n');
    for (const test::Message& one : test::messages()) {
        const std::string message = "Epoch 1\n" + one.log + "\n";
        INFO(message);
        CHECK(
            captured_in(log_read(ordinary + message + ordinary), lines) ==
            captured_in(log_read(few + message + few), few_lines));
    }
}

TEST_CASE("where a block of a large log ends does not matter") {
    const std::string message =
        "Could not\nload dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot "
        "open\nshared object file: No "
        "such "
        "file or directory\n" +
        mismatch;
    const auto expected = captured_in(log_read(message), 0);
    for (std::size_t before = (256 << 10) - 400; before < (256 << 10) + 50; before += 41) {
        const std::string log =
            std::string(before - 1, '.') + "\n" + message + repeated("step 1\n", 300 << 10);
        CHECK(captured_in(log_read(log), 1) == expected);
    }
}

TEST_CASE("a log that is full of the words of messages hides none of them") {
    std::vector<std::string> words;
    for (const test::Message& message : test::messages()) {
        std::istringstream all(message.log);
        for (std::string word; all >> word;)
            words.push_back(word);
    }
    std::mt19937 random(7);
    const auto near_misses = [&](std::size_t bytes) {
        std::string text;
        while (text.size() < bytes)
            text +=
                words[random() % words.size()] + " no " + words[random() % words.size()] + " yet\n";
        return text;
    };
    std::string text = near_misses(6 << 20);
    std::set<std::string> wanted;
    for (const test::Message& message : test::messages()) {
        wanted.merge(test::signatures_in(log_read("step 1\n" + message.log)));
        text += message.log + "\n" + near_misses(1 << 10);
    }
    wanted.erase("complaint");  // read in small logs alone
    const std::set<std::string> seen = test::signatures_in(log_read(text));
    for (const std::string& signature : wanted)
        CHECK(seen.contains(signature));
}

TEST_CASE("where blocks end nothing is missed and nothing counted twice") {
    constexpr std::size_t at_each_end = 80, blocks = 3;  // at most 256 are counted
    const std::string message =
        "libcudnn v8907\nwith header\nv8900 unmatched\n1\n2\n3\n4\n";  // far from its neighbours
    const std::string messages = repeated(message, at_each_end * message.size());
    const std::string misses = all_different("unmatched unmatched unmatched ", 2 << 20);
    for (std::size_t shift = 0; shift < message.size(); shift += 5) {
        std::string text;
        for (std::size_t end = 1; end <= blocks; ++end)
            text += misses.substr(
                        0,
                        end * log_reader::LogText::block_size - text.size() - messages.size() / 2 +
                            shift) +
                    "\n" + messages;
        const Log log = log_read(text);
        REQUIRE(event(log, "paddle_header_unmatched"));
        CHECK(
            event(log, "paddle_header_unmatched")->count ==
            static_cast<std::int64_t>(at_each_end * blocks));
    }
}

TEST_CASE("a message among thousands of lines that nearly are one is reported with its line") {
    std::string text;
    std::set<std::int64_t> faults, seen;
    for (std::int64_t line = 1; line <= 3000; ++line) {
        const std::string library = "libcudart.so." + std::to_string(line);
        if (line % 211 == 0) {
            faults.insert(line);
            text += "ImportError: " + library +
                    ": cannot open shared object file: No such file or directory\n";
        } else {
            text += "dso_loader.cc:49] Successfully opened dynamic library " + library + "\n";
        }
    }
    for (const LogEvent& event : log_read(text).events)
        if (event.signature == "missing_cuda_library")
            seen.insert(event.line);
    CHECK(seen == faults);
}

TEST_CASE("in a large log, too, a wrapped message is read") {
    const std::string before = repeated("step 1\n", 1 << 20);
    const Log log = log_read(
        before + "Loaded runtime CuDNN library: 7.4.1 but source was comp\niled with: 7.6.0.\n" +
        before);
    CHECK(captured(log, "cudnn_version_mismatch", "built") == "7.6.0");
}

TEST_CASE("in a large log, too, words that are spelled otherwise, quoted or broken are read") {
    const std::string before = repeated("step 1\n", 1 << 17);
    for (const auto& [signature, text] : std::initializer_list<std::pair<const char*, const char*>>{
             {"missing_libcuda", "Can\xE2\x80\x99t open libcuda.so.1"},
             {"missing_libcuda", "Couldn&#39;t load libcuda.so.1"},
             {"missing_libcuda", "{\"log\":\"Can\\u0027t open libcuda.so.1\"}"},
             {"missing_libcuda", "Cann ot open libcuda.so.1"},
             {"missing_cuda_library", "> Cann\n> ot load library npps64_11.dll"},
             {"missing_cuda_library", "can\x1B[1mnot load library npps64_11.dll"},
             {"cudnn_rnn_under_xla", "No registered &#39;CudnnRNN&#39; OpKernel for XLA_GPU_JIT"},
             {"tf_op_not_defined", "> No op named CudnnRNN in def\n> ined operations"}}) {
        INFO(text);
        CHECK(event(log_read(before + text + "\n" + before), signature));
    }
}

TEST_CASE("noise, zeros and endless lines hide nothing and cost nothing") {
    std::string noise;
    for (int i = 0; i < 1 << 20; ++i)
        noise += static_cast<char>(i * 7 + i / 251);
    const Log log = log_read(noise + "\n" + mismatch + std::string(1 << 20, '\0') + "\n");
    CHECK(event(log, "cudnn_version_mismatch"));
    const Log endless =
        log_read(repeated("no line end here ", 2 << 20) + " cuDNN error: CUDNN_STATUS_BAD_PARAM");
    CHECK(event(endless, "status_bad_param"));
}

TEST_CASE("a line that comes ten thousand times is one event") {
    const Log log =
        log_read(repeated("RuntimeError: cuDNN error: CUDNN_STATUS_BAD_PARAM\n", 1 << 20));
    CHECK(event(log, "status_bad_param")->count > 100);
    CHECK(std::count_if(log.events.begin(), log.events.end(), [](const auto& e) {
              return e.signature == "status_bad_param";
          }) == 1);
}

TEST_CASE("quoted lines hold no control character") {
    const Log log =
        log_read("\x1B[31mRuntimeError: cuDNN error:\x07 CUDNN_STATUS_BAD_PARAM \xFF\n");
    for (const LogEvent& one : log.events)
        for (const char c : one.text)
            CHECK(static_cast<unsigned char>(c) >= 0x20);
}

TEST_CASE("several logs are distinguished") {
    const auto input = [](std::string name, std::string text) {
        return LogInput{
            std::move(name),
            [text = std::move(text), at = std::size_t{0}](char* to, std::size_t size) mutable {
                const std::size_t count = std::min(size, text.size() - at);
                text.copy(to, count, at);
                at += count;
                return count;
            }};
    };
    const Log log =
        read_logs({input("a", "all well\n"), input("b", mismatch)}, test::bundled_matrix());
    CHECK(event(log, "cudnn_version_mismatch")->file == "b");
    CHECK(log.files.size() == 2);
}

TEST_CASE("nothing gives nothing") {
    const Log log = log_read("");
    CHECK(log.events.empty());
    CHECK(log.lines == 0);
    CHECK_FALSE(log.first_error_line);
}
