// From a log to the cause: messages as software words them, and logs with nothing wrong.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "judge.hpp"
#include "log/signatures.hpp"
#include "matrix/log_rows.hpp"
#include "stack/given.hpp"
#include "support/catch.hpp"
#include "support/logs.hpp"

using namespace rnncheck;

namespace {

std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Report diagnosed(std::string_view log, std::vector<UserHint> hints = {}) {
    Facts facts;
    facts.tool.stages = {"log"};
    facts.log = test::log_read(log);
    facts.log->user_hints = std::move(hints);
    return judge(std::move(facts), test::bundled_matrix(), {});
}

std::string findings_of(const Report& report) {
    std::string text;
    for (const Finding& finding : report.findings)
        text += finding.rule + " " + std::to_string(finding.weight.value_or(0)) + "; ";
    return text;
}

}  // namespace

TEST_CASE("each message points to its cause first") {
    for (const test::Message& message : test::messages()) {
        const Report report = diagnosed(message.log, message.given);
        INFO(message.log << "\nfound: " << findings_of(report));
        REQUIRE_FALSE(report.findings.empty());
        const Finding& first = report.findings.front();
        CHECK(first.rule == message.cause);
        CHECK_FALSE(first.evidence.empty());
        CHECK_FALSE(first.remedies.empty());
        CHECK((first.confidence == Confidence::certain || first.decided_by));
    }
    CHECK(test::messages().size() >= 100);
}

TEST_CASE("a fix names the search path of the reader's system") {
    for (const test::Message& message : test::messages()) {
        if (find_by(message.given, &UserHint::key, "os"))
            continue;  // it has a system of its own
        for (const char* system : {"Windows 11", "Ubuntu 24.04"}) {
            auto given = message.given;
            given.push_back({"os", system, {}});
            const bool is_windows = std::string_view(system) == "Windows 11";
            for (const Finding& finding : diagnosed(message.log, given).findings)
                for (const Remedy& remedy : finding.remedies) {
                    INFO(message.log << "\n" << system << ": " << remedy.text);
                    CHECK_FALSE(contains(remedy.text, "{search_path}"));
                    const bool is_in_wsl =
                        finding.rule == "wsl_libcuda_not_found";  // the log shows WSL
                    if (is_windows && !is_in_wsl)
                        CHECK_FALSE(contains(remedy.text, "LD_LIBRARY_PATH"));
                }
        }
    }
    const auto search_path = [](const char* system) {
        const Report report = diagnosed(
            "libcudnn.so.9: cannot open shared object file: No such file or directory\n",
            {{"os", system, {}}, {"cudnn", "9.1", {}}});
        return report.findings.front().remedies.front().text;
    };
    CHECK(contains(search_path("Ubuntu 24.04"), "LD_LIBRARY_PATH"));
}

TEST_CASE(
    "failures that people reported in public lead to one of the causes that their threads name") {
    // Reduced to the lines that the program printed; "basis" shows whether the thread states the
    // cause or implies it.
    std::ifstream file(std::string(TEST_DIRECTORY) + "/public_failures.jsonl");
    int all = 0, first = 0, among_three = 0;
    for (std::string line; std::getline(file, line);) {
        const auto json = nlohmann::json::parse(line);
        const Report report = diagnosed(json["log"].get<std::string>());
        const auto names = json["causes"].get<std::set<std::string>>();
        INFO(json["source"] << "\nfound: " << findings_of(report));
        ++all;
        for (std::size_t i = 0; i < std::min<std::size_t>(report.findings.size(), 3); ++i) {
            const Finding& finding = report.findings[i];
            if (!names.contains(finding.rule)) {
                CHECK(finding.confidence != Confidence::certain);
                continue;
            }
            first += i == 0;
            ++among_three;
            break;
        }
    }
    CHECK(all >= 200);
    CHECK(first * 100 >= all * 80);
    CHECK(among_three * 100 >= all * 92);
}

