// What dropout between two layers does: how many elements it keeps, what it
// multiplies them by, and whether the seed decides which. Two layers of relu are
// made to show the mask: the first gives 1 everywhere, the second passes it on.
#include <algorithm>
#include <cmath>

#include "rnn/sweep.hpp"
#include "support/rnn.hpp"

namespace rnncheck::probes::rnn_dropout {

/// Fixed, so that two surveys of a GPU measure the same mask.
constexpr unsigned long long seed = 20'261'121;

static std::vector<std::string> targets(const Facts& facts) {
    const bool requested =
        facts.rnn_request && facts.rnn_request->dropout && !facts.rnn_request->fit;
    if (!requested)
        return {};
    return wanted_rnn_targets(facts);
}

/// y of the case is then the mask, times what is kept is multiplied by.
static RnnInputs mask_inputs(const RnnCase& rnn_case) {
    RnnInputs inputs = make_inputs(rnn_case);
    for (LayerWeights& layer : inputs.layers)
        for (auto* part :
             {&layer.input[0], &layer.recurrent[0], &layer.input_bias[0], &layer.recurrent_bias[0]})
            std::ranges::fill(*part, 0);
    std::ranges::fill(inputs.layers[0].input_bias[0], 1);
    const auto hidden = static_cast<std::size_t>(rnn_case.hidden);
    for (std::size_t unit = 0; unit < hidden; ++unit)
        inputs.layers[1].input[0][unit * hidden + unit] = 1;
    return inputs;
}

/// What is kept is multiplied by 1 / (1 - probability), so that the
/// sum stays the same on average.
static void record(const std::vector<double>& y, RnnDropout& found) {
    const double scale = 1 / (1 - found.probability);
    double error = 0;
    for (const double value : y) {
        if (std::isnan(value))
            error = HUGE_VAL;
        else if (value != 0)
            error = std::max(error, std::abs(value / scale - 1));
    }
    found.elements = std::ssize(y);
    found.kept = std::ssize(y) - std::ranges::count(y, 0);
    if (std::isfinite(error))
        found.scale_error = error;
}

/// Setting the descriptor again starts the random numbers again from the seed
/// (cudnnSetDropoutDescriptor): both runs must draw the same mask.
static void measure(vendor::Session& session, RnnDropout& found) {
    const auto& cudnn = session.cudnn;
    vendor::Calls calls;
    std::size_t bytes = 0;
    vendor::DevicePointer states = 0;
    if (calls(cudnn, cudnn.cudnnDropoutGetStatesSize, session.handle, &bytes) &&
        !calls(session.cuda, session.cuda.cuMemAlloc_v2, &states, bytes))
        calls.result.bytes = static_cast<std::int64_t>(bytes);
    calls(cudnn, cudnn.cudnnCreateDropoutDescriptor, &session.no_dropout);
    const RnnCase mask_case = parse_case(
        "relu fp32 I=64 H=64 B=64 T=16 L=2 training", {.math = exact_math(found.rnn_api)});
    RnnRun run = run_of(found, mask_case, 0);
    const vendor::DeviceImage image = vendor::device_image(mask_case, mask_inputs(mask_case));
    const auto y_from_seed = [&] {
        std::vector<double> y;
        if (calls(
                cudnn,
                cudnn.cudnnSetDropoutDescriptor,
                session.no_dropout,
                session.handle,
                static_cast<float>(found.probability),
                reinterpret_cast<void*>(states),
                bytes,
                seed))
            y = run_lstm(session, image, run).first.y;
        if (run.result)
            calls.result = *run.result;
        return y;
    };
    const std::vector<double> first = y_from_seed(), again = y_from_seed();
    found.result = calls.failure();
    if (found.result)
        return;
    record(first, found);
    found.repeats = first == again;
    found.mask_changes = run.bitwise_repeatable == false;
}

static void run(const Job& job, ProbeWriter& writer) {
    const RnnTarget target = rnn_target_of(job.target);
    Facts news;
    RnnDropout& found = news.rnn_dropouts.emplace_back();
    static_cast<RnnTarget&>(found) = target;
    found.probability = job.facts.rnn_request->dropout.value();
    vendor::Session session = open_rnn(job, writer, target);
    found.result = session.failure;
    if (!found.result)
        measure(session, found);
    writer.facts(news);
}

extern const Probe probe{
    .title = "Measures dropout between layers",
    .stage = Stage::run,
    .limit = std::chrono::seconds(120),
    .run = run,
    .targets = targets,
    .exclusive = exclusive_gpu};

}  // namespace rnncheck::probes::rnn_dropout
