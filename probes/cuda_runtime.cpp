// Opens one libcudart and asks for its version and the driver it sees. Neither call needs a GPU.
#include "process/probe.hpp"
#include "support/copies.hpp"
#include "vendor/cudart_abi.hpp"

namespace rnncheck::probes::cuda_runtime {

namespace {

std::vector<std::string> targets(const Facts& facts) {
    return copies_to_ask(facts, LibraryKind::cudart);
}

Runtime ask(const Job& job, Trace& trace) {
    Runtime runtime;
    runtime.library = job.target;
    const vendor::Library library = vendor::open_library(trace, job.root.outside(job.target));
    if (!library.handle) {
        runtime.failure = CallResult{"dlopen", vendor::missing_symbol, library.error};
        return runtime;
    }
    vendor::CudartApi cudart;
    cudart.load(library);
    const auto check = vendor::cudart_checker(trace, cudart);
    int number = 0;
    if (const auto result = check(cudart.cudaRuntimeGetVersion, &number); result.ok())
        runtime.version = cuda_version_from_number(number);
    else
        runtime.failure = result;
    number = 0;
    if (check(cudart.cudaDriverGetVersion, &number).ok())
        runtime.driver_version_seen = cuda_version_from_number(number);
    return runtime;
}

void run(const Job& job, Trace& trace, const Learn& learn) {
    Facts news;
    news.runtimes.push_back(ask(job, trace));
    learn(news);
}

}  // namespace

extern const Probe probe{.title = "Queries the version of each CUDA runtime",
                         .stage = Stage::ask,
                         .limit = std::chrono::seconds(20),
                         .run = run,
                         .targets = targets};

}  // namespace rnncheck::probes::cuda_runtime