TEST_CASE("a driver that is new enough rules its cause out, and the report shows why") {
    const Report report = diagnosed(
        "CUDA driver version is insufficient for CUDA runtime version\n",
        {{"framework", "pytorch 2.4+cu124", {}}, {"driver", "550.54.14", {}}});
    REQUIRE_FALSE(report.findings.empty());
    CHECK(find_by(report.findings, &Finding::rule, "driver_too_old") == nullptr);
    const Evidence* excluded =
        find_by(report.findings.front().evidence, &Evidence::what, what_is_ruled_out);
    REQUIRE(excluded);
    CHECK(contains(
        excluded->value, "because CUDA 12.4 needs driver 525.60.13, installed is 550.54.14"));
}

TEST_CASE("a log without a line shows nothing") {
    for (const char* log : {"", "  \n\n"}) {
        const Report report = diagnosed(log);
        CHECK(report.verdict == OverallVerdict::undetermined);
        CHECK(report.sentence == "undetermined: the log is empty");
    }
}

TEST_CASE(
    "conda's build and the image of a framework are advised where none on PyPI runs, for Windows "
    "in WSL 2") {
    const std::string log =
        "TensorFlow was not built with CUDA kernel binaries compatible with compute capability "
        "12.0. CUDA kernels "
        "will be jit-compiled from PTX";
    const auto advice = [&](std::vector<UserHint> hints) {
        return diagnosed(log, std::move(hints)).findings.front().remedies.front();
    };
    CHECK(
        advice({}).commands ==
        std::vector<std::string>{"conda install -c conda-forge \"tensorflow=2.19.1=cuda128*\""});
    const auto others = diagnosed(log).findings.front().remedies;
    REQUIRE(others.size() > 1);
    CHECK(
        others[1].commands ==
        std::vector<std::string>{"docker pull nvcr.io/nvidia/tensorflow:25.02-tf2-py3"});
    UserHint windows = stack::user_hint_from({"os", "Windows 11"}, test::bundled_matrix());
    CHECK(advice({windows}).text.starts_with("In WSL 2, use "));
}

TEST_CASE("a check is that of the log's framework") {
    const Report report = diagnosed(
        "I0000 00:00:1746391.9 gpu_device.cc:2019] Created device "
        "/job:localhost/replica:0/task:0/device:GPU:0 with "
        "28500 MB memory:  -> device: 0, name: NVIDIA GeForce RTX 5090, compute capability: 12.0\n"
        "'cuModuleLoadData(&module, data)' failed with 'CUDA_ERROR_INVALID_PTX'");
    REQUIRE(report.findings.front().decided_by);
    CHECK_FALSE(contains(report.findings.front().decided_by->command, "torch"));
}

TEST_CASE("no fault is named in a healthy log") {
    std::size_t count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(TEST_DIRECTORY) + "/healthy")) {
        const Report report = diagnosed(content(entry.path()));
        INFO(entry.path() << ": " << findings_of(report));
        CHECK(report.verdict == OverallVerdict::healthy);
        for (const Finding& finding : report.findings)
            CHECK(finding.severity == Severity::note);
        ++count;
    }
    CHECK(count >= 115);
}

TEST_CASE("a notice that a process ended is never read as a log without an error") {
    std::ifstream file(std::string(TEST_DIRECTORY) + "/crash_notices.txt");
    std::set<std::string> programs;
    for (std::string line; std::getline(file, line);) {
        const auto notice = line.find('\t');
        REQUIRE(notice != std::string::npos);
        programs.insert(line.substr(0, notice));
        std::string log = line.substr(notice + 1) + "\n";
        std::ranges::replace(log, '\t', '\n');
        // Neither alone nor after lines that show that all went well until then, nor after what is
        // harmless, which explains no end.
        for (const char* before :
             {"",
              "Epoch 1/10, loss: 0.4412, 44.2it/s\n",
              "I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is "
              "optimized to use available CPU instructions in performance-critical "
              "operations.\n"}) {
            if (*before && (programs.contains("Word") || programs.contains("PDF")))
                continue;
            const Report report = diagnosed(before + log);
            INFO(before << log << "found: " << findings_of(report));
            CHECK(
                (report.verdict == OverallVerdict::undetermined ||
                 report.verdict == OverallVerdict::problems));
            CHECK_FALSE(report.findings.empty());
        }
    }
    CHECK(programs.size() >= 20);
}

