// What dropout between two layers does: how many elements it keeps, what it multiplies them by, and whether the seed
// decides which. Two layers of relu are made to show the mask: the first gives 1 everywhere, the second passes it on.
#include <algorithm>
#include <cmath>

#include "rnn/sweep.hpp"
#include "support/rnn.hpp"

namespace rnncheck::probes::rnn_dropout {

constexpr unsigned long long seed = 20'261'121;

static std::vector<std::string> targets(const Facts& facts) {
    const bool asked = facts.rnn_request && facts.rnn_request->dropout && !facts.rnn_request->fit;
    return asked ? wanted_rnn_targets(facts) : std::vector<std::string>();
}

static RnnCase mask_case(Dialect dialect) {
    return parse_case("relu fp32 I=64 H=64 B=64 T=16 L=2 training", {.math = exact_math(dialect)});
}

/// y of the case is then the mask, times what is kept is multiplied by.
static RnnInputs mask_inputs(const RnnCase& rnn_case) {
    RnnInputs inputs = make_inputs(rnn_case);
    for (LayerWeights& layer : inputs.layers)
        for (auto* part : {&layer.input[0], &layer.recurrent[0], &layer.input_bias[0], &layer.recurrent_bias[0]})
            std::ranges::fill(*part, 0);
    std::ranges::fill(inputs.layers[0].input_bias[0], 1);
    const auto hidden = static_cast<std::size_t>(rnn_case.hidden);
    for (std::size_t unit = 0; unit < hidden; ++unit) inputs.layers[1].input[0][unit * hidden + unit] = 1;
    return inputs;
}

/// Calls in a row: the first that fails is kept.
class Measurement {
  public:
    Measurement(const vendor::Session& session, RnnDropout& found)
        : session_(session), found_(found), rnn_case_(mask_case(found.dialect)) {}

    void run() {
        ask(session_.cudnn.cudnnDropoutGetStatesSize, session_.handle, &bytes_);
        if (!found_.result) {
            found_.result = failed(session_.check_cuda(session_.cuda.cuMemAlloc_v2, &states_, bytes_));
            if (found_.result) found_.result->bytes = static_cast<std::int64_t>(bytes_);
        }
        ask(session_.cudnn.cudnnCreateDropoutDescriptor, &session_.no_dropout);
        const auto first = run_from_seed();
        if (found_.result) return;
        const auto again = run_from_seed();
        if (found_.result) return;
        record(first.outputs.y);
        found_.repeats = first.outputs.y == again.outputs.y;
        found_.moves_on = !first.repeatable;
    }

  private:
    static std::optional<CallResult> failed(const CallResult& result) {
        return result.ok() ? std::nullopt : std::optional(result);
    }

    template <class Symbol, class... Arguments>
    void ask(const Symbol& symbol, Arguments... arguments) {
        if (!found_.result) found_.result = failed(session_.check_cudnn(symbol, arguments...));
    }

    /// Runs the case twice, from the seed on.
    vendor::LstmRun run_from_seed() {
        ask(session_.cudnn.cudnnSetDropoutDescriptor, session_.no_dropout, session_.handle,
            static_cast<float>(found_.probability), reinterpret_cast<void*>(states_), bytes_, seed);
        if (found_.result) return {};
        vendor::LstmRun run =
            run_lstm(session_, found_.dialect, rnn_case_, vendor::device_image(rnn_case_, mask_inputs(rnn_case_)));
        found_.result = run.failed;
        return run;
    }

    void record(const std::vector<double>& y) {
        const double scale = 1 / (1 - found_.probability);
        std::int64_t kept = 0;
        double error = 0;
        for (const double value : y) {
            if (value == 0) continue;
            ++kept;
            error = std::isnan(value) ? HUGE_VAL : std::max(error, std::abs(value / scale - 1));
        }
        found_.elements = static_cast<std::int64_t>(y.size());
        found_.kept = kept;
        if (std::isfinite(error)) found_.scale_error = error;
    }

    vendor::Session session_;
    RnnDropout& found_;
    RnnCase rnn_case_;
    std::size_t bytes_ = 0;
    vendor::DevicePointer states_ = 0;
};

static void run(const Job& job, ProbeWriter& writer, const Learn& learn) {
    const RnnTarget target = rnn_target_of(job.target);
    Facts news;
    RnnDropout& found = news.rnn_dropouts.emplace_back();
    static_cast<RnnTarget&>(found) = target;
    found.probability = job.facts.rnn_request->dropout.value();
    const auto open = open_rnn(job, writer, target);
    if (open->failure)
        found.result = open->failure;
    else
        Measurement(*open->session, found).run();
    learn(news);
}

extern const Probe probe{.title = "Measures dropout between layers",
                         .stage = Stage::run,
                         .limit = std::chrono::seconds(120),
                         .run = run,
                         .targets = targets,
                         .exclusive = exclusive_gpu};

}  // namespace rnncheck::probes::rnn_dropout
