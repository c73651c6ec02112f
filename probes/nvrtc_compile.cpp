// Opens one libnvrtc and compiles a test kernel, which needs no GPU: cuDNN 8 and 9 compile some of their kernels so.
#include "process/probe.hpp"
#include "support/libraries.hpp"
#include "vendor/cuda_abi.hpp"

namespace rnncheck::probes::nvrtc_compile {

constexpr const char* kernel = "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2.0f; }\n";

static CallResult compile(const vendor::NvrtcApi& nvrtc, const vendor::Checker& check) {
    vendor::NvrtcProgram program = nullptr;
    const auto created = check(nvrtc.nvrtcCreateProgram, &program, kernel, "twice.cu", 0, nullptr, nullptr);
    if (!created.ok()) return created;
    const auto compiled = check(nvrtc.nvrtcCompileProgram, program, 0, nullptr);
    if (!compiled.ok()) return compiled;
    std::size_t bytes = 0;
    auto sized = check(nvrtc.nvrtcGetPTXSize, program, &bytes);
    if (sized.ok() && bytes <= 1) sized = {nvrtc.nvrtcGetPTXSize.name, missing_symbol, "the compiled program is empty"};
    return sized;
}

static void run(const Job& job, ProbeWriter& writer, const Learn& learn) {
    Facts news;
    Nvrtc& found = news.nvrtcs.emplace_back();
    found.library = job.target;
    const vendor::Library library = vendor::open_library(writer, job.root.outside(job.target));
    found.failure = library.failure;
    if (library.failure) return learn(news);
    vendor::NvrtcApi nvrtc;
    nvrtc.load(library);
    const auto check = vendor::nvrtc_checker(writer, nvrtc);
    int major = 0, minor = 0;
    if (const auto result = check(nvrtc.nvrtcVersion, &major, &minor); result.ok())
        found.version = make_version({major, minor});
    else
        found.failure = result;
    learn(news);
    const CallResult compiled = compile(nvrtc, check);
    found.compiles = compiled.ok();
    if (!compiled.ok() && !found.failure) found.failure = compiled;
    learn(news);
}

extern const Probe probe{.title = "Compiles a test kernel with each NVRTC",
                         .stage = Stage::ask,
                         .limit = std::chrono::seconds(30),
                         .run = run,
                         .targets = installations_to_query<LibraryKind::nvrtc>};

}  // namespace rnncheck::probes::nvrtc_compile