TEST_CASE(
    "without an error, only a line that shows progress or a good end is evidence that nothing "
    "failed") {
    const char* harmless =
        "W gpu_timer.cc:114] Your CPU supports instructions that this TensorFlow binary was not "
        "compiled to use: AVX2 FMA\n";
    CHECK(diagnosed(harmless).verdict == OverallVerdict::undetermined);
    CHECK(
        diagnosed(std::string(harmless) + "100/100 [=====] - 3s 10ms/step - loss: 0.5\n").verdict ==
        OverallVerdict::healthy);
    CHECK(diagnosed("Starting.\n").verdict == OverallVerdict::undetermined);
    CHECK(diagnosed("Starting.\nexit code 0\n").verdict == OverallVerdict::healthy);
    CHECK(
        contains(diagnosed("%PDF-1.7\nloss: 0.5\n").findings.front().message, "is a PDF document"));
}

TEST_CASE(
    "layers that run slowly are counted, and weights that are copied at each call have a remedy") {
    const auto keras = [](const char* layer) {
        return concat(
            "WARNING:tensorflow:Layer ",
            layer,
            " will not use cuDNN kernels since it doesn't meet the criteria.\n");
    };
    const auto message = [](const std::string& log) {
        return diagnosed(log).findings.front().message;
    };
    CHECK_FALSE(contains(message(keras("lstm")), "lines of the log"));
    CHECK(contains(
        message(keras("lstm") + keras("lstm_1")), "; 2 lines of the log are about such layers"));
    const Report copied = diagnosed(
        "UserWarning: RNN module weights are not part of single contiguous chunk of memory.\n");
    CHECK(contains(copied.findings.front().remedies.front().text, "call flatten_parameters()"));
}

TEST_CASE("a number of an error of CUDA means what its name means") {
    for (const auto& [line, cause] : std::initializer_list<std::pair<const char*, const char*>>{
             {"failed call to cuInit: UNKNOWN ERROR (34)", "stub_driver_library_in_path"},
             {"cuInit returned 34", "stub_driver_library_in_path"},
             {"Could not use forward compatibility package (error 804)",
              "container_cuda_newer_than_driver"},
             {"cudaGetDeviceCount returned 35", "driver_too_old"},
             {"numba.cuda.cudadrv.driver.CudaAPIError: [222] Call to cuLinkAddData results in an "
              "error",
              "ptx_newer_than_driver"}}) {
        const Report report = diagnosed(line);
        INFO(line << "\nfound: " << findings_of(report));
        REQUIRE_FALSE(report.findings.empty());
        CHECK(report.findings.front().rule == cause);
    }
}

TEST_CASE("the exit code of a process that only ended is explained") {
    const auto message = [](const char* log) { return diagnosed(log).findings.front().message; };
    CHECK(contains(
        message("Process finished with exit code -1073740791 (0xC0000409)"),
        "one of its DLLs is missing"));
    CHECK(contains(message("Process finished with exit code 139"), "segmentation fault"));
}

TEST_CASE("a worker that crashed did not run out of memory, one that was killed may have") {
    const auto cause = [](const char* signal) {
        const std::string log = "RuntimeError: DataLoader worker (pid 1234) is killed by signal: ";
        return diagnosed(log + signal + ".\n").findings.front().rule;
    };
    CHECK(cause("Killed") == "host_memory_exhausted");
    CHECK(cause("Segmentation fault") == "unknown_error_in_log");
}

TEST_CASE("every pattern requires a word, so that a line without any of them is not searched") {
    const log_reader::Signatures signatures(test::bundled_matrix().log_signatures());
    for (const std::size_t always : signatures.candidates("zq"))
        FAIL_CHECK(signatures[always].id());
    CHECK(signatures.candidates("zq").empty());
}

TEST_CASE("only the first cause may be certain, and the order is that of the weights") {
    const Report report = diagnosed("Error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH\n");
    REQUIRE(report.findings.size() > 1);
    CHECK(report.findings[0].confidence == Confidence::certain);
    for (std::size_t i = 1; i < report.findings.size(); ++i) {
        CHECK(report.findings[i].confidence != Confidence::certain);
        CHECK(report.findings[i].weight <= report.findings[i - 1].weight);
    }
}

