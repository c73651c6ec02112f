// The simulated libcudnn: what every major exports.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "cudnn_state.hpp"

using namespace rnncheck::vendor;
using namespace sim;

#if SIM_MAJOR == 7
#define EVERY_CUDNN_FUNCTION(X) RNNCHECK_CUDNN_EVERYWHERE(X) RNNCHECK_CUDNN_LEGACY(X)
#elif SIM_MAJOR == 8
#define EVERY_CUDNN_FUNCTION(X)  \
    RNNCHECK_CUDNN_EVERYWHERE(X) \
    RNNCHECK_CUDNN_LEGACY(X)     \
    RNNCHECK_CUDNN_V8(X) RNNCHECK_CUDNN_CHECKS_8(X) RNNCHECK_CUDNN_SINCE_8_6(X)
#else
#define EVERY_CUDNN_FUNCTION(X)  \
    RNNCHECK_CUDNN_EVERYWHERE(X) \
    RNNCHECK_CUDNN_V8(X) RNNCHECK_CUDNN_CHECKS_9(X) RNNCHECK_CUDNN_SINCE_8_6(X)
#endif
SIM_EXPORTS(EVERY_CUDNN_FUNCTION)
SIM_LOAD_AND_EXIT("libcudnn")

namespace {

CudnnCallback callback = nullptr;
unsigned callback_mask = 0;
void* callback_data = nullptr;
std::string last_error;

constexpr Status statuses[] = {
    not_initialized,
    bad_param,
    execution_failed,
    not_supported,
    part_mismatch,
    part_unloadable,
    {"CUDNN_STATUS_SUCCESS", 0, 0},
    {"CUDNN_STATUS_ALLOC_FAILED", 2, 4003},
    {"CUDNN_STATUS_INTERNAL_ERROR", 4, 4000},
    {"CUDNN_STATUS_INVALID_VALUE", 5, 2001},
    {"CUDNN_STATUS_ARCH_MISMATCH", 6, 3007},
    {"CUDNN_STATUS_MAPPING_ERROR", 7, 4006},
    {"CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING", 11, 3008}};

template <class Descriptor>
int make(
    const char* function, Descriptor** descriptor, std::optional<Sublibrary> part = std::nullopt) {
    if (const auto status = entering(function, part))
        return *status;
    if (!descriptor)
        return reject(bad_param, "!descriptor");
    *descriptor = new Descriptor;
    return 0;
}

template <class Descriptor>
int destroy(const char* function, Descriptor* descriptor) {
    if (const auto status = entering(function))
        return *status;
    delete descriptor;
    return 0;
}

bool good_sizes(int dimensions, const int* sizes) {
    return sizes && dimensions >= 1 && dimensions <= 8 &&
           std::all_of(sizes, sizes + dimensions, [](int size) { return size > 0; });
}

void give(const std::vector<int>& from, int wanted, int* to) {
    std::copy_n(
        from.begin(), std::min<std::size_t>(from.size(), static_cast<std::size_t>(wanted)), to);
}

[[maybe_unused]] int check_part(const char* function, Sublibrary part) {
    if (const auto status = entering(function, part))
        return *status;
    return version_of(part) == coded_version() ? 0
                                               : reject(part_mismatch, "a part of another version");
}

}  // namespace

int sim::reject(const Status& status, const char* reason) {
    constexpr int error = 1, warning = 2;
    const int severity = status.number() == not_supported.number() ? warning : error;
    if (SIM_MAJOR < 9)
        return status.number();  // whether 7 and 8 give reasons is not known
    const std::string line = std::string(severity == warning ? "Warning: " : "Error: ") +
                             status.name + "; Reason: " + reason;
    if (severity == error)
        last_error = line;
    if (callback && (callback_mask & 1U << severity))
        callback(severity, callback_data, nullptr, (line + '\0').c_str());
    return status.number();
}

