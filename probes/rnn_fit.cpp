// How large a recurrent network fits into the free memory of a GPU: by cuDNN's
// own questions about sizes, and by running one of a given size.
#include <map>

#include "process/probe.hpp"
#include "support/rnn.hpp"
#include "support/windows_limits.hpp"

namespace rnncheck::probes::rnn_fit {

/// The calculation needs queries that only the v8 interface has, so the legacy
/// one of the same library would add nothing.
static bool has_a_better_interface(const Facts& facts, const RnnTarget& target) {
    const Cudnn* const cudnn = find_by(facts.cudnns, &Cudnn::library, target.library);
    return target.rnn_api == RnnApi::legacy && cudnn && includes(cudnn->rnn_apis, "v8");
}

static std::vector<std::string> targets(const Facts& facts) {
    if (!facts.rnn_request || !facts.rnn_request->fit || facts.rnn_request->cases.empty())
        return {};
    std::vector<std::string> texts = rnn_targets(facts);
    std::erase_if(texts, [&](const std::string& text) {
        return has_a_better_interface(facts, rnn_target_of(text));
    });
    return texts;
}

static RnnCase with_size(RnnCase rnn_case, FitSize of, int size) {
    if (of == FitSize::batch)
        rnn_case.batch = size;
    else
        rnn_case.sequence_length = size;
    return rnn_case;
}

/// What the calls take: cudnnSetRNNDataDescriptor at most 65,535 steps, and sizes as int.
static int largest(FitSize of) {
    constexpr int most_sequences = 1 << 24, most_steps = 65535;
    if (of == FitSize::batch)
        return most_sequences;
    return most_steps;
}

/// The largest size whose memory is within the free one. A size for which cuDNN
/// requests less than for a smaller one is not believed: its number has overflowed.
class Calculation {
  public:
    Calculation(const vendor::Session& session, const WindowsLimits& limits, RnnFit& fit)
        : session_(session), limits_(limits), fit_(fit) {
    }

    void run() {
        if (!fits(1)) {
            if (last_.failed)
                fit_.result = last_.failed;
            fit_.size = 0;
            return;
        }
        int good = 1, bad = largest(fit_.of) + 1;
        while (bad - good > 1) {
            const bool unbounded = bad > largest(fit_.of) && bad - good > good;
            int next = good + (bad - good) / 2;
            if (unbounded)
                next = 2 * good;
            if (fits(next))
                good = next;
            else
                bad = next;
        }
        // What is just below must fit as well; else the search went
        // astray, and goes down from there.
        while (good > 1 && !(fits(good - 1) && fits(good)))
            good = good / 2;
        fit_.bounded = last_rejected_ == good + 1 || good == largest(fit_.of);
        record(good);
    }

  private:
    bool fits(int size) {
        const RnnCase rnn_case = with_size(fit_.rnn_case, fit_.of, size);
        if (const auto too_long = limits_.time_exceeded_by(rnn_case)) {
            last_rejected_ = size;
            fit_.result = too_long;
            return false;
        }
        last_ = vendor::spaces_of(session_, rnn_case);
        if (last_.failed) {
            last_rejected_ = size;
            return false;
        }
        const auto larger = queried_.upper_bound(size);
        const bool shrinks =
            (larger != queried_.begin() && last_.total() < std::prev(larger)->second.total()) ||
            (larger != queried_.end() && larger->second.total() < last_.total());
        if (shrinks) {
            reject_shrinking(size);
            return false;
        }
        queried_[size] = last_;
        return last_.total() <= static_cast<std::size_t>(*fit_.free_bytes);
    }

    void reject_shrinking(int size) {
        last_rejected_ = size;
        fit_.result = CallResult{
            "cudnnGetRNNTempSpaceSizes",
            invalid_result,
            "requests less memory with a " + std::string(name_of(fit_.of)) + " of " +
                std::to_string(size) + " than with a smaller one: its number has overflowed"};
    }

    /// Queries the size again, so that `last_` has the numbers of this one.
    void record(int size) {
        fits(size);
        fit_.size = size;
        fit_.rnn_case = with_size(fit_.rnn_case, fit_.of, size);
        fit_.weight_bytes = static_cast<std::int64_t>(last_.weights);
        fit_.workspace_bytes = static_cast<std::int64_t>(last_.work);
        fit_.reserve_bytes = static_cast<std::int64_t>(last_.reserve);
        fit_.data_bytes = static_cast<std::int64_t>(last_.data);
    }

    const vendor::Session& session_;
    const WindowsLimits& limits_;
    RnnFit& fit_;
    vendor::Spaces last_;
    /// of all sizes that were believed
    std::map<int, vendor::Spaces> queried_;
    int last_rejected_ = 0;
};

/// One size, on zeros.
static void try_size(
    const vendor::Session& session, const WindowsLimits& limits, int size, RnnFit& fit) {
    fit.size = size;
    fit.rnn_case = with_size(fit.rnn_case, fit.of, size);
    fit.result = limits.time_exceeded_by(fit.rnn_case);
    if (!fit.result && limits.apply())
        fit.result = limits.memory_exceeded_by(
            static_cast<std::int64_t>(vendor::spaces_of(session, fit.rnn_case).total()),
            *fit.free_bytes);
    if (!fit.result)
        fit.result = vendor::run_on_zeros(session, fit.rnn_case);
    fit.ran = !fit.result;
}

/// Free memory is queried after cuDNN was set up, whose kernels and handle take
/// a part of it.
static void measure(
    const vendor::Session& session,
    const WindowsLimits& limits,
    const RnnRequest& request,
    RnnFit& fit) {
    std::size_t free_bytes = 0, total = 0;
    vendor::Calls calls;
    calls(session.cuda, session.cuda.cuMemGetInfo_v2, &free_bytes, &total);
    fit.result = calls.failure();
    if (fit.result)
        return;
    fit.free_bytes = static_cast<std::int64_t>(free_bytes);
    fit.total_bytes = static_cast<std::int64_t>(total);
    if (request.trial)
        return try_size(session, limits, *request.trial, fit);
    Calculation(session, limits, fit).run();
}

static void run(const Job& job, ProbeWriter& writer) {
    const RnnTarget target = rnn_target_of(job.target);
    const RnnRequest& request = job.facts.rnn_request.value();
    Facts news;
    RnnFit& fit = news.rnn_fits.emplace_back();
    static_cast<RnnTarget&>(fit) = target;
    fit.of = request.fit.value();
    fit.rnn_case = request.cases.front();
    const vendor::Session session = open_rnn(job, writer, target);
    fit.result = session.failure;
    if (fit.result)
        return writer.facts(news);
    if (target.rnn_api != RnnApi::v8)
        fit.result = CallResult{
            "cudnnGetRNNTempSpaceSizes", missing_symbol, "only available in the v8 RNN API"};
    else
        measure(session, WindowsLimits(job.facts, session.cuda, target.gpu), request, fit);
    writer.facts(news);
}

extern const Probe probe{
    .title = "Finds the largest network that fits into each GPU's memory",
    .stage = Stage::run,
    .limit = std::chrono::seconds(120),
    .run = run,
    .targets = targets,
    .exclusive = exclusive_gpu};

}  // namespace rnncheck::probes::rnn_fit