TEST_CASE("a program that trains on without a GPU has no fault, one that stops has") {
    const std::string lines =
        "W dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: "
        "libcudart.so.11.0: cannot "
        "open shared object file: No such file or directory\n";
    CHECK(diagnosed(lines + "Epoch 1/3\nloss: 0.31\n").verdict == OverallVerdict::healthy);
    CHECK(diagnosed(lines).verdict == OverallVerdict::problems);
    CHECK(
        diagnosed(
            lines +
            "loss: 0.31\nRuntimeError: no kernel image is available for execution on the device\n")
            .verdict == OverallVerdict::problems);
}

TEST_CASE("what a person specified decides between candidates") {
    const char* text =
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n";
    CHECK(
        diagnosed(text, {{"gpu", "RTX 3090", {}}, {"framework", "pytorch 1.6", {}}})
            .findings.front()
            .rule == "gpu_arch_not_in_build");
    CHECK(
        diagnosed(text, {{"gpu", "Tesla K40", {}}, {"framework", "pytorch 2.1", {}}})
            .findings.front()
            .rule == "gpu_too_old");
}

TEST_CASE("the name of a series of GPUs decides like each of its cards") {
    const char* text =
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n";
    for (const auto& [gpu, cause] : std::initializer_list<std::pair<const char*, const char*>>{
             {"RTX 50", "gpu_arch_not_in_build"},
             {"RTX 5000 series", "gpu_arch_not_in_build"},
             {"GTX 10xx", "gpu_too_old"}}) {
        const UserHint hint = stack::user_hint_from({"gpu", gpu}, test::bundled_matrix());
        INFO(gpu);
        CHECK_FALSE(hint.expected);
        const char* build =
            std::string_view(cause) == "gpu_too_old" ? "pytorch 2.9+cu130" : "pytorch 2.4+cu121";
        CHECK(diagnosed(text, {hint, {"framework", build, {}}}).findings.front().rule == cause);
    }
    // Cards of three generations: Quadro, Ada and Blackwell.
    CHECK(stack::user_hint_from({"gpu", "RTX 4000"}, test::bundled_matrix()).expected);
}

TEST_CASE("a GPU that is older than all of a build is never called newer, nor the reverse") {
    const std::string listed =
        " is not compatible with the current PyTorch installation.\nThe current PyTorch install "
        "supports CUDA "
        "capabilities ";
    const char* failed =
        "\nRuntimeError: CUDA error: no kernel image is available for execution on the device\n";
    const Report old = diagnosed(
        "NVIDIA GeForce GTX 1080 Ti with CUDA capability sm_61" + listed +
        "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120." + failed);
    const Report recent = diagnosed(
        "NVIDIA GeForce RTX 5090 with CUDA capability sm_120" + listed +
        "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90." + failed);
    CHECK(findings_of(old) == "gpu_too_old 98; ");
    CHECK(findings_of(recent) == "gpu_arch_not_in_build 98; ");
}

TEST_CASE("TensorFlow without kernels for a GPU is not a build without CUDA") {
    const Report report = diagnosed(
        "gpu_device.cc:2431] TensorFlow was not built with CUDA kernel binaries compatible with "
        "compute capability "
        "12.0. CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or "
        "longer.\n");
    CHECK(findings_of(report).starts_with("gpu_arch_not_in_build 90; "));
    for (const Finding& finding : report.findings)
        CHECK(finding.rule != "cpu_only_build");
}

TEST_CASE("nvidia-smi shows the driver in its old words and in those of 610") {
    for (const char* line :
         {"| NVIDIA-SMI 580.95.05    Driver Version: 580.95.05    CUDA Version: 13.0     |",
          "| NVIDIA-SMI 610.43.02    KMD Version: 610.43.02    CUDA UMD Version: 13.3     |",
          "Driver Version                            : 450.66\nCUDA Version      : 11.0"}) {
        INFO(line);
        const Log log = test::log_read(line);
        REQUIRE(log.events.size() == 1);
        CHECK(log.events[0].signature == "smi_header");
        CHECK(log.events[0].captures.size() == 2);
    }
}

