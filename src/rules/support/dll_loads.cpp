#include "rules/support/dll_loads.hpp"

#include <algorithm>

#include "rules/support/probes.hpp"

namespace rnncheck::rules {

namespace {

/// A program that is none of the known frameworks.
bool is_of_program(const DllLoad& load) {
    return load.framework.empty();
}

/// A framework comes to the same cuDNN, so that what is wrong with that is reported of it.
bool is_of_framework_too(const Facts& facts, const DllLoad& load) {
    return std::ranges::any_of(facts.dll_loads, [&](const DllLoad& other) {
        return !is_of_program(other) && is_front(other) && other.path &&
               dll::same_name(dll::dll_directory(*other.path), load.environment);
    });
}

/// Whether the caller wants this load, and nobody else reports the same files.
bool are_considered(const Facts& facts, const DllLoad& load, Loads loads) {
    if (!is_of_program(load))
        return true;
    return loads == Loads::of_all_programs && !is_of_framework_too(facts, load);
}

/// What the cuDNN of a program is called in the facts of the machine: with slashes.
std::string slashed(std::string path) {
    std::ranges::replace(path, '\\', '/');
    return path;
}

/// The directory of the front that is loaded with this one; empty when it is unknown.
std::string directory_of_front(const Facts& facts, const DllLoad& load) {
    if (is_of_program(load))
        return slashed(load.environment);
    const DllLoad* const front = find_where(facts.dll_loads, [&](const DllLoad& other) {
        return other.framework == load.framework && other.environment == load.environment &&
               is_front(other) && other.path;
    });
    if (!front)
        return "";
    return slashed(dll::dll_directory(*front->path));
}

/// The DLL that imports or opens this one.
Evidence asker_of(const DllLoad& load) {
    return {"loaded by", load.needed_by.value_or(""), "dll_loads"};
}

}  // namespace

bool is_front(const DllLoad& load) {
    return dll::is_cudnn(load.name);
}

bool is_part(const DllLoad& load) {
    return dll::is_part_of_cudnn(load.name);
}

const Framework* framework_of(const Facts& facts, const DllLoad& load) {
    return find_where(facts.frameworks, [&](const Framework& framework) {
        return framework.name == load.framework && framework.environment == load.environment;
    });
}

std::string words_of(const Facts& facts, const DllLoad& load) {
    if (is_of_program(load))
        return "a program";
    const Framework* const framework = framework_of(facts, load);
    const bool is_known = framework && framework->version;
    if (!is_known)
        return load.framework;
    return load.framework + " " + framework->version->text;
}

LoadKey key_of(const DllLoad& load) {
    return {load.framework, load.environment};
}

Verdict over_loads(
    const Facts& facts, const PickLoad& concerns, const JudgeLoad& judge, Loads loads) {
    const bool has_program =
        loads == Loads::of_all_programs && std::ranges::any_of(facts.dll_loads, is_of_program);
    const auto no_framework = without_frameworks(facts);
    if (no_framework && !has_program)
        return *no_framework;
    VerdictBuilder result;
    result.not_applicable("no framework loads such a DLL");
    if (no_framework && no_framework->outcome == Outcome::undecided)
        result.unknown(no_framework->reason);
    for (const DllLoad& load : facts.dll_loads) {
        if (!concerns(load) || !are_considered(facts, load, loads))
            continue;
        if (load.ending == DllEnding::unknown)
            result.unknown("whether " + load.name + " is found is unknown");
        else if (load.ending == DllEnding::loaded)
            result.passed(load.name + " is found");
        judge(load, result);
    }
    return result.finish();
}

Verdict over_not_found(
    const Facts& facts, const PickLoad& concerns, const JudgeLoad& judge, Loads loads) {
    const auto judge_one = [&](const DllLoad& load, VerdictBuilder& result) {
        if (load.ending == DllEnding::not_found && !load.path)
            judge(load, result);
    };
    return over_loads(facts, concerns, judge_one, loads);
}

void concern_cudnn(const Facts& facts, const DllLoad& load, Finding& finding) {
    const std::string directory = directory_of_front(facts, load);
    if (directory.empty() || (!is_front(load) && !is_part(load)))
        return;
    bool is_picked = false;
    for (const Library& library : facts.libraries) {
        if (library.kind != LibraryKind::cudnn ||
            !dll::same_name(directory_of(library.path), directory))
            continue;
        is_picked |= library.picked_by_loader;
        append(finding.explains, {library.path, "RNN API of " + library.path});
    }
    append(finding.explains, crashes_of_cudnn_in(facts, directory));
    if (!is_of_program(load))
        return;
    finding.subject = load.environment + " " + load.name;
    finding.severity = error_if(is_picked);
}

Finding about(
    const Facts& facts, const DllLoad& load, std::string message, std::vector<Remedy> remedies) {
    Finding finding = {
        .subject = words_of(facts, load) + " " + load.name,
        .message = std::move(message),
        .evidence = {{load.name, load.path.value_or("not found"), "dll_loads"}, asker_of(load)},
        .remedies = std::move(remedies),
    };
    concern_cudnn(facts, load, finding);
    return finding;
}

}  // namespace rnncheck::rules
