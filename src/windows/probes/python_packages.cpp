// Python environments and the frameworks in them, read as files, and the DLLs that
// those of the active one would load. No interpreter is started, nothing is loaded.
#include <algorithm>

#include "base/program.hpp"
#include "process/probe.hpp"
#include "windows/pythons.hpp"

namespace rnncheck::probes::python_packages {

/// Those of the active environment with what they would load.
static Facts facts_of(const dll::Disk& disk, dll::Environment environment) {
    Facts news;
    if (environment.python.active.value_or(false))
        for (dll::FrameworkLoads& one :
             dll::framework_loads(disk, environment, windows::search_here())) {
            news.frameworks.push_back(std::move(one.framework));
            append(news.dll_loads, std::move(one.loads));
        }
    else
        news.frameworks = dll::frameworks_in(disk, environment);
    environment.python.path = environment.prefix;
    news.pythons = {std::move(environment.python)};
    return news;
}

/// The one that --python names comes first, and is active instead of the others.
static std::vector<dll::Environment> environments(
    const dll::Disk& disk, const Job& job, ProbeWriter& writer) {
    auto found = windows::environments_here(disk);
    const auto& named = job.facts.tool.python;
    if (!named)
        return found;
    for (dll::Environment& environment : found)
        environment.python.active = false;
    std::erase_if(found, [&](const auto& one) { return dll::same_name(one.prefix, *named); });
    try {
        dll::Environment chosen = windows::environment_named(disk, *named);
        chosen.python.found_by = "--python";
        found.insert(found.begin(), std::move(chosen));
    } catch (const InputError& error) {
        writer.failed({"--python", 1, error.what()});
    }
    return found;
}

/// A Store Python that cannot be identified is reported, not guessed.
static void run(const Job& job, ProbeWriter& writer) {
    writer.calling("looking for the active Python environment");
    const dll::Disk disk = windows::disk_of_machine();
    if (!job.facts.tool.python && windows::unknown_store_python_is_first(disk.root()))
        writer.failed(
            {"python on PATH",
             1,
             "it is that of the Microsoft Store, and which of its versions is unknown"});
    for (dll::Environment& environment : environments(disk, job, writer)) {
        writer.calling("reading the packages of " + environment.prefix);
        writer.facts(facts_of(disk, std::move(environment)));
    }
}

extern const Probe probe{
    .title = "Finds Python environments and the frameworks installed in them",
    .stage = Stage::look,
    .limit = std::chrono::seconds(30),
    .run = run};

}  // namespace rnncheck::probes::python_packages
