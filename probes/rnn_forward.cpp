// Computes recurrent-network cases through one cuDNN on one GPU, the quick sweep or what was asked for, and compares
// every element with the reference. Each case is reported as soon as it ends, so a crash costs that case alone.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <semaphore>
#include <set>
#include <thread>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "facts/rnn_runs.hpp"
#include "process/probe.hpp"
#include "support/rnn.hpp"
#include "vendor/lstm.hpp"

namespace rnncheck::probes::rnn_forward {

static std::vector<std::string> targets(const Facts& facts) {
    const bool other_question = facts.rnn_request && facts.rnn_request->fit;
    return other_question ? std::vector<std::string>() : rnn_targets(facts);
}

static std::vector<bool> done(const Job& job) {
    return done_before(job.facts, rnn_target_of(job.target), cases_of(job).size());
}

static std::string group(const Job& job, int step) {
    return kernels_of(cases_of(job).at(static_cast<std::size_t>(step)));
}

static std::string hexadecimal(std::uint64_t value) {
    std::string text;
    for (int shift = 56; shift >= 0; shift -= 8) append_hex(text, static_cast<unsigned char>(value >> shift));
    return text;
}

static void record_numbers(const vendor::LstmRun& lstm, const Comparison& comparison, RnnRun& run) {
    run.end = comparison.correct ? RunEnd::ok : RunEnd::incorrect;
    run.limit = comparison.limit;
    if (std::isfinite(comparison.largest_error)) run.largest_error = comparison.largest_error;
    if (!comparison.correct) run.where = comparison.worst;
    if (run.rnn_case.dtype == Dtype::fp32) run.precision = comparison.precision;
    run.bitwise_repeatable = lstm.repeatable;
    run.digest = hexadecimal(lstm.digest);
    if (comparison.overflow) run.overflow = true;
    run.workspace_bytes = static_cast<std::int64_t>(lstm.workspace_bytes);
    run.weight_bytes = static_cast<std::int64_t>(lstm.weight_bytes);
    if (run.rnn_case.training) run.reserve_bytes = static_cast<std::int64_t>(lstm.reserve_bytes);
    run.first_ms = lstm.first_ms;
    run.repeat_ms = lstm.repeat_ms;
}

/// What goes into the cases, one by one: made by formula, but for weights of their own.
class Inputs {
  public:
    Inputs(const Facts& facts, const RnnTarget& target, std::vector<RnnCase> cases) : cases_(std::move(cases)) {
        const std::vector<int> numbers = requested_numbers(facts, target);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (const auto* const own = find_by(facts.rnn_request->weights, &CaseWeights::number, numbers[i]))
                weights_[i] = own->weights;
    }
    const RnnCase& rnn_case(std::size_t index) const { return cases_[index]; }
    std::size_t size() const { return cases_.size(); }
    RnnInputs operator[](std::size_t index) const {
        RnnInputs inputs = make_inputs(cases_[index]);
        if (const auto* own = look_up(weights_, index)) use_weights(cases_[index], *own, inputs);
        return inputs;
    }

  private:
    std::vector<RnnCase> cases_;
    std::map<std::size_t, std::vector<double>> weights_;
};

/// What must come out of a case.
struct Expected {
    Computation computation;
    Limits limits;
};

/// What goes to the device, and what must come out, of the cases that are not done, made one after the other by a
/// thread of their own beside the vendor's work, a few ahead of it. Each is taken once, and waited for if need be. The
/// thread is not waited for: a reference that nobody needs any more may take minutes.
class Preparation {
  public:
    Preparation(const Facts& facts, int gpu, const Inputs& inputs, const std::vector<bool>& done)
        : work_(std::make_shared<Work>(inputs.size())) {
        const auto first = static_cast<std::size_t>(std::ranges::find(done, false) - done.begin());
        if (first == inputs.size()) return;
        // Threads start late on a busy machine: the vendor's work begins without it.
        try {
            work_->of[first].image.set_value(vendor::device_image(inputs.rnn_case(first), inputs[first]));
        } catch (const std::bad_alloc&) {
            work_->of[first].image.set_exception(std::current_exception());
        }
        std::vector<ReducedPrecision> reduced;
        for (std::size_t step = 0; step < inputs.size(); ++step)
            reduced.push_back(reduced_precision(facts, gpu, inputs.rnn_case(step)));
        std::thread([work = work_, inputs, done, reduced, first] {
            for (std::size_t step = first; step < inputs.size(); ++step) {
                if (done[step]) continue;
                work->ahead.acquire();
                if (work->given_up) return;
                prepare(inputs, step, work->of[step], step > first, reduced[step]);
            }
        }).detach();
    }
    Preparation(const Preparation&) = delete;
    Preparation& operator=(const Preparation&) = delete;
    ~Preparation() {
        work_->given_up = true;
        work_->ahead.release();
    }

