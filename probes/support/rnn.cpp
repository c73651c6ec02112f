// Texts of targets, and what an ending means: shared by the probes that run networks.
#include "support/rnn.hpp"

#include <array>
#include <cstdio>

#include "base/lists.hpp"
#include "facts/queries.hpp"
#include "support/libraries.hpp"

namespace rnncheck::probes {

namespace {

bool wanted(const std::optional<RnnRequest>& request, const RnnTarget& target) {
    if (!request)
        return true;
    return request->gpu.value_or(target.gpu) == target.gpu &&
           request->rnn_api.value_or(target.rnn_api) == target.rnn_api &&
           target.library.find(request->library.value_or("")) != std::string::npos;
}

bool all_done(const Facts& facts, const RnnTarget& target) {
    return !facts.rnn_runs.empty() &&
           !includes(done_before(facts, target, cases_of(facts, target).size()), false);
}

/// cudnn.h of 7 and 8: CUDNN_STATUS_ARCH_MISMATCH, NOT_SUPPORTED,
/// RUNTIME_PREREQUISITE_MISSING, BAD_PARAM, INVALID_VALUE.
RunEnd outcome_before_9(std::int64_t status) {
    constexpr int arch_mismatch = 6, not_supported = 9, prerequisite_missing = 11, bad_param = 3,
                  invalid_value = 5;
    if (includes(std::array{arch_mismatch, not_supported, prerequisite_missing}, status))
        return RunEnd::not_supported;
    if (status == bad_param || status == invalid_value)
        return RunEnd::rejected;
    return RunEnd::failed;
}

/// cudnn_graph.h of 9: 2000 to 2999 are bad parameters, 3000 to 3999 unsupported cases.
RunEnd outcome_since_9(std::int64_t status) {
    if (status / 1000 == 2)
        return RunEnd::rejected;
    if (status / 1000 == 3)
        return RunEnd::not_supported;
    return RunEnd::failed;
}

/// Sequences of different lengths came with 7.2.1; an older one does not
/// support them, it is not damaged.
bool came_with_7_2(const std::string& function) {
    constexpr std::string_view since_7_2[] = {
        "cudnnCreateRNNDataDescriptor",
        "cudnnSetRNNDataDescriptor",
        "cudnnSetRNNPaddingMode",
        "cudnnRNNForwardInferenceEx"};
    return includes(since_7_2, function);
}

}  // namespace

std::string text_of(const RnnTarget& target) {
    return "GPU " + std::to_string(target.gpu) + " " + std::string(name_of(target.rnn_api)) + " " +
           target.library;
}

/// The path is what follows the two words, spaces in it included (%n is where it begins).
RnnTarget rnn_target_of(const std::string& text) {
    int gpu = 0, path = 0;
    char rnn_api[16] = {};
    std::sscanf(text.c_str(), "GPU %d %15s %n", &gpu, rnn_api, &path);
    return {
        text.substr(static_cast<std::size_t>(path)),
        gpu,
        from_name<RnnApi>(rnn_api).value_or(RnnApi::v8)};
}

std::vector<std::string> wanted_rnn_targets(const Facts& facts) {
    constexpr std::size_t most = 8;
    std::vector<std::string> texts;
    std::size_t copies = 0;
    for (const Cudnn& cudnn : facts.cudnns) {
        if (cudnn.rnn_usable != true || ++copies > most)
            continue;
        for (const auto& rnn_api : cudnn.rnn_apis)
            for (const Gpu& gpu : facts.cuda_devices)
                if (const auto named = from_name<RnnApi>(rnn_api))
                    if (const RnnTarget target{cudnn.library, gpu.index, *named};
                        wanted(facts.rnn_request, target))
                        texts.push_back(text_of(target));
    }
    return texts;
}

std::vector<std::string> rnn_targets(const Facts& facts) {
    std::vector<std::string> texts = wanted_rnn_targets(facts);
    std::erase_if(
        texts, [&](const std::string& text) { return all_done(facts, rnn_target_of(text)); });
    return texts;
}

std::vector<RnnCase> cases_of(const Job& job) {
    return cases_of(job.facts, rnn_target_of(job.target));
}

RnnRun run_of(const RnnTarget& target, const RnnCase& rnn_case, int step) {
    RnnRun run;
    static_cast<RnnTarget&>(run) = target;
    run.number = step + 1;
    run.rnn_case = rnn_case;
    return run;
}

std::vector<bool> done_before(const Facts& facts, const RnnTarget& target, std::size_t steps) {
    std::vector<bool> done(steps);
    for (const RnnRun& run : facts.rnn_runs)
        if (target == run && run.number >= 1 && static_cast<std::size_t>(run.number) <= steps)
            done[static_cast<std::size_t>(run.number) - 1] = true;
    return done;
}

/// `skipped` for a case that no process began, `failed` for one that ended its process.
Facts lost_cases(const Job& job, const std::vector<LostStep>& lost_steps) {
    const RnnTarget target = rnn_target_of(job.target);
    const auto cases = cases_of(job);
    Facts news;
    for (const LostStep& step : lost_steps) {
        RnnRun& run = news.rnn_runs.emplace_back(
            run_of(target, cases.at(static_cast<std::size_t>(step.number)), step.number));
        run.end = step.skipped ? RunEnd::skipped : RunEnd::failed;
        run.skip_reason = step.skipped;
        run.result = step.result;
    }
    return news;
}

std::string kernels_of(const RnnCase& rnn_case) {
    return std::string(name_of(rnn_case.algorithm)) + ' ' + std::string(name_of(rnn_case.dtype));
}

ReducedPrecision reduced_precision(const Facts& facts, int gpu, const RnnCase& rnn_case) {
    const Gpu* const known = find_by(facts.cuda_devices, &Gpu::index, gpu);
    std::optional<Version> capability;
    if (known)
        capability = known->compute_capability;
    const auto at_least = [&](int major, int minor) {
        return !capability || *capability >= make_version({major, minor});
    };
    const std::string* const setting = environment(facts, "NVIDIA_TF32_OVERRIDE");
    std::string forced;
    if (setting)
        forced = *setting;
    ReducedPrecision reduced;
    reduced.tf32_exists = at_least(8, 0);
    // 1 forces it on, whatever the program sets; 0 forbids it.
    reduced.tf32_allowed =
        reduced.tf32_exists && forced != "0" && (forced == "1" || rnn_case.math != MathType::fma);
    // cuDNN compiles persist_dynamic with --use_fast_math, which means
    // tanh.approx.f32 from sm_75 on; on an H200 the static persistent kernels
    // had such errors too. docs/numerics.md
    reduced.fast_math = rnn_case.algorithm != Algorithm::standard && at_least(7, 5);
    return reduced;
}

RunEnd case_outcome(const CallResult& result) {
    if (is_out_of_memory(result))
        return RunEnd::out_of_memory;
    if (!result.call.starts_with("cudnn"))
        return RunEnd::failed;
    if (result.code == missing_symbol && came_with_7_2(result.call))
        return RunEnd::not_supported;
    if (result.code == missing_symbol)
        return RunEnd::failed;
    if (result.code >= 1000)
        return outcome_since_9(result.code);
    return outcome_before_9(result.code);
}

bool came_after(const RnnCase& rnn_case, const std::optional<Version>& cudnn) {
    const bool of_8_1 =
        rnn_case.dtype == Dtype::bf16 || rnn_case.algorithm == Algorithm::persist_static_small_h;
    return of_8_1 && cudnn && *cudnn < make_version({8, 1, 0});
}

vendor::Session open_rnn(const Job& job, ProbeWriter& writer, const RnnTarget& target) {
    vendor::Session session{open_gpu(writer, target.gpu), {}};
    session.failure = session.cuda.failure;
    if (session.failure)
        return session;
    session.cudnn = open_cudnn(job, writer, target.library);
    session.failure = session.cudnn.failure;
    if (!session.failure)
        start(session);
    return session;
}

}  // namespace rnncheck::probes
