// The CUDA installed is not the one that a framework loads.
#include "rules/rule.hpp"

namespace rnncheck::rules::cuda_version_not_the_one_built_for {

/// Since CUDA 11 the runtime's file name carries the major alone; before, each release had its own.
static bool same_files(const Version& cuda, const Version& wanted) {
    return cuda.major() == wanted.major() && (wanted.major() >= 11 || cuda.minor() == wanted.minor());
}

static Finding other_cuda(const Framework& framework, const FrameworkBuild& build, const Version& cuda) {
    return {.subject = words_of(framework),
            .message = words_of(framework) + " was built for CUDA " + build.cuda->text + ", which CUDA " + cuda.text +
                       " does not provide",
            .evidence = {{"CUDA", cuda.text, "runtimes"}, evidence_of(build, "CUDA " + build.cuda->text)}};
}

static Finding only_another_cuda(const Facts& facts, const Framework& framework, const std::string& soname,
                                 const Library& other) {
    const std::string found = std::to_string(*major_of_file(other));
    return {.subject = words_of(framework),
            .message = words_of(framework) + " was built for CUDA " + framework.cuda->text + " and opens " + soname +
                       "; the installed CUDA version is " + found,
            .evidence = {{soname, "not found", "frameworks"},
                         {"CUDA " + found, other.path, "libraries"},
                         built_for(framework, "CUDA " + framework.cuda->text)},
            .remedies = {installing_cublas(facts, framework,
                                           {.action = Action::install_package,
                                            .text = "Install CUDA " + std::to_string(framework.cuda->major()) +
                                                    " in addition, or use a framework build for CUDA " + found,
                                            .link = "https://developer.nvidia.com/cuda-toolkit-archive"})}};
}

static Verdict judge_machine(const Facts& facts, const Matrix& matrix) {
    if (no_nvidia_hardware_seen(facts)) return not_applicable("no NVIDIA GPU was found");
    const auto judge = [&](const Framework& framework, const FrameworkLibrary& cublas, VerdictBuilder& answers) {
        const Library* other = another_cublas(facts, framework);
        if (cublas.path)
            answers.passed(words_of(framework) + " finds the CUDA version it was built for");
        else if (!framework.cuda)
            answers.unknown("the CUDA version that " + words_of(framework) + " was built for is unknown");
        else if (!libraries_listed(facts))
            answers.unknown("the library directories could not be searched");
        else if (!other)
            answers.no_pass(cublas.soname + " is outside the loader's search path, or CUDA is not installed");
        else
            answers.fault(only_another_cuda(facts, framework, cublas.soname, *other));
    };
    return over_opened(facts, matrix, "libcublas.so", "every framework finds its CUDA libraries", judge);
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_machine(facts, matrix);
    const Version* cuda = given_cuda(facts);
    if (!cuda) return undecided("no CUDA version was specified");
    return judge_frameworks(facts, matrix, takes_system_libraries,
                            [&](const FrameworkBuild& build, const Framework& framework) -> Verdict {
                                if (same_files(*cuda, *build.cuda))
                                    return pass(words_of(framework) + " has compatible libraries");
                                return fault(other_cuda(framework, build, *cuda));
                            });
}

extern const Rule rule{.title = "The installed CUDA version is not the one the framework was built for",
                       .layer = Layer::runtime,
                       .stage = Stage::look,
                       .check = check,
                       .what_if_inputs = "cuda= and a framework",
                       .repaired_by_versions = true};

}  // namespace rnncheck::rules::cuda_version_not_the_one_built_for