    vendor::DeviceImage image(int step) {
        work_->ahead.release();
        return of(step).image.get_future().get();
    }
    void pass_over() { work_->ahead.release(); }
    /// Reports that time passes, which is not the vendor's. std::bad_alloc where the case is too large for us.
    Expected expected(int step, const std::function<void()>& time_passes) {
        constexpr auto often = std::chrono::seconds(1);
        auto future = of(step).expected.get_future();
        while (future.wait_for(often) == std::future_status::timeout) time_passes();
        return future.get();
    }

  private:
    struct Case {
        std::promise<vendor::DeviceImage> image;
        std::promise<Expected> expected;
    };
    /// Shared with the thread, which may outlive us.
    struct Work {
        explicit Work(std::size_t cases) : of(cases) {}
        static constexpr int most_ahead = 24;  // as many as the quick sweep has, which none has to wait for
        std::vector<Case> of;
        std::counting_semaphore<> ahead{most_ahead};
        std::atomic<bool> given_up = false;
    };

    static void prepare(const Inputs& all, std::size_t step, Case& to, bool image_too,
                        const ReducedPrecision& reduced) {
        const RnnCase& rnn_case = all.rnn_case(step);
        try {
            const RnnInputs inputs = all[step];
            if (image_too) to.image.set_value(vendor::device_image(rnn_case, inputs));
            image_too = false;
            Expected expected{compute(rnn_case, inputs), {}};
            expected.limits = limits_for(rnn_case, inputs, expected.computation, reduced);
            to.expected.set_value(std::move(expected));
        } catch (const std::bad_alloc&) {
            if (image_too) to.image.set_exception(std::current_exception());
            to.expected.set_exception(std::current_exception());
        }
    }

    Case& of(int step) { return work_->of.at(static_cast<std::size_t>(step)); }

    std::shared_ptr<Work> work_;
};

/// Whether the driver compiles this cuDNN's kernels for the GPU, which is newer than all that the library has machine
/// code for; code runs on every later minor of its compute capability (CUDA C++ Programming Guide, binary
/// compatibility). cuDNN reports its newest since 8.6; before, that was 8.6 at the most.
static bool compiles_kernels(const Facts& facts, const RnnTarget& target) {
    const Gpu* const gpu = find_by(facts.cuda_devices, &Gpu::index, target.gpu);
    const Cudnn* const cudnn = find_by(facts.cudnns, &Cudnn::library, target.library);
    return gpu && cudnn && gpu->compute_capability &&
           gpu->compute_capability->major() > cudnn->newest_capability.value_or(make_version({8, 6})).major();
}

/// How long cases may be silent. The first of each kind loads its kernels, from a disk that may be slow: how slow shows
/// in the time that opening the libraries took.
class SilenceLimits {
  public:
    SilenceLimits(std::chrono::milliseconds opening, bool compiles)
        : loading_(std::chrono::seconds(15) +
                   std::min<std::chrono::milliseconds>(10 * opening, std::chrono::seconds(15))),
          compiles_(compiles) {}

    std::chrono::milliseconds of(const RnnCase& rnn_case) {
        if (compiles_) return computing(rnn_case) + std::chrono::minutes(5);
        const std::string kernels =
            kernels_of(rnn_case) + ' ' + std::string(name_of(rnn_case.cell)) + (rnn_case.training ? " training" : "");
        const bool first = loaded_.insert(kernels).second;
        return computing(rnn_case) + (first ? loading_ : std::chrono::seconds(5));
    }

  private:
    /// A hundred times what a slow GPU needs (docs/speed.md): a launch a step and layer, and a thousand million
    /// multiply-adds a second.
    static std::chrono::milliseconds computing(const RnnCase& c) {
        const double launches = double{1} * c.sequence_length * c.pseudo_layers() * (c.training ? 3 : 1);
        return std::chrono::milliseconds(
            static_cast<long long>(launches * (1 + 4e-6 * c.hidden * (c.input + c.hidden) * c.batch)));
    }

    std::chrono::milliseconds loading_;
    bool compiles_;
    std::set<std::string> loaded_;
};

/// Runs the cases one by one.
class Sweep {
  public:
    Sweep(const Job& job, ProbeWriter& writer, const Learn& learn)
        : job_(job),
          writer_(writer),
          learn_(learn),
          target_(rnn_target_of(job.target)),
          cases_(cases_of(job)),
          done_(done(job)),
          preparation_(job.facts, target_.gpu, {job.facts, target_, cases_}, done_) {}

