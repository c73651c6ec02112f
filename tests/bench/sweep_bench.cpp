// What rnncheck itself costs around the vendor's calls in the standard sweep: every vendor function is wrapped by a
// clock, and the rest of the time is ours. Measured, not asserted.
// usage: sweep_bench FOLDER_OF_LIBCUDA LIBCUDNN [ROUNDS]     FOLDER may be a simulated machine's (tests/vendor_sim)
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "support/gpu_session.hpp"
#include "vendor/lstm.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::vendor;
using Clock = std::chrono::steady_clock;

double vendor_ms = 0;

struct InVendor {
    Clock::time_point begun = Clock::now();
    ~InVendor() { vendor_ms += std::chrono::duration<double, std::milli>(Clock::now() - begun).count(); }
};

/// One wrapper per function: `Tag` keeps functions of the same type apart.
template <int Tag, class Signature>
struct Timed;
template <int Tag, class Result, class... Parameters>
struct Timed<Tag, Result(Parameters...)> {
    static inline Result (*real)(Parameters...) = nullptr;
    static Result call(Parameters... parameters) {
        const InVendor clock;
        return real(parameters...);
    }
};

#define WRAP(name, result, parameters)                         \
    if (api.name) {                                            \
        using Wrapper = Timed<__COUNTER__, result parameters>; \
        Wrapper::real = api.name.function;                     \
        api.name.function = &Wrapper::call;                    \
    }

void wrap(vendor::CudaApi& api) { RNNCHECK_CUDA_FUNCTIONS(WRAP) }
void wrap(vendor::CudnnApi& api) { RNNCHECK_CUDNN_FUNCTIONS(WRAP) }

struct Cost {
    double vendor = 0, total = 0, references = 0;
};

Cost sweep_once(const vendor::Session& session, Dialect dialect) {
    Cost cost;
    vendor_ms = 0;
    const auto begun = Clock::now();
    for (const RnnCase& rnn_case : standard_sweep(dialect)) {
        const RnnInputs inputs = make_inputs(rnn_case);
        const vendor::LstmRun run = run_lstm(session, dialect, rnn_case, inputs);
        if (run.failed) continue;
        const auto reference_begun = Clock::now();
        const RnnOutputs expected = reference(rnn_case, inputs);
        cost.references += std::chrono::duration<double, std::milli>(Clock::now() - reference_begun).count();
        compare(rnn_case, expected, run.outputs, limits_for(rnn_case, true));
    }
    cost.total = std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
    cost.vendor = vendor_ms;
    return cost;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const int rounds = argc > 3 ? std::atoi(argv[3]) : 10;
    Trace trace(open("/dev/null", O_WRONLY | O_CLOEXEC));
    open_library(trace, std::string(argv[1]) + "/libcuda.so.1");
    const auto gpu = probes::open_gpu(trace, 0);
    const vendor::Library library = open_library(trace, argv[2]);
    if (gpu->failure || !library.handle) {
        std::fprintf(stderr, "sweep_bench: %s%s\n", library.error.c_str(), gpu->failure ? gpu->failure->text.c_str() : "");
        return 1;
    }
    vendor::CudnnApi cudnn;
    cudnn.load(library);
    wrap(gpu->cuda);
    wrap(cudnn);
    vendor::Session session{gpu->cuda, cudnn, gpu->check, vendor::cudnn_checker(trace, cudnn)};
    if (start_session(session)) return 1;
    const Dialect dialect = cudnn.speaks_v8() ? Dialect::v8 : Dialect::legacy;
    std::vector<Cost> costs;
    for (int i = 0; i < rounds; ++i) costs.push_back(sweep_once(session, dialect));
    std::sort(costs.begin(), costs.end(), [](const Cost& a, const Cost& b) { return a.total - a.vendor < b.total - b.vendor; });
    const Cost& median = costs[costs.size() / 2];
    std::printf("standard sweep, median of %d rounds, ms: total %.1f, vendor calls %.1f, ours %.1f (references %.1f)\n",
                rounds, median.total, median.vendor, median.total - median.vendor, median.references);
    std::printf("ours / vendor calls: %.0f %%\n", 100 * (median.total - median.vendor) / median.vendor);
}
