// Loads and launches a test kernel (ptx_launch.ptx) on one GPU: the shortest
// way through driver, JIT compiler and hardware.
#include <array>

#include "facts/queries.hpp"
#include "process/probe.hpp"
#include "support/gpu.hpp"

namespace rnncheck::probes::ptx_launch {

constexpr unsigned threads = 32;
using Numbers = std::array<unsigned, threads>;

/// Another number in each thread: a thread that did not run, or wrote elsewhere, shows.
static Numbers numbers_in() {
    Numbers numbers{};
    for (unsigned i = 0; i < threads; ++i)
        numbers[i] = 1000 + 7 * i;
    return numbers;
}

static bool is_right(const Numbers& found) {
    const Numbers given = numbers_in();
    for (unsigned i = 0; i < threads; ++i)
        if (found[i] != 2 * given[i] + i)
            return false;
    return true;
}

/// The first call that fails, else the last one.
static CallResult launch(const vendor::Opened<vendor::CudaApi>& cuda, Numbers& numbers) {
    vendor::Calls calls;
    vendor::CudaModule module = nullptr;
    vendor::CudaFunction kernel = nullptr;
    vendor::DevicePointer memory = 0;
    void* parameters[] = {&memory};
    calls(
        cuda,
        cuda.cuModuleLoadDataEx,
        &module,
        page_named(kernels(), "ptx_launch").data(),
        0u,
        nullptr,
        nullptr);
    if (calls(cuda, cuda.cuModuleGetFunction, &kernel, module, "rnncheck_kernel") &&
        !calls(cuda, cuda.cuMemAlloc_v2, &memory, sizeof numbers))
        calls.result.bytes = sizeof numbers;
    calls(cuda, cuda.cuMemcpyHtoD_v2, memory, numbers.data(), sizeof numbers);
    calls(
        cuda,
        cuda.cuLaunchKernel,
        kernel,
        1u,
        1u,
        1u,
        threads,
        1u,
        1u,
        0u,
        nullptr,
        parameters,
        nullptr);
    calls(cuda, cuda.cuCtxSynchronize);
    calls(cuda, cuda.cuMemcpyDtoH_v2, numbers.data(), memory, sizeof numbers);
    return calls.result;
}

static std::vector<std::string> targets(const Facts& facts) {
    return mapped(
        facts.cuda_devices, [](const Gpu& gpu) { return "GPU " + std::to_string(gpu.index); });
}

/// The first use of the GPU in a survey: what fails here makes the RNN probes
/// on this GPU pointless (blocks_gpu).
static void run(const Job& job, ProbeWriter& writer) {
    Facts news;
    KernelRun& kernel_run = news.kernel_runs.emplace_back();
    kernel_run.gpu = gpu_of_target(job.target).value_or(0);
    const auto cuda = open_gpu(writer, kernel_run.gpu);
    kernel_run.result = cuda.failure;
    if (cuda.failure)
        return writer.facts(news);
    // the driver has started, which is what may take long
    writer.limit(std::chrono::seconds(20));
    Numbers numbers = numbers_in();
    kernel_run.result = launch(cuda, numbers);
    if (kernel_run.result->ok())
        kernel_run.correct = is_right(numbers);
    writer.facts(news);
}

extern const Probe probe{
    .title = "Runs a test kernel on each GPU",
    .stage = Stage::run,
    .limit = std::chrono::seconds(45),
    .run = run,
    .targets = targets,
    .exclusive = exclusive_gpu,
    .blocks_gpu = true};

}  // namespace rnncheck::probes::ptx_launch
