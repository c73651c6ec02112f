#include <algorithm>
#include <ostream>

#include "base/text.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

using Words = std::vector<std::string>;

void add(Words& words, std::string_view before, const std::optional<std::string>& value, std::string_view after = "") {
    if (value) words.push_back(std::string(before) + shown(*value) + std::string(after));
}

void add(Words& words, std::string_view before, const std::optional<Version>& value, std::string_view after = "") {
    if (value) add(words, before, std::optional(value->text), after);
}

std::string or_else(const Words& words, std::string_view otherwise) {
    return words.empty() ? std::string(otherwise) : join(words, ", ");
}

std::string system_line(const Host& host) {
    Words words;
    add(words, "", host.os);
    add(words, "kernel ", host.kernel);
    add(words, "", host.libc);
    add(words, "", host.machine);
    if (host.wsl.value_or(false)) words.emplace_back("under the Windows Subsystem for Linux");
    add(words, "in a container (", host.container, ")");
    return or_else(words, "not learnt");
}

std::string driver_line(const Driver& driver) {
    Words words;
    if (!driver.init && !driver.library_version) words.emplace_back("no library answered");
    add(words, "library ", driver.library_version);
    add(words, "supports CUDA ", driver.cuda_version);
    if (driver.kernel_version) {
        const std::string flavour = driver.kernel_flavour ? " (" + shown(*driver.kernel_flavour) + ")" : "";
        add(words, "kernel module ", driver.kernel_version, flavour);
    } else if (driver.module_loaded) {
        words.emplace_back(*driver.module_loaded ? "kernel module loaded" : "no kernel module loaded");
    }
    if (driver.init && !driver.init->ok()) words.push_back(answer_of(*driver.init));
    return join(words, ", ");
}

std::string memory_words(const std::optional<std::int64_t>& total, const std::optional<std::int64_t>& free) {
    if (!total) return "memory not told";
    if (!free) return std::to_string(*total) + " MiB";
    return std::to_string(*free) + " of " + std::to_string(*total) + " MiB free";
}

std::string gpu_line(const Facts& facts, const Gpu& gpu) {
    Words words;
    add(words, "", gpu.name);
    add(words, "compute capability ", gpu.compute_capability);
    const Board* board = board_of(facts, gpu);
    words.push_back(memory_words(gpu.memory_total_mib, board ? board->memory_free_mib : std::nullopt));
    return join(words, ", ");
}

std::string no_gpu_line(const Facts& facts) {
    Words words;
    for (const Board& board : facts.nvml_devices)
        words.push_back("NVML " + std::to_string(board.index) + (board.name ? " " + shown(*board.name) : ""));
    if (words.empty())
        for (const PciGpu& device : facts.host.pci_gpus)
            words.push_back("PCI " + shown(device.address) + " (device " + shown(device.device_id) +
                            ", kernel driver " + (device.kernel_driver ? shown(*device.kernel_driver) : "none") + ")");
    return words.empty() ? "none answered" : "none answered a CUDA program; seen: " + join(words, ", ");
}

std::string runtime_line(const Runtime& runtime) {
    const std::string version = runtime.version ? shown(runtime.version->text) : "version not told";
    return version + ", " + shown(runtime.library);
}

std::string cudnn_line(const Cudnn& cudnn) {
    Words words{cudnn.version ? shown(cudnn.version->text) : "version not told"};
    add(words, "built for CUDA ", cudnn.built_for_cuda);
    if (!cudnn.rnn_usable)
        words.emplace_back("RNN half not tried");
    else
        words.emplace_back(*cudnn.rnn_usable ? "RNN half usable" : "RNN half NOT usable");
    words.push_back(shown(cudnn.library));
    return join(words, ", ");
}

std::string given_framework_line(const Framework& framework) {
    return shown(framework.name) + (framework.version ? " " + shown(framework.version->text) : "") +
           (framework.build ? ", build " + shown(*framework.build) : "");
}

