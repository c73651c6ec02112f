// The judged whole: the only thing a format sees.
#pragma once

#include "facts/facts.hpp"
#include "report/finding.hpp"

namespace rnncheck {

enum class Health { healthy, warnings, problems, undetermined };
RNNCHECK_ENUM_NAMES(Health, "healthy", "warnings", "problems", "undetermined")

struct ToolStamp {
    std::string name = "rnncheck";
    std::string version;
    std::string matrix_date;
    std::string matrix_digest;
    std::optional<int> matrix_age_days = {};

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "rnncheck");
        visit("version", self.version, "version that judged");
        visit("matrix_date", self.matrix_date, "date of the newest entry of the compatibility matrix");
        visit("matrix_digest", self.matrix_digest,
              "SHA-256 over the matrix: `sha256sum *.json | sha256sum` in its folder");
        visit("matrix_age_days", self.matrix_age_days, "days from matrix_date to the day of this run");
    }
};

struct Counts {
    int fault = 0;
    int pass = 0;
    int undecided = 0;
    int not_applicable = 0;

    static void fields(auto& self, auto&& visit) {
        visit("fault", self.fault, "rules that found a fault");
        visit("pass", self.pass, "rules that found all well");
        visit("undecided", self.undecided, "rules that could not tell");
        visit("not_applicable", self.not_applicable, "rules with nothing to say here");
    }
};

struct RuleVerdict {
    std::string rule;
    Outcome outcome = Outcome::undecided;
    std::string reason;
    std::vector<Evidence> evidence = {};
    std::optional<NotAsked> not_asked = {};

    static void fields(auto& self, auto&& visit) {
        visit("rule", self.rule, "id of the rule");
        visit("outcome", self.outcome, "its answer");
        visit("reason", self.reason, "why, in a few words");
        visit("evidence", self.evidence, "what a pass rests on, where the tables decided it; findings have their own");
        visit("not_asked", self.not_asked, "why the rule was not asked, where it was not");
    }
};

struct Report {
    int schema = 1;
    ToolStamp tool;
    Health verdict = Health::undetermined;
    std::string sentence;
    Counts counts;
    std::vector<Finding> findings;
    std::vector<RuleVerdict> verdicts;
    Facts facts;

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the report");
        visit("tool", self.tool, "who judged, by which matrix");
        visit("verdict", self.verdict, "the whole in one word");
        visit("sentence", self.sentence,
              "the verdict in one sentence: what was found, what was run on a GPU, what to repair first");
        visit("counts", self.counts, "how many rules gave which answer");
        visit("findings", self.findings, "faults: errors, then warnings, then notes, each from the lowest layer up");
        visit("verdicts", self.verdicts, "every rule's answer, by id");
        visit("facts", self.facts, "what was found on the machine");
    }
};

/// The whole in one sentence: how many problems, what was run on a GPU, what to repair first.
std::string sentence_of(const Report& report);

}  // namespace rnncheck