TEST_CASE("values nobody can understand change nothing") {
    const char* text = "RuntimeError: cuDNN error: CUDNN_STATUS_MAPPING_ERROR\n";
    const Report plain = diagnosed(text), strange = diagnosed(
                                              text,
                                              {{"gpu", "a blue one", {}},
                                               {"cuda", "newest", {}},
                                               {"framework", "mine", {}},
                                               {"", "", {}}});
    CHECK(findings_of(plain) == findings_of(strange));
}

namespace {

std::vector<std::string> causes_of(const LogEvidence& row) {
    std::vector<std::string> causes;
    for (const std::string* column : {&row.certain, &row.likely, &row.possible, &row.rules_out})
        append(causes, split(*column, ' '));
    return causes;
}

/// Ids of signatures and their symptoms.
std::set<std::string, std::less<>> words_of_lines() {
    std::set<std::string, std::less<>> words;
    for (const LogSignature& signature : test::bundled_matrix().log_signatures()) {
        words.insert(signature.id);
        for (const std::string& symptom : split(signature.symptoms, ' '))
            words.insert(symptom);
    }
    return words;
}

/// The id of a signature, one of its symptoms, or a feature that the code computes.
bool is_word_of_logs(const std::string& word) {
    static const auto words = words_of_lines();
    static const std::string code =
        content(PROJECT_DIRECTORY "/src/rules/causes/log_features.cpp") +
        content(PROJECT_DIRECTORY "/src/rules/causes/log_versions.cpp");
    const bool is_framework = word.starts_with("fw_") && stack::framework_word_at(word.substr(3));
    return words.contains(word) || is_framework || contains(code, '"' + word + '"');
}

void check_conditions(const std::string& when) {
    for (std::string word : split(when, ' ')) {
        if (word.starts_with('!'))
            word.erase(0, 1);
        CHECK((is_word_of_logs(word) || word.find_first_of("<>=") != std::string::npos));
    }
}

}  // namespace

TEST_CASE("log_evidence names symptoms and features that exist, and causes that can be explained") {
    std::set<std::string, std::less<>> causes;
    for (const LogCause& cause : test::bundled_matrix().log_causes())
        causes.insert(cause.cause);
    std::set<std::pair<std::string, std::string>> seen;
    for (const LogEvidence& row : test::bundled_matrix().log_evidence()) {
        INFO(row.symptom << " [" << row.when << "]");
        CHECK(is_word_of_logs(row.symptom));
        CHECK(seen.emplace(row.symptom, row.when).second);
        CHECK_FALSE(causes_of(row).empty());
        for (const std::string& cause : causes_of(row))
            CHECK(causes.contains(cause));
        check_conditions(row.when);
    }
}

TEST_CASE("a remedy of a line is for a line that can hold, once for each cause") {
    std::set<std::pair<std::string, std::string>> seen;
    for (const LogRemedy& row : test::bundled_matrix().log_remedies()) {
        INFO(row.causes << " [" << row.when << "]");
        CHECK_FALSE(row.when.empty());
        check_conditions(row.when);
        for (const std::string& cause : split(row.causes, ' '))
            CHECK(seen.emplace(cause, row.when).second);
    }
}

TEST_CASE(
    "a symptom serves an evidence, a cause or a decision, and what a line supersedes exists and is "
    "not mutual") {
    std::set<std::string, std::less<>> used;
    const std::string code = content(PROJECT_DIRECTORY "/src/rules/causes/log_causes.cpp") +
                             content(PROJECT_DIRECTORY "/src/rules/causes/log_features.cpp");
    for (const LogCause& cause : test::bundled_matrix().log_causes())
        used.insert(cause.cause);
    for (const LogEvidence& row : test::bundled_matrix().log_evidence()) {
        used.insert(row.symptom);
        for (std::string word : split(row.when, ' '))
            used.insert(word.starts_with('!') ? word.substr(1) : word);
    }
    const auto words = words_of_lines();
    std::map<std::string, std::set<std::string>> superseded_by;
    for (const LogSignature& signature : test::bundled_matrix().log_signatures()) {
        INFO(signature.id);
        for (const std::string& symptom : split(signature.symptoms, ' '))
            CHECK((used.contains(symptom) || contains(code, '"' + symptom + '"')));
        for (const std::string& word : split(signature.supersedes, ' ')) {
            CHECK(words.contains(word));
            CHECK(word != signature.id);
            CHECK_FALSE(superseded_by[signature.id].contains(word));
            superseded_by[word].insert(signature.id);
        }
    }
}

