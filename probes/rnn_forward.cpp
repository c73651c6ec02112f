// Computes recurrent-network cases through one cuDNN on one GPU, the quick
// sweep or the request for, and compares every element with the reference. Each
// case is reported as soon as it ends, so a crash costs that case alone.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <future>
#include <memory>
#include <semaphore>
#include <set>
#include <thread>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "facts/rnn_runs.hpp"
#include "process/probe.hpp"
#include "process/processors.hpp"
#include "process/this_process.hpp"
#include "support/rnn.hpp"
#include "support/windows_limits.hpp"
#include "vendor/lstm.hpp"

namespace rnncheck::probes::rnn_forward {

/// A request for the largest size computes no cases, see rnn_fit.
static std::vector<std::string> targets(const Facts& facts) {
    const bool other_question = facts.rnn_request && facts.rnn_request->fit;
    if (other_question)
        return {};
    return rnn_targets(facts);
}

static std::vector<bool> done(const Job& job) {
    return done_before(job.facts, rnn_target_of(job.target), cases_of(job).size());
}

/// Cases of one group use the same kernels: if one of them ends the
/// process, the others may, too.
static std::string group(const Job& job, int step) {
    return kernels_of(cases_of(job).at(static_cast<std::size_t>(step)));
}

static void record(const Comparison& comparison, RnnRun& run) {
    run.end = comparison.correct ? RunEnd::ok : RunEnd::incorrect;
    run.limit = comparison.limit;
    if (std::isfinite(comparison.largest_error))
        run.largest_error = comparison.largest_error;
    if (!comparison.correct)
        run.where = comparison.worst;
    if (run.rnn_case.dtype == Dtype::fp32)
        run.precision = comparison.precision;
    if (comparison.overflow)
        run.overflow = true;
}

/// What must come out of a case.
struct Expected {
    Computation computation;
    Limits limits;
};

/// A case to run. Its inputs are computed by formula, and its
/// weights too unless it has its own.
struct Step {
    RnnCase rnn_case;
    /// empty for those made by formula
    std::vector<double> weights;
    ReducedPrecision reduced;
    bool done = false;
    std::promise<vendor::DeviceImage> image = {};
    std::promise<Expected> expected = {};

    RnnInputs inputs() const {
        RnnInputs inputs = make_inputs(rnn_case);
        if (!weights.empty())
            use_weights(rnn_case, weights, inputs);
        return inputs;
    }
};

static std::vector<Step> steps_of(const Job& job) {
    const RnnTarget target = rnn_target_of(job.target);
    const std::vector<int> numbers = requested_numbers(job.facts, target);
    const std::vector<bool> is_done = done(job);
    std::vector<Step> steps;
    for (const RnnCase& rnn_case : cases_of(job)) {
        const std::size_t at = steps.size();
        Step& step = steps.emplace_back(
            Step{rnn_case, {}, reduced_precision(job.facts, target.gpu, rnn_case), is_done[at]});
        if (at >= numbers.size())
            continue;
        if (const auto* const own =
                find_by(job.facts.rnn_request->weights, &CaseWeights::number, numbers[at]))
            step.weights = own->weights;
    }
    return steps;
}

/// For a reference: this process' share of the processors, as the probes of all
/// GPUs run at the same time. More than sixteen would only wait for one another.
static int threads_of(const Job& job) {
    const auto gpus = static_cast<int>(std::max<std::size_t>(job.facts.cuda_devices.size(), 1));
    return std::clamp(process::usable_processors() / gpus, 1, 16);
}

/// What goes to the device, and what must come out, of the cases that are not done,
/// made one after the other by a thread of their own beside the vendor's work, a
/// few ahead of it. Each is taken once, and waited for if need be. The thread is
/// not waited for: a reference that nobody needs any more may take minutes.
class ReferencePipeline {
  public:
    ReferencePipeline(std::vector<Step> steps, int threads)
        : work_(std::make_shared<Work>(std::move(steps), threads)) {
        Step* const first = find_by(work_->steps, &Step::done, false);
        if (!first)
            return;
        // Threads start late on a busy machine: the vendor's work begins without it.
        fulfil(
            first->image, [&] { return vendor::device_image(first->rnn_case, first->inputs()); });
        std::thread([work = work_, first] {
            for (Step& step : work->steps) {
                if (step.done)
                    continue;
                work->ahead.acquire();
                if (work->given_up)
                    return;
                prepare(step, &step != first, work->threads);
            }
        }).detach();
    }
    ReferencePipeline(const ReferencePipeline&) = delete;
    ReferencePipeline& operator=(const ReferencePipeline&) = delete;
    ~ReferencePipeline() {
        work_->given_up = true;
        work_->ahead.release();
    }

