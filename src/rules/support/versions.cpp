#include "rules/support/versions.hpp"

#include <algorithm>
#include <map>

#include "matrix/ranges.hpp"
#include "rules/support/cudnn_support.hpp"

namespace rnncheck::rules {

const Version* given_driver(const Facts& facts) {
    return facts.driver.library_version ? &*facts.driver.library_version : nullptr;
}

const Version* given_cuda(const Facts& facts) {
    return facts.runtimes.empty() || !facts.runtimes.front().version ? nullptr : &*facts.runtimes.front().version;
}

const Version* given_cudnn(const Facts& facts) {
    return facts.cudnns.empty() || !facts.cudnns.front().version ? nullptr : &*facts.cudnns.front().version;
}

const Gpu* given_gpu(const Facts& facts) {
    return facts.gpus.empty() || !facts.gpus.front().compute_capability ? nullptr : &facts.gpus.front();
}

std::vector<CudnnBuild> cudnn_builds_of(const Version& cudnn, const Matrix& matrix) {
    std::vector<CudnnBuild> builds;
    for (const CudnnBuild& build : matrix.cudnn_builds())
        if (covers(build.cudnn, build.cudnn_last, cudnn)) builds.push_back(build);
    std::sort(builds.begin(), builds.end(), [](const auto& a, const auto& b) { return a.cuda_major < b.cuda_major; });
    return builds;
}

std::vector<std::string> cuda_majors_of(const Version& cudnn, const Matrix& matrix) {
    std::vector<std::string> majors;
    for (const CudnnBuild& build : cudnn_builds_of(cudnn, matrix)) majors.push_back(std::to_string(build.cuda_major));
    return majors;
}

std::string words_of(const Gpu& gpu) {
    const std::string capability = "compute capability " + gpu.compute_capability->text;
    return gpu.name ? *gpu.name + " (" + capability + ")" : capability;
}

std::string words_of(const Framework& framework) {
    static const std::map<std::string, std::string> names = {{"tensorflow", "TensorFlow"},
                                                             {"keras", "Keras"},
                                                             {"pytorch", "PyTorch"},
                                                             {"jax", "JAX"},
                                                             {"onnxruntime", "ONNX Runtime"},
                                                             {"paddlepaddle", "PaddlePaddle"},
                                                             {"ctranslate2", "CTranslate2"},
                                                             {"cupy", "CuPy"},
                                                             {"mxnet", "MXNet"}};
    const auto name = names.find(framework.name);
    return (name == names.end() ? framework.name : name->second) +
           (framework.version ? ' ' + framework.version->text : std::string()) +
           (framework.build ? " (" + *framework.build + ")" : std::string());
}

/// Nothing but what contradicts what was given is left out.
static bool may_be(const FrameworkBuild& build, const Facts& facts, const Framework& framework) {
    const bool release = covers(build.first, build.last, *framework.version) || agree(build.first, *framework.version);
    const bool system = !facts.host.platform || build.os == *facts.host.platform;
    const bool flavour = !framework.build || build.build == *framework.build ||
                         (build.libraries == "wheels" && *framework.build == "cuda");
    return release && system && flavour;
}

static Coverage coverage_of(const std::vector<FrameworkBuild>& rows, const Version& version) {
    if (rows.empty()) return Coverage::silent;
    const auto older = [](const auto& a, const auto& b) { return a.first < b.first; };
    const auto ends_earlier = [](const auto& a, const auto& b) {
        return a.last.value_or(a.first) < b.last.value_or(b.first);
    };
    const auto oldest = std::min_element(rows.begin(), rows.end(), older);
    const auto newest = std::max_element(rows.begin(), rows.end(), ends_earlier);
    if (version < oldest->first) return Coverage::older_than_data;
    return within(version, newest->last.value_or(newest->first)) ? Coverage::silent : Coverage::newer_than_data;
}

Builds builds_of(const Facts& facts, const Matrix& matrix, const Framework& framework) {
    Builds builds;
    if (!framework.version) return builds;
    for (const FrameworkBuild& row : matrix.framework_builds())
        if (row.framework == framework.name && may_be(row, facts, framework))
            (row.cuda ? builds.with_cuda : builds.without_cuda).push_back(row);
    if (builds.with_cuda.empty() && builds.without_cuda.empty())
        builds.coverage = coverage_of(matrix.framework_builds(framework.name), *framework.version);
    return builds;
}

Evidence evidence_of(const FrameworkBuild& build, const std::string& value) {
    const bool several = build.last && build.last != build.first;
    return {build.package + ' ' + build.first.text + (several ? " to " + build.last->text : "") + " for " + build.os +
                " (" + build.build + ")",
            value, build.source.url};
}

std::string libraries_of(const FrameworkBuild& build) {
    if (!build.cuda) return "no CUDA";
    return "CUDA " + build.cuda->text +
           (build.cudnn           ? ", cuDNN " + build.cudnn->text
            : build.without_cudnn ? ", no cuDNN"
                                  : "");
}

}  // namespace rnncheck::rules