    void run() {
        const auto start = std::chrono::steady_clock::now();
        const auto rnn = open_rnn(job_, writer_, target_);
        if (rnn->session) ask_free_memory(*rnn->session);
        if (rnn->failure) return skip_all(*rnn->failure);
        const auto opening =
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
        run_cases(*rnn->session, {opening, compiles_kernels(job_.facts, target_)});
    }

  private:
    void run_cases(const vendor::Session& session, SilenceLimits limits) {
        for (int step = 0; step < static_cast<int>(cases_.size()); ++step) {
            if (done_[static_cast<std::size_t>(step)]) continue;
            RnnRun run = run_of(target_, cases_[static_cast<std::size_t>(step)], step);
            limit_ = limits.of(run.rnn_case);
            writer_.step(step, limit_);
            run_case(session, run);
            run.free_bytes = free_bytes_;
            // A kernel that went astray leaves a context in which no later call can succeed.
            const bool broken = run.end == RunEnd::failed && !session.check_cuda(session.cuda.cuCtxSynchronize).ok();
            report(std::move(run));
            if (broken) return writer_.past_use();
        }
    }

    void run_case(const vendor::Session& session, RnnRun& run) {
        if (came_after(run.rnn_case, rnn_place(job_.facts, target_).cudnn)) {
            run.end = RunEnd::not_supported;
            run.result = {"cudnnSetRNNDescriptor_v8", missing_symbol, "this kind of case came with cuDNN 8.1"};
            return preparation_.pass_over();
        }
        try {
            run_and_judge(session, run);
        } catch (const std::bad_alloc&) {
            run.end = RunEnd::skipped;
            run.skip_reason = SkipReason::host_memory;
            run.result = {"rnncheck", -1, "not judged: too large for the memory of the host"};
        }
    }

    void run_and_judge(const vendor::Session& session, RnnRun& run) {
        const int step = run.number - 1;
        const vendor::LstmRun lstm = run_lstm(session, run.dialect, run.rnn_case, preparation_.image(step));
        if (lstm.failed) {
            run.end = case_outcome(*lstm.failed);
            run.result = lstm.failed;
            if (run.end == RunEnd::out_of_memory) ask_free_memory(session);
            return;
        }
        const Expected expected = preparation_.expected(step, [&] { writer_.step(step, limit_); });
        const RnnOutputs& right = expected.computation.outputs;
        record_numbers(lstm, compare(run.rnn_case, right, lstm.outputs, lstm.outputs_again, expected.limits), run);
    }

    void ask_free_memory(const vendor::Session& session) {
        std::size_t free_bytes = 0, total = 0;
        if (session.check_cuda(session.cuda.cuMemGetInfo_v2, &free_bytes, &total).ok())
            free_bytes_ = static_cast<std::int64_t>(free_bytes);
    }

    void skip_all(const CallResult& why) {
        for (int step = 0; step < static_cast<int>(cases_.size()); ++step) {
            if (done_[static_cast<std::size_t>(step)]) continue;
            RnnRun run = run_of(target_, cases_[static_cast<std::size_t>(step)], step);
            run.skip_reason = SkipReason::gpu_unusable;
            run.free_bytes = free_bytes_;
            run.result = why;
            report(std::move(run));
        }
    }

    void report(RnnRun run) {
        Facts news;
        news.rnn_runs.push_back(std::move(run));
        learn_(news);
    }

    const Job& job_;
    ProbeWriter& writer_;
    const Learn& learn_;
    RnnTarget target_;
    std::vector<RnnCase> cases_;
    std::vector<bool> done_;
    Preparation preparation_;
    std::chrono::milliseconds limit_{};
    std::optional<std::int64_t> free_bytes_;
};

/// The cases' buffers come and go by the megabyte. By default each is a piece of memory of its own, with a page fault
/// for every page of it and calls into the kernel that hold up both threads.
static void keep_freed_memory() {
    constexpr int megabyte = 1 << 20;
    mallopt(M_MMAP_THRESHOLD, 32 * megabyte);
    mallopt(M_TRIM_THRESHOLD, 256 * megabyte);
    mallopt(M_TOP_PAD, 8 * megabyte);
}

static void run(const Job& job, ProbeWriter& writer, const Learn& learn) {
    keep_freed_memory();
    Sweep(job, writer, learn).run();
}

extern const Probe probe{.title = "Runs LSTMs with each cuDNN on each GPU and checks every result",
                         .stage = Stage::run,
                         .limit = std::chrono::seconds(45),
                         .run = run,
                         .targets = targets,
                         .steps = Steps{done, lost_cases, group},
                         .exclusive = exclusive_gpu};

}  // namespace rnncheck::probes::rnn_forward
