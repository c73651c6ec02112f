// What comparing two machines gives, or one at two times.
#pragma once

#include "report/report.hpp"

namespace rnncheck {

/// `undetermined`: nothing differs, but something is known of one of the two alone.
RNNCHECK_ENUM(DiffOutcome, same, different, undetermined)

/// Those of findings, and frameworks.
RNNCHECK_ENUM(DiffLayer, host, driver, gpu, runtime, cudnn, rnn, frameworks)

/// One of the two.
struct ComparedMachine {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, name, "the file, or this machine");
    RNNCHECK_FIELD(OverallVerdict, verdict,
                   "its verdict by the rules and tables of this rnncheck") = OverallVerdict::undetermined;
    RNNCHECK_FIELD(std::string, sentence, "that verdict in one sentence") = {};
    RNNCHECK_FIELDS_END
};

/// One value, or one in several places, that is not the same.
struct Difference {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(DiffLayer, layer, "what it belongs to") = DiffLayer::host;
    RNNCHECK_FIELD(std::string, what, "the thing that differs") = {};
    RNNCHECK_FIELD(std::vector<std::string>, facts,
                   "places in the facts; a list's element by its name, its directory left out") = {};
    RNNCHECK_FIELD(std::optional<std::string>, a, "its value in A; absent: unknown. 'absent' is known not to be there");
    RNNCHECK_FIELD(std::optional<std::string>, b, "its value in B");
    RNNCHECK_FIELD(bool, matters, "false where it is expected: times, and bits of another GPU or cuDNN") = true;
    RNNCHECK_FIELDS_END
};

struct Diff : RunStamp {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(int, schema, "number of this form of the document") = 1;
    RNNCHECK_FIELD(ToolStamp, tool, "who wrote it");
    RNNCHECK_FIELD(DiffOutcome, outcome,
                   "different: in something that matters; undetermined: unknown on one side") = DiffOutcome::same;
    RNNCHECK_FIELD(std::string, sentence, "what differs that can explain another verdict") = {};
    RNNCHECK_FIELD(ComparedMachine, a, "the first");
    RNNCHECK_FIELD(ComparedMachine, b, "the second");
    RNNCHECK_FIELD(std::vector<Finding>, only_in_a, "errors and warnings of the first alone");
    RNNCHECK_FIELD(std::vector<Finding>, only_in_b, "errors and warnings of the second alone");
    RNNCHECK_FIELD(std::vector<Difference>, differences, "what differs, from the lowest layer up");
    RNNCHECK_FIELD(std::vector<Difference>, unknown, "what is known of one of the two alone");
    RNNCHECK_FIELDS_END_AFTER(RunStamp)
};

}  // namespace rnncheck
