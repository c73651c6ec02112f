#include <algorithm>
#include <ostream>

#include "base/text.hpp"
#include "report/layout.hpp"
#include "report/text_parts.hpp"

namespace rnncheck {

namespace {

using Words = std::vector<std::string>;

std::string named(const Framework& framework) {
    return shown(framework.name) + (framework.version ? " " + shown(framework.version->text) : "") +
           (framework.build ? " (" + shown(*framework.build) + ")" : "");
}

std::string environment_line(const PythonEnvironment& environment) {
    Words words{environment.version ? shown(environment.version->text) : "version not known"};
    words.push_back(shown(environment.path) + " by " + shown(environment.found_by));
    if (environment.distributions)
        words.push_back(counted(static_cast<std::size_t>(*environment.distributions), "package", "packages"));
    return join(words, ", ");
}

std::string cudnn_words(const Framework& framework) {
    for (const FrameworkLibrary& library : framework.libraries) {
        if (!library.soname.starts_with("libcudnn")) continue;
        if (!library.path) return "finds no " + shown(library.soname);
        return "gets cuDNN" + (library.version ? " " + shown(library.version->text) : "") + " at " +
               shown(*library.path) + (library.found_by ? " by " + shown(*library.found_by) : "");
    }
    return "";
}

std::string framework_line(const Framework& framework) {
    Words words{named(framework)};
    if (framework.asked) words.emplace_back("asked about with --for");
    if (framework.uses_cuda) words.emplace_back(*framework.uses_cuda ? "with CUDA" : "without CUDA");
    if (framework.cuda) words.push_back("built for CUDA " + shown(framework.cuda->text));
    if (framework.cudnn) words.push_back("built with cuDNN " + shown(framework.cudnn->text));
    if (const std::string cudnn = cudnn_words(framework); !cudnn.empty()) words.push_back(cudnn);
    return join(words, ", ");
}

bool is_in(const Framework& framework, const PythonEnvironment* environment) {
    return environment && framework.environment == environment->path;
}

const PythonEnvironment* active_environment(const Facts& facts) {
    const auto found = std::find_if(facts.pythons.begin(), facts.pythons.end(), [](const auto& p) { return p.active; });
    return found == facts.pythons.end() ? nullptr : &*found;
}

}  // namespace

void write_frameworks(const Facts& facts, std::ostream& out, const Style& style) {
    if (facts.frameworks.empty()) return;
    const auto line = [&](std::string_view label, const std::string& text) {
        out << wrapped("  " + padded(label, 10), text);
    };
    out << '\n' << inked(style, Ink::bold, "Frameworks") << '\n';
    const PythonEnvironment* active = active_environment(facts);
    if (active) line("Python", environment_line(*active));
    for (const Framework& framework : facts.frameworks)
        if (framework.asked || is_in(framework, active)) line("framework", framework_line(framework));
    for (const Framework& framework : facts.frameworks)
        if (!framework.asked && !is_in(framework, active))
            line("elsewhere", named(framework) + " in " + shown(framework.environment));
    if (!active) return;
    for (const std::string& text : active->left_out) line("not read", shown(text));
}

}  // namespace rnncheck
