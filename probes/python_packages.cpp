// Python environments and the frameworks in them, read as files: which build it
// is, what it was made for, and which cuDNN and cuBLAS files the loader would
// give it. No interpreter is started.
#include <algorithm>
#include <set>

#include "base/program.hpp"
#include "files/python/environments.hpp"
#include "files/python/used_libraries.hpp"
#include "process/probe.hpp"

namespace rnncheck::probes::python_packages {

/// The frameworks of one environment; with a loader also the copies they would be given.
static Facts facts_of(const Root& root, PythonEnvironment environment) {
    Facts news;
    news.frameworks = python::frameworks_of(root, environment);
    const bool any_cuda = std::ranges::any_of(news.frameworks, [](const Framework& framework) {
        return framework.uses_cuda.value_or(false);
    });
    if (environment.active == true && any_cuda) {
        const loader::Loader loader =
            loader::loader_of(root, {environment_variable("LD_LIBRARY_PATH").value_or("")});
        for (Framework& framework : news.frameworks)
            python::find_used_libraries(loader, environment.packages, framework);
        news.import_orders = python::import_orders_of(loader, environment, news.frameworks);
    }
    // those that nobody chose
    environment.active = environment.active.value_or(false);
    news.pythons = {std::move(environment)};
    return news;
}

/// The chosen environments first: looking for others may take all of the probe's time.
static void run(const Job& job, ProbeWriter& writer) {
    const python::Variables variables = python::variables_of_process();
    writer.calling("looking for the active Python environment");
    const auto chosen = python::chosen_environments(job.root, variables, job.facts.tool.python);
    if (job.facts.tool.python && chosen.empty())
        writer.failed(
            {"--python", 1, "there is no Python environment at " + *job.facts.tool.python});
    // by their real paths
    std::set<std::string> done;
    const auto examine = [&](PythonEnvironment environment) {
        if (!done.insert(job.root.real_path(environment.path).value_or(environment.path)).second)
            return;
        writer.calling("reading the packages of " + environment.path);
        writer.facts(facts_of(job.root, std::move(environment)));
    };
    for (const PythonEnvironment& environment : chosen)
        examine(environment);
    std::vector<PythonEnvironment> others = python::other_environments(job.root, variables);
    if (others.size() == python::most_environments && !chosen.empty()) {
        Facts news;
        PythonEnvironment& first = news.pythons.emplace_back();
        first.path = chosen.front().path;
        first.skipped = {"environments beyond the first 64"};
        writer.facts(std::move(news));
    }
    for (PythonEnvironment& other : others)
        examine(std::move(other));
}

extern const Probe probe{
    .title = "Finds Python environments and the frameworks installed in them",
    .stage = Stage::look,
    .limit = std::chrono::seconds(10),
    .run = run};

}  // namespace rnncheck::probes::python_packages
