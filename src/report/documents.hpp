// The documents beside the report: what each command prints with --json, and what stands on stdout when there is no
// report.
#pragma once

#include "base/program.hpp"
#include "compat/plan.hpp"
#include "facts/libraries.hpp"
#include "matrix/table_view.hpp"
#include "model/judge_model.hpp"
#include "report/diff.hpp"
#include "report/fleet.hpp"
#include "report/format.hpp"

namespace rnncheck {

enum class FailureKind { usage, input, bug };
RNNCHECK_ENUM_NAMES(FailureKind, "usage", "input", "bug")

struct ProgramStamp {
    std::string name = "rnncheck";
    std::string version{version_of_rnncheck()};

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "rnncheck");
        visit("version", self.version, "its version");
    }
};

/// What every document begins with. `Stamp` is ToolStamp where the compatibility tables matter.
template <class Stamp>
struct Document {
    int schema = 1;
    Stamp tool;

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who wrote it");
    }
};

struct Failure {
    FailureKind kind = FailureKind::bug;
    std::string message;

    static void fields(auto& self, auto&& visit) {
        visit("kind", self.kind, "usage: the command line; input: a file given; bug: rnncheck itself");
        visit("message", self.message, "the sentence on standard error");
    }
};

/// Instead of a report, when there is none.
struct FailureDocument : Document<ProgramStamp> {
    Failure error;

    static void fields(auto& self, auto&& visit) {
        Document::fields(self, visit);
        visit("error", self.error, "why there is no report");
    }
};

/// `rnncheck --version --json`.
struct VersionDocument : Document<ToolStamp> {
    int report_schema = rnncheck::report_schema;
    int facts_schema = rnncheck::facts_schema;

    static void fields(auto& self, auto&& visit) {
        Document::fields(self, visit);
        visit("report_schema", self.report_schema, "schema number of the reports that it writes");
        visit("facts_schema", self.facts_schema, "schema number of the facts that it writes");
    }
};

struct ListItem {
    std::string name;
    std::string title;
    std::optional<std::string> layer = {};
    std::optional<std::string> worst = {};
    std::optional<std::string> stage = {};

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "its id");
        visit("title", self.title, "what it is, in one sentence");
        visit("layer", self.layer, "rules: where the fault sits");
        visit("worst", self.worst, "rules: the worst severity it can report");
        visit("stage", self.stage, "probes: the stage it belongs to; rules: the last stage whose facts it judges");
    }
};

/// `rnncheck list KIND --json`.
struct ListDocument : Document<ProgramStamp> {
    std::string kind;
    std::vector<ListItem> items;

    static void fields(auto& self, auto&& visit) {
        Document::fields(self, visit);
        visit("kind", self.kind, "rules, probes, formats, tables or commands");
        visit("items", self.items, "all of them, by name");
    }
};

/// `rnncheck matrix show --json`.
struct TablesDocument : Document<ToolStamp> {
    std::vector<TableOutline> tables;

    static void fields(auto& self, auto&& visit) {
        Document::fields(self, visit);
        visit("tables", self.tables, "all tables, by name");
    }
};

/// `rnncheck matrix show TABLE --json`.
struct TableDocument : Document<ToolStamp> {
    TableView view;

    static void fields(auto& self, auto&& visit) {
        Document::fields(self, visit);
        TableView::fields(self.view, visit);
    }
};

/// `rnncheck matrix verify --json`.
struct VerifyDocument : Document<ToolStamp> {
    std::size_t rows = 0;
    std::vector<Issue> issues;
    std::string directory = {};  ///< of the files, for people only

    static void fields(auto& self, auto&& visit) {
        Document::fields(self, visit);
        visit("rows", self.rows, "rows in all tables");
        visit("issues", self.issues, "everything that is wrong, by table and row; empty when all is well");
    }
};

/// `rnncheck matrix plan gpu=8.6 driver=535 --json`.
struct PlanDocument : Document<ToolStamp> {
    Plan plan;

    static void fields(auto& self, auto&& visit) {
        Document::fields(self, visit);
        visit("plan", self.plan, "what can run there");
    }
};

/// `rnncheck matrix plan --for tensorflow==2.15 --json`.
struct NeedsDocument : Document<ToolStamp> {
    Needs needs;

    static void fields(auto& self, auto&& visit) {
        Document::fields(self, visit);
        visit("needs", self.needs, "what the release needs");
    }
};