std::string network_line(const Network& network) {
    Words words;
    if (network.dtype) words.emplace_back(name_of(*network.dtype));
    if (network.masked) words.emplace_back(*network.masked ? "masked" : "not masked");
    return join(words, ", ");
}

std::string given_gpu(const Gpu& gpu) {
    Words words;
    add(words, "", gpu.name);
    add(words, "compute capability ", gpu.compute_capability);
    return join(words, ", ");
}

std::string named(const Framework& framework) {
    return shown(framework.name) + (framework.version ? " " + shown(framework.version->text) : "") +
           (framework.build ? " (" + shown(*framework.build) + ")" : "");
}

std::string environment_line(const PythonEnvironment& environment) {
    Words words{environment.version ? shown(environment.version->text) : "version not known"};
    words.push_back(shown(environment.path) + " by " + shown(environment.found_by));
    if (environment.distributions)
        words.push_back(pluralized(static_cast<std::size_t>(*environment.distributions), "package", "packages"));
    return join(words, ", ");
}

std::string cudnn_words(const Framework& framework) {
    for (const FrameworkLibrary& library : framework.libraries) {
        if (!library.soname.starts_with("libcudnn")) continue;
        if (!library.path) return "finds no " + shown(library.soname);
        return "gets cuDNN" + (library.version ? " " + shown(library.version->text) : "") + " at " +
               shown(*library.path) + (library.found_by ? " by " + shown(*library.found_by) : "");
    }
    return "";
}

std::string framework_line(const Framework& framework) {
    Words words{named(framework)};
    if (framework.asked) words.emplace_back("asked about with --for");
    if (framework.uses_cuda) words.emplace_back(*framework.uses_cuda ? "with CUDA" : "without CUDA");
    if (framework.cuda) words.push_back("built for CUDA " + shown(framework.cuda->text));
    if (framework.cudnn) words.push_back("built with cuDNN " + shown(framework.cudnn->text));
    if (const std::string cudnn = cudnn_words(framework); !cudnn.empty()) words.push_back(cudnn);
    return join(words, ", ");
}

bool is_in(const Framework& framework, const PythonEnvironment* environment) {
    return environment && framework.environment == environment->path;
}

const PythonEnvironment* active_environment(const Facts& facts) {
    const auto found = std::find_if(facts.pythons.begin(), facts.pythons.end(), [](const auto& p) { return p.active; });
    return found == facts.pythons.end() ? nullptr : &*found;
}

std::string lines_of(const Log& log, LogKind kind) {
    std::vector<std::string> lines;
    for (const LogEvent& event : log.events)
        if (event.kind == kind && lines.size() < 8) lines.push_back(std::to_string(event.line));
    return join_with_and(lines);
}

std::string sizes_of(const LogRnnConfig& config) {
    std::vector<std::string> words;
    const auto add = [&](const char* name, const std::optional<std::int64_t>& value) {
        if (value) words.push_back(std::string(name) + " " + std::to_string(*value));
    };
    words.push_back(config.cell.value_or("cell not told"));
    if (config.direction) words.push_back(*config.direction);
    add("layers", config.layers);
    add("input", config.input_size);
    add("units", config.units);
    add("longest sequence", config.sequence_length);
    add("batch", config.batch);
    if (!config.missing.empty()) words.push_back("not in the log: " + join_with_and(config.missing));
    return shown(join(words, ", "));
}

std::string said_in_words(const Log& log) {
    std::vector<std::string> words;
    for (const UserHint& said : log.user_hints)
        words.push_back(said.key + "=" + said.value + (said.expected ? " (not understood, left out)" : ""));
    return shown(join(words, ", "));
}

