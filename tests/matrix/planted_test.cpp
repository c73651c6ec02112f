// Mistakes that a person makes in the tables, each planted in a copy of the bundled ones.
#include "support/planted.hpp"

#include "base/text.hpp"
#include "support/catch.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

/// Takes away every line that holds all of these parts.
std::vector<Issue> without_rows(const std::string& file, const std::vector<std::string>& parts) {
    const MatrixCopy copy;
    std::string kept;
    std::size_t cut = 0;
    for (const std::string& line : split(MatrixCopy::content_of(copy.directory / file), '\n')) {
        bool all = true;
        for (const std::string& part : parts) all &= contains(line, part);
        if (all)
            ++cut;
        else
            kept += line + "\n";
    }
    REQUIRE(cut > 0);
    copy.write(file, kept);
    return issues_of(copy);
}

bool says(const std::vector<Issue>& issues, const std::string& table, const std::string& part) {
    for (const Issue& issue : issues)
        if (issue.table == table && contains(issue.text, part)) return true;
    return false;
}

/// The row of framework_builds that begins so, with one text in it exchanged.
std::vector<Issue> after_in_row(const std::string& start, const std::string& old_text, const std::string& new_text) {
    const MatrixCopy copy;
    std::string text = MatrixCopy::content_of(copy.directory / "framework_builds.json");
    const auto row = text.find(start);
    REQUIRE(row != std::string::npos);
    const auto at = text.find(old_text, row);
    REQUIRE(at < text.find('\n', row));
    copy.write("framework_builds.json", text.replace(at, old_text.size(), new_text));
    return issues_of(copy);
}

constexpr const char* torch_24_cu124 =
    R"("framework": "pytorch", "first": "2.4", "last": "2.4", "os": "linux", "build": "cu124")";

}  // namespace

