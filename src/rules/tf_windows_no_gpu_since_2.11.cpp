// TensorFlow on native Windows has no CUDA from 2.11 on.
#include "rules/rule.hpp"

namespace rnncheck::rules::tf_windows_no_gpu_since_2_11 {

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
        answers.fault(
            {.subject = words_of(framework),
             .message =
                 words_of(framework) + " does not support CUDA on native Windows: 2.10 was the last version that did",
             .evidence = {{"operating system", "windows", "host.platform"},
                          evidence_of(builds.without_cuda.front(), "no CUDA")},
             .remedies = {{.action = Action::install_package,
                           .text = "Run it in WSL 2, or use TensorFlow 2.10 with CUDA 11.2 and cuDNN 8.1, in a "
                                   "conda environment with Python 3.7 to 3.10",
                           .commands = {"wsl --install", "conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1.0",
                                        "pip install \"tensorflow<2.11\" \"numpy<2\""},
                           .verify = "rnncheck doctor",
                           .link = "https://www.tensorflow.org/install/pip#windows-native"}}});
    }
    return answers.close_or(not_applicable("no TensorFlow version was specified"));
}

extern const Rule rule{.title = "TensorFlow has no GPU support on native Windows since 2.11",
                       .layer = Layer::runtime,
                       .stage = Stage::look,
                       .check = check,
                       .what_if_inputs = "os= and tensorflow="};

}  // namespace rnncheck::rules::tf_windows_no_gpu_since_2_11
