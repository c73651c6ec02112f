// Python and its frameworks in the checklist.
#include <algorithm>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "facts/dll_names.hpp"
#include "report/checklist_rows.hpp"

namespace rnncheck {

namespace {

using Words = std::vector<std::string>;

/// "Python 3.11.7" and, as its place, "/home/ada/venv (VIRTUAL_ENV)".
ChecklistRow environment_row(const PythonEnvironment& environment, const std::string& before) {
    std::string version = known("", environment.version);
    if (version.empty())
        version = "of unknown version";
    std::string place;
    if (!environment.path.empty())
        place = shown(environment.path) + " (" + shown(environment.found_by) + ")";
    return {before + "Python " + version, place};
}

/// "pytorch 2.4.0 (cu124)".
std::string named(const Framework& framework) {
    return shown(framework.name) + known(" ", framework.version) +
           known(" (", framework.build, ")");
}

/// Its cuDNN was queried, and its RNN API cannot be used.
bool is_unusable(const FrameworkLibrary& library, const Facts& facts) {
    if (!library.path)
        return false;
    const Cudnn* const queried = find_by(facts.cudnns, &Cudnn::library, *library.path);
    return queried && !queried->rnn_usable.value_or(true);
}

/// What a framework of Windows loads under the name cudnn64_9.dll; null when it opens none.
const DllLoad* loaded_dll(const Framework& framework, const Facts& facts) {
    return find_where(facts.dll_loads, [&](const DllLoad& load) {
        return load.framework == framework.name && load.environment == framework.environment &&
               dll::is_cudnn(load.name);
    });
}

/// As the search of Windows was predicted from the files, not tried.
ChecklistRow in_words(const DllLoad& load) {
    if (load.ending == DllEnding::loaded)
        return {"loads cuDNN" + known(" ", load.version), shown(load.path.value_or(""))};
    return {"cannot load " + shown(load.name) + known(": it ", load.problem)};
}

/// The path only where no line of cuDNN has it.
ChecklistRow loaded_cudnn(const Framework& framework, const Facts& facts) {
    if (framework.uses_cudnn == false)
        return {"does not use cuDNN"};
    if (const DllLoad* const load = loaded_dll(framework, facts))
        return in_words(*load);
    for (const FrameworkLibrary& library : framework.libraries) {
        if (!library.soname.starts_with("libcudnn"))
            continue;
        if (!library.path)
            return {"finds no " + shown(library.soname)};
        const bool is_listed = find_by(facts.cudnns, &Cudnn::library, *library.path);
        std::string how, place;
        if (is_unusable(library, facts))
            how = ", whose RNN API does NOT work";
        if (!is_listed || facts.cudnns.size() != 1)
            place = shown(*library.path);
        return {
            "loads cuDNN" + known(" ", library.version) + known(" found by ", library.found_by) +
                how,
            place};
    }
    return {""};
}

/// "pytorch 2.4.0, built for CUDA 12.4 and cuDNN 9.1, loads cuDNN 9.1.0 found
/// by RUNPATH", each part only where it is known.
ChecklistRow framework_row(const Framework& framework, const Facts& facts) {
    Words built{known("CUDA ", framework.cuda), known("cuDNN ", framework.cudnn)};
    std::erase(built, "");
    ChecklistRow cudnn = loaded_cudnn(framework, facts);
    std::string origin, without;
    if (framework.requested)
        origin = "named with --for";
    if (framework.uses_cuda == false)
        without = "without CUDA";
    return {
        listed(
            {named(framework),
             origin,
             without,
             if_any("built for ", join_with_and(built)),
             cudnn.text}),
        cudnn.place};
}

/// "both call /a/libcudnn.so.9", or what each calls.
std::string calls_in_words(const ImportOrder& order) {
    const auto file = [](const std::optional<std::string>& path) {
        if (!path)
            return std::string("no cuDNN");
        return shown(*path);
    };
    if (order.first_cudnn == order.second_cudnn)
        return "both call " + file(order.first_cudnn);
    return shown(order.first) + " calls " + file(order.first_cudnn) + ", " + shown(order.second) +
           " calls " + file(order.second_cudnn);
}

/// What the framework calls in a process of its own.
std::optional<std::string> cudnn_alone(
    const Facts& facts, const std::string& environment, const std::string& name) {
    const Framework* const framework =
        find_by(facts.frameworks, &Framework::key, name + " " + environment);
    if (!framework)
        return std::nullopt;
    const auto opens_cudnn = [](const FrameworkLibrary& library) {
        return library.soname.starts_with("libcudnn");
    };
    const FrameworkLibrary* const cudnn = find_where(framework->libraries, opens_cudnn);
    if (!cudnn)
        return std::nullopt;
    return cudnn->path;
}

/// Frameworks that share a process share one cuDNN: the first that is opened. What matters are the
/// orders of import in which one of them gets another cuDNN than alone.
Words import_order_lines(const Facts& facts) {
    Words rows;
    for (const ImportOrder& order : facts.import_orders)
        if (order.first_cudnn != cudnn_alone(facts, order.environment, order.first) ||
            order.second_cudnn != cudnn_alone(facts, order.environment, order.second))
            rows.push_back(
                "in one process, import " + shown(order.first) + ", then " + shown(order.second) +
                ": " + calls_in_words(order));
    if (rows.empty() && !facts.import_orders.empty())
        rows.push_back(
            "in one process: each loads the same cuDNN as alone, in every order of import");
    return rows;
}

/// The framework can open its cuDNN, and that one's RNN API was not found unusable.
bool finds_cudnn(const Framework& framework, const Facts& facts) {
    for (const FrameworkLibrary& library : framework.libraries) {
        if (!library.soname.starts_with("libcudnn") || !library.path)
            continue;
        const Cudnn* const queried = find_by(facts.cudnns, &Cudnn::library, *library.path);
        return !queried || queried->rnn_usable.value_or(true);
    }
    const DllLoad* const load = loaded_dll(framework, facts);
    return load && load->ending == DllEnding::loaded;
}

/// What a person may have meant instead: "not examined: /home/ada/venv (VIRTUAL_ENV), the python on
/// PATH is another one".
Words passed_over_lines(const Facts& facts) {
    Words rows;
    for (const PythonEnvironment& python : facts.pythons)
        if (python.passed_over)
            rows.push_back(
                "not examined: " + shown(python.path) + " (" + shown(python.found_by) + "), " +
                shown(*python.passed_over));
    return rows;
}

/// In other environments, and the command that checks one of them.
Words elsewhere_lines(const Facts& facts, const PythonEnvironment* active) {
    Words rows;
    std::string first;
    for (const Framework& framework : facts.frameworks) {
        if (framework.requested || (active && framework.environment == active->path))
            continue;
        if (first.empty())
            first = framework.environment;
        rows.push_back("elsewhere: " + named(framework) + " in " + shown(framework.environment));
    }
    if (!first.empty()) {
        std::string_view which = "the first";
        if (rows.size() == 1)
            which = "it";
        rows.push_back(
            concat("to check ", which, ": rnncheck doctor --python ", shown(shell_quoted(first))));
    }
    return rows;
}

/// Without that probe, as for specified versions, nothing is known of any
/// Python.
bool python_was_searched(const Facts& facts) {
    return find_by(facts.probe_runs, &ProbeRun::probe, "python_packages");
}

}  // namespace

/// Only of libraries that were queried: what was not tried is no failure.
bool some_cudnn_is_unusable(const Facts& facts) {
    return std::ranges::any_of(facts.frameworks, [&](const Framework& framework) {
        const FrameworkLibrary* const cudnn = find_where(
            framework.libraries,
            [](const FrameworkLibrary& library) { return library.soname.starts_with("libcudnn"); });
        return framework.uses_cudnn != false && cudnn && is_unusable(*cudnn, facts);
    });
}

bool some_framework_finds_cudnn(const Facts& facts) {
    return std::ranges::any_of(facts.frameworks, [&](const Framework& framework) {
        return finds_cudnn(framework, facts);
    });
}

/// The examined environment, its frameworks, then what else a person may look
/// for: orders of import, environments that were passed over or not read.
Rows framework_rows(const Facts& facts, bool given) {
    Rows rows;
    const auto candidates = possibly_active(facts);
    const PythonEnvironment* active = nullptr;
    if (!candidates.empty())
        active = candidates.front();
    const bool some = active && find_by(facts.frameworks, &Framework::environment, active->path);
    std::string before;
    if (!some && !given)
        before = "none in ";
    if (active)
        rows.push_back(environment_row(*active, before));
    if (!active && given)
        for (const PythonEnvironment& python : facts.pythons)
            rows.push_back(environment_row(python, ""));
    if (!active && !given && python_was_searched(facts))
        rows.emplace_back("none: no Python was found on PATH");
    for (const Framework& framework : facts.frameworks)
        if (framework.requested || given || (active && framework.environment == active->path))
            rows.push_back(framework_row(framework, facts));
    Words others = import_order_lines(facts);
    append(others, passed_over_lines(facts));
    if (!given)
        append(others, elsewhere_lines(facts, active));
    for (const std::string& text : others)
        rows.emplace_back(text);
    if (active)
        for (const std::string& text : active->skipped)
            rows.emplace_back("not read: " + shown(text));
    return rows;
}

}  // namespace rnncheck