    const std::vector<Step>& steps() const {
        return work_->steps;
    }
    vendor::DeviceImage image(std::size_t step) {
        work_->ahead.release();
        return work_->steps[step].image.get_future().get();
    }
    void skip() {
        work_->ahead.release();
    }
    /// Reports that time passes, which is not the vendor's. std::bad_alloc
    /// where the case is too large for us.
    Expected expected(std::size_t step, const std::function<void()>& time_passes) {
        constexpr auto often = std::chrono::seconds(1);
        auto future = work_->steps[step].expected.get_future();
        while (future.wait_for(often) == std::future_status::timeout)
            time_passes();
        return future.get();
    }

  private:
    /// Shared with the thread, which may outlive us.
    struct Work {
        Work(std::vector<Step> all, int most_threads)
            : steps(std::move(all)), threads(most_threads) {
        }
        /// as many as the quick sweep has, which none has to wait for
        static constexpr int most_ahead = 24;
        std::vector<Step> steps;
        const int threads;
        std::counting_semaphore<> ahead{most_ahead};
        std::atomic<bool> given_up = false;
    };

    template <class Value, class Make>
    static void fulfil(std::promise<Value>& promise, const Make& make) {
        try {
            promise.set_value(make());
        } catch (const std::bad_alloc&) {
            promise.set_exception(std::current_exception());
        }
    }

    static void prepare(Step& step, bool image_too, int threads) {
        const RnnCase& rnn_case = step.rnn_case;
        const auto inputs =
            std::async(std::launch::deferred, [&] { return step.inputs(); }).share();
        if (image_too)
            fulfil(step.image, [&] { return vendor::device_image(rnn_case, inputs.get()); });
        fulfil(step.expected, [&] {
            Expected expected{compute(rnn_case, inputs.get(), threads), {}};
            expected.limits =
                limits_for(rnn_case, inputs.get(), expected.computation, step.reduced, threads);
            return expected;
        });
    }

    std::shared_ptr<Work> work_;
};

/// Whether the driver compiles this cuDNN's kernels for the GPU, which is newer
/// than all that the library has machine code for; code runs on every later
/// minor of its compute capability (CUDA C++ Programming Guide, binary
/// compatibility). cuDNN reports its newest since 8.6; before, that
/// was 8.6 at the most.
static bool compiles_kernels(const Facts& facts, const RnnTarget& target) {
    const Gpu* const gpu = find_by(facts.cuda_devices, &Gpu::index, target.gpu);
    const Cudnn* const cudnn = find_by(facts.cudnns, &Cudnn::library, target.library);
    return gpu && cudnn && gpu->compute_capability &&
           gpu->compute_capability->major() >
               cudnn->newest_capability.value_or(make_version({8, 6})).major();
}

/// How long cases may be silent. The first of each kind loads its kernels, from a
/// disk that may be slow: how slow shows in the time that opening the libraries took.
class SilenceLimits {
  public:
    SilenceLimits(std::chrono::milliseconds opening, bool compiles)
        : loading_(
              std::chrono::seconds(15) +
              std::min<std::chrono::milliseconds>(10 * opening, std::chrono::seconds(15))),
          compiles_(compiles) {
    }

    std::chrono::milliseconds of(const RnnCase& rnn_case) {
        if (compiles_)
            return computing(rnn_case) + std::chrono::minutes(5);
        std::string kernels = kernels_of(rnn_case) + ' ' + std::string(name_of(rnn_case.cell));
        if (rnn_case.training)
            kernels += " training";
        const bool first = loaded_.insert(kernels).second;
        return computing(rnn_case) + (first ? loading_ : std::chrono::seconds(5));
    }

  private:
    /// A hundred times what a slow GPU needs (docs/speed.md): a launch a step
    /// and layer, and a thousand million multiply-adds a second.
    static std::chrono::milliseconds computing(const RnnCase& c) {
        const double launches =
            double{1} * c.sequence_length * c.pseudo_layers() * (c.training ? 3 : 1);
        return std::chrono::milliseconds(static_cast<long long>(
            launches * (1 + 4e-6 * c.hidden * (c.input + c.hidden) * c.batch)));
    }

    std::chrono::milliseconds loading_;
    bool compiles_;
    std::set<std::string> loaded_;
};

/// Runs the cases one by one.
class Sweep {
  public:
    Sweep(const Job& job, ProbeWriter& writer)
        : job_(job),
          writer_(writer),
          target_(rnn_target_of(job.target)),
          pipeline_(steps_of(job), threads_of(job)) {
    }

