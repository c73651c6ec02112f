// Two machines compared, or one at two times: what differs of all that a verdict can depend on.
#pragma once

#include "report/report.hpp"

namespace rnncheck {

/// `undetermined`: nothing differs, but something is known of one of the two alone.
enum class DiffOutcome { same, different, undetermined };
RNNCHECK_ENUM_NAMES(DiffOutcome, "same", "different", "undetermined")

/// Those of findings, and frameworks.
enum class DiffLayer { host, driver, gpu, runtime, cudnn, rnn, frameworks };
RNNCHECK_ENUM_NAMES(DiffLayer, "host", "driver", "gpu", "runtime", "cudnn", "rnn", "frameworks")

/// One of the two.
struct ComparedMachine {
    std::string name;
    OverallVerdict verdict = OverallVerdict::undetermined;
    std::string sentence = {};

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "the file, or this machine");
        visit("verdict", self.verdict, "its verdict by the rules and tables of this rnncheck");
        visit("sentence", self.sentence, "that verdict in one sentence");
    }
};

/// One value, or one in several places, that is not the same.
struct Difference {
    DiffLayer layer = DiffLayer::host;
    std::string what = {};
    std::vector<std::string> facts = {};
    std::optional<std::string> a, b;
    bool matters = true;

    static void fields(auto& self, auto&& visit) {
        visit("layer", self.layer, "what it belongs to");
        visit("what", self.what, "the thing that differs");
        visit("facts", self.facts, "places in the facts; a list's element by its name, its directory left out");
        visit("a", self.a, "its value in A; absent: unknown. 'absent' is known not to be there");
        visit("b", self.b, "its value in B");
        visit("matters", self.matters, "false where it is expected: times, and bits of another GPU or cuDNN");
    }
};

struct Diff : RunStamp {
    int schema = 1;
    ToolStamp tool;
    DiffOutcome outcome = DiffOutcome::same;
    std::string sentence = {};
    ComparedMachine a, b;
    std::vector<Finding> only_in_a, only_in_b;  ///< errors and warnings
    std::vector<Difference> differences;
    std::vector<Difference> unknown;

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who wrote it");
        RunStamp::fields(self, visit);
        visit("outcome", self.outcome, "different: in something that matters; undetermined: unknown on one side");
        visit("sentence", self.sentence, "what differs that can explain another verdict");
        visit("a", self.a, "the first");
        visit("b", self.b, "the second");
        visit("only_in_a", self.only_in_a, "errors and warnings of the first alone");
        visit("only_in_b", self.only_in_b, "errors and warnings of the second alone");
        visit("differences", self.differences, "what differs, from the lowest layer up");
        visit("unknown", self.unknown, "what is known of one of the two alone");
    }
};

/// Both judged by the same rules and tables.
Diff diff(const Report& a, const std::string& name_of_a, const Report& b, const std::string& name_of_b);

}  // namespace rnncheck
