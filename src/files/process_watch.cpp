// A look at a process costs a read of its memory map, so that a map is read
// only when the size of the memory has changed.
#include "files/process_watch.hpp"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "base/files.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/gpu_libraries.hpp"
#include "files/which.hpp"

namespace rnncheck {

namespace {

/// What is needed of /proc/PROCESS/stat.
struct ProcessStat {
    pid_t process = 0, parent = 0;
    unsigned long long memory = 0;
};

/// "4711 (name) S 1 ...", proc(5): the fourth field is the parent, the 23rd
/// the size of the virtual memory.
std::optional<ProcessStat> stat_in(const std::string& process) {
    const std::string text = Root().read("/proc/" + process + "/stat", 4096).value_or("");
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos)
        return std::nullopt;
    ProcessStat stat{std::atoi(process.c_str())};
    constexpr const char* fields =
        " %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu";
    if (std::sscanf(text.c_str() + name_end + 1, fields, &stat.parent, &stat.memory) != 2)
        return std::nullopt;
    return stat;
}

/// The process and all below it.
std::vector<ProcessStat> below(pid_t first) {
    std::multimap<pid_t, ProcessStat> by_parent;
    std::vector<ProcessStat> found;
    for (const std::string& name : Root().names_in("/proc")) {
        if (name.empty() || !is_digit(name.front()))
            continue;
        const auto stat = stat_in(name);
        if (stat && stat->process == first)
            found.push_back(*stat);
        if (stat)
            by_parent.emplace(stat->parent, *stat);
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto [begin, end] = by_parent.equal_range(found[i].process);
        for (auto child = begin; child != end; ++child)
            found.push_back(child->second);
    }
    return found;
}

std::chrono::nanoseconds processor_time() {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

/// A library that is in every program that uses the framework.
std::string framework_of(std::string_view file) {
    static const std::map<std::string_view, std::string> frameworks = {
        {"libtorch_cpu.so", "PyTorch"},
        {"libtensorflow_framework.so.2", "TensorFlow"},
        {"libtensorflow_cc.so.2", "TensorFlow"},
        {"libjax_common.so", "JAX"},
        {"xla_extension.so", "JAX"},
    };
    const auto* const framework = look_up(frameworks, file);
    if (framework)
        return *framework;
    if (file.starts_with("onnxruntime_pybind11_state"))
        return "ONNX Runtime";
    return "";
}

}  // namespace

std::chrono::milliseconds ProcessWatch::look(pid_t first) {
    constexpr std::chrono::milliseconds longest(30000), beginning(4000);
    // of the time between two looks; many programs fail at once
    int share = 200;
    if (wait_ < beginning)
        share = 20;
    const auto begin = processor_time();
    for (const ProcessStat& stat : below(first))
        look_at(stat.process, stat.memory);
    const auto cost = std::chrono::ceil<std::chrono::milliseconds>(processor_time() - begin);
    wait_ = std::min(2 * wait_, longest);
    return std::max(wait_, share * cost);
}

/// Descriptors only of those that have loaded libcuda, which opens the devices.
void ProcessWatch::look_at(pid_t process, unsigned long long memory) {
    Seen& seen = seen_[process];
    // the front of cuDNN takes a hundred kilobytes
    const bool has_changed = memory != seen.memory;
    if (has_changed)
        read_map(process, seen);
    if (has_changed)
        seen.memory = memory;
    if (seen.uses_driver)
        read_descriptors(process);
}

void ProcessWatch::read_map(pid_t process, Seen& seen) {
    constexpr std::size_t largest_map = 8 << 20;
    const std::string map =
        Root().read("/proc/" + std::to_string(process) + "/maps", largest_map).value_or("");
    for (const loader::MappedFile& file : loader::files_of_map(map)) {
        const std::string name = file_name(file.path);
        if (loader::concerns_gpu(name) && !name.starts_with("libz."))
            libraries_[file.path].insert(process);
        seen.uses_driver |= name.starts_with("libcuda.so");
        if (const std::string framework = framework_of(name); !framework.empty())
            frameworks_.emplace(framework, file.path);
    }
}

void ProcessWatch::read_descriptors(pid_t process) {
    const std::string directory = "/proc/" + std::to_string(process) + "/fd";
    for (const std::string& number : Root().names_in(directory)) {
        const std::string file = Root().link(directory + '/' + number).value_or("");
        if (file.starts_with("/dev/nvidia"))
            devices_.insert(file);
    }
}

}  // namespace rnncheck