TEST_CASE("every cause is a rule with a page, and something points to it") {
    std::set<std::string, std::less<>> pointed = words_of_lines();
    for (const LogEvidence& row : test::bundled_matrix().log_evidence())
        for (const std::string& cause : causes_of(row))
            pointed.insert(cause);
    for (const LogCause& cause : test::bundled_matrix().log_causes()) {
        INFO(cause.cause);
        CHECK(find_named(all_rules(), cause.cause));
        CHECK(rule_page(cause.cause).starts_with("# " + cause.cause));
        CHECK(pointed.contains(cause.cause));
        CHECK(from_name<Layer>(cause.layer));
        CHECK(from_name<Severity>(cause.severity));
        CHECK(from_name<Action>(cause.action));
        CHECK((cause.risk.empty() || from_name<Risk>(cause.risk)));
        CHECK_FALSE(cause.message.ends_with('.'));
    }
}

TEST_CASE("a line that reports the reason of another one leaves that one without evidence") {
    // The status only repeats that the handle could not be created.
    const std::string status = "CUDNN_STATUS_INTERNAL_ERROR\n";
    const std::string handle = "Could not create cudnn handle: ";
    CHECK(contains(findings_of(diagnosed(status)), "cudnn_bug"));
    CHECK_FALSE(contains(findings_of(diagnosed(handle + status)), "cudnn_bug"));
}

TEST_CASE("several lines that indicate one cause outweigh one line that indicates another") {
    const char* from_container = "Failed to initialize NVML: Driver/library version mismatch\n";
    const std::string from_kernel =
        "NVRM: API mismatch: the client has the version 550.54.14, but this kernel module has the "
        "version "
        "535.104.05.\n";
    const std::vector<UserHint> in_container = {{"os", "Docker container on Ubuntu 22.04", {}}};
    CHECK(
        diagnosed(from_container, in_container).findings.front().rule ==
        "driver_installed_inside_container");
    const Report both = diagnosed(
        from_container + from_kernel +
            "kernel version 535.104.5 does not match DSO version "
            "550.54.14 -- cannot find working devices\n",
        in_container);
    CHECK(both.findings.front().rule == "driver_userland_kernel_mismatch");
}

TEST_CASE(
    "what the specified versions or the system exclude is left out, and the report shows why") {
    const auto excluded = [](const char* log, std::vector<UserHint> hints) {
        std::string text;
        for (const Finding& finding : diagnosed(log, std::move(hints)).findings)
            for (const Evidence& item : finding.evidence)
                if (item.what == what_is_ruled_out)
                    text += item.value + "; ";
        return text;
    };
    const char* failed = "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\n";
    const std::vector<UserHint> fits = {
        {"gpu", "RTX 3090", {}},
        {"framework", "pytorch 2.4+cu121", {}},
        {"driver", "550.54.14", {}}};
    const Report report = diagnosed(failed, fits);
    CHECK(find_by(report.findings, &Finding::rule, "gpu_arch_not_in_build") == nullptr);
    CHECK(contains(excluded(failed, fits), "no code for a GPU, because "));
    CHECK(excluded(failed, {}).empty());

    const char* launch =
        "CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure\n[Op:CudnnRNNV3] tensorflow/core\n";
    CHECK(
        find_by(
            diagnosed(launch, {{"os", "Ubuntu 22.04", {}}}).findings,
            &Finding::rule,
            "windows_driver_breaks_cudnn_rnn") == nullptr);
    const char* unknown = "RuntimeError: CUDA unknown error\n";
    CHECK(
        contains(excluded(unknown, {{"os", "Windows 11", {}}}), "because it occurs on Linux only"));
    CHECK(
        find_by(
            diagnosed(unknown, {{"os", "Windows 11", {}}}).findings,
            &Finding::rule,
            "uvm_device_node_missing") == nullptr);
}
