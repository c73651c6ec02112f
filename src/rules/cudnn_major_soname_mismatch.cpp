// A framework opens cuDNN by the name of one major, and another major is installed.
#include "rules/rule.hpp"

namespace rnncheck::rules::cudnn_major_soname_mismatch {

static const Library* of_another_major(const Facts& facts, int major) {
    for (const Library& library : facts.libraries)
        if (library.kind == LibraryKind::cudnn && !library.problem && major_of_file(library).value_or(major) != major)
            return &library;
    return nullptr;
}

static Finding mismatch(const Facts& facts, const Framework& framework, const std::string& soname,
                        const Library& other) {
    const std::string found = std::to_string(*major_of_file(other));
    return {.subject = words_of(framework),
            .message = words_of(framework) + " opens " + soname + ", but cuDNN " + found +
                       " is installed: libraries of different major versions are not interchangeable",
            .evidence = {{soname, "not found", "frameworks"},
                         {"cuDNN " + found, other.path, "libraries"},
                         built_for(framework, "cuDNN " + framework.cudnn->text)},
            .remedies = {installing_cudnn(
                facts, framework,
                {.action = Action::install_package,
                 .text = "Install cuDNN " + std::to_string(framework.cudnn->major()) +
                         " in addition, or use a framework version built for cuDNN " + found,
                 .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"})}};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (no_nvidia_hardware_seen(facts)) return not_applicable("no NVIDIA GPU was found");
    const auto judge = [&](const Framework& framework, const FrameworkLibrary& cudnn, VerdictBuilder& answers) {
        if (!framework.cudnn)
            return answers.unknown("the cuDNN version that " + words_of(framework) + " was built with is unknown");
        const Library* other = of_another_major(facts, framework.cudnn->major());
        if (cudnn.path)
            answers.passed(words_of(framework) + " finds " + cudnn.soname);
        else if (!libraries_listed(facts))
            answers.unknown("the library directories could not be searched");
        else if (!other)
            answers.no_pass("cuDNN is not installed");
        else
            answers.fault(mismatch(facts, framework, cudnn.soname, *other));
    };
    return over_opened(facts, matrix, "libcudnn", "every framework finds its cuDNN", judge);
}

extern const Rule rule{.title = "The program needs a different major version of cuDNN than the one installed",
                       .layer = Layer::cudnn,
                       .stage = Stage::look,
                       .check = check,
                       .yields_to = {"cudnn_not_on_loader_path"}};

}  // namespace rnncheck::rules::cudnn_major_soname_mismatch
