#include "rules/support/loader_path.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck::rules {

namespace {

/// PyTorch, imported before it, leaves its cuDNN in the process, where others find it by name.
bool torch_is_beside(const Facts& facts, const Framework& framework) {
    return std::any_of(facts.frameworks.begin(), facts.frameworks.end(), [&](const Framework& other) {
        return other.name == "pytorch" && other.environment == framework.environment && other.uses_cuda.value_or(false);
    });
}

/// These need their libraries for some uses alone, and documents of theirs tell how to lead them there.
bool can_do_without(const Framework& framework) {
    return framework.name == "onnxruntime" || framework.name == "ctranslate2" || framework.name == "cupy";
}

Finding not_found(const Facts& facts, const Framework& framework, const FrameworkLibrary& wanted, const Library& file,
                  const std::string& rule) {
    Finding finding;
    finding.subject = words_of(framework);
    if (can_do_without(framework))
        finding.severity = torch_is_beside(facts, framework) ? Severity::note : Severity::warning;
    finding.message = words_of(framework) + " opens " + wanted.soname + ", which is at " + file.path +
                      ", outside the loader's search path";
    finding.evidence = {{wanted.soname, "not found by the loader", "frameworks"},
                        {"installed at", file.path, "libraries"}};
    if (framework.core) finding.evidence.push_back({"opened by", *framework.core, "frameworks"});
    finding.remedies = {{.text = "Add that directory to LD_LIBRARY_PATH before the program starts",
                         .commands = {export_of_loader_path(directory_of(file.path))},
                         .verify = "rnncheck doctor --only " + rule,
                         .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"}};
    return finding;
}

}  // namespace

std::string export_of_loader_path(const std::string& directories) {
    return "export LD_LIBRARY_PATH=" + shell_quoted(directories) + "\"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"";
}

Verdict judge_loader_path(const Facts& facts, const Matrix& matrix, std::string_view stem, const std::string& rule) {
    if (const auto verdict = without_frameworks(facts)) return *verdict;
    if (no_nvidia_hardware_seen(facts)) return not_applicable("no NVIDIA GPU was found");
    Answers answers;
    for (const Framework& framework : judged_frameworks(facts, matrix)) {
        const FrameworkLibrary* wanted = opened(framework, stem);
        if (!opens_gpu_libraries(framework, answers) || !wanted) continue;
        const Library* file = file_named(facts, wanted->soname);
        if (wanted->path)
            answers.good(words_of(framework) + " finds " + wanted->soname);
        else if (!libraries_listed(facts))
            answers.unknown("the library directories could not be searched");
        else if (!file)
            answers.told_elsewhere(wanted->soname + " is not installed");
        else
            answers.fault(not_found(facts, framework, *wanted, *file, rule));
    }
    return answers.close_or(pass("every framework finds its libraries"));
}

}  // namespace rnncheck::rules
