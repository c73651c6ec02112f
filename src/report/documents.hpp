// The JSON documents beside the report: what stands on stdout when there is no report, and what `list --json` prints.
#pragma once

#include "report/report.hpp"

namespace rnncheck {

enum class FailureKind { usage, input, bug };
RNNCHECK_ENUM_NAMES(FailureKind, "usage", "input", "bug")

struct ProgramStamp {
    std::string name = "rnncheck";
    std::string version;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("name", self.name, "rnncheck");
        visit("version", self.version, "its version");
    }
};

struct Failure {
    FailureKind kind = FailureKind::bug;
    std::string message;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("kind", self.kind, "usage: the command line; input: a file given; bug: rnncheck itself");
        visit("message", self.message, "the sentence that stands on stderr");
    }
};

/// Instead of a report, when there is none.
struct FailureDocument {
    int schema = 1;
    ProgramStamp tool;
    Failure error;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who failed");
        visit("error", self.error, "why there is no report");
    }
};

struct ListItem {
    std::string name;
    std::string title;
    std::optional<std::string> layer;
    std::optional<std::string> worst;
    std::optional<std::string> stage;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("name", self.name, "its id");
        visit("title", self.title, "what it is, in one sentence");
        visit("layer", self.layer, "rules: where the fault sits");
        visit("worst", self.worst, "rules: the worst severity it can report");
        visit("stage", self.stage, "probes: the stage it belongs to; rules: the last stage whose facts it judges");
    }
};

/// `rnncheck list KIND --json`.
struct ListDocument {
    int schema = 1;
    ProgramStamp tool;
    std::string kind;
    std::vector<ListItem> items;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who has these");
        visit("kind", self.kind, "rules, probes, formats, tables or commands");
        visit("items", self.items, "all of them, by name");
    }
};

}  // namespace rnncheck
