#include "commands/run_report.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/cause_of_failure.hpp"
#include "commands/lstm.hpp"
#include "commands/survey_here.hpp"
#include "files/gpu_libraries.hpp"
#include "log/read_log.hpp"

namespace rnncheck {

namespace {

/// `end` is what as_log() returns.
Log log_of(
    const std::vector<process::Output>& outputs, const std::string& end, const Matrix& matrix) {
    std::vector<LogInput> inputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        // On a terminal both go to one place, in the order in which they were written.
        std::string name = "output";
        if (outputs.size() > 1)
            name = i == 0 ? "standard output" : "standard error";
        if (!outputs[i].head.empty())
            inputs.push_back(text_as_log(name, outputs[i].head));
        if (!outputs[i].tail.empty())
            inputs.push_back(text_as_log("end of " + name, outputs[i].tail));
    }
    if (!trim(end).empty())
        inputs.push_back(text_as_log("end of the command", end));
    return read_logs(inputs, matrix);
}

bool is_cudnn_or_driver(const std::string& path) {
    const std::string name = file_name(path);
    return name.starts_with("libcudnn.so") || name.starts_with("libcuda.so");
}

/// "A, B and 15 other GPU libraries (-v shows them)": a framework loads two dozen, of which these
/// state most.
std::string libraries_in_words(const ProcessWatch& processes, bool verbose) {
    std::vector<std::string> shown;
    for (const auto& [path, users] : processes.libraries()) {
        if (!verbose && !is_cudnn_or_driver(path))
            continue;
        std::string text = path;
        if (users.size() > 1)
            text += concat(" (", users.size(), " processes)");
        shown.push_back(text);
    }
    const std::size_t others = processes.libraries().size() - shown.size();
    if (others == 0)
        return join(shown, ", ");
    if (shown.empty())
        return pluralized(others, "GPU library", "GPU libraries") +
               ", none of them cuDNN or the driver (-v shows which)";
    return join(shown, ", ") + " and " +
           pluralized(
               others, "other GPU library (-v shows it)", "other GPU libraries (-v shows them)");
}

/// The evidence of the first finding contains what the command did.
void add_evidence(Report& report, const process::CommandEnd& end, const CommandObserver& observer) {
    if (report.findings.empty())
        return;
    const ProcessWatch& processes = observer.processes();
    std::vector<Evidence>& evidence = report.findings.front().evidence;
    evidence.push_back({"end of the command", in_words(end), "rnncheck run"});
    for (const auto& [path, users] : processes.libraries())
        evidence.push_back(
            {"loaded by the command", path, "/proc/" + std::to_string(*users.begin()) + "/maps"});
    for (const std::string& device : processes.devices())
        evidence.push_back({"opened by the command", device, "/proc/PID/fd"});
    for (const std::string& line : in_words(observer.gpu_memory().most_used(), end.time))
        evidence.push_back({"GPU memory during the command", line, "libnvidia-ml"});
}

/// The failed network of the output on cuDNN alone.
LogReplay replay(const Log& log, const DoctorOptions& options) {
    if (!log.rnn_config)
        return {.sentences = {"the output contains no recurrent network that failed"}};
    try {
        LstmOptions network;
        network.run.from_log = "the output";  // in messages, the name of the log
        SurveyOptions how = options.survey;
        how.query = how.run = true;
        how.deadline = deadline_from_now(options.examination.deadline);
        how.rnn_request = request_of(network, log);
        return replay_of(*log.rnn_config, surveyed(how, options.report.quiet));
    } catch (const InputError& error) {
        return {.sentences = {error.what()}};
    }
}

/// A signal that somebody sent needs no check of the machine, and a scheduler gives no time for it.
bool was_sent(const process::CommandEnd& end) {
    return end.sent && end.signal == end.sent->signal;
}

/// What the log does not show of the failure.
FailureTraits traits_of(const process::CommandEnd& end, const ProcessWatch& processes) {
    const bool has_crashed = end.signal && !was_sent(end) && !end.passed_limit;
    return {has_crashed, !processes.libraries().empty(), library_path()};
}

/// For a person who reads the end of a log: the command's own output is above.
std::string lines_about_machine(const Report& machine) {
    std::string text = "This machine: " + machine.sentence + '\n';
    for (const Finding& finding : machine.findings)
        if (finding.severity == Severity::error)
            text += "  " + finding.rule + ": " + finding.message + '\n';
    return text + "More about it: rnncheck doctor";
}

/// How it ended and what it used, one sentence a line, to standard error.
void print_end(
    const process::CommandEnd& end,
    const CommandObserver& observer,
    const std::vector<std::string>& about_end,
    bool verbose) {
    print_message("the command ended with " + in_words(end));
    for (const std::string& sentence : about_end)
        print_message(sentence);
    if (!observer.processes().libraries().empty())
        print_message("it loaded " + libraries_in_words(observer.processes(), verbose));
    const auto memory = fullest_in_words(observer.gpu_memory().most_used(), end.time);
    if (!memory.empty())
        print_message(memory);  // --output has that of every GPU
}

/// By the driver's files, because a query would open the GPU.
bool has_gpu() {
    return !Root().names_in("/proc/driver/nvidia/gpus").empty() || Root().exists("/dev/nvidia0");
}

/// cuDNN itself, by its directory.
std::set<std::string> directories_of_cudnn(const ProcessWatch& processes) {
    std::set<std::string> directories;
    for (const auto& [path, users] : processes.libraries())
        if (loader::is_cudnn(file_name(path)))
            directories.insert(path.substr(0, path.rfind('/')));
    return directories;
}

/// "PyTorch loaded cuDNN from A, and not its environment's own in B"; empty if none did.
std::string other_cudnn_than_own(const ProcessWatch& processes) {
    constexpr std::string_view packages = "/site-packages/";
    for (const auto& [framework, file] : processes.frameworks()) {
        const auto at = file.rfind(packages);
        if (at == std::string::npos)
            continue;
        const std::string own = file.substr(0, at + packages.size()) + "nvidia/cudnn/lib";
        const auto loaded = directories_of_cudnn(processes);
        // Several are reported by another remark; an environment may have no cuDNN of its own.
        if (loaded.size() != 1 || loaded.contains(own) || Root().names_in(own).empty())
            continue;
        return concat(
            framework,
            " loaded cuDNN from ",
            *loaded.begin(),
            ", and not the one that was installed for it in ",
            own);
    }
    return "";
}

/// "PyTorch and TensorFlow".
std::string names_of_frameworks(const ProcessWatch& processes) {
    std::vector<std::string> names;
    for (const auto& [framework, file] : processes.frameworks())
        names.push_back(framework);
    return join(names, " and ");
}

/// Whether the output has a line of this row of log_signatures.
bool saw(const Log& log, std::string_view signature) {
    return find_by(log.events, &LogEvent::signature, signature) != nullptr;
}

/// Empty if there is nothing to remark.
std::string remark_on(const Log& log, const CommandObserver& observer) {
    const ProcessWatch& processes = observer.processes();
    const std::string see = "; run rnncheck doctor in the same environment to see why";
    // The framework's own words come first; what the process did is a weaker sign.
    if (saw(log, "layer_without_cudnn"))
        return "a recurrent layer did not use cuDNN, which is many times slower; rnncheck model "
               "FILE shows the "
               "criterion";
    if (saw(log, "ort_requires") || saw(log, "ort_provider_not_loaded"))
        return "ONNX Runtime could not use CUDA and computed on the CPU" + see;
    if (saw(log, "jax_fallback_cpu") && has_gpu())
        return "JAX found no GPU and computed on the CPU" + see;
    if (!processes.frameworks().empty() && observer.no_gpu_was_opened() && has_gpu())
        return names_of_frameworks(processes) +
               " computed on the CPU: no process opened a device of the GPU that this machine has" +
               see;
    if (const auto directories = directories_of_cudnn(processes); directories.size() > 1)
        return "several cuDNN installations were loaded: " +
               join({directories.begin(), directories.end()}, ", ") + see;
    if (const std::string other = other_cudnn_than_own(processes); !other.empty())
        return other + see;
    return "";
}

/// Reading the log costs more than many a command.
bool may_be_worth_reading(const process::CommandEnd& end, const ProcessWatch& processes) {
    if (!processes.libraries().empty() || !processes.frameworks().empty())
        return true;
    for (const process::Output& output : end.outputs)
        for (const std::string& text : {output.head, output.tail})
            for (const char* word : {"cuDNN", "cudnn", "CUDAExecutionProvider", "No GPU/TPU"})
                if (contains(text, word))
                    return true;
    return false;
}

}  // namespace

