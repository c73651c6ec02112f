// What `matrix plan` prints with --json.
#pragma once

#include "findings/report.hpp"
#include "compat/plan.hpp"

namespace rnncheck {

/// `rnncheck matrix plan gpu=8.6 driver=535 --json`.
struct PlanDocument {
    int schema = 1;
    ToolStamp tool;
    Plan plan;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who planned, by which matrix");
        visit("plan", self.plan, "what can run there");
    }
};

/// `rnncheck matrix plan --for tensorflow==2.15 --json`.
struct NeedsDocument {
    int schema = 1;
    ToolStamp tool;
    Needs needs;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who tells, by which matrix");
        visit("needs", self.needs, "what the release needs");
    }
};

}  // namespace rnncheck
