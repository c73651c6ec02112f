#include "process/own_child.hpp"

#include "process/pool.hpp"
#include "process/this_process.hpp"

namespace rnncheck::process {

ChildAnswer answer_of_child(std::vector<std::string> arguments, std::chrono::milliseconds limit) {
    Pool pool;
    Command command;
    command.arguments = std::move(arguments);
    command.arguments.insert(command.arguments.begin(), own_program());
    command.arguments.insert(command.arguments.end(), {"--answer-to", std::to_string(pool.wire().answer)});
    command.quiet_limit = limit;
    ChildAnswer answer;
    pool.start(command, [&](std::string_view line) {
        answer.line = line;
        return LineMeaning{.last = true};
    });
    const ProcessResult result = pool.wait([] {}).result;
    if (answer.line) return answer;
    if (result.kind == ExitKind::signalled)
        answer.failure = "crashed with " + signal_name(result.code);
    else if (result.kind == ExitKind::exited)
        answer.failure = "exited with code " + std::to_string(result.code);
    else if (result.kind == ExitKind::not_started)
        answer.failure = "could not be started: " + result.reason;
    else
        answer.failure = "did not finish within " + std::to_string(limit.count() / 1000) + " seconds";
    return answer;
}

}  // namespace rnncheck::process