void explain_failure(
    const process::CommandEnd& end,
    CommandObserver& observer,
    const DoctorOptions& options,
    bool with_replay) {
    const auto kernel_lines = observer.kernel_lines();
    const auto group = observer.group_out_of_memory();
    Facts facts;
    facts.tool = {std::string(version_of_rnncheck()), {"log"}};
    facts.log = log_of(end.outputs, as_log(end, kernel_lines, group), options.matrix);
    Selection all_causes = options.selection;
    all_causes.only.clear();  // --only chooses the rules that judge this machine
    Report report = judge(facts, options.matrix, all_causes);
    if (facts.log->lines == 0)
        report.sentence = "undetermined: the command printed nothing";
    std::optional<Report> machine, joined;  // the second one with the output, for files
    const bool has_files = !options.report.outputs.empty();
    // The survey takes seconds, and --quiet prints nothing of it.
    if (!was_sent(end) && (!options.report.quiet || has_files)) {
        Facts here = surveyed_with_restrictions(options.survey, options.report.quiet);
        machine = judge(here, options.matrix, options.selection);
        report =
            cause_of_failure(std::move(report), *machine, traits_of(end, observer.processes()));
        // A file has one report of both, as `doctor --log` makes it.
        here.log = facts.log;
        if (has_files)
            joined = judge(std::move(here), options.matrix, options.selection);
        if (with_replay)
            machine->lstm.emplace().log_replay = replay(*facts.log, options);
    }
    if (joined)
        add_evidence(*joined, end, observer);
    if (joined)
        joined->lstm = machine->lstm;
    fit_commands_to_user(report);
    if (joined)
        fit_commands_to_user(*joined);
    repeat_question(options, report);
    if (joined)
        repeat_question(options, *joined);
    if (!machine)
        add_evidence(report, end, observer);
    // Redacted from here on.
    const Report shown = finished(std::move(report), options.report);
    if (joined)
        joined = finished(*std::move(joined), options.report);
    write_outputs(outline_of(joined.value_or(shown)), options.report);
    if (!options.report.quiet)
        print_end(end, observer, sentences_about(end, kernel_lines, group), options.report.verbose);
    write_stderr(text_of(shown, options.report.style(STDERR_FILENO)));
    if (!machine || options.report.quiet)
        return;
    machine = finished(*std::move(machine), options.report);
    for (const std::string& line : split(lines_about_machine(*machine), '\n'))
        write_stderr(escaped(line) + '\n');
    if (!machine->lstm)
        return;
    for (const std::string& sentence : machine->lstm->log_replay->sentences)
        print_message("replay: " + sentence);
}

void remark_on_success(
    const process::CommandEnd& end, const CommandObserver& observer, const DoctorOptions& options) {
    if (options.report.quiet || !may_be_worth_reading(end, observer.processes()))
        return;
    const std::string remark = remark_on(log_of(end.outputs, "", options.matrix), observer);
    if (!remark.empty())
        print_message(remark);
}

}  // namespace rnncheck
