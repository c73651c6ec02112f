// What rnncheck itself costs around the vendor's calls in the standard sweep. The floor is those calls alone, the
// opening of the libraries among them: a fresh process makes them once with a clock around each. Against it stands the
// whole process of the probe rnn_forward, its start and end included. Measured in turn, not asserted. usage:
// LD_LIBRARY_PATH=FOLDER_OF_LIBCUDA sweep_bench RNNCHECK LIBCUDNN [ROUNDS [v8|legacy]]     also with tests/vendor_sim
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
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

void wrap(vendor::CudaApi& api) {
    RNNCHECK_CUDA_FUNCTIONS(WRAP)
}
void wrap(vendor::CudnnApi& api) {
    RNNCHECK_CUDNN_FUNCTIONS(WRAP)
}

double milliseconds_since(Clock::time_point begun) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

/// Adds the time of `work` to that of the vendor's calls. May not be used around wrapped ones.
template <class Work>
auto as_vendor(Work&& work) {
    const InVendor clock;
    return work();
}

/// Vendor calls alone, of one sweep: -1 when one fails.
double vendor_calls_ms(const char* path, Dialect dialect) {
    Trace trace(open("/dev/null", O_WRONLY | O_CLOEXEC));
    const auto gpu = as_vendor([&] { return probes::open_gpu(trace, 0); });
    const vendor::Library library = as_vendor([&] { return open_library(trace, path); });
    if (gpu->failure || !library.handle) return -1;
    vendor::CudnnApi cudnn;
    cudnn.load(library);
    wrap(gpu->cuda);
    wrap(cudnn);
    vendor::Session session{gpu->cuda, cudnn, gpu->check, vendor::cudnn_checker(trace, cudnn)};
    if (start_session(session)) return -1;
    for (const RnnCase& rnn_case : standard_sweep(dialect))
        if (run_lstm(session, dialect, rnn_case, device_image(rnn_case, make_inputs(rnn_case))).failed) return -1;
    return vendor_ms;
}

/// In a process of its own, like the probe: cold memory, libraries not yet open.
double vendor_calls_of_fresh_process_ms(const char* path, Dialect dialect) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    const pid_t child = fork();
    if (child == 0) {
        const double milliseconds = vendor_calls_ms(path, dialect);
        _exit(write(ends[1], &milliseconds, sizeof milliseconds) == sizeof milliseconds ? 0 : 1);
    }
    double milliseconds = -1;
    close(ends[1]);
    if (child < 0 || read(ends[0], &milliseconds, sizeof milliseconds) != sizeof milliseconds) milliseconds = -1;
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return milliseconds;
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

/// Median and best: on a busy machine the best tells more.
struct Figure {
    double median, best;
};

Figure figure(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return {values[values.size() / 2], values.front()};
}

void print(const char* word, double calls, double whole) {
    std::printf("%s: vendor calls %.1f ms, the probe's process %.1f ms, around the calls %.1f ms, %.0f %% of them\n",
                word, calls, whole, whole - calls, 100 * (whole - calls) / calls);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const int rounds = argc > 3 ? std::atoi(argv[3]) : 10;
    const Dialect dialect = argc > 4 && std::string_view(argv[4]) == "legacy" ? Dialect::legacy : Dialect::v8;
    const std::string target = "GPU 0 " + std::string(name_of(dialect)) + " " + argv[2];
    std::vector<double> vendor_times, references, probes;
    for (int i = 0; i < rounds; ++i) {
        vendor_times.push_back(vendor_calls_of_fresh_process_ms(argv[2], dialect));
        if (vendor_times.back() < 0) {
            std::fprintf(stderr, "sweep_bench: %s: not every call of the sweep succeeds\n", argv[2]);
            return 1;
        }
        references.push_back(references_ms(dialect));
        probes.push_back(probe_ms(argv[1], target));
    }
    const Figure calls = figure(vendor_times), whole = figure(probes);
    std::printf("standard sweep, %s, %d rounds; references %.1f ms\n", std::string(name_of(dialect)).c_str(), rounds,
                figure(references).median);
    print("median", calls.median, whole.median);
    print("best", calls.best, whole.best);
}
