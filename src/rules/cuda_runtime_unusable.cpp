// A CUDA runtime cannot be opened, or does not report its version for a reason that is its own.
#include "rules/rule.hpp"

namespace rnncheck::rules::cuda_runtime_unusable {

/// VerdictBuilder of the runtime about the driver and the GPU (driver_types.h): rules of lower layers tell those.
static bool speaks_of_the_driver(const CallResult& failure) {
    constexpr std::int64_t codes[] = {3, 30, 34, 35, 36, 38, 46, 100, 101, 802, 803, 804, 999};
    return std::find(std::begin(codes), std::end(codes), failure.code) != std::end(codes);
}

static Finding unusable(const Facts& facts, const Runtime& runtime) {
    return {
        .severity = is_first_choice(facts, LibraryKind::cudart, runtime.library) ? Severity::error : Severity::warning,
        .subject = runtime.library,
        .message = "the CUDA runtime " + runtime.library + ' ' + why_unusable(*runtime.failure),
        .evidence = {{"failed call", in_words(*runtime.failure), "runtimes"}},
        .remedies = {{.action = Action::reinstall_package,
                      .text = "Reinstall the CUDA runtime from its original source, or remove its directory from "
                              "the loader's search path",
                      .commands = {"/sbin/ldconfig -p | grep libcudart"},
                      .link = "https://docs.nvidia.com/cuda/cuda-installation-guide-linux/"}}};
}

static Verdict check(const Facts& facts, const Matrix&) {
    VerdictBuilder answers;
    for (const auto& runtime : facts.runtimes) {
        if (is_shadowed(facts, runtime.library)) continue;
        if (runtime.version)
            answers.passed("every CUDA runtime reports its version");
        else if (!runtime.failure)
            answers.unknown(runtime.library + " did not respond");
        else if (was_not_opened(*runtime.failure))
            answers.no_pass(leads_to_a_pipe);
        else if (speaks_of_the_driver(*runtime.failure))
            answers.no_pass("the runtime cannot access the driver");
        else
            answers.fault(unusable(facts, runtime));
    }
    const std::string silent = silent_copy(facts, LibraryKind::cudart);
    if (!silent.empty()) answers.unknown(silent + " did not respond");
    if (!libraries_listed(facts)) answers.unknown("the library directories could not be searched");
    answers.irrelevant("no CUDA runtime was found");
    return answers.close();
}

extern const Rule rule{
    .title = "A CUDA runtime library cannot be used", .layer = Layer::runtime, .stage = Stage::ask, .check = check};

}  // namespace rnncheck::rules::cuda_runtime_unusable
