// Runs a probe of the look stage in this process.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string_view>

#include "process/probe.hpp"

namespace rnncheck::test {

struct Looked {
    Facts facts;    ///< everything it learnt, merged as the survey does
    int times = 0;  ///< how often it learnt something
};

inline Looked look(std::string_view name, const Root& root) {
    const auto* probe = find_named(all_probes(), name);
    if (!probe) throw std::invalid_argument("no such probe");
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    ProbeWriter writer(nowhere);
    Job job;
    job.root = root;
    Looked looked;
    (*probe)->run(job, writer, [&](const Facts& news) {
        merge(looked.facts, news);
        ++looked.times;
    });
    close(nowhere);
    return looked;
}

}  // namespace rnncheck::test
