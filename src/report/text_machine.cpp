#include <algorithm>
#include <ostream>

#include "base/text.hpp"
#include "report/layout.hpp"
#include "report/text_parts.hpp"

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

const Board* board_of(const Facts& facts, const Gpu& gpu) {
    const auto same = [&](const Board& b) { return (gpu.pci && gpu.pci == b.pci) || (gpu.uuid && gpu.uuid == b.uuid); };
    const auto found = std::find_if(facts.boards.begin(), facts.boards.end(), same);
    return found == facts.boards.end() ? nullptr : &*found;
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
    for (const Board& board : facts.boards)
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

}  // namespace

namespace {

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

}  // namespace

static void write_given(const Facts& facts, std::ostream& out, const Style& style) {
    const auto line = [&](std::string_view label, const std::string& text) {
        if (!text.empty()) out << wrapped("  " + padded(label, 10), text);
    };
    out << '\n' << inked(style, Ink::bold, "Given") << '\n';
    line("system", shown(facts.host.os.value_or("")));
    if (facts.driver.library_version) line("driver", shown(facts.driver.library_version->text));
    for (const Gpu& gpu : facts.gpus) line("GPU " + std::to_string(gpu.index), given_gpu(gpu));
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

void write_machine(const Facts& facts, std::ostream& out, const Style& style) {
    if (only_given(facts)) return write_given(facts, out, style);
    const auto line = [&](std::string_view label, const std::string& text) {
        out << wrapped("  " + padded(label, 8), text);
    };
    out << '\n' << inked(style, Ink::bold, "This machine") << '\n';
    line("system", system_line(facts.host));
    line("driver", driver_line(facts.driver));
    if (facts.gpus.empty()) line("GPUs", no_gpu_line(facts));
    for (const Gpu& gpu : facts.gpus) line("GPU " + std::to_string(gpu.index), gpu_line(facts, gpu));
    if (facts.runtimes.empty()) line("CUDA", "no runtime answered");
    for (const Runtime& runtime : facts.runtimes) line("CUDA", runtime_line(runtime));
    if (facts.cudnns.empty()) line("cuDNN", "no copy answered");
    for (const Cudnn& cudnn : facts.cudnns) line("cuDNN", cudnn_line(cudnn));
    if (const auto& restrictions = facts.tool.restrictions; !restrictions.empty())
        line("limits", "rnncheck was restricted here: " + shown(join(restrictions, "; ")));
}

}  // namespace rnncheck
