// Reports made by hand: what formats print must not depend on which rules there are.
#pragma once

#include "report/report.hpp"
#include "support/healthy_machine.hpp"

namespace rnncheck::test {

inline RnnCase sample_case(
    Dtype dtype, MathType math, Algorithm algorithm, int input, int hidden, int batch, int steps) {
    RnnCase made;
    made.dtype = dtype;
    made.math = math;
    made.algorithm = algorithm;
    made.input = input;
    made.hidden = hidden;
    made.batch = batch;
    made.sequence_length = steps;
    return made;
}

inline std::vector<RnnCase> sample_cases() {
    const auto standard = Algorithm::standard;
    std::vector<RnnCase> cases = {
        sample_case(Dtype::fp32, MathType::fma, standard, 8, 8, 1, 1),
        sample_case(Dtype::fp32, MathType::fma, standard, 7, 5, 3, 4),
        sample_case(Dtype::fp32, MathType::standard, standard, 64, 64, 8, 16),
        sample_case(Dtype::fp64, MathType::standard, standard, 7, 5, 3, 4),
        sample_case(Dtype::fp32, MathType::fma, standard, 16, 32, 5, 7),
        sample_case(Dtype::fp32, MathType::fma, standard, 16, 32, 4, 7),
        sample_case(Dtype::fp16, MathType::tensor, Algorithm::persist_static, 128, 256, 8, 4)};
    cases[4].lengths = {3, 7, 1, 5, 7};
    cases[4].layout = Layout::batch_major;
    cases[5].layers = 2;
    cases[5].direction = Direction::bidirectional;
    cases[5].states = true;
    return cases;
}

inline void add_sample_runs(Facts& facts, int gpu) {
    int number = 0;
    for (const RnnCase& sample : sample_cases()) {
        RnnRun run;
        run.library = facts.cudnns.at(0).library;
        run.gpu = gpu;
        run.number = ++number;
        run.rnn_case = sample;
        run.end = sample.dtype == Dtype::fp16 ? RunEnd::not_supported : RunEnd::ok;
        if (run.end == RunEnd::ok) {
            run.largest_error = 1e-7;
            run.limit = 1e-5;
            run.bitwise_repeatable = true;
        } else {
            run.result = CallResult{"cudnnSetRNNDescriptor_v8", 9, "CUDNN_STATUS_NOT_SUPPORTED"};
        }
        facts.rnn_runs.push_back(run);
    }
}

inline Report sample_report(OverallVerdict verdict, Facts facts) {
    Report report;
    report.tool = {"rnncheck", "0.1.0", "2026-11-21", "sha256:0123", 2};
    report.verdict = verdict;
    report.facts = std::move(facts);
    return report;
}

inline Report healthy_report() {
    Facts facts = a_healthy_machine();
    facts.rnn_runs.clear();
    add_sample_runs(facts, 0);
    Report report = sample_report(OverallVerdict::healthy, std::move(facts));
    report.verdicts = {
        {"driver_missing", Outcome::pass, "the driver works"},
        {"wsl_libcuda_not_found",
         Outcome::not_applicable,
         "this is not the Windows Subsystem for Linux"}};
    report.counts = {0, 1, 0, 1};
    return report;
}

/// Escape sequences, line ends, bytes that are no UTF-8, a C1 control, a quote and a very long
/// word.
inline std::string hostile_text() {
    return "\x1b[31mred\x1b]0;title\x07 two\nlines\r \xff\xfe \xc2\x9b"
           "5m \x7f \"quoted\" \\back";
}

inline std::vector<Finding> sample_findings() {
    Finding missing;
    missing.rule = "cudnn_part_missing";
    missing.title = "A cuDNN library is missing";
    missing.layer = Layer::cudnn;
    missing.subject = "/opt/cudnn/libcudnn.so.9";
    missing.message =
        "cuDNN 9.19.0 at /opt/cudnn/libcudnn.so.9 lacks libcudnn_adv.so.9, which contains its "
        "recurrent networks";
    missing.evidence = {
        {"needed", "libcudnn_adv.so.9", "https://docs.nvidia.com/deeplearning/cudnn/"},
        {"searched", "/opt/cudnn, /usr/lib/x86_64-linux-gnu and the loader's cache", "libraries"}};
    missing.remedies = {
        {.action = Action::install_package,
         .text = "Install the whole of cuDNN",
         .commands = {"sudo apt-get install --reinstall libcudnn9-cuda-12", "sudo ldconfig"},
         .risk = Risk::needs_root,
         .verify = "rnncheck doctor --only cudnn_part_missing",
         .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"},
        {Action::install_package,
         "Use the copy that pip installs",
         {"pip install nvidia-cudnn-cu12"},
         Risk::safe,
         "",
         ""}};

    Finding hostile;
    hostile.rule = "library_file_damaged";
    hostile.title = "A GPU library file is damaged or cannot be read";
    hostile.severity = Severity::warning;
    hostile.confidence = Confidence::likely;
    hostile.subject = hostile_text();
    hostile.message = "the file " + hostile_text() + " is not a library";
    hostile.evidence = {{hostile_text(), hostile_text(), hostile_text()}};
    hostile.remedies = {
        {Action::none,
         hostile_text(),
         {hostile_text()},
         Risk::destructive,
         hostile_text(),
         hostile_text()}};

    Finding note;
    note.rule = "several_cudnns";
    note.title = "Several cuDNN versions are installed";
    note.layer = Layer::cudnn;
    note.severity = Severity::note;
    note.confidence = Confidence::possible;
    note.subject = "cuDNN";
    note.message = "2 cuDNN libraries were found";
    return {missing, hostile, note};
}

inline Report report_with_many_findings() {
    Facts facts = a_healthy_machine();
    facts.rnn_runs.clear();
    facts.cuda_devices[0].name = hostile_text();
    facts.host.os = hostile_text();
    facts.host.container = "docker";
    facts.host.environment["LD_LIBRARY_PATH"] = hostile_text();
    facts.libraries[0].path = "/opt/" + std::string(300, 'x') + ".so";
    facts.cudnns[0].rnn_usable = false;
    Cudnn& unopened = facts.cudnns.emplace_back();
    unopened.library = "/opt/" + std::string(120, 'y') + "/libcudnn.so.9";
    unopened.failure = CallResult{"dlopen", -1, hostile_text()};
    facts.driver.init = CallResult{"cuInit", 999, hostile_text()};
    facts.probe_runs[0].end = ProbeEnd::crashed;
    facts.probe_runs[0].signal = "SIGSEGV";
    facts.probe_runs[0].last_call = "cuInit";
    facts.probe_runs[0].output_tail = hostile_text();
    Report report = sample_report(OverallVerdict::problems, std::move(facts));
    report.findings = sample_findings();
    report.verdicts = {
        {"cudnn_part_missing", Outcome::fault, report.findings[0].message, {}, {}, Layer::cudnn},
        {"driver_too_old", Outcome::undecided, hostile_text(), {}, {}, Layer::driver},
        {"fabric_manager_not_running",
         Outcome::not_applicable,
         "no GPU needs it",
         {},
         {},
         Layer::driver},
        {"gpu_throttled", Outcome::pass, "no clock is held down", {}, {}, Layer::gpu},
        {"library_file_damaged", Outcome::fault, report.findings[1].message},
        {"rnn_slow",
         Outcome::not_applicable,
         "the stage 'run' was switched off",
         {},
         NotEvaluated::stage_off,
         Layer::rnn},
        {"several_cudnns", Outcome::fault, report.findings[2].message, {}, {}, Layer::cudnn}};
    report.counts = {3, 1, 1, 2};
    report.run_at = "2026-11-23T13:04:09Z";
    report.duration_ms = 812;
    report.command = "doctor";
    report.options = {"--no-run"};
    report.labels = {{"node", "gpu017"}};
    return report;
}

/// GPU 3 computes incorrectly, GPU 5 crashed in its third case, the other six are well.
inline Report report_of_eight_gpus() {
    Facts facts = a_healthy_machine();
    facts.rnn_runs.clear();
    const Gpu gpu = facts.cuda_devices[0];
    const Board board = facts.nvml_devices[0];
    facts.cuda_devices.clear();
    facts.nvml_devices.clear();
    for (int i = 0; i < 8; ++i) {
        facts.cuda_devices.push_back(gpu);
        facts.cuda_devices.back().index = i;
        facts.nvml_devices.push_back(board);
        facts.nvml_devices.back().index = i;
        facts.cuda_devices.back().uuid = facts.nvml_devices.back().uuid =
            "GPU-11111111-2222-3333-4444-55555555555" + std::to_string(i);
        facts.cuda_devices.back().pci = facts.nvml_devices.back().pci =
            "0000:0" + std::to_string(i + 1) + ":00.0";
        add_sample_runs(facts, i);
    }
    const auto run = [&facts](int on, std::size_t number) -> RnnRun& {
        return facts.rnn_runs[static_cast<std::size_t>(on) * sample_cases().size() + number - 1];
    };
    for (const std::size_t number : {1, 2, 3, 5}) {
        run(3, number).end = RunEnd::incorrect;
        run(3, number).largest_error = 0.25;
        run(3, number).where = "y of sequence 0, step 0, unit 3: found 0.5, expected 0.25";
    }
    run(5, 3).end = RunEnd::failed;
    run(5, 3).result = CallResult{"cudnnRNNForward", -1, "crashed with SIGSEGV"};
    for (const std::size_t number : {4, 5, 6, 7}) {
        run(5, number).end = RunEnd::skipped;
        run(5, number).result =
            CallResult{"cudnnRNNForward", -1, "not tried: earlier cases ended the process"};
    }
    Report report = sample_report(OverallVerdict::problems, std::move(facts));
    Finding wrong;
    wrong.rule = "rnn_result_wrong";
    wrong.title = "Recurrent networks compute incorrect results";
    wrong.layer = Layer::rnn;
    wrong.subject = "GPU 3";
    wrong.gpu = 3;
    wrong.message = "GPU 3 computes recurrent networks incorrectly in 4 of 6 cases";
    wrong.evidence = {{"largest error", "0.25 where 1e-05 is allowed", "rnn_runs"}};
    report.findings = {wrong};
    report.verdicts = {{"rnn_result_wrong", Outcome::fault, "GPU 3 computes incorrectly"}};
    report.counts = {1, 0, 0, 0};
    return report;
}

/// No driver: nothing could be run.
inline Report report_without_driver() {
    Facts facts = a_healthy_machine();
    facts.driver = {};
    facts.driver.module_loaded = false;
    facts.cuda_devices.clear();
    facts.nvml_devices.clear();
    facts.kernel_runs.clear();
    facts.rnn_runs.clear();
    std::erase_if(
        facts.libraries, [](const Library& library) { return library.kind == LibraryKind::cuda; });
    Finding missing;
    missing.rule = "driver_missing";
    missing.title = "No NVIDIA driver is installed";
    missing.layer = Layer::driver;
    missing.message = "the PCI bus has 1 NVIDIA GPU, but no NVIDIA driver is installed";
    missing.evidence = {{"kernel module", "not loaded", "driver.module_loaded"}};
    missing.remedies = {
        {.action = Action::install_driver,
         .text = "Install the NVIDIA driver, then reboot",
         .commands = {"sudo apt-get install nvidia-driver"},
         .risk = Risk::needs_root,
         .verify = "nvidia-smi",
         .link = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"}};
    Report report = sample_report(OverallVerdict::problems, std::move(facts));
    report.findings = {missing};
    report.verdicts = {
        {"driver_missing", Outcome::fault, missing.message, {}, {}, Layer::driver},
        {"rnn_result_wrong",
         Outcome::not_applicable,
         "no GPU",
         {},
         NotEvaluated::skipped,
         Layer::rnn}};
    report.counts = {1, 0, 0, 1};
    return report;
}

inline Finding cause_in_log(
    const char* rule,
    const char* title,
    Confidence confidence,
    std::vector<Evidence> evidence,
    Remedy remedy,
    DecidingCheck check) {
    Finding cause;
    cause.rule = rule;
    cause.title = title;
    cause.message = "in a sentence of its own: " + std::string(title);
    cause.confidence = confidence;
    cause.evidence = std::move(evidence);
    cause.remedies = {std::move(remedy)};
    cause.decided_by = std::move(check);
    return cause;
}

/// A log with one line that three causes explain.
inline Report diagnosis_of_a_log() {
    Facts facts;
    facts.tool = {"0.1.0", {"log"}};
    Log& log = facts.log.emplace();
    log.files = {"train.log"};
    log.lines = 812;
    log.first_error_line = 7;
    log.user_hints = {{"os", "Windows 10", {}}};
    log.rnn_config.emplace().cell = "lstm";
    log.rnn_config->units = 128;
    const std::string line =
        "cuda_dnn.cc:439] Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED";
    log.events = {
        {"handle", LogKind::error, "train.log", 7, line, {}, 1},
        {"fails_later",
         LogKind::consequence,
         "train.log",
         9,
         "Fail to find the dnn implementation.",
         {},
         1}};
    const Evidence seen{"cuDNN could not start", "line 7: " + line, "log.events[0]"};
    Report report = sample_report(OverallVerdict::problems, std::move(facts));
    report.findings = {
        cause_in_log(
            "gpu_memory_held_by_other_process",
            "Other processes hold the memory of a GPU",
            Confidence::likely,
            {seen, seen, {"known besides", "7.6 MiB of 10.9 GiB were free", "log"}},
            {Action::other,
             "End the other process, or use another GPU",
             {},
             Risk::disruptive,
             "",
             ""},
            {"A process of another program is listed: this is the cause",
             "nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv"}),
        cause_in_log(
            "tf_preallocated_memory",
            "The framework took nearly all GPU memory before cuDNN could start",
            Confidence::possible,
            {seen},
            {Action::other,
             "Let memory grow",
             {"export TF_FORCE_GPU_ALLOW_GROWTH=true"},
             Risk::safe,
             "",
             ""},
            {"The memory is used by this program itself while it starts: this is the cause",
             "nvidia-smi"}),
        cause_in_log(
            "batch_too_large_for_cudnn",
            "The batch is larger than cuDNN's kernel takes",
            Confidence::possible,
            {seen},
            {Action::other, "Use smaller batches", {}, Risk::safe, "", ""},
            {"Halve the batch: if it works, this is the cause", ""})};
    report.about = About::log;
    return report;
}

/// `rnncheck lstm`: one case hung, two are wrong, of one kind a part is not supported.
inline Report report_of_a_sweep() {
    Report report = healthy_report();
    report.lstm.emplace().complete = true;
    report.verdict = OverallVerdict::problems;
    std::vector<RnnRun>& runs = report.facts.rnn_runs;
    runs[2].end = RunEnd::incorrect;
    runs[2].largest_error = 0.78;
    runs[2].limit = 8.6e-6;
    runs[2].where = "y of sequence 2, step 0, unit 14: found 0.771, expected 0.282";
    runs[4].end = RunEnd::failed;
    runs[4].result = CallResult{"cudnnRNNForward", -1, "did not return: no progress for 5 s"};
    ProbeRun hung;
    hung.probe = "rnn_forward";
    hung.target = "GPU 0 v8 " + runs[4].library;
    hung.end = ProbeEnd::timed_out;
    hung.last_call = "cudnnRNNForward";
    report.facts.probe_runs.push_back(hung);
    Finding wrong = report_of_eight_gpus().findings.front();
    wrong.message = "GPU 0 computes recurrent networks incorrectly in 1 of 6 cases";
    report.findings = {wrong};
    report.verdicts = {{"rnn_result_wrong", Outcome::fault, wrong.message, {}, {}, Layer::rnn}};
    report.counts = {1, 0, 0, 0};
    return report;
}

}  // namespace rnncheck::test
