// Loads and launches a test kernel on one GPU: the shortest way through driver, JIT compiler and hardware.
#include <array>

#include "facts/queries.hpp"
#include "process/probe.hpp"
#include "support/gpu.hpp"

namespace rnncheck::probes::ptx_launch {

/// Doubles 32 numbers and adds the thread's own to each. PTX 6.0 and sm_30 are understood by every driver since CUDA 9
/// up to those that still know Kepler; newer GPUs compile it for themselves.
constexpr const char* kernel_ptx = R"(
.version 6.0
.target sm_30
.address_size 64
.visible .entry rnncheck_kernel(.param .u64 numbers)
{
    .reg .b32 %r<4>;
    .reg .b64 %a<4>;
    ld.param.u64 %a1, [numbers];
    cvta.to.global.u64 %a1, %a1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %a2, %r1, 4;
    add.s64 %a1, %a1, %a2;
    ld.global.u32 %r2, [%a1];
    mad.lo.u32 %r3, %r2, 2, %r1;
    st.global.u32 [%a1], %r3;
    ret;
}
)";

constexpr unsigned threads = 32;
using Numbers = std::array<unsigned, threads>;

static Numbers numbers_in() {
    Numbers numbers{};
    for (unsigned i = 0; i < threads; ++i) numbers[i] = 1000 + 7 * i;
    return numbers;
}

static bool is_right(const Numbers& found) {
    const Numbers given = numbers_in();
    for (unsigned i = 0; i < threads; ++i)
        if (found[i] != 2 * given[i] + i) return false;
    return true;
}

/// The first call that fails, else the last one.
static CallResult launch(const vendor::Opened<vendor::CudaApi>& cuda, Numbers& numbers) {
    vendor::Calls calls;
    vendor::CudaModule module = nullptr;
    vendor::CudaFunction kernel = nullptr;
    vendor::DevicePointer memory = 0;
    void* parameters[] = {&memory};
    calls(cuda, cuda.cuModuleLoadDataEx, &module, kernel_ptx, 0u, nullptr, nullptr);
    if (calls(cuda, cuda.cuModuleGetFunction, &kernel, module, "rnncheck_kernel") &&
        !calls(cuda, cuda.cuMemAlloc_v2, &memory, sizeof numbers))
        calls.result.bytes = sizeof numbers;
    calls(cuda, cuda.cuMemcpyHtoD_v2, memory, numbers.data(), sizeof numbers);
    calls(cuda, cuda.cuLaunchKernel, kernel, 1u, 1u, 1u, threads, 1u, 1u, 0u, nullptr, parameters, nullptr);
    calls(cuda, cuda.cuCtxSynchronize);
    calls(cuda, cuda.cuMemcpyDtoH_v2, numbers.data(), memory, sizeof numbers);
    return calls.result;
}

static std::vector<std::string> targets(const Facts& facts) {
    std::vector<std::string> names;
    for (const auto& gpu : facts.cuda_devices) names.push_back("GPU " + std::to_string(gpu.index));
    return names;
}

static void run(const Job& job, ProbeWriter& writer, const Learn& learn) {
    Facts news;
    KernelRun& kernel_run = news.kernel_runs.emplace_back();
    kernel_run.gpu = gpu_of_target(job.target).value_or(0);
    const auto session = open_gpu(writer, kernel_run.gpu);
    kernel_run.result = session.failure;
    if (session.failure) return learn(news);
    writer.limit(std::chrono::seconds(20));  // the driver has started, which is what may take long
    Numbers numbers = numbers_in();
    kernel_run.result = launch(session.cuda, numbers);
    if (kernel_run.result->ok()) kernel_run.correct = is_right(numbers);
    learn(news);
}

extern const Probe probe{.title = "Runs a test kernel on each GPU",
                         .stage = Stage::run,
                         .limit = std::chrono::seconds(45),
                         .run = run,
                         .targets = targets,
                         .exclusive = exclusive_gpu,
                         .gate = true};

}  // namespace rnncheck::probes::ptx_launch
