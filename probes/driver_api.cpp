// Opens libcuda.so.1 as every CUDA program does and queries what it
// supports and which GPUs it shows.
#include <filesystem>

#include "base/text.hpp"
#include "files/gpu_libraries.hpp"
#include "process/probe.hpp"
#include "support/gpu.hpp"
#include "vendor/cuda_abi.hpp"

namespace rnncheck::probes::driver_api {

using Cuda = vendor::Opened<vendor::CudaApi>;

/// As NVML and nvidia-smi write it, so that it is the same text in both: GPU-1f2e3d4c-...
static std::string uuid_text(const vendor::CudaUuid& uuid) {
    std::string text = "GPU-";
    for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text += '-';
        append_hex(text, static_cast<unsigned char>(uuid.bytes[i]));
    }
    return text;
}

static Gpu query_gpu(const Cuda& cuda, int index) {
    Gpu gpu;
    gpu.index = index;
    int device = 0;
    const auto get = [&](const auto& symbol, auto... arguments) {
        return cuda.check(symbol, arguments...).ok();
    };
    if (!get(cuda.cuDeviceGet, &device, index))
        return gpu;
    char text[256] = {};
    if (get(cuda.cuDeviceGetName, text, int{sizeof text}, device))
        gpu.name = valid_utf8(text_in(text));
    if (get(cuda.cuDeviceGetPCIBusId, text, int{sizeof text}, device))
        gpu.pci = pci_address(text_in(text));
    vendor::CudaUuid uuid{};
    if (get(cuda.cuDeviceGetUuid, &uuid, device))
        gpu.uuid = uuid_text(uuid);
    std::size_t bytes = 0;
    if (get(cuda.cuDeviceTotalMem_v2, &bytes, device))
        gpu.memory_total_mib = static_cast<std::int64_t>(bytes >> 20);
    const auto attribute = [&](vendor::DeviceAttribute which) -> std::optional<int> {
        int value = 0;
        if (!get(cuda.cuDeviceGetAttribute, &value, int{which}, device))
            return std::nullopt;
        return value;
    };
    gpu.multiprocessors = attribute(vendor::multiprocessor_count);
    constexpr int khz_per_mhz = 1000;
    if (const auto khz = attribute(vendor::clock_rate))
        gpu.clock_mhz = *khz / khz_per_mhz;
    if (const auto khz = attribute(vendor::memory_clock_rate))
        gpu.memory_clock_mhz = *khz / khz_per_mhz;
    gpu.memory_bus_bits = attribute(vendor::memory_bus_width);
    if (const auto mode = attribute(vendor::compute_mode))
        gpu.compute_mode = compute_mode_name(*mode);
    const auto major = attribute(vendor::capability_major);
    const auto minor = attribute(vendor::capability_minor);
    if (major && minor)
        gpu.compute_capability = make_version({*major, *minor});
    return gpu;
}

/// libcuda.so.1 is a link; the file behind it has the driver's version in its
/// name: libcuda.so.535.104.05.
static Facts about_library(const vendor::Library& library) {
    Facts news;
    std::error_code no_such_file;
    const std::string real =
        std::filesystem::canonical(library.path, no_such_file).generic_string();
    news.driver.library = real;
    if (real.empty())
        news.driver.library = library.path;
    if (const auto name = loader::library_name(file_name(real)))
        news.driver.library_version = name->product_version();
    return news;
}

/// Without persistence mode the driver lets go of a GPU with the last process that uses it and
/// starts again for the next one, in this survey too:
/// https://docs.nvidia.com/deploy/driver-persistence/overview.html
constexpr std::chrono::seconds slow_start(3);

/// One report after each call: what was found before a crash or a hang is kept.
static void run(const Job&, ProbeWriter& writer) {
    const auto start = std::chrono::steady_clock::now();
    const auto cuda = vendor::open_as<vendor::CudaApi>(writer, vendor::driver_library);
    if (!cuda.handle)
        return;
    writer.facts(about_library(cuda));

    Facts version;
    int number = 0;
    if (cuda.check(cuda.cuDriverGetVersion, &number).ok())
        version.driver.cuda_version = cuda_version_from_number(number);
    writer.facts(version);

    Facts init;
    init.driver.init = cuda.check(cuda.cuInit, 0u);
    writer.facts(init);
    int count = 0;
    // The GPUs stay started for the probes that follow, which then do not wait again.
    if (std::chrono::steady_clock::now() - start > slow_start)
        writer.stay();
    if (!init.driver.init->ok() || !cuda.check(cuda.cuDeviceGetCount, &count).ok())
        return;
    const int gpus = believable_count(writer, cuda.cuDeviceGetCount.name, count).value_or(0);
    for (int index = 0; index < gpus; ++index) {
        Facts news;
        news.cuda_devices.push_back(query_gpu(cuda, index));
        writer.facts(news);
    }
}

extern const Probe probe{
    .title = "Queries the driver library for its CUDA version and GPUs",
    .stage = Stage::query,
    .limit = std::chrono::seconds(45),
    .run = run,
    .start_limit = [](const Facts& found, std::chrono::milliseconds took) {
        return limit_of_other_start(found.cuda_devices.size(), took);
    }};

}  // namespace rnncheck::probes::driver_api
