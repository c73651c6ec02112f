// What rnncheck itself costs around the vendor's calls in the standard sweep. The floor is those calls alone: in this
// process every vendor function is wrapped by a clock. Against it stands the whole process of the probe rnn_forward,
// its start included. Measured in turn, not asserted.
// usage: LD_LIBRARY_PATH=FOLDER_OF_LIBCUDA sweep_bench RNNCHECK LIBCUDNN [ROUNDS]     also with tests/vendor_sim
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "facts/facts_json.hpp"
#include "isolate/pool.hpp"
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

double milliseconds_since(Clock::time_point begun) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

/// Vendor calls alone, of one sweep.
double vendor_calls_ms(const vendor::Session& session, Dialect dialect) {
    vendor_ms = 0;
    for (const RnnCase& rnn_case : standard_sweep(dialect)) run_lstm(session, dialect, rnn_case, make_inputs(rnn_case));
    return vendor_ms;
}

double references_ms(Dialect dialect) {
    double total = 0;
    for (const RnnCase& rnn_case : standard_sweep(dialect)) {
        const RnnInputs inputs = make_inputs(rnn_case);
        const auto begun = Clock::now();
        reference(rnn_case, inputs);
        total += milliseconds_since(begun);
    }
    return total;
}

/// The probe as the survey runs it.
double probe_ms(const std::string& program, const std::string& target) {
    isolate::Command command;
    command.arguments = {program, "probe", "rnn_forward", target};
    command.input = facts_to_text({});
    command.quiet_limit = std::chrono::minutes(2);
    isolate::Pool pool;
    pool.start(command, [](std::string_view line) { return line == "{\"done\":true}"; });
    return pool.wait([] {}).ending.elapsed_ms;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const int rounds = argc > 3 ? std::atoi(argv[3]) : 10;
    Trace trace(open("/dev/null", O_WRONLY | O_CLOEXEC));
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
    const std::string target = "GPU 0 " + std::string(name_of(dialect)) + " " + argv[2];
    std::vector<double> vendor_times, references, probes;
    for (int i = 0; i < rounds; ++i) {
        vendor_times.push_back(vendor_calls_ms(session, dialect));
        references.push_back(references_ms(dialect));
        probes.push_back(probe_ms(argv[1], target));
    }
    const double calls = median(vendor_times), whole = median(probes);
    std::printf("standard sweep, medians of %d rounds, ms: vendor calls %.1f, references %.1f, the probe's process %.1f\n",
                rounds, calls, median(references), whole);
    std::printf("around the vendor calls: %.1f ms, %.0f %% of them\n", whole - calls, 100 * (whole - calls) / calls);
}
