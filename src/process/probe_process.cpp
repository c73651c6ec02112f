// The side of the wire inside a probe's process.
#include <unistd.h>

#include "facts/facts_json.hpp"
#include "process/pool.hpp"
#include "process/probe.hpp"
#include "process/survey.hpp"

namespace rnncheck {

namespace {

std::string read_all(int descriptor) {
    std::string text;
    char buffer[1 << 14];
    for (ssize_t got; (got = read(descriptor, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    return text;
}

}  // namespace

int run_probe_here(const ProbeCall& call) {
    process::confine_this_process(call.make_nodes);
    const auto* probe = find_named(all_probes(), call.name);
    if (!probe) return 2;
    Job job{{}, Root(call.root), call.target};
    if (call.facts_from) job.facts = facts_from_text(read_all(*call.facts_from), "the facts so far");
    refuse_what_would_wait(job.facts);
    Trace trace(call.answer_to);
    (*probe)->run(job, trace, [&trace](const Facts& news) { trace.facts(facts_to_text(news)); });
    trace.done();
    while (trace.stays()) pause();
    return 0;
}

}  // namespace rnncheck
