// Runs a probe in this process.
#pragma once

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "base/text.hpp"
#include "process/probe.hpp"

namespace rnncheck::test {

struct Looked {
    Facts facts;    ///< everything it found, merged as the survey does
    int times = 0;  ///< how often it found something
};

inline Looked output_by(const Probe& probe, const Job& job) {
    const std::unique_ptr<FILE, int (*)(FILE*)> output(std::tmpfile(), std::fclose);
    ProbeWriter writer(fileno(output.get()));
    probe.run(job, writer);
    std::rewind(output.get());
    std::string text;
    for (int letter; (letter = std::fgetc(output.get())) != EOF;)
        text += static_cast<char>(letter);
    Looked looked;
    WireReader reader;
    for (const std::string& line : split(text, '\n')) {
        reader.read(line, looked.facts);
        looked.times += line.starts_with("{\"facts\"");
    }
    return looked;
}

inline Looked look(std::string_view name, const Root& root) {
    const auto* probe = find_named(all_probes(), name);
    if (!probe)
        throw std::invalid_argument("no such probe");
    Job job;
    job.root = root;
    return output_by(*probe->thing, job);
}

}  // namespace rnncheck::test