void write_given(const Facts& facts, std::ostream& out, const Style& style) {
    const auto line = [&](std::string_view word, const std::string& text) {
        if (!text.empty()) out << wrapped(label(word), text);
    };
    out << '\n' << styled(style, TextStyle::bold, "Given") << '\n';
    line("system", shown(facts.host.os.value_or("")));
    if (facts.driver.library_version) line("driver", shown(facts.driver.library_version->text));
    for (const Gpu& gpu : facts.cuda_devices) line("GPU " + std::to_string(gpu.index), given_gpu(gpu));
    for (const Runtime& runtime : facts.runtimes)
        if (runtime.version) line("CUDA", shown(runtime.version->text));
    for (const Cudnn& cudnn : facts.cudnns)
        if (cudnn.version)
            line("cuDNN", shown(cudnn.version->text) +
                              (cudnn.built_for_cuda ? ", for CUDA " + shown(cudnn.built_for_cuda->text) : ""));
    for (const PythonEnvironment& python : facts.pythons)
        if (python.version) line("Python", shown(python.version->text));
    for (const Framework& framework : facts.frameworks) line("framework", given_framework_line(framework));
    if (facts.network) line("network", network_line(*facts.network));
}

}  // namespace

void write_machine(const Facts& facts, std::ostream& out, const Style& style) {
    if (only_given(facts)) return write_given(facts, out, style);
    const auto line = [&](std::string_view word, const std::string& text) { out << wrapped(label(word, 8), text); };
    out << '\n' << styled(style, TextStyle::bold, "This machine") << '\n';
    line("system", system_line(facts.host));
    line("driver", driver_line(facts.driver));
    if (facts.cuda_devices.empty()) line("GPUs", no_gpu_line(facts));
    for (const Gpu& gpu : facts.cuda_devices) line("GPU " + std::to_string(gpu.index), gpu_line(facts, gpu));
    if (facts.runtimes.empty()) line("CUDA", "no runtime answered");
    for (const Runtime& runtime : facts.runtimes) line("CUDA", runtime_line(runtime));
    if (facts.cudnns.empty()) line("cuDNN", "no copy answered");
    for (const Cudnn& cudnn : facts.cudnns) line("cuDNN", cudnn_line(cudnn));
    if (const auto& restrictions = facts.tool.restrictions; !restrictions.empty())
        line("limits", "rnncheck was restricted here: " + shown(join(restrictions, "; ")));
}

void write_frameworks(const Facts& facts, std::ostream& out, const Style& style) {
    if (facts.frameworks.empty()) return;
    const auto line = [&](std::string_view word, const std::string& text) { out << wrapped(label(word), text); };
    out << '\n' << styled(style, TextStyle::bold, "Frameworks") << '\n';
    const PythonEnvironment* active = active_environment(facts);
    if (active) line("Python", environment_line(*active));
    for (const Framework& framework : facts.frameworks)
        if (framework.asked || is_in(framework, active)) line("framework", framework_line(framework));
    for (const Framework& framework : facts.frameworks)
        if (!framework.asked && !is_in(framework, active))
            line("elsewhere", named(framework) + " in " + shown(framework.environment));
    if (!active) return;
    for (const std::string& text : active->left_out) line("not read", shown(text));
}

void write_log(const Log& log, std::ostream& out, const Style& style) {
    out << '\n' << styled(style, TextStyle::bold, "The log") << '\n';
    out << wrapped(label("read", 13), pluralized(static_cast<std::size_t>(log.lines), "line", "lines") + " of " +
                                          shown(join_with_and(log.files)));
    if (!log.user_hints.empty()) out << wrapped(label("you told", 13), said_in_words(log));
    if (log.first_error_line)
        out << wrapped(label("first error", 13),
                       "line " + std::to_string(*log.first_error_line) + ": " + shown(log.first_error.value_or("")));
    if (const std::string lines = lines_of(log, LogKind::consequence); !lines.empty())
        out << wrapped(label("only follows", 13), "from what is above: line " + lines);
    if (const std::string lines = lines_of(log, LogKind::harmless); !lines.empty())
        out << wrapped(label("harmless", 13), "line " + lines);
    if (log.rnn_config) out << wrapped(label("network", 13), sizes_of(*log.rnn_config));
}

}  // namespace rnncheck