TEST_CASE("a GPU's name with a second capability") {
    const auto issues =
        after("gpu_products.json", R"(    {"name": "H200", "capability": "9.0")",
              R"(    {"name": "H200", "capability": "8.9", "source": "cuda_gpus", "provenance": "documented"},
    {"name": "H200", "capability": "9.0")");
    INFO(told(issues));
    CHECK(says(issues, "gpu_products", "'H200' has capability 8.9 here and 9.0 in another row"));
    CHECK(says(issues, "gpu_products", "'H200' has capability 9.0 here and 8.9 in another row"));
}

TEST_CASE("a cuDNN release that one CUDA major passes over") {
    const auto issues = without_rows("cudnn_builds.json", {R"({"cudnn": "9.17.1")", R"("cuda_major": 12)"});
    INFO(told(issues));
    CHECK(says(issues, "cudnn_builds", "9.17.1 for CUDA 12 is missing, but it exists for CUDA 13"));
    CHECK(issues.size() == 1);
}

TEST_CASE("releases that one system's rows pass over") {
    const auto gone = [](const char* framework, const char* release) {
        return without_rows("framework_builds.json", {"\"framework\": \"" + std::string(framework) + "\"",
                                                      "\"first\": \"" + std::string(release), R"("os": "linux")"});
    };
    CHECK(says(gone("pytorch", "2.5"), "framework_builds", "for linux pytorch 2.5 is missing after 2.4"));
    CHECK(says(gone("tensorflow", "2.12"), "framework_builds", "for linux tensorflow 2.12 is missing after 2.11.1"));
    CHECK(says(gone("jax", "0.4.31"), "framework_builds", "for linux jax 0.4.31 is missing after 0.4.30"));
}

TEST_CASE("releases of which a system has rows, but none with CUDA between those that have it") {
    const auto issues = without_rows("framework_builds.json",
                                     {R"("framework": "pytorch", "first": "2.5")", R"("os": "linux")", R"("cuda": )"});
    INFO(told(issues));
    CHECK(says(issues, "framework_builds", "with CUDA, for linux pytorch 2.5 is missing after 2.4"));
}

TEST_CASE("dates that there are not, and dates to come") {
    for (const char* date : {"2026-13-41", "2026-02-31", "9999-99-99", "1999-01-01"}) {
        INFO(date);
        const auto issues =
            after("xid.json", "\"seen\": \"2026-1", "\"seen\": \"" + std::string(date) + "\", \"was\": \"2026-1");
        CHECK(says(issues, "xid", "'seen' is no date"));
    }
    const MatrixCopy copy;
    copy.replace("xid.json", "\"seen\": \"2026-1", "\"seen\": \"2031-01-01\", \"was\": \"2026-1");
    const TableFiles files = table_files_of(copy.directory.string());
    CHECK(says(verify(Tables(files), "2026-12-31"), "xid", "'seen' is 2031-01-01, a future date"));
    CHECK(verify(Tables(files), "2031-01-01").empty());
    CHECK(verify(Tables(files), "1970-01-02").empty());  // a clock that nearly all sources are ahead of
}

TEST_CASE("support that is required before its feature") {
    const std::string offer = R"("algorithm": "standard", "first": "9.13.0", "capability_min": "8.0")";
    const auto release = after("rnn_required_support.json", offer,
                               R"("algorithm": "standard", "first": "9.12.0", "capability_min": "8.0")");
    CHECK(has(release, "rnn_required_support", 1, "required from cuDNN 9.12.0 on, but bf16 begins with 9.13.0"));
    const auto gpu = after("rnn_required_support.json", offer,
                           R"("algorithm": "standard", "first": "9.13.0", "capability_min": "7.5")");
    CHECK(has(gpu, "rnn_required_support", 1, "required on capability 7.5, but bf16 begins with 8.0"));
}

TEST_CASE("a flavour, an index or a pin that is not the row's") {
    const auto flavour = after_in_row(torch_24_cu124, R"("cuda": "12.4")", R"("cuda": "12.1")");
    INFO(told(flavour));
    CHECK(says(flavour, "framework_builds", "column 'build' names CUDA 12.4, the row CUDA 12.1"));
    CHECK(says(flavour, "framework_builds", "column 'install' names CUDA 12.4, the row CUDA 12.1"));
    CHECK(says(after_in_row(torch_24_cu124, "whl/cu124", "whl/cu121"), "framework_builds",
               "column 'install' names CUDA 12.1, the row CUDA 12.4"));
    CHECK(says(after_in_row(torch_24_cu124, "whl/cu124", "whl/cpu"), "framework_builds",
               "column 'install' is the command of a build without CUDA"));
    CHECK(says(after_in_row(torch_24_cu124, "=={version}", "==2.3.0"), "framework_builds",
               "column 'install' pins no version or another one"));
    CHECK(
        says(after_in_row(R"("framework": "jax", "first": "0.8.0", "last": "0.8.3", "os": "linux", "build": "cuda12")",
                          "jax[cuda12]", "jax[cuda13]"),
             "framework_builds", "column 'install' names CUDA 13, the row CUDA 12.9"));
}

TEST_CASE("one command for two builds") {
    const auto issues = after_in_row(torch_24_cu124, " --index-url https://download.pytorch.org/whl/cu124", "");
    INFO(told(issues));
    CHECK(says(issues, "framework_builds", "also installs the build 'cu124'"));
    CHECK(issues.size() == 1);
}

TEST_CASE("an image with a CUDA that there is not") {
    CHECK(says(after("container_images.json", R"("cuda": "12.4.1")", R"("cuda": "12.7.1")"), "container_images",
               "driver_for_cuda does not contain CUDA 12.7.1"));
}

TEST_CASE("a Python that there is not") {
    const auto issues = after_in_row(torch_24_cu124, R"("python_last": "3.12")", R"("python_last": "3.99")");
    INFO(told(issues));
    CHECK(says(issues, "framework_builds", "column 'python_last': Python 3.99 did not exist on 2026"));
    CHECK(issues.size() == 1);
}

TEST_CASE("a defect that begins with a release that there is not") {
    const auto issues = after("rnn_defects.json", R"("first": "8.1.0", "fixed")", R"("first": "8.1.9", "fixed")");
    INFO(told(issues));
    CHECK(says(issues, "rnn_defects", "cudnn_builds has no cuDNN 8.1.9"));
}

TEST_CASE("a cause that nothing knows") {
    const auto issues = after("log_evidence.json", R"(    {"cause": ")", R"(    {"cause": "no_such_)");
    INFO(told(issues));
    CHECK(says(issues, "log_evidence", "log_causes has no 'no_such_"));
}

TEST_CASE("a newest CUDA that the builds contradict") {
    const auto issues = after("framework_cuda.json", R"("last": "2.11", "newest_cuda": "13.0")",
                              R"("last": "2.11", "newest_cuda": "12.8")");
    INFO(told(issues));
    CHECK(says(issues, "framework_cuda",
               "newest_cuda is 12.8, but framework_builds has pytorch 2.9 with CUDA 13.0 as its newest"));
    CHECK(issues.size() == 1);
}

TEST_CASE("a build without cuDNN that has one, or has no CUDA") {
    const auto both = after_in_row(torch_24_cu124, R"("libraries": )", R"("without_cudnn": true, "libraries": )");
    INFO(told(both));
    CHECK(says(both, "framework_builds", "and without_cudnn; remove one of them"));
    CHECK(both.size() == 1);
}

TEST_CASE("a member of the head that there is not, and rows that stand twice") {
    CHECK(says(after("xid.json", "\"columns\":", "\"bogus\": 1, \"columns\":"), "xid", "the head has no 'bogus'"));
    CHECK(says(after("xid.json", "\"columns\":", "\"rows\": [], \"columns\":"), "xid", "'rows' is duplicated"));
}

TEST_CASE("a key that appears twice") {
    const auto source =
        after("xid.json", "\"sources\": {\n",
              "\"sources\": {\n    \"s\": {\"title\": \"t\", \"url\": \"https://a.b/\", \"seen\": \"2026-11-21\"},\n"
              "    \"s\": {\"title\": \"u\", \"url\": \"https://a.b/\", \"seen\": \"2026-11-21\"},\n");
    INFO(told(source));
    CHECK(has(source, "xid", 0, "the key 's' is duplicated in 'sources'"));
    CHECK(source.size() == 1);
    const auto cell =
        after("rnn_required_support.json", R"({"dtype": "bf16",)", R"({"dtype": "fp16", "dtype": "bf16",)");
    CHECK(has(cell, "rnn_required_support", 1, "the key 'dtype' is duplicated"));
}

TEST_CASE("an inferred row without a note, and a control character") {
    const auto inferred = after("rnn_required_support.json", R"("source": "cudnn_guide", "provenance": "documented"})",
                                R"("source": "cudnn_guide", "provenance": "inferred"})");
    INFO(told(inferred));
    CHECK(says(inferred, "rnn_required_support", "an inferred row needs a note"));
    const auto control = after("rnn_required_support.json", R"("note": ")", R"("note": "\u001b[2J)");
    CHECK(says(control, "rnn_required_support", "'note' contains a control character"));
    CHECK(says(after("rnn_required_support.json", R"("title": ")", R"("title": "\u009b)"), "rnn_required_support",
               "'title' contains a control character"));
}

TEST_CASE("commands that do harm") {
    const auto planted = [](const char* cause, const std::string& column, const std::string& value) {
        const MatrixCopy copy;
        std::string text = MatrixCopy::content_of(copy.directory / "log_causes.json");
        const auto row = text.find(R"({"cause": ")" + std::string(cause) + "\"");
        REQUIRE(row != std::string::npos);
        const std::string key = "\"" + column + "\": \"";
        const auto at = text.find(key, row);
        REQUIRE(at < text.find('\n', row));
        std::size_t end = at + key.size();
        while (text[end] != '"' || text[end - 1] == '\\') ++end;
        copy.write("log_causes.json", text.replace(at + key.size(), end - at - key.size(), value));
        const auto issues = issues_of(copy);
        INFO(told(issues));
        CHECK(issues.size() == 1);
        return issues;
    };
    const char* windows = "tf_windows_no_gpu_since_2.11";
    CHECK(says(planted(windows, "command", "python -m pip install 'tensorflow<2.11'"), "log_causes",
               "'command': cmd.exe does not know single quotes"));
    CHECK(says(planted(windows, "remedy", "Run python -m pip install 'tensorflow<2.11'"), "log_causes",
               "'remedy': cmd.exe does not know single quotes"));
    CHECK(says(planted(windows, "command", "python -m pip install tensorflow<2.11"), "log_causes",
               "'command': a shell takes < and > for redirections"));
    CHECK(says(planted("wsl_libcuda_not_found", "command", "export LD_LIBRARY_PATH=/usr/lib/wsl/lib"), "log_causes",
               "'command': it replaces a search path"));
    CHECK(says(planted("wsl_libcuda_not_found", "command", "unset LD_LIBRARY_PATH"), "log_causes",
               "'command': it replaces a search path"));
    CHECK(says(planted("gpu_too_old", "command", "python -m pip install --upgrade torch"), "log_causes",
               "'command': --upgrade without a bound"));
    CHECK(says(planted("cudnn_not_installed", "command", "python -m pip install nvidia-cudnn-cu12"), "log_causes",
               "'command' names one CUDA version for every log"));
    CHECK(says(planted("gpu_too_old", "command", "{plam}"), "log_causes", "{plam} is not known"));
    CHECK(says(planted("cudnn_not_installed", "windows_check_command", "ldconfig -p"), "log_causes",
               "'ldconfig -p' does not run on Windows"));
    CHECK(says(planted("op_missing_in_build", "check_command", "ls -l /usr/lib"), "log_causes",
               "add 'windows_check_command'"));
    CHECK(says(planted("device_nodes_unreadable", "check_command", "ls /usr/lib/x86_64-linux-gnu"), "log_causes",
               "other distributions and machines have another library directory"));
    CHECK(says(planted("driver_too_old", "remedy", "Update the driver"), "log_causes",
               "newer drivers no longer support old GPUs"));
    CHECK(says(planted("cudnn_not_installed", "remedy", "Install it"), "log_causes",
               "for programs that do not search Python packages"));
    CHECK(says(planted("zlibwapi_missing", "remedy", "Do what the command prints"), "log_causes",
               "'remedy' speaks of a command, but there is none"));
}

TEST_CASE("a status or an event whose remedy would do harm") {
    const std::pair<const char*, const char*> planted[] = {{"status_names", R"("remedy": "free GPU memory)"},
                                                           {"xid", R"("remedy": "restart the program)"}};
    for (const auto& [table, remedy] : planted)
        CHECK(says(after(std::string(table) + ".json", remedy, R"("remedy": "update the driver)"), table,
                   "newer drivers no longer support old GPUs"));
}

TEST_CASE("a link that leads to another page with every version") {
    for (const char* link : {"https://docs.nvidia.com/deeplearning/sdk/cudnn-support-matrix/",
                             "https://docs.nvidia.com/deeplearning/cudnn/latest/support-matrix/index.html"}) {
        const auto issues = after("xid.json", "\"url\": \"", "\"url\": \"" + std::string(link) + "\", \"was\": \"");
        INFO(told(issues));
        CHECK(says(issues, "xid", "an old address that leads to another page"));
    }
}

TEST_CASE("a cause that says what the row it rests on denies") {
    const auto earlier = after("log_causes.json", "in bfloat16 only from 9.13 on", "in bfloat16 only from 9.11 on");
    INFO(told(earlier));
    CHECK(says(earlier, "log_causes", "the text names 9.11, which the rows of 'bf16' do not"));
    CHECK(earlier.size() == 1);
    const auto limit = after("rnn_limits.json", R"("first": "8.9.2", "rule": "at most 65535 steps; 65536)",
                             R"("first": "8.9.2", "rule": "at most 65534 steps; 65536)");
    CHECK(says(limit, "log_causes", "the text names 65535, which the rows of 'longest_sequence' do not"));
    CHECK(says(after("log_causes.json", R"("rests_on": "bf16")", R"("rests_on": "bf61")"), "log_causes",
               "neither rnn_limits nor rnn_defects has 'bf61'"));
}