std::size_t cudnnGetVersion() {
    if (SIM_MAJOR == 8)
        unavailable(Sublibrary::ops);
    const auto forced = entering(__func__);
    return static_cast<std::size_t>(forced ? *forced : coded_version());
}

std::size_t cudnnGetCudartVersion() {
    if (const auto forced = entering(__func__))
        return static_cast<std::size_t>(*forced);
    const std::string text = setting(
        "cudnn_cuda",
        SIM_MAJOR == 7   ? "10.2"
        : SIM_MAJOR == 8 ? "12.2"
                         : "12.9");
    return static_cast<std::size_t>(
        std::stoi(text) * 1000 + std::stoi(text.substr(text.find('.') + 1)) * 10);
}

const char* cudnnGetErrorString(int code) {
    if (act(__func__, {"libcudnn", "libcudnn" + std::to_string(SIM_MAJOR)}).result)
        return nullptr;
    for (const Status& status : statuses)
        if (status.number() == code)
            return status.name;
    return "CUDNN_UNKNOWN_STATUS";
}

int cudnnSetCallback(unsigned mask, void* data, CudnnCallback function) {
    if (const auto status = entering(__func__))
        return *status;
    callback = function;
    callback_mask = mask;
    callback_data = data;
    return 0;
}

int cudnnCreate(CudnnHandle* handle) {
    if (const auto status = entering(__func__, Sublibrary::ops))
        return *status;
    const auto device = current_device();
    if (!device)
        return reject(not_initialized, "cudaGetDeviceCount(&count) != cudaSuccess");
    *handle = new OpaqueCudnnHandle{*device};
    return 0;
}

int cudnnCreateRNNDescriptor(RnnDescriptor* descriptor) {
    return make(__func__, descriptor, Sublibrary::adv);
}
int cudnnCreateRNNDataDescriptor(RnnDataDescriptor* descriptor) {
    return make(__func__, descriptor, Sublibrary::adv);
}
int cudnnCreateTensorDescriptor(TensorDescriptor* descriptor) {
    return make(__func__, descriptor);
}
int cudnnCreateDropoutDescriptor(DropoutDescriptor* descriptor) {
    return make(__func__, descriptor);
}
int cudnnCreateFilterDescriptor(FilterDescriptor* descriptor) {
    return make(__func__, descriptor);
}
int cudnnDestroyRNNDescriptor(RnnDescriptor descriptor) {
    return destroy(__func__, descriptor);
}
int cudnnDestroyRNNDataDescriptor(RnnDataDescriptor descriptor) {
    return destroy(__func__, descriptor);
}
int cudnnDestroyTensorDescriptor(TensorDescriptor descriptor) {
    return destroy(__func__, descriptor);
}
int cudnnDestroyFilterDescriptor(FilterDescriptor descriptor) {
    return destroy(__func__, descriptor);
}
int cudnnDestroyDropoutDescriptor(DropoutDescriptor descriptor) {
    return destroy(__func__, descriptor);
}

int cudnnDropoutGetStatesSize(CudnnHandle handle, std::size_t* bytes) {
    if (const auto status = entering(__func__))
        return *status;
    if (!handle || !bytes)
        return reject(bad_param, "!handle");
    *bytes = 1 << 20;
    return 0;
}

int cudnnSetDropoutDescriptor(
    DropoutDescriptor descriptor,
    CudnnHandle handle,
    float dropout,
    void* states,
    std::size_t,
    unsigned long long seed) {
    if (const auto status = entering(__func__))
        return *status;
    if (!descriptor || !handle || (dropout > 0 && !states))
        return reject(bad_param, "!handle");
    *descriptor = {true, dropout, seed, 0};
    return 0;
}

int cudnnSetTensorNdDescriptor(
    TensorDescriptor descriptor, int type, int dimensions, const int* sizes, const int* strides) {
    if (const auto status = entering(__func__))
        return *status;
    if (!descriptor || !strides || !good_sizes(dimensions, sizes))
        return reject(bad_param, "a size below 1");
    *descriptor = {type, {sizes, sizes + dimensions}, {strides, strides + dimensions}};
    return 0;
}

