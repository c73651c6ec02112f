#include "support/probe_run.hpp"

#include "base/text.hpp"
#include "facts/facts.hpp"
#include "process/child.hpp"
#include "process/wire.hpp"

namespace rnncheck::test {

std::string sim_file(const std::string& flavour, const std::string& name) {
    return std::string(SIM_DIRECTORY) + "/" + flavour + "/" + name;
}

ProbeOutput run_probe(const std::string& probe, const ProbeSetting& setting) {
    std::vector<std::string> directories;
    for (const auto& flavour : setting.flavours)
        directories.push_back(std::string(SIM_DIRECTORY) + "/" + flavour);
    process::Command command;
    command.arguments = {
        RNNCHECK_PROGRAM,
        "probe",
        "--facts-from",
        std::to_string(process::wire().input),
        "--answer-to",
        std::to_string(process::wire().answer),
        probe};
    if (!setting.target.empty())
        command.arguments.push_back(setting.target);
    command.extra_environment = {"LD_LIBRARY_PATH=" + join(directories, ":"), "SIM=" + setting.sim};
    command.input = facts_to_text(setting.facts);
    command.quiet_limit = std::chrono::seconds(20);

    ProbeOutput output;
    WireReader reader;
    const auto on_line = [&](std::string_view line) {
        return LineMeaning{reader.read(line, output.facts).done};
    };
    output.signal = process::run(command, on_line).signal.value_or("");
    output.done = reader.done;
    output.last_call = reader.last_call;
    output.failed_calls = reader.failed_calls;
    return output;
}

}  // namespace rnncheck::test
