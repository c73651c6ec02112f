// The documents beside the report: what each command prints with --json, and what is printed on
// standard output when there is no report.
#pragma once

#include "base/program.hpp"
#include "facts/libraries.hpp"
#include "matrix/table_view.hpp"
#include "model/judge_model.hpp"
#include "report/comparisons.hpp"
#include "stack/plan.hpp"

namespace rnncheck {

/// Indented on a terminal; else without line ends.
enum class JsonLines { indented, one };

/// How a document is to be printed: what the options of all commands decide,
/// and the terminal.
struct Style {
    bool color = false;
    bool verbose = false;  ///< evidence, documentation, passed checks and timings too
    bool quiet = false;    ///< the headline only
    bool ascii = false;    ///< no character beyond ASCII
    JsonLines json_lines = JsonLines::indented;
    std::size_t width = 100;  ///< columns of the terminal
};

/// Whose fault it is that there is no report: of the command line, of a file,
/// of the limits of this process, of rnncheck.
RNNCHECK_ENUM(FailureKind, usage, input, limit, bug)

/// Which rnncheck wrote a document that no compatibility table decided.
struct ProgramStamp {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, name, "rnncheck") = "rnncheck";
    RNNCHECK_FIELD(std::string, version, "its version") = std::string(version_of_rnncheck());
    RNNCHECK_FIELDS_END
};

/// The failure itself, for scripts that read standard output only.
struct Failure {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        FailureKind,
        kind,
        "usage: the command line; input: a file given; limit: what this process may "
        "use; bug: rnncheck "
        "itself") = FailureKind::bug;
    RNNCHECK_FIELD(std::string, message, "the sentence on standard error");
    RNNCHECK_FIELDS_END
};

/// Instead of a report, when there is none.
struct FailureDocument : Document<ProgramStamp> {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(Failure, error, "why there is no report");
    RNNCHECK_FIELDS_END_AFTER(Document)
};

/// `rnncheck --version --json`.
struct VersionDocument : Document<ToolStamp> {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(int, report_schema, "schema number of the reports that it writes") =
        rnncheck::report_schema;
    RNNCHECK_FIELD(int, facts_schema, "schema number of the facts that it writes") =
        rnncheck::facts_schema;
    RNNCHECK_FIELDS_END_AFTER(Document)
};

/// One rule, probe, format, table or command; what it lacks is left out.
struct ListItem {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, name, "its id");
    RNNCHECK_FIELD(std::string, title, "what it is, in one sentence");
    RNNCHECK_FIELD(std::optional<std::string>, layer, "rules: where the fault sits") = {};
    RNNCHECK_FIELD(
        std::optional<std::string>, worst, "rules: the worst severity it can report") = {};
    RNNCHECK_FIELD(
        std::optional<std::string>,
        stage,
        "probes: the stage it belongs to; rules: the last stage whose facts it judges") = {};
    RNNCHECK_FIELDS_END
};

/// `rnncheck list KIND --json`.
struct ListDocument : Document<ProgramStamp> {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, kind, "rules, probes, formats, tables or commands");
    RNNCHECK_FIELD(std::vector<ListItem>, items, "all of them, by name");
    RNNCHECK_FIELDS_END_AFTER(Document)
};

/// `rnncheck matrix show --json`.
struct TablesDocument : Document<ToolStamp> {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::vector<TableOutline>, tables, "all tables, by name");
    RNNCHECK_FIELDS_END_AFTER(Document)
};

/// `rnncheck matrix show TABLE --json`.
struct TableDocument : Document<ToolStamp>, TableView {
    static void fields(auto& self, auto&& visit) {
        visit_fields_of<Document, TableView>(self, visit);
    }
};

/// `rnncheck matrix verify --json`.
struct VerifyDocument : Document<ToolStamp> {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::size_t, rows, "rows in all tables") = 0;
    RNNCHECK_FIELD(
        std::vector<Issue>,
        issues,
        "everything that is wrong, by table and row; empty when all is well");
    std::string directory = {};  ///< of the files, for people only
    RNNCHECK_FIELDS_END_AFTER(Document)
};

/// `rnncheck matrix plan gpu=8.6 driver=535 --json`.
struct PlanDocument : Document<ToolStamp> {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(Plan, plan, "what can run there");
    RNNCHECK_FIELDS_END_AFTER(Document)
};

/// `rnncheck matrix plan --for tensorflow==2.15 --json`.
struct NeedsDocument : Document<ToolStamp> {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(Needs, needs, "what the release needs");
    RNNCHECK_FIELDS_END_AFTER(Document)
};

/// `rnncheck which TARGET --json`.
struct WhichDocument : Document<ProgramStamp> {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, target, "the file, the process, or a plain program");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        notes,
        "what holds for the whole target, and what could not be determined");
    RNNCHECK_FIELD(
        std::vector<LibraryChoice>,
        libraries,
        "one entry per requested name, in the order of the command line");
    RNNCHECK_FIELD(
        std::vector<Finding>, findings, "what is wrong on a disk of Windows; else empty") = {};
    RNNCHECK_FIELDS_END_AFTER(Document)
};