int cudnnGetTensorNdDescriptor(
    TensorDescriptor descriptor, int wanted, int* type, int* dimensions, int* sizes, int* strides) {
    if (const auto status = entering(__func__))
        return *status;
    if (!descriptor)
        return reject(bad_param, "!descriptor");
    *type = descriptor->type;
    *dimensions = static_cast<int>(descriptor->sizes.size());
    give(descriptor->sizes, wanted, sizes);
    give(descriptor->strides, wanted, strides);
    return 0;
}

int cudnnSetFilterNdDescriptor(
    FilterDescriptor descriptor, int type, int format, int dimensions, const int* sizes) {
    if (const auto status = entering(__func__))
        return *status;
    if (!descriptor || !good_sizes(dimensions, sizes))
        return reject(bad_param, "a size below 1");
    *descriptor = {type, format, {sizes, sizes + dimensions}};
    return 0;
}

int cudnnGetFilterNdDescriptor(
    FilterDescriptor descriptor, int wanted, int* type, int* format, int* dimensions, int* sizes) {
    if (const auto status = entering(__func__))
        return *status;
    if (!descriptor)
        return reject(bad_param, "!descriptor");
    *type = descriptor->type;
    *format = descriptor->format;
    *dimensions = static_cast<int>(descriptor->sizes.size());
    give(descriptor->sizes, wanted, sizes);
    return 0;
}

int cudnnSetRNNDataDescriptor(
    RnnDataDescriptor descriptor,
    int type,
    int layout,
    int steps,
    int batch,
    int width,
    const int* lengths,
    void* fill) {
    constexpr int packed = 1, longest = 65535;
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!descriptor || steps < 1 || batch < 1 || width < 1 || !lengths || layout < 0 || layout > 2)
        return reject(bad_param, "a size below 1 or no lengths");
    if (type != 0 && type != 1 && type != 2 && type != 9)
        return reject(not_supported, "dataType");
    if (steps > longest)
        return reject(not_supported, "maxSeqLength > (0x7fff*2+1)");
    const std::vector<int> given(lengths, lengths + batch);
    const int shortest_allowed = layout == packed || SIM_MAJOR == 7 ? 1 : 0;
    if (std::ranges::any_of(
            given, [&](int length) { return length < shortest_allowed || length > steps; }))
        return reject(bad_param, "a sequence length out of range");
    if (layout == packed &&
        (given.front() != steps || !std::ranges::is_sorted(given, std::greater<>())))
        return reject(bad_param, "packed sequences must be sorted by length");
    *descriptor = {type, layout, steps, batch, width, given, {}};
    if (fill) {
        const auto* const bytes = static_cast<const std::byte*>(fill);
        descriptor->fill.assign(bytes, bytes + bytes_of(static_cast<Storage>(type)));
    }
    return 0;
}

#if SIM_MAJOR >= 8
std::size_t cudnnGetMaxDeviceVersion() {
    if (const auto forced = entering(__func__))
        return static_cast<std::size_t>(*forced);
    return static_cast<std::size_t>(number("cudnn_max_device", SIM_MAJOR == 8 ? 900 : 1210));
}
#endif

#if SIM_MAJOR == 8
int cudnnOpsInferVersionCheck() {
    return check_part(__func__, Sublibrary::ops);
}
int cudnnAdvInferVersionCheck() {
    return check_part(__func__, Sublibrary::adv);
}
#endif

#if SIM_MAJOR >= 9
int cudnnOpsVersionCheck() {
    return check_part(__func__, Sublibrary::ops);
}
int cudnnGraphVersionCheck() {
    return check_part(__func__, Sublibrary::graph);
}
int cudnnAdvVersionCheck() {
    return check_part(__func__, Sublibrary::adv);
}

void cudnnGetLastErrorString(char* text, std::size_t size) {
    if (entering(__func__))
        return;
    std::snprintf(text, size, "%s", last_error.c_str());
    last_error.clear();
}
#endif
