#include "cudnn_state.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace rnncheck::vendor;

namespace sim {

namespace {

constexpr const char* default_version = SIM_MAJOR == 7   ? "7.6.5"
                                        : SIM_MAJOR == 8 ? "8.9.7"
                                                         : "9.19.0";

int coded(const std::string& text) {
    int parts[3] = {};
    std::sscanf(text.c_str(), "%d.%d.%d", &parts[0], &parts[1], &parts[2]);
    if (parts[0] != SIM_MAJOR)
        return coded(default_version);  // SIM speaks of another copy
    return parts[0] * (parts[0] >= 9 ? 10000 : 1000) + parts[1] * 100 + parts[2];
}

std::string part_name(Sublibrary part) {
    switch (part) {
        case Sublibrary::ops:
            return SIM_MAJOR == 8 ? "libcudnn_ops_infer" : "libcudnn_ops";
        case Sublibrary::adv:
            return SIM_MAJOR == 8 ? "libcudnn_adv_infer" : "libcudnn_adv";
        case Sublibrary::graph:
            return "libcudnn_graph";
    }
    return "";
}

/// The sanitizers' dlopen does not see our run path ($ORIGIN), so the directory is tried by name as
/// well.
std::string beside_this_library(const std::string& file) {
    Dl_info self{};
    if (dladdr(reinterpret_cast<const void*>(&coded_version), &self) == 0 || !self.dli_fname)
        return file;
    const std::string path = self.dli_fname;
    return path.substr(0, path.rfind('/') + 1) + file;
}

void* open_part(Sublibrary part) {
    static std::array<void*, 3> opened{};
    void*& handle = opened[static_cast<std::size_t>(part)];
    const std::string file = part_name(part) + ".so." + std::to_string(SIM_MAJOR);
    if (!handle)
        handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        handle = dlopen(beside_this_library(file).c_str(), RTLD_NOW | RTLD_LOCAL);
    return handle;
}

/// A function of the driver library, or null.
template <class Function>
Function driver_function(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
}

struct Word {
    int dtype;
    const char* name;
};
constexpr Word type_words[] = {{0, "fp32"}, {1, "fp64"}, {2, "fp16"}, {9, "bf16"}};
constexpr const char* cell_words[] = {"relu", "tanh", "lstm", "gru"};
constexpr const char* algorithm_words[] = {
    "standard", "persist_static", "persist_dynamic", "persist_static_small_h"};

Tags tags_of(const OpaqueRnnDescriptor& rnn) {
    Tags tags = tags_here();
    for (const Word& word : type_words)
        if (word.dtype == rnn.type)
            tags.emplace_back(word.name);
    tags.emplace_back(algorithm_words[rnn.algorithm]);
    tags.emplace_back(rnn.direction ? "bidirectional" : "unidirectional");
    tags.push_back("h" + std::to_string(rnn.hidden));
    tags.emplace_back(cell_words[rnn.cell]);
    return tags;
}

std::string& last_planted() {
    static std::string fault;
    return fault;
}

/// NVIDIA_TF32_OVERRIDE overrules what the program requests: 0 forbids TF32, 1 forces it.
bool tf32_allowed(bool requested) {
    const char* const variable = std::getenv("NVIDIA_TF32_OVERRIDE");
    if (variable && std::strcmp(variable, "0") == 0)
        return false;
    return requested || (variable && std::strcmp(variable, "1") == 0);
}

}  // namespace

int coded_version() {
    return coded(setting("cudnn", default_version));
}

std::optional<int> unavailable(Sublibrary part) {
    if (SIM_MAJOR == 7 || (SIM_MAJOR == 8 && part == Sublibrary::graph))
        return std::nullopt;
    if (open_part(part))
        return std::nullopt;
    if (SIM_MAJOR == 9 && part != Sublibrary::graph)
        return reject(part_unloadable, dlerror());
    std::fprintf(
        stderr,
        "Could not load library %s.so.%d. Error: %s\n",
        part_name(part).c_str(),
        SIM_MAJOR,
        dlerror());
    std::abort();
}

int version_of(Sublibrary part) {
    const auto query =
        reinterpret_cast<int (*)()>(dlsym(open_part(part), "cudnnSimulatedPartVersion"));
    return query ? query() : 0;
}

std::optional<int> current_device() {
    const auto query = driver_function<int (*)(int*)>("cuCtxGetDevice");
    int device = 0;
    if (!query || query(&device) != 0)
        return std::nullopt;
    return device;
}

int device_attribute(int attribute, int device) {
    int value = 0;
    driver_function<int (*)(int*, int, int)>("cuDeviceGetAttribute")(&value, attribute, device);
    return value;
}

int capability_here() {
    const auto device = current_device();
    return device ? 10 * device_attribute(capability_major, *device) +
                        device_attribute(capability_minor, *device)
                  : 0;
}

Tags tags_here() {
    constexpr int pci_bus = 33;  // the simulated boards are on the buses from 1 on
    Tags tags = {"libcudnn", "libcudnn" + std::to_string(SIM_MAJOR)};
    // Before a context there is no GPU to name; asking could fail or, with a planted fault, not
    // return.
    if (const auto device = current_device())
        tags.push_back("gpu" + std::to_string(device_attribute(pci_bus, *device) - 1));
    return tags;
}

std::optional<int> entering(const char* function, std::optional<Sublibrary> part) {
    if (SIM_MAJOR == 9)
        unavailable(Sublibrary::graph);
    if (part)
        if (const auto status = unavailable(*part))
            return status;
    last_planted().clear();
    if (!mentioned(function))
        return std::nullopt;
    const Act plan = act(function, tags_here());
    last_planted() = plan.arithmetic;
    return plan.result ? std::optional(static_cast<int>(*plan.result)) : std::nullopt;
}

const std::string& planted() {
    return last_planted();
}

std::optional<int> compute_here(
    const char* function, const OpaqueRnnDescriptor& rnn, Call& call, Compute compute) {
    constexpr int default_math = 0, tensor_op_math = 1, standard = 0;
    for (const char* key : {function, "lstm"}) {
        if (!mentioned(key))
            continue;
        const Act plan = act(key, tags_of(rnn));
        if (plan.result)
            return static_cast<int>(*plan.result);
        if (!plan.arithmetic.empty())
            call.fault = plan.arithmetic;
    }
    const int capability = capability_here();
    if (capability == 0)
        return reject(execution_failed, "the CUDA context cannot be used");
    call.tf32 = SIM_MAJOR >= 8 && capability >= 80 && call.shape.dtype == rnncheck::Dtype::fp32 &&
                tf32_allowed(rnn.math == default_math || rnn.math == tensor_op_math);
    call.fast_math =
        capability >= 75 && call.shape.dtype == rnncheck::Dtype::fp32 && rnn.algorithm != standard;
    if (compute == compute_forward && call.reserve && rnn.dropout && rnn.dropout->probability > 0) {
        call.dropout = rnn.dropout->probability;
        call.seed = rnn.dropout->seed;
        call.drawn = rnn.dropout->drawn++;
    }
    compute(call);
    return std::nullopt;
}

}  // namespace sim