class Page;

/// How a layer of a model ran: as a case of its own, with each cuDNN on each GPU, since a framework
/// is not needed to see whether cuDNN computes it correctly.
struct LayerRuns {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(int, layer, "its number among the layers, from 1") = 0;
    RNNCHECK_FIELD(
        bool, own_weights, "with the weights of the file; else with those made by formula") = false;
    RNNCHECK_FIELD(std::string, why_formula, "why not with the weights of the file, if not") = {};
    RNNCHECK_FIELD(
        std::optional<Algorithm>,
        algorithm,
        "cuDNN's algorithm that PyTorch or TensorFlow requests here; missing elsewhere") = {};
    RNNCHECK_FIELD(std::vector<RnnRun>, runs, "how it went with each cuDNN on each GPU") = {};
    RNNCHECK_FIELDS_END
};

/// A model in an archive or a directory that cannot be read. The others are judged all the same, so
/// it is listed beside them.
struct UnreadModel {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, file, "its path, that in an archive behind the archive's");
    RNNCHECK_FIELD(std::string, reason, "why");
    RNNCHECK_FIELDS_END
};

/// `rnncheck model FILE --json`.
struct ModelDocument : Document<ToolStamp>, RunStamp, JudgedModel {
    OverallVerdict verdict = OverallVerdict::undetermined;
    std::string sentence = {};
    std::vector<LayerRuns> runs = {};
    std::optional<Report> report = {};
    std::vector<JudgedModel> models = {};
    std::vector<UnreadModel> unread = {};

    static void fields(auto& self, auto&& visit) {
        visit_fields_of<Document, RunStamp>(self, visit);
        visit("verdict", self.verdict, "the whole in one word");
        visit(
            "sentence",
            self.sentence,
            "how many layers do not use cuDNN, and with --run how they ran");
        JudgedModel::fields(self, visit);
        visit("runs", self.runs, "with --run: the layers that were run");
        visit(
            "models",
            self.models,
            "of several files, an archive or a directory each model; the members above are then "
            "of none");
        visit("unread", self.unread, "of these the models that cannot be read");
        visit(
            "report",
            self.report,
            "with --run or --fit: this machine, and the layers as cases on it");
    }
};

/// `restricted`: reports made here are incomplete but not incorrect. `failed`: they may be
/// incorrect or empty.
RNNCHECK_ENUM(SelftestOutcome, passed, restricted, failed)

/// One thing that rnncheck needs and that was tried where it is run.
struct SelftestCheck {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, name, "what was tried");
    RNNCHECK_FIELD(
        SelftestOutcome,
        outcome,
        "passed; restricted: reports are less complete; failed: reports may be "
        "incorrect or empty") = SelftestOutcome::failed;
    RNNCHECK_FIELD(std::string, text, "what was seen and, unless it passed, what follows from it");
    RNNCHECK_FIELDS_END
};

/// `rnncheck selftest --json`.
struct SelftestDocument : Document<ProgramStamp> {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(SelftestOutcome, verdict, "the worst outcome of a check") =
        SelftestOutcome::failed;
    RNNCHECK_FIELD(
        std::vector<SelftestCheck>, checks, "every check, in the order in which they were made");
    RNNCHECK_FIELDS_END_AFTER(Document)
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
    X(VerifyDocument)         \
    X(PlanDocument) X(NeedsDocument) X(WhichDocument) X(SelftestDocument) X(ModelDocument)

// Their shapes (base/json.hpp) are compiled once, in documents_json.cpp.
#define RNNCHECK_SHAPE(T) extern template const Shape& shape_of<T>();
RNNCHECK_DOCUMENTS(RNNCHECK_SHAPE)
#undef RNNCHECK_SHAPE

/// A document as JSON text: on one line or with two spaces of indent, sorted keys, plain ASCII
/// (everything else as \u escapes, so that no control character of either kind reaches a terminal),
/// one line end after the last brace.
template <class T>
std::string json_text(const T& document, JsonLines layout = JsonLines::indented);

/// JSON Schema (draft 2020-12) that every document above, reports and saved facts satisfy.
std::string schema_text();

/// For people, in text.hpp. Everything that comes from outside goes through shown() on its way to
/// the page.
#define RNNCHECK_WRITE(T) void write_document(Page& page, const T& document);
RNNCHECK_DOCUMENTS(RNNCHECK_WRITE)
RNNCHECK_WRITE(VersionDocument)
#undef RNNCHECK_WRITE

/// Its layers alone, with the runs of those that ran.
void write_layers(Page& page, const JudgedModel& model, const std::vector<LayerRuns>& runs = {});

}  // namespace rnncheck