/// `rnncheck which TARGET --json`.
struct WhichDocument : Document<ProgramStamp> {
    std::string target;
    std::vector<std::string> notes;
    std::vector<LibraryChoice> libraries;

    static void fields(auto& self, auto&& visit) {
        Document::fields(self, visit);
        visit("target", self.target, "the file, the process, or a plain program");
        visit("notes", self.notes, "what holds for the whole target, and what could not be determined");
        visit("libraries", self.libraries, "one entry per requested name, in the order of the command line");
    }
};

class Page;

/// How a layer of a model ran.
struct LayerRuns {
    int layer = 0;
    bool own_weights = false;
    std::optional<Algorithm> algorithm = {};
    std::vector<RnnRun> runs = {};

    static void fields(auto& self, auto&& visit) {
        visit("layer", self.layer, "its number among the layers, from 1");
        visit("own_weights", self.own_weights, "with the weights of the file; else with those made by formula");
        visit("algorithm", self.algorithm,
              "cuDNN's algorithm that PyTorch or TensorFlow requests here; missing elsewhere");
        visit("runs", self.runs, "how it went with each cuDNN on each GPU");
    }
};

/// `rnncheck model FILE --json`.
struct ModelDocument : Document<ToolStamp>, RunStamp, JudgedModel {
    OverallVerdict verdict = OverallVerdict::undetermined;
    std::string sentence;
    std::vector<LayerRuns> runs;
    std::optional<Report> report;

    static void fields(auto& self, auto&& visit) {
        Document::fields(self, visit);
        RunStamp::fields(self, visit);
        visit("verdict", self.verdict, "the whole in one word");
        visit("sentence", self.sentence, "how many layers do not use cuDNN, and with --run how they ran");
        JudgedModel::fields(self, visit);
        visit("runs", self.runs, "with --run: the layers that were run");
        visit("report", self.report, "with --run or --fit: this machine, and the layers as cases on it");
    }
};

/// `restricted`: reports made here are incomplete but not incorrect. `failed`: they may be incorrect or empty.
enum class SelftestOutcome { passed, restricted, failed };
RNNCHECK_ENUM_NAMES(SelftestOutcome, "passed", "restricted", "failed")

struct SelftestCheck {
    std::string name;
    SelftestOutcome outcome = SelftestOutcome::failed;
    std::string text;

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "what was tried");
        visit("outcome", self.outcome,
              "passed; restricted: reports are less complete; failed: reports may be incorrect or empty");
        visit("text", self.text, "what was seen and, unless it passed, what follows from it");
    }
};

/// `rnncheck selftest --json`.
struct SelftestDocument : Document<ProgramStamp> {
    SelftestOutcome verdict = SelftestOutcome::failed;
    std::vector<SelftestCheck> checks;

    static void fields(auto& self, auto&& visit) {
        Document::fields(self, visit);
        visit("verdict", self.verdict, "the worst outcome of a check");
        visit("checks", self.checks, "every check, in the order in which they were made");
    }
};

/// Every document that can hold something private.
#define RNNCHECK_DOCUMENTS(X) \
    X(Report)                 \
    X(Diff)                   \
    X(Fleet)                  \
    X(FleetDiff)              \
    X(ListDocument)           \
    X(TablesDocument)         \
    X(TableDocument)          \
    X(VerifyDocument) X(PlanDocument) X(NeedsDocument) X(WhichDocument) X(SelftestDocument) X(ModelDocument)

/// A document as JSON text: on one line or with two spaces of indent, sorted keys, plain ASCII (everything else as \u
/// escapes, so that no control character of either kind reaches a terminal), one line end after the last brace.
template <class T>
std::string json_text(const T& document, JsonLines layout = JsonLines::indented);

/// JSON Schema (draft 2020-12) that every document above, reports and saved facts satisfy.
std::string schema_text();

/// For people. Everything that comes from outside goes through shown() on its way to the page.
#define RNNCHECK_TEXT_OF(T) std::string text_of(const T& document, const Style& style);
RNNCHECK_DOCUMENTS(RNNCHECK_TEXT_OF)
RNNCHECK_TEXT_OF(VersionDocument)
#undef RNNCHECK_TEXT_OF

/// Its layers alone, with the runs of those that ran.
void write_layers(Page& page, const JudgedModel& model, const std::vector<LayerRuns>& runs = {});

}  // namespace rnncheck
