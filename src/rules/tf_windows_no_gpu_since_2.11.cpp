// TensorFlow on native Windows has no CUDA from 2.11 on.
#include "rules/rule.hpp"
#include "rules/support/repairs.hpp"
#include "rules/support/versions.hpp"

namespace rnncheck::rules::tf_windows_no_gpu_since_2_11 {

constexpr const char* guide = "https://www.tensorflow.org/install/pip#windows-native";

/// Some version of TensorFlow for Linux may run on the GPUs.
static bool wsl_may_help(const Facts& facts, const Matrix& matrix) {
    const auto rows = matrix.framework_builds("tensorflow");
    return std::ranges::any_of(rows, [&](const FrameworkBuild& build) {
        return build.os == "linux" && build.cuda && std::ranges::all_of(facts.cuda_devices, [&](const Gpu& gpu) {
                   return !gpu.compute_capability ||
                          compat::build_and_cudnn_on_gpu(build, *gpu.compute_capability, {}, matrix).fit !=
                              Fit::does_not_work;
               });
    });
}

/// In an environment with a Python of its own; nothing where it has no code for the GPU or the driver is too old.
static std::vector<Remedy> last_for_windows(Facts facts, const Matrix& matrix, Framework framework) {
    facts.pythons.clear();
    framework.version = make_version({2, 10});
    std::vector<Remedy> ways = builds_that_run(facts, matrix, framework);
    for (Remedy& way : ways) {
        way.text =
            "Or use TensorFlow 2.10, the last version for native Windows, with CUDA 11.2 and cuDNN 8.1, in a conda "
            "environment with Python 3.7 to 3.10";
        way.commands = {"conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1.0",
                        "pip install \"tensorflow<2.11\" \"numpy<2\""};
        way.verify = "rnncheck doctor";
        way.link = guide;
        way.changes.push_back({"python", "3.10"});
    }
    return ways;
}

/// Those that run on the GPU, where it is known: no version for Windows has code for today's.
static std::vector<Remedy> ways_out(const Facts& facts, const Matrix& matrix, const Framework& framework) {
    const Gpu* gpu = given_gpu(facts);
    const ContainerImage* image =
        gpu ? compat::image_instead("tensorflow", *gpu->compute_capability, {}, matrix) : nullptr;
    std::vector<Remedy> ways;
    if (image) ways = {using_image(true, *image, ": no published build of any version runs on this GPU")};
    if (wsl_may_help(facts, matrix))
        ways.push_back({.action = Action::install_package,
                        .text = "Run it in WSL 2",
                        .commands = {"wsl --install"},
                        .verify = "rnncheck doctor",
                        .link = guide});
    append(ways, last_for_windows(facts, matrix, framework));
    return ways;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts))
        if (const auto verdict = without_frameworks(facts)) return *verdict;
    if (!facts.host.platform) return undecided("the operating system is unknown");
    if (*facts.host.platform != "windows") return not_applicable("this is not Windows");
    VerdictBuilder answers;
    for (const Framework& framework : only_given(facts) ? facts.frameworks : judged_frameworks(facts, matrix)) {
        if (framework.name != "tensorflow" || !framework.version) continue;
        const Builds builds = builds_of(facts, matrix, framework);
        if (!builds.with_cuda.empty()) {
            answers.passed(words_of(framework) + " has a build with CUDA for Windows");
            continue;
        }
        if (builds.without_cuda.empty() || *framework.version < make_version({2, 11})) continue;
        answers.fault({.subject = words_of(framework),
                       .message = words_of(framework) +
                                  " does not support CUDA on native Windows: 2.10 was the last version that did",
                       .evidence = {{"operating system", "windows", "host.platform"},
                                    evidence_of(builds.without_cuda.front(), "no CUDA")},
                       .remedies = ways_out(facts, matrix, framework)});
    }
    return answers.close_or(not_applicable("no TensorFlow version was specified"));
}

extern const Rule rule{.title = "TensorFlow has no GPU support on native Windows since 2.11",
                       .layer = Layer::runtime,
                       .stage = Stage::look,
                       .check = check,
                       .what_if_inputs = "os= and tensorflow="};

}  // namespace rnncheck::rules::tf_windows_no_gpu_since_2_11
