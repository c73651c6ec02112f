// Opens one libnvrtc and compiles a test kernel, which needs no GPU: cuDNN 8
// and 9 compile some of their kernels so.
#include "process/probe.hpp"
#include "support/libraries.hpp"
#include "vendor/cuda_abi.hpp"

namespace rnncheck::probes::nvrtc_compile {

/// Compiled, not run: libnvrtc loads its builtins for it, which is
/// what fails if they are missing.
constexpr const char* kernel =
    "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2.0f; }\n";

/// The size counts the NUL at the end (nvrtcGetPTXSize), so that 1 is an empty program.
static std::optional<CallResult> compile(const vendor::Opened<vendor::NvrtcApi>& nvrtc) {
    vendor::Calls calls;
    vendor::NvrtcProgram program = nullptr;
    std::size_t bytes = 0;
    calls(nvrtc, nvrtc.nvrtcCreateProgram, &program, kernel, "twice.cu", 0, nullptr, nullptr);
    calls(nvrtc, nvrtc.nvrtcCompileProgram, program, 0, nullptr);
    if (calls(nvrtc, nvrtc.nvrtcGetPTXSize, program, &bytes) && bytes <= 1)
        return CallResult{
            nvrtc.nvrtcGetPTXSize.name, missing_symbol, "the compiled program is empty"};
    return calls.failure();
}

static void run(const Job& job, ProbeWriter& writer) {
    Facts news;
    Nvrtc& found = news.nvrtcs.emplace_back();
    found.library = job.target;
    const auto nvrtc = vendor::open_as<vendor::NvrtcApi>(writer, job.root.outside(job.target));
    found.failure = nvrtc.failure;
    if (found.failure)
        return writer.facts(news);
    int major = 0, minor = 0;
    if (const auto result = nvrtc.check(nvrtc.nvrtcVersion, &major, &minor); result.ok())
        found.version = make_version({major, minor});
    else
        found.failure = result;
    // before the compilation, which may end the process
    writer.facts(news);
    const auto failure = compile(nvrtc);
    found.compiles = !failure;
    if (!found.failure)
        found.failure = failure;
    writer.facts(news);
}

extern const Probe probe{
    .title = "Compiles a test kernel with each NVRTC",
    .stage = Stage::query,
    .limit = std::chrono::seconds(30),
    .run = run,
    .targets = installations_to_query<LibraryKind::nvrtc>};

}  // namespace rnncheck::probes::nvrtc_compile
