// For a question whose answer may cost the process that looks for it: the
// process is started like a probe's, and its last line counts.
#include "process/child.hpp"
#include "process/this_process.hpp"

namespace rnncheck::process {

ChildAnswer answer_of_child(std::vector<std::string> arguments, std::chrono::milliseconds limit) {
    Command command;
    command.arguments = std::move(arguments);
    command.arguments.insert(command.arguments.begin(), own_program());
    command.arguments.insert(
        command.arguments.end(), {"--answer-to", std::to_string(wire().answer)});
    command.quiet_limit = limit;
    command.stuck_after = std::chrono::seconds(1);
    ChildAnswer answer;
    const ProbeRun run = process::run(command, [&](std::string_view line) {
        answer.line = line;
        return LineMeaning{.done = true};
    });
    if (answer.line)
        return answer;
    if (run.signal)
        answer.failure = "crashed with " + *run.signal;
    else if (run.exit_code)
        answer.failure = "exited with code " + std::to_string(*run.exit_code);
    else if (run.end == ProbeEnd::not_started)
        answer.failure = "could not be started: " + run.reason.value_or("");
    else
        answer.failure =
            "did not finish within " + std::to_string(limit.count() / 1000) + " seconds";
    return answer;
}

}  // namespace rnncheck::process
