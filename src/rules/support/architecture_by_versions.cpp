// What was given against the GPU that was given.
#include <algorithm>

#include "matrix/ranges.hpp"
#include "rules/support/architecture_support.hpp"
#include "rules/support/versions.hpp"

namespace rnncheck::rules {

namespace {

Compared not_known(std::string thing, std::string why, bool outside) {
    Compared compared;
    compared.thing = std::move(thing);
    compared.why = std::move(why);
    compared.outside = outside;
    return compared;
}

Compared build_against(const CudnnBuild& build, const Version& capability, const std::string& thing) {
    Compared compared;
    compared.thing = thing;
    if (capability < build.capability_min) {
        compared.fit = CodeMatch::too_old;
        compared.evidence = {{thing + " for CUDA " + std::to_string(build.cuda_major),
                              "needs compute capability " + build.capability_min.text + " or later", build.source.url}};
    } else if (capability.major() > build.capability_max.major() ||
               (capability > build.capability_max && build.cuda_major == 9)) {
        // Of one major, newer GPUs run the same machine code; Turing with builds for CUDA 9 is known not to.
        compared.fit = CodeMatch::too_new;
        if (build.cudnn.major() >= 9 && build.cuda_major >= 12) compared.severity = Severity::warning;  // holds PTX
        compared.evidence = {{thing + " for CUDA " + std::to_string(build.cuda_major),
                              "knows GPUs up to compute capability " + build.capability_max.text, build.source.url}};
    } else {
        compared.fit = CodeMatch::fits;
        compared.evidence = {
            {thing + " for CUDA " + std::to_string(build.cuda_major),
             "has code for compute capability " + build.capability_min.text + " to " + build.capability_max.text,
             build.source.url}};
    }
    return compared;
}

/// One answer of several builds, when they agree.
Compared agreed(std::vector<Compared> all, const std::string& thing, const std::string& depends_on) {
    const CodeMatch fit = all.front().fit;
    if (std::all_of(all.begin(), all.end(), [fit](const Compared& one) { return one.fit == fit; }))
        return std::move(all.front());
    return not_known(thing, "it depends on " + depends_on + ", which was not given", false);
}

Compared cudnn_against(const Facts& facts, const Matrix& matrix, const Version& cudnn, const Version& capability) {
    const std::string thing = "cuDNN " + cudnn.text;
    std::vector<CudnnBuild> builds = cudnn_builds_of(cudnn, matrix);
    if (builds.empty())
        return not_known(thing, outside_data(thing, matrix.cudnn_build(cudnn, 0).coverage, matrix), true);
    if (parts_written(cudnn) < 2) return not_known(thing, "which release of " + thing + " was not given", false);
    const auto& own = facts.cudnns.front().built_for_cuda;
    const Version* cuda = own ? &*own : given_cuda(facts);
    if (cuda) std::erase_if(builds, [&](const CudnnBuild& build) { return build.cuda_major != cuda->major(); });
    if (builds.empty()) return not_known(thing, "there is no " + thing + " for this CUDA", false);
    std::vector<Compared> all;
    for (const CudnnBuild& build : builds) all.push_back(build_against(build, capability, thing));
    return agreed(std::move(all), thing, "the CUDA that " + thing + " is for");
}

/// Leaves the fit unknown where there are no targets.
void compare_targets(const std::string& words, const Version& capability, Compared& compared) {
    const auto targets = targets_of(words);
    if (targets.empty()) return;
    const auto is_machine_code = [](const Target& target) { return target.machine_code; };
    const bool runs = std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
        return target.machine_code && runs_on(target, capability);
    });
    const bool compiles = std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
        return !target.machine_code && target.kind == 0 && target.capability <= capability;
    });
    const bool all_later = std::none_of(targets.begin(), targets.end(), [&](const Target& target) {
        return is_machine_code(target) && target.capability < capability;
    });
    compared.fit = runs ? CodeMatch::fits : all_later ? CodeMatch::too_old : CodeMatch::too_new;
    if (compiles && !runs) compared.severity = Severity::warning;
}

/// Where the tables do not tell the code of a build, the CUDA that it was made with still bounds it.
Compared by_cuda_of(const FrameworkBuild& build, const Matrix& matrix, const Version& capability,
                    const std::string& thing) {
    Compared compared;
    compared.thing = thing;
    compared = by_architecture(matrix, capability, *build.cuda, std::move(compared));
    compared.evidence.push_back(evidence_of(build, "CUDA " + build.cuda->text));
    if (compared.fit == CodeMatch::fits)
        return not_known(thing, "for which GPUs " + thing + " has code is not in the data", false);
    return compared;
}

