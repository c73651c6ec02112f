#include "base/text.hpp"
#include "report/documents.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

std::string line(std::string_view word, const std::string& text) {
    return text.empty() ? "" : wrapped(label(word), shown(text));
}

/// Never wrapped: a command is copied as a whole.
std::string command_line(std::string_view word, const std::string& command, const Style& style) {
    return command.empty() ? "" : label(word) + styled(style, TextStyle::bold, shown(command)) + '\n';
}

std::string release_of(const PlannedBuild& build) {
    return build.last->text + " (" + build.build + ")";
}

std::string from_to(const std::optional<Version>& first, const std::optional<Version>& last) {
    if (!first || !last) return "";
    return *first == *last ? last->text : first->text + " to " + last->text;
}

std::string made_of(const PlannedBuild& build) {
    std::vector<std::string> parts;
    if (build.cuda) parts.push_back("CUDA " + build.cuda->text);
    if (build.without_cudnn)
        parts.push_back("no cuDNN");
    else
        parts.push_back(build.cudnn ? "cuDNN " + version_in_words(*build.cudnn) : "a cuDNN that is not in the data");
    if (const std::string python = from_to(build.python_first, build.python_last); !python.empty())
        parts.push_back("Python " + python);
    parts.push_back(build.driver_min ? "driver " + build.driver_min->text + " or newer"
                                     : "a driver that is not in the data");
    return join(parts, ", ");
}

std::string notes_of(const PlannedBuild& build) {
    std::string text;
    for (const std::string& note : build.notes) text += line("note", note);
    return text;
}

std::string sources_of(const PlannedBuild& build, const Style& style) {
    std::string text;
    if (style.verbose)
        for (const std::string& source : build.sources) text += label("source") + shown(source) + '\n';
    return text;
}

std::string why_no_newer(const FrameworkPlan& plan) {
    if (!plan.newer) return "";
    const char* verb = plan.newer->fit == Fit::unknown ? " may not run: " : " does not run: ";
    return release_of(*plan.newer) + verb + join(plan.newer->because, "; ");
}

std::string what_is_open(const FrameworkPlan& plan) {
    if (plan.undecided.empty()) return "";
    return join(plan.undecided, ", ") + ": " + join(plan.undecided_because, "; ");
}

std::string built_of(const PlannedBuild& build) {
    return shown(release_of(build)) + ": " + shown(made_of(build));
}

std::string framework_text(const FrameworkPlan& plan, const Style& style) {
    const std::string name = '\n' + styled(style, TextStyle::bold, shown(plan.framework));
    if (!plan.newest && !plan.perhaps && !plan.newer) return name + ": no build with CUDA for this system\n";
    if (!plan.newest && !plan.perhaps) return name + ": nothing runs\n" + line("newest", why_no_newer(plan));
    const PlannedBuild& build = plan.newest ? *plan.newest : *plan.perhaps;
    std::string text = wrapped(name + (plan.newest ? " " : ", not known to run: "), built_of(build), 2);
    text += command_line("install", build.install, style) + notes_of(build);
    text += line("runs", join(plan.versions, ", ")) + line("open", what_is_open(plan));
    return text + line("newer", why_no_newer(plan)) + sources_of(build, style);
}

std::string asked_in_words(const PlanQuestion& asked) {
    std::vector<std::string> parts;
    if (asked.gpu && !asked.gpu_name.empty())
        parts.push_back(asked.gpu_name + " (" + asked.gpu->text + ")");
    else if (asked.gpu)
        parts.push_back("compute capability " + asked.gpu->text);
    if (asked.driver) parts.push_back("driver " + asked.driver->text);
    if (asked.python) parts.push_back("Python " + asked.python->text);
    parts.push_back(asked.os + (asked.driver_os.empty() ? "" : " over a driver of " + asked.driver_os));
    return join(parts, ", ");
}

std::string capabilities_in_words(const std::vector<Version>& capabilities) {
    std::vector<std::string> texts;
    for (const Version& capability : capabilities) texts.push_back(capability.text);
    return join(texts, " ");
}

std::string needed_text(const NeededBuild& needed, const Style& style) {
    const PlannedBuild& build = needed.build;
    std::string text =
        '\n' +
        wrapped("", styled(style, TextStyle::bold, shown(build.os + ", " + build.build)) + ": " + shown(made_of(build)),
                2);
    if (build.fit == Fit::does_not_work) text += line("not here", join(build.because, "; "));
    if (build.driver_full)
        text += line("driver", (build.driver_min ? build.driver_min->text + " or newer; " : "") +
                                   "all features of its CUDA from " + build.driver_full->text + " on");
    text += line("GPUs", needed.gpus.empty() ? "not in the data" : capabilities_in_words(needed.gpus));
    text += line("by PTX", capabilities_in_words(needed.gpus_compiling_first));
    return text + command_line("install", build.install, style) + notes_of(build) + sources_of(build, style);
}

}  // namespace

std::string plan_text(const PlanDocument& document, const Style& style) {
    const Plan& plan = document.plan;
    std::string text = wrapped("what can run on ", shown(asked_in_words(plan.asked)), 2);
    for (const std::string& remark : plan.remarks) text += wrapped("", shown(remark), 2);
    for (const std::string& obstacle : plan.obstacles)
        text += '\n' + wrapped("nothing can be offered: ", shown(obstacle), 2);
    for (const FrameworkPlan& framework : plan.frameworks) text += framework_text(framework, style);
    return text + '\n' + tables_in_words(document.tool) + '\n';
}

std::string plan_text(const NeedsDocument& document, const Style& style) {
    const Needs& needs = document.needs;
    std::string text = "what " + shown(needs.framework) + ' ' + needs.version.text + " needs\n";
    for (const NeededBuild& build : needs.builds) text += needed_text(build, style);
    if (!needs.without_cuda.empty())
        text += '\n' + wrapped("no build with CUDA for ", shown(join_with_and(needs.without_cuda)), 2);
    if (needs.newest_known)
        text += "\nit is newer than the data of " + shown(document.tool.matrix_date) + ", which end with " +
                needs.newest_known->text + '\n';
    else if (needs.builds.empty() && needs.without_cuda.empty())
        text += "\nno such release is in the data\n";
    return text + '\n' + tables_in_words(document.tool) + '\n';
}

}  // namespace rnncheck
