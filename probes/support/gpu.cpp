#include "support/gpu.hpp"

#include "base/text.hpp"
#include "facts/queries.hpp"

namespace rnncheck::probes {

/// Beyond this a count is no answer, and to query so many GPUs would take
/// forever; the largest machines have some hundred MIG instances.
constexpr std::int64_t most_gpus = 1024;

/// NVML writes the domain with eight digits, CUDA and /sys with
/// four; the latter is compared.
std::string pci_address(std::string_view text) {
    std::string address = lower(text);
    const auto domain = address.find(':');
    if (domain == 8 && address.starts_with("0000"))
        address.erase(0, 4);
    return address;
}

std::string compute_mode_name(int mode) {
    constexpr const char* names[] = {
        "default", "exclusive_thread", "prohibited", "exclusive_process"};
    if (mode < 0 || mode >= int{std::size(names)})
        return "mode " + std::to_string(mode);
    return names[mode];
}

std::optional<int> believable_count(ProbeWriter& writer, const char* call, std::int64_t count) {
    if (count >= 0 && count <= most_gpus)
        return static_cast<int>(count);
    writer.failed(
        {call,
         invalid_result,
         "it reported an implausible number of GPUs: " + std::to_string(count)});
    return std::nullopt;
}

/// Without persistence mode a start costs 1 to 3 seconds for each GPU
/// (https://docs.nvidia.com/deploy/driver-persistence/overview.html).
std::optional<std::chrono::milliseconds> limit_of_other_start(
    std::size_t gpus, std::chrono::milliseconds took) {
    if (gpus == 0)
        return std::nullopt;
    return std::chrono::seconds(8) + static_cast<int>(gpus) * std::chrono::seconds(4) + 10 * took;
}

vendor::Opened<vendor::CudaApi> open_gpu(ProbeWriter& writer, int index) {
    auto cuda = vendor::open_as<vendor::CudaApi>(writer, vendor::driver_library);
    vendor::Calls calls;
    if (cuda.failure)
        calls.result = {
            vendor::opening_of(vendor::driver_library), cuda.failure->code, cuda.failure->text};
    int device = 0;
    vendor::CudaContext context = nullptr;
    calls(cuda, cuda.cuInit, 0u);
    calls(cuda, cuda.cuDeviceGet, &device, index);
    // The primary context is the one the CUDA runtime, and so cuDNN, uses on this device.
    calls(cuda, cuda.cuDevicePrimaryCtxRetain, &context, device);
    calls(cuda, cuda.cuCtxSetCurrent, context);
    cuda.failure = calls.failure();
    return cuda;
}

std::string exclusive_gpu(const std::string& target) {
    return "GPU " + std::to_string(gpu_of_target(target).value_or(0));
}

}  // namespace rnncheck::probes