/// The driver compiles a build's own PTX for a later GPU, but the libraries of a CUDA older than the GPU have none for
/// it. Seen with TensorFlow: https://github.com/tensorflow/tensorflow/issues/97387, 99592, 101746, 90291, 89272.
void add_its_cuda(const FrameworkBuild& build, const Matrix& matrix, const Version& capability, Compared& compared) {
    if (!build.cuda) return;
    Compared libraries;
    libraries.thing = "CUDA " + build.cuda->text;
    libraries = by_architecture(matrix, capability, *build.cuda, std::move(libraries));
    if (libraries.fit != CodeMatch::too_new) return;
    compared.severity = libraries.severity;
    compared.evidence.insert(compared.evidence.end(), libraries.evidence.begin(), libraries.evidence.end());
}

/// A driver compiles PTX made by its own CUDA or an older one.
void add_driver_of_ptx(const FrameworkBuild& build, const Matrix& matrix, const Version& driver, Compared& compared) {
    const auto of_driver = matrix.cuda_of_driver(driver);
    if (!build.cuda || !of_driver || of_driver->cuda >= *build.cuda) return;
    compared.severity = Severity::error;
    compared.evidence.push_back(evidence_of(build, "PTX code made by CUDA " + build.cuda->text));
    compared.evidence.push_back({"newest CUDA of driver " + driver.text, of_driver->cuda.text, of_driver->source.url});
}

Compared wheel_against(const Facts& facts, const FrameworkBuild& build, const Matrix& matrix, const Version& capability,
                       const std::string& thing) {
    if (build.targets.empty() && build.cuda) return by_cuda_of(build, matrix, capability, thing);
    Compared compared;
    compared.thing = thing;
    compared.why = "for which GPUs " + thing + " has code is not in the data";
    compare_targets(build.targets, capability, compared);
    compared.evidence = {evidence_of(build, "has code for " + build.targets)};
    if (compared.severity != Severity::warning) return compared;
    add_its_cuda(build, matrix, capability, compared);
    if (const Version* driver = given_driver(facts)) add_driver_of_ptx(build, matrix, *driver, compared);
    return compared;
}

Compared driver_against(const Matrix& matrix, const Version& driver, const Version& capability) {
    Compared compared;
    compared.thing = "driver " + driver.text;
    const auto row = matrix.architecture(capability);
    if (!row)
        return not_known(compared.thing, outside_data("compute capability " + capability.text, row.coverage, matrix),
                         true);
    const Source source = row->driver_source.value_or(row->source);
    compared.fit = CodeMatch::fits;
    compared.evidence = {
        {"driver for " + row->name,
         row->last_driver_branch ? "up to branch " + std::to_string(*row->last_driver_branch) : "no last branch",
         source.url}};
    if (!row->last_driver_branch || driver.major() <= *row->last_driver_branch) return compared;
    compared.fit = CodeMatch::too_old;
    compared.evidence = {{"last driver branch for " + row->name, std::to_string(*row->last_driver_branch), source.url}};
    return compared;
}

}  // namespace

Compared framework_against(const Framework& framework, const Version& capability) {
    Compared compared;
    compared.thing = words_of(framework);
    compared.why = "for which GPUs " + compared.thing + " has code is not known";
    const std::string targets = framework.targets.value_or("");
    compare_targets(targets, capability, compared);
    compared.evidence = {{compared.thing, "has code for " + targets, framework.told_by.value_or("frameworks")}};
    if (compared.severity == Severity::warning) compared.severity = Severity::note;  // the driver compiles it once
    return compared;
}

/// Volta's code of CUDA 9 may run on Turing, but what NVIDIA's libraries of that CUDA hold is known not to.
static Compared cuda_against(const Matrix& matrix, const Version& cuda, const Version& capability) {
    Compared compared;
    compared.thing = "CUDA " + cuda.text;
    if (cuda.major() == 9 && capability == make_version({7, 5}))
        return not_known(compared.thing, "whether code of CUDA 9 runs on Turing depends on the library", false);
    return by_architecture(matrix, capability, make_version({cuda.major(), cuda.minor()}), std::move(compared));
}

std::vector<Compared> compare_versions(const Facts& facts, const Matrix& matrix, const Gpu& gpu) {
    const Version& capability = *gpu.compute_capability;
    std::vector<Compared> all;
    if (const Version* driver = given_driver(facts)) all.push_back(driver_against(matrix, *driver, capability));
    if (const Version* cuda = given_cuda(facts)) all.push_back(cuda_against(matrix, *cuda, capability));
    if (const Version* cudnn = given_cudnn(facts)) all.push_back(cudnn_against(facts, matrix, *cudnn, capability));
    for (const Framework& framework : facts.frameworks) {
        std::vector<Compared> builds;
        for (const FrameworkBuild& build : builds_of(facts, matrix, framework).with_cuda)
            builds.push_back(wheel_against(facts, build, matrix, capability, words_of(framework)));
        if (!builds.empty())
            all.push_back(agreed(std::move(builds), words_of(framework), "the build of " + words_of(framework)));
    }
    return all;
}

}  // namespace rnncheck::rules
