// Opens one libcudart and queries its version and the driver it
// sees. Neither call needs a GPU.
#include "process/probe.hpp"
#include "support/libraries.hpp"
#include "vendor/cuda_abi.hpp"

namespace rnncheck::probes::cuda_runtime {

static void run(const Job& job, ProbeWriter& writer) {
    Facts news;
    Runtime& runtime = news.runtimes.emplace_back();
    runtime.library = job.target;
    const auto cudart = vendor::open_as<vendor::CudartApi>(writer, job.root.outside(job.target));
    runtime.failure = cudart.failure;
    if (runtime.failure)
        return writer.facts(news);
    int number = 0;
    if (const auto result = cudart.check(cudart.cudaRuntimeGetVersion, &number); result.ok())
        runtime.version = cuda_version_from_number(number);
    else
        runtime.failure = result;
    // 0 where no driver is installed (cudaDriverGetVersion), which is no error
    // of the runtime
    number = 0;
    if (cudart.check(cudart.cudaDriverGetVersion, &number).ok())
        runtime.driver_version_seen = cuda_version_from_number(number);
    writer.facts(news);
}

extern const Probe probe{
    .title = "Queries the version of each CUDA runtime",
    .stage = Stage::query,
    .limit = std::chrono::seconds(20),
    .run = run,
    .targets = installations_to_query<LibraryKind::cudart>};

}  // namespace rnncheck::probes::cuda_runtime