    void run() {
        const auto start = std::chrono::steady_clock::now();
        const vendor::Session session = open_rnn(job_, writer_, target_);
        if (session.cudnn.handle)
            query_free_memory(session);
        const WindowsLimits of_windows(job_.facts, session.cuda, target_.gpu);
        SilenceLimits limits(
            std::chrono::duration_cast<std::chrono::milliseconds>(
                std::chrono::steady_clock::now() - start),
            compiles_kernels(job_.facts, target_));
        for (std::size_t step = 0; step < pipeline_.steps().size(); ++step) {
            if (pipeline_.steps()[step].done)
                continue;
            RnnRun run = run_of(target_, pipeline_.steps()[step].rnn_case, static_cast<int>(step));
            if (session.failure) {
                run.skip_reason = SkipReason::gpu_unusable;
                run.result = session.failure;
            } else if (!is_within(of_windows, run)) {
                pipeline_.skip();
            } else
                run_case(session, limits.of(run.rnn_case), run);
            run.free_bytes = free_bytes_;
            // A kernel that went astray leaves a context in which no later call
            // can succeed.
            const bool broken = run.end == RunEnd::failed &&
                                !session.cuda.check(session.cuda.cuCtxSynchronize).ok();
            Facts news;
            news.rnn_runs.push_back(std::move(run));
            writer_.facts(news);
            if (broken)
                return writer_.unusable();
        }
    }

  private:
    bool is_within(const WindowsLimits& limits, RnnRun& run) const {
        run.result = limits.time_exceeded_by(run.rnn_case);
        // as skipped
        if (run.result)
            return false;
        if (free_bytes_)
            run.result = limits.memory_exceeded_by(bytes_needed(run), *free_bytes_);
        if (run.result)
            run.end = RunEnd::out_of_memory;
        return !run.result;
    }

    /// The case is announced before anything of it is called: a crash from
    /// here on costs this case alone.
    void run_case(const vendor::Session& session, std::chrono::milliseconds limit, RnnRun& run) {
        writer_.step(run.number - 1, limit);
        if (came_after(run.rnn_case, rnn_place(job_.facts, target_).cudnn)) {
            run.end = RunEnd::not_supported;
            run.result = {
                "cudnnSetRNNDescriptor_v8",
                missing_symbol,
                "this kind of case requires cuDNN 8.1 or later"};
            return pipeline_.skip();
        }
        try {
            run_and_judge(session, limit, run);
        } catch (const std::bad_alloc&) {
            run.end = RunEnd::skipped;
            run.skip_reason = SkipReason::host_memory;
            run.result = {"rnncheck", -1, "not judged: too large for the memory of the host"};
        }
    }

    void run_and_judge(
        const vendor::Session& session, std::chrono::milliseconds limit, RnnRun& run) {
        const auto step = static_cast<std::size_t>(run.number - 1);
        const vendor::Outputs outputs = run_lstm(session, pipeline_.image(step), run);
        if (run.result) {
            run.end = case_outcome(*run.result);
            if (run.end == RunEnd::out_of_memory)
                query_free_memory(session);
            return;
        }
        const Expected expected =
            pipeline_.expected(step, [&] { writer_.step(run.number - 1, limit); });
        const RnnOutputs& right = expected.computation.outputs;
        record(compare(run.rnn_case, right, outputs.first, outputs.again, expected.limits), run);
    }

    /// Free memory of the GPU as a whole, so what other processes use is not in it.
    void query_free_memory(const vendor::Session& session) {
        std::size_t free_bytes = 0, total = 0;
        if (session.cuda.check(session.cuda.cuMemGetInfo_v2, &free_bytes, &total).ok())
            free_bytes_ = static_cast<std::int64_t>(free_bytes);
    }

    const Job& job_;
    ProbeWriter& writer_;
    RnnTarget target_;
    ReferencePipeline pipeline_;
    std::optional<std::int64_t> free_bytes_;
};

/// References of many cases are computed beside: what they free is used again at once.
static void run(const Job& job, ProbeWriter& writer) {
    process::keep_freed_memory();
    Sweep(job, writer).run();
}

extern const Probe probe{
    .title = "Runs LSTMs with each cuDNN on each GPU and checks every result",
    .stage = Stage::run,
    .limit = std::chrono::seconds(45),
    .run = run,
    .targets = targets,
    .steps = Steps{done, lost_cases, group},
    .exclusive = exclusive_gpu};

}  // namespace rnncheck::probes::rnn_forward
