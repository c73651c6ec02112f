// What rnncheck itself costs around the vendor's calls in a sweep. The floor is those calls alone,
// the opening of the libraries among them: a fresh process makes them once with a clock around
// each. Beside it is the whole process of the probe rnn_forward, its start and end included.
// Measured in turn, not asserted. usage: LD_LIBRARY_PATH=DIRECTORY_OF_LIBCUDA sweep_bench RNNCHECK
// LIBCUDNN [ROUNDS [v8|legacy [LEVEL]]] The level is standard unless specified. The cuDNN of
// tests/vendor_sim, which computes on the processor, also shows how long it computed in the very
// process that is measured; its other calls count as ours then.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "facts/facts.hpp"
#include "process/child.hpp"
#include "support/gpu.hpp"
#include "vendor/lstm.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::vendor;
using Clock = std::chrono::steady_clock;

double vendor_ms = 0;

struct InVendor {
    Clock::time_point begun = Clock::now();
    ~InVendor() {
        vendor_ms += std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
    }
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

/// Vendor calls alone: those of the cases, and with them those that open the libraries and begin a
/// session.
struct VendorTimes {
    double cases = -1, all = -1;  ///< -1 when a call failed
};

VendorTimes vendor_calls(const char* path, RnnApi rnn_api, Level level) {
    ProbeWriter writer(open("/dev/null", O_WRONLY | O_CLOEXEC));
    vendor::Session session{as_vendor([&] { return probes::open_gpu(writer, 0); }), as_vendor([&] {
                                return vendor::open_as<vendor::CudnnApi>(writer, path);
                            })};
    if (session.cuda.failure || session.cudnn.failure)
        return {};
    wrap(session.cuda);
    wrap(session.cudnn);
    start(session);
    if (session.failure)
        return {};
    const double opening = vendor_ms;
    for (const RnnCase& rnn_case : sweep(level, rnn_api)) {
        RnnRun run;
        run.rnn_api = rnn_api;
        run.rnn_case = rnn_case;
        run_lstm(session, device_image(rnn_case, make_inputs(rnn_case)), run);
        if (run.result)
            return {};
    }
    return {vendor_ms - opening, vendor_ms};
}

/// In a process of its own, like the probe: cold memory, libraries not yet open.
VendorTimes vendor_calls_of_fresh_process(const char* path, RnnApi rnn_api, Level level) {
    int ends[2];
    if (pipe(ends) != 0)
        return {};
    const pid_t child = fork();
    if (child == 0) {
        const VendorTimes times = vendor_calls(path, rnn_api, level);
        _exit(write(ends[1], &times, sizeof times) == sizeof times ? 0 : 1);
    }
    VendorTimes times;
    close(ends[1]);
    if (child < 0 || read(ends[0], &times, sizeof times) != sizeof times)
        times = {};
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return times;
}

double references_ms(RnnApi rnn_api, Level level) {
    double total = 0;
    for (const RnnCase& rnn_case : sweep(level, rnn_api)) {
        const RnnInputs inputs = make_inputs(rnn_case);
        const auto begun = Clock::now();
        reference(rnn_case, inputs);
        total += milliseconds_since(begun);
    }
    return total;
}

std::string work_file() {
    return "/tmp/sweep_bench." + std::to_string(getpid());
}

/// The probe as the survey runs it: the sweep from its first case to its last word, and the process
/// around it.
struct ProbeTimes {
    double sweep = 0, process = 0;
    double work = 0;  ///< of a simulated cuDNN, in that process; 0 for a real one
};

ProbeTimes probe_times(const std::string& program, const std::string& target, Level level) {
    process::Command command;
    command.arguments = {
        program,
        "probe",
        "--facts-from",
        std::to_string(process::wire().input),
        "--answer-to",
        std::to_string(process::wire().answer),
        "rnn_forward",
        target};
    Facts facts;
    facts.rnn_request.emplace().level = level;
    command.input = facts_to_text(facts);
    command.quiet_limit = std::chrono::minutes(2);
    ProbeTimes times;
    auto begun = Clock::now();
    const ProbeRun run = process::run(command, [&](std::string_view line) {
        if (contains(line, "\"step\":0}"))
            begun = Clock::now();
        const bool done = line == "{\"done\":true}";
        if (done)
            times.sweep = milliseconds_since(begun);
        return LineMeaning{done};
    });
    times.process = run.elapsed_ms;
    std::ifstream sums(work_file());
    while (sums >> times.work)
        continue;
    return times;
}

/// Median and best: on a busy machine the best shows more.
struct Figure {
    double median, best;
};

Figure figure(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return {values[values.size() / 2], values.front()};
}

void print(const char* what, const char* word, double calls, double all) {
    std::printf(
        "%s, %s: vendor calls %.1f ms, with ours %.1f ms: %.1f ms, %.0f %% of the calls\n",
        what,
        word,
        calls,
        all,
        all - calls,
        100 * (all - calls) / calls);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3)
        return 2;
    const int rounds = argc > 3 ? std::atoi(argv[3]) : 10;
    const RnnApi rnn_api =
        argc > 4 && std::string_view(argv[4]) == "legacy" ? RnnApi::legacy : RnnApi::v8;
    const Level level =
        argc > 5 ? from_name<Level>(argv[5]).value_or(Level::standard) : Level::standard;
    const std::string target = "GPU 0 " + std::string(name_of(rnn_api)) + " " + argv[2];
    setenv("SIM", ("work_ms_to=" + work_file()).c_str(), 0);
    std::vector<double> case_calls, all_calls, references, sweeps, works, over_work, probes;
    for (int i = 0; i < rounds; ++i) {
        const VendorTimes vendor_times = vendor_calls_of_fresh_process(argv[2], rnn_api, level);
        if (vendor_times.cases < 0) {
            std::fprintf(
                stderr, "sweep_bench: %s: not every call of the sweep succeeds\n", argv[2]);
            return 1;
        }
        case_calls.push_back(vendor_times.cases);
        all_calls.push_back(vendor_times.all);
        references.push_back(references_ms(rnn_api, level));
        const ProbeTimes times = probe_times(argv[1], target, level);
        sweeps.push_back(times.sweep);
        works.push_back(times.work);
        over_work.push_back(times.sweep - times.work);
        probes.push_back(times.process);
    }
    const Figure cases = figure(case_calls), calls = figure(all_calls), sweep = figure(sweeps),
                 whole = figure(probes);
    std::printf(
        "%s level, %s, %d rounds; references %.1f ms\n",
        std::string(name_of(level)).c_str(),
        std::string(name_of(rnn_api)).c_str(),
        rounds,
        figure(references).median);
    print("the sweep", "median", cases.median, sweep.median);
    print("the sweep", "best", cases.best, sweep.best);
    if (figure(works).median > 0) {
        const Figure work = figure(works), over = figure(over_work);
        std::printf(
            "the sweep beside its own cuDNN's work, median: %.1f ms of work and %.1f ms around it, "
            "%.1f %%\n",
            work.median,
            over.median,
            100 * over.median / work.median);
    }
    print("with the start and end of its process", "median", calls.median, whole.median);
    print("with the start and end of its process", "best", calls.best, whole.best);
    unlink(work_file().c_str());
}
