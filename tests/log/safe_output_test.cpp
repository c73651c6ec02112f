// What is in a log is printed harmless: no control character, no name of a user or a host, in
// every format and from small and large logs.
#include <sstream>

#include "base/text.hpp"
#include "judge.hpp"
#include "report/outline.hpp"
#include "report/redact.hpp"
#include "support/catch.hpp"
#include "support/logs.hpp"

using namespace rnncheck;

namespace {

const Identity somebody = {{"grace"}, {"/home/grace"}, {"hopper-box.lab"}};
const std::string uuid = "GPU-5f3a1b2c-1111-2222-3333-444455556666";

std::string report_of(const std::string& log, const std::string& format, bool verbose = true) {
    Facts facts;
    facts.tool.stages = {"log"};
    facts.log = test::log_read(log);
    const Report report = redact(judge(std::move(facts), test::bundled_matrix(), {}), somebody);
    return (*find_named(all_formats(), format))->write(outline_of(report), {.verbose = verbose});
}

/// The log alone, and amid so much else that the reader of large logs takes it.
std::vector<std::string> small_and_large(const std::string& log) {
    const std::string filler = test::repeated("Epoch 1 step 1 accuracy 0.9\n", 100 << 10);
    return {log, filler + log + filler};
}

/// Every report of a log, in every format.
std::vector<std::string> all_reports(const std::string& log) {
    std::vector<std::string> reports;
    for (const std::string& form : small_and_large(log))
        for (const std::string format : {"text", "json"})
            reports.push_back(report_of(form, format));
    return reports;
}

bool has_control(std::string_view page) {
    std::string one_line(page);
    std::erase(one_line, '\n');
    return escaped(one_line, 2 * page.size()) != one_line;
}

}  // namespace

TEST_CASE("no control character of a log comes out") {
    for (const std::string control :
         {"\x1B]0;title\x07",
          "\x1B[31;1m",
          "\x07",
          "\b\b",
          "\x7F",
          "\xC2\x9B"
          "31m",
          "\xC2\x85",
          "\xE2\x80\xAE",
          "\xE2\x81\xA6",
          "\xD8\x9C",
          "\xFF\xFE\xC0",
          "\r"}) {
        const std::string log =
            "RuntimeError: cuDNN error:" + control +
            " CUDNN_STATUS_BAD_PARAM\nCould not load dynamic library 'libcudnn" + control +
            ".so.8'; dlerror: x" + control +
            "\nFailed call to cuInit: CUDA_ERROR_NO_DEVICE: " + control + "no device\n" +
            "ValueError: " + control + " strange " + control + "\n";
        for (const std::string& page : all_reports(log)) {
            INFO(escaped(control) << ": " << escaped(page));
            CHECK_FALSE(has_control(page));
            CHECK(page.find("CUDNN_STATUS_BAD_PARAM") != std::string::npos);
        }
    }
}

TEST_CASE("names, home directories and UUIDs in quoted lines become words") {
    const std::string log =
        "hopper-box.lab kernel: NVRM: Xid (PCI:0000:01:00): 79, pid=12, GPU has fallen off the "
        "bus.\n"
        "  File \"/home/zuse/secret_project/train.py\", line 3, in main\n"
        "ImportError: /home/zuse/env/lib/libcudart.so.11.0: cannot open shared object file: No "
        "such file or directory\n"
        "OSError: /home/grace/env/lib/libcudnn.so.8: cannot open shared object file: No such file "
        "or directory\n"
        "OSError: C:\\Users\\charles\\cudnn64_8.dll not found\n"
        "RuntimeError: cuDNN error: CUDNN_STATUS_MAPPING_ERROR on " +
        uuid + " of zuse\n";
    for (const std::string& page : all_reports(log)) {
        INFO(page);
        for (const std::string name : {"zuse", "grace", "charles", "hopper", "5f3a1b2c"})
            CHECK(page.find(name) == std::string::npos);
        CHECK(page.find("USER") != std::string::npos);
    }
}
