// A CUDA release on a driver that is older than the release's own.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/driver_by_release.hpp"
#include "rules/support/seen.hpp"

namespace rnncheck::rules::minor_version_compatibility {

static Finding limited(const Version& driver, const Version& cuda, const OnDriver& on_driver) {
    Finding finding;
    finding.severity = Severity::note;
    finding.subject = "driver " + driver.text;
    finding.message = "CUDA " + cuda.text + " runs on driver " + driver.text +
                      " by minor-version compatibility: what needs a newer driver, and PTX code that CUDA " +
                      cuda.text + " made, does not work there";
    finding.evidence = {{"driver", driver.text, "driver.library_version"}};
    finding.evidence.insert(finding.evidence.end(), on_driver.evidence.begin(), on_driver.evidence.end());
    finding.remedies = {{.text = "Nothing, while programs hold machine code for the GPU; else a newer driver",
                         .commands = {},
                         .verify = "rnncheck doctor",
                         .link = "https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return not_applicable("driver_too_old tells whether the driver runs the CUDA found");
    const Version* driver = given_driver(facts);
    const Version* cuda = given_cuda(facts);
    if (!driver || !cuda) return undecided("driver= and cuda= were not both given");
    const OnDriver on_driver = on_given_driver(facts, matrix, *cuda);
    if (on_driver.runs == CudaSupport::unknown) return outside_the_data(on_driver.why);
    if (on_driver.runs == CudaSupport::depends_on_system) return undecided(on_driver.why);
    if (on_driver.runs == CudaSupport::not_at_all) return not_applicable("the driver does not run this CUDA at all");
    if (on_driver.runs == CudaSupport::fully) return pass("the driver has all features of CUDA " + cuda->text);
    return fault(limited(*driver, *cuda, on_driver));
}

extern const Rule rule{.title = "CUDA runs by minor-version compatibility only",
                       .layer = Layer::driver,
                       .worst = Severity::note,
                       .needs = Stage::look,
                       .check = check,
                       .asks = "driver= and cuda=, at times os="};

}  // namespace rnncheck::rules::minor_version_compatibility
