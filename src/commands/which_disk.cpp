#include "commands/which_disk.hpp"

#include <algorithm>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/command.hpp"
#include "commands/common_options.hpp"
#include "judge.hpp"

namespace rnncheck::commands {

namespace {

/// Those that evaluate the files of a disk; the others are about a machine that runs, of which a
/// disk shows nothing: they would all be undecided.
const std::set<std::string> rules_about_disks = {
    "cudnn_part_missing",
    "cudnn_mixed_sublibraries",
    "cudnn_built_for_other_cuda",
    "cudnn_major_soname_mismatch",
    "cudnn_newer_than_framework_supports",
    "cudnn_not_installed",
    "cudnn_not_on_loader_path",
    "cudnn_runtime_older_than_built",
    "cuda_lib_not_on_loader_path",
    "cuda_version_mismatch",
    "library_file_damaged",
    "plugin_without_cudnn_rnn",
    "tf_no_native_windows_gpu",
    "vc_runtime_missing",
    "cudnn_shadowed",
    "zlib_missing"};

/// "/mnt/disk/Users/ada" and "/Users/ada" of a disk at /mnt/disk are "C:\Users\ada".
std::string as_windows_path(const Root& root, std::string target) {
    if (!root.prefix().empty() && target.starts_with(root.prefix() + '/'))
        target.erase(0, root.prefix().size());
    if (target.starts_with('/'))
        return dll::windows_path(target);
    return target;
}

/// The one that was named, or all where installers put them.
std::vector<dll::Environment> environments(const dll::Disk& disk, const DiskQuestion& question) {
    if (!question.target) {
        auto found = dll::environments_on(disk);
        if (found.empty())
            throw InputError(
                "no Python environment was found below '" + question.root +
                "' where installers of Windows put them; specify one: rnncheck which --root " +
                shell_quoted(question.root) + " 'C:\\Users\\NAME\\venv'");
        return found;
    }
    const std::string path = as_windows_path(disk.root(), *question.target);
    auto environment = dll::environment_at(disk, path);
    if (!environment)
        throw InputError(
            "'" + *question.target + "' is no Python environment of Windows below '" +
            question.root + "': it has neither pyvenv.cfg nor python.exe");
    return {std::move(*environment)};
}

/// For a note: what was examined.
std::string described(const dll::Environment& environment, std::size_t frameworks) {
    std::string text = "Python of unknown version";
    if (environment.python.version)
        text = "Python " + environment.python.version->text;
    text += " in " + environment.prefix;
    if (frameworks == 0)
        text += ": no framework that rnncheck knows is installed";
    return text;
}

std::string described(const Framework& framework) {
    const std::string name =
        framework.name + if_any(" ", framework.version) + " in " + framework.environment;
    if (!framework.uses_cuda)
        return name + ": its files do not show whether it uses CUDA";
    if (*framework.uses_cuda)
        return name + " uses CUDA";
    return name + " is a build without CUDA";
}

/// What the rules need: a machine of which only the files are known, with this environment alone.
Facts facts_of(const dll::Environment& environment, const std::vector<dll::FrameworkLoads>& loads) {
    Facts facts;
    facts.tool.version = std::string(version_of_rnncheck());
    facts.tool.stages = {"look"};
    facts.host.platform = "windows";
    PythonEnvironment python = environment.python;
    python.path = environment.prefix;
    facts.pythons = {std::move(python)};
    for (const dll::FrameworkLoads& one : loads) {
        facts.frameworks.push_back(one.framework);
        append(facts.dll_loads, one.loads);
    }
    return facts;
}

/// The command that shows whether a remedy helped.
std::string again(const DiskQuestion& question) {
    std::string command = "rnncheck which --root " + shell_quoted(question.root);
    if (question.target)
        command += " " + shell_quoted(*question.target);
    if (question.path)
        command += " --path " + shell_quoted(*question.path);
    return command;
}

}  // namespace

std::vector<dll::FrameworkLoads> add_environment(
    const dll::Disk& disk,
    const dll::Search& search,
    dll::Environment environment,
    const Matrix& matrix,
    const std::string& again,
    WhichDocument& document) {
    auto loads = dll::framework_loads(disk, environment, search);
    document.notes.push_back(described(environment, loads.size()));
    for (const dll::FrameworkLoads& one : loads) {
        document.notes.push_back(described(one.framework));
        for (const std::string& note : one.notes)
            add_once(document.notes, note);
        append(document.libraries, one.libraries);
    }
    Selection selection;
    selection.only = rules_about_disks;
    for (Finding& finding : judge(facts_of(environment, loads), matrix, selection).findings) {
        // 'rnncheck doctor', which remedies name, would check the machine on which this runs.
        for (Remedy& remedy : finding.remedies)
            remedy.verify = again;
        document.findings.push_back(std::move(finding));
    }
    return loads;
}

/// A path that was changed cannot be used in a command line, so a note reports it.
WhichDocument without_private(const WhichDocument& document) {
    WhichDocument shown = redact(document, this_machine());
    if (json_text(shown) != json_text(document))
        shown.notes.push_back(
            "user names and home directories are replaced by words; --show-private shows them");
    return shown;
}

WhichDocument which_on_disk(const DiskQuestion& question) {
    const dll::Disk disk{Root(question.root)};
    if (!disk.is_directory("C:\\Windows") && !question.target)
        throw InputError(
            "'" + question.root +
            "' has no directory Windows: --root needs the directory at which a disk "
            "of Windows is mounted");
    WhichDocument document;
    document.target = "the disk of Windows at " + question.root;
    const Matrix matrix = Matrix::bundled();
    const dll::Search search{.path = question.path, .all = question.all};
    for (dll::Environment& environment : environments(disk, question))
        add_environment(disk, search, std::move(environment), matrix, again(question), document);
    if (!question.path)
        document.notes.push_back(
            std::string(dll::path_is_unknown) +
            ": only what activating an environment adds to it is searched; --path specifies it");
    document.notes.push_back(
        "the registry is not read, nor are manifests; files of other drives are unknown");
    return document;
}

int exit_code_of_disk(const WhichDocument& document) {
    if (find_by(document.findings, &Finding::severity, Severity::error))
        return problem;
    if (std::ranges::any_of(document.libraries, &LibraryChoice::is_open))
        return undetermined;
    return healthy;
}

}  // namespace rnncheck::commands
