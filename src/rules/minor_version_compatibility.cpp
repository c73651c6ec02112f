// A CUDA release on a driver that is older than the release's own.
#include "rules/rule.hpp"

namespace rnncheck::rules::minor_version_compatibility {

static Finding limited(const Version& driver, const Version& cuda, std::vector<Evidence> evidence) {
    evidence.insert(evidence.begin(), {"driver", driver.text, "driver.library_version"});
    return {
        .subject = "driver " + driver.text,
        .message =
            "CUDA " + cuda.text + " runs on driver " + driver.text +
            " with minor-version compatibility: features that need a newer driver, and PTX code compiled by CUDA " +
            cuda.text + ", do not work",
        .evidence = std::move(evidence),
        .remedies = {
            {.action = Action::none,
             .text =
                 "No action is needed if programs contain machine code for the GPU; otherwise install a newer driver",
             .verify = "rnncheck doctor",
             .link = "https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html"}}};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts))
        return not_applicable("driver_too_old reports whether the driver supports the installed CUDA");
    const auto driver = driver_version(facts);
    const Version* cuda = given_cuda(facts);
    if (!driver || !cuda) return undecided("driver= and cuda= were not both specified");
    const auto runs = given_driver_runs(facts, matrix, *cuda);
    if (runs.outside) return outside_the_data(runs.why);
    if (runs.fit == Fit::unknown) return undecided(runs.why);
    if (runs.fit == Fit::does_not_work) return not_applicable("the driver does not support this CUDA version");
    if (!runs.limited) return pass("CUDA " + cuda->text + " runs with all its features");
    return fault(limited(*driver, *cuda, runs.evidence));
}

extern const Rule rule{.title = "CUDA runs only with minor-version compatibility",
                       .layer = Layer::driver,
                       .max_severity = Severity::note,
                       .stage = Stage::look,
                       .check = check,
                       .what_if_inputs = "driver= and cuda=, at times os="};

}  // namespace rnncheck::rules::minor_version_compatibility
