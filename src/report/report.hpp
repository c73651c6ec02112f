// The judged whole: the only thing a format sees.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/program.hpp"
#include "facts/facts.hpp"
#include "model/judge_model.hpp"
#include "report/finding.hpp"

namespace rnncheck {

RNNCHECK_ENUM(OverallVerdict, healthy, warnings, problems, undetermined)

/// Which rnncheck judged, with which tables.
struct ToolStamp {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, name, "rnncheck") = "rnncheck";
    RNNCHECK_FIELD(std::string, version, "version that judged") =
        std::string(version_of_rnncheck());
    RNNCHECK_FIELD(
        std::string, matrix_date, "date of the newest entry of the compatibility matrix");
    RNNCHECK_FIELD(
        std::string,
        matrix_digest,
        "SHA-256 over the matrix: `sha256sum *.json | sha256sum` in its directory");
    RNNCHECK_FIELD(
        std::optional<int>, matrix_age_days, "days from matrix_date to the day of this run") = {};
    RNNCHECK_FIELD(
        std::optional<std::string>,
        commit,
        "commit of rnncheck's source that it was built from") = {};
    RNNCHECK_FIELDS_END
};

/// What every other document begins with. `Stamp` is ToolStamp where the compatibility tables
/// matter.
template <class Stamp>
struct Document {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(int, schema, "number of this form of the document") = 1;
    RNNCHECK_FIELD(Stamp, tool, "who wrote it");
    RNNCHECK_FIELDS_END
};

/// The verdicts of all rules, counted.
struct Counts {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD_AS(int, fault, "problem", "rules with a finding, whatever its severity") = 0;
    RNNCHECK_FIELD(int, pass, "rules that found no fault") = 0;
    RNNCHECK_FIELD_AS(int, undecided, "undetermined", "rules that could not be decided") = 0;
    RNNCHECK_FIELD(int, not_applicable, "rules that do not apply here, or were not evaluated") = 0;
    RNNCHECK_FIELDS_END
};

/// One rule's answer in a report, without its findings, which are listed by
/// severity.
struct RuleVerdict {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, rule, "id of the rule");
    RNNCHECK_FIELD(Outcome, outcome, "its answer") = Outcome::undecided;
    RNNCHECK_FIELD(std::string, reason, "why, in a few words");
    RNNCHECK_FIELD(
        std::vector<Evidence>,
        evidence,
        "what a pass rests on, where the tables decided it; findings have their own") = {};
    RNNCHECK_FIELD(
        std::optional<NotEvaluated>,
        not_evaluated,
        "why the rule was not evaluated, where it was not") = {};
    RNNCHECK_FIELD(Layer, layer, "where its fault would sit") = Layer::host;
    RNNCHECK_FIELDS_END
};

/// The smallest case that still fails, found by running smaller ones: what a bug report to NVIDIA
/// needs, because fewer numbers show the defect.
struct MinimalCase {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD_AS(RnnRun, run, "case", "the case, as it went");
    RNNCHECK_FIELD_AS(int, number, "from", "number of the case that it was shrunk from") = 0;
    RNNCHECK_FIELD(int, trials, "how many cases were run to find it") = 0;
    RNNCHECK_FIELD(bool, finished, "false: time ended first, there may be a smaller one") = true;
    RNNCHECK_FIELD(
        bool,
        reproduces_alone,
        "false: run alone the case is correct; `case` is then the one that failed") = true;
    RNNCHECK_FIELD(std::string, rerun_command, "the command that runs it again") = {};
    RNNCHECK_FIELDS_END
};

RNNCHECK_ENUM(
    LogFailure,
    environment,  ///< cuDNN itself fails here with the same network
    memory,       ///< it does not fit into the memory that is free
    elsewhere,    ///< cuDNN computes it here: the framework, its data, or what else took memory
    unknown       ///< nothing was computed
)

/// What running the network of a log shows about the failure in that log.
struct LogReplay {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(LogFailure, failure, "where the failure of the log lies") = LogFailure::unknown;
    RNNCHECK_FIELD(
        std::vector<std::string>,
        sentences,
        "what follows from the run, what the log does not contain, the memory needed");
    RNNCHECK_FIELDS_END
};

/// The largest size that fits into GPU memory: calculated, then tried.
struct FitSearch {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(RnnFit, calculated, "the calculation that the search began with");
    RNNCHECK_FIELD(std::optional<int>, largest, "the largest size that ran") = {};
    RNNCHECK_FIELD(std::optional<RnnFit>, failed, "the smallest size above it that did not") = {};
    RNNCHECK_FIELD(int, trials, "how many sizes were tried") = 0;
    RNNCHECK_FIELD(bool, out_of_time, "whether the deadline passed before the search was over") =
        false;
    RNNCHECK_FIELD(std::string, answer, "the answer in one sentence") = {};
    RNNCHECK_FIELDS_END
};

/// What a report of `rnncheck lstm` has beside that of the doctor.
struct LstmExtras {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(bool, complete, "whether every case was tried") = false;
    RNNCHECK_FIELD(
        std::string,
        machine,
        "digest of what results depend on, which --resume compares; empty before the first case");
    RNNCHECK_FIELD(
        std::optional<MinimalCase>, minimal_case, "the smallest case that still fails") = {};
    RNNCHECK_FIELD(
        std::optional<LogReplay>, log_replay, "what running the network of a log shows") = {};
    RNNCHECK_FIELD(
        std::vector<FitSearch>,
        fits,
        "with --fit: the largest size for each GPU and cuDNN installation") = {};
    RNNCHECK_FIELDS_END
};

/// What a gate requires, read from a file such as rnncheck.toml. Findings that it ignores stay in
/// the report, with the reason.
struct Profile {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, file, "the file");
    RNNCHECK_FIELD(
        std::vector<std::string>, require, "rules that must be decided, as --require") = {};
    RNNCHECK_FIELD(
        TextMap,
        ignore,
        "rules whose findings do not affect the verdict, with the reason for each") = {};
    RNNCHECK_FIELD(std::optional<std::string>, fail_on, "as --fail-on, which replaces it") = {};
    RNNCHECK_FIELD(
        std::optional<ExpectedMachine>,
        expect,
        "what the rules version_not_expected and gpus_not_expected compare") = {};
    RNNCHECK_FIELD(std::vector<std::string>, labels, "labels that every report has to have") = {};
    RNNCHECK_FIELDS_END
};

/// When a report was made, and how it was requested: the command can be given again from this.
struct RunStamp {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::string, run_at, "when the command was started, in UTC: 2026-11-23T13:04:09Z");
    RNNCHECK_FIELD(double, duration_ms, "time from then to this report, in milliseconds") = 0;
    RNNCHECK_FIELD(std::string, command, "the command of rnncheck: doctor, matrix check");
    RNNCHECK_FIELD(std::vector<std::string>, options, "its options and arguments, without --label");
    RNNCHECK_FIELD(TextMap, labels, "what --label named, e.g. node: gpu017");
    RNNCHECK_FIELD(std::optional<Profile>, profile, "what --profile added to the options") = {};
    RNNCHECK_FIELDS_END
};

/// What redact() replaced by words such as USER1.
struct HiddenThings {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::string, kind, "user, home, host, uuid, serial, token, secret, email, ip_address, ...");
    RNNCHECK_FIELD(int, count, "how many different ones") = 0;
    RNNCHECK_FIELDS_END
};

/// What a report is about: a machine, versions that a person specified, or a log by itself.
enum class About { machine, versions, log };

/// Everything that one run found, as --json prints it: a verdict, what led to
/// it, and the facts, from which it can be judged again.
struct Report : RunStamp {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(int, schema, "number of this form of the report") = report_schema;
    RNNCHECK_FIELD(ToolStamp, tool, "who judged, by which matrix");
    RNNCHECK_FIELD(OverallVerdict, verdict, "the whole in one word") = OverallVerdict::undetermined;
    RNNCHECK_FIELD(
        std::string,
        sentence,
        "the verdict in one short sentence: what was run on a GPU, how many problems, "
        "the first to repair");
    RNNCHECK_FIELD(Counts, counts, "how many rules gave which answer");
    RNNCHECK_FIELD(
        std::vector<Finding>,
        findings,
        "faults: errors, then warnings, then notes, each from the lowest layer up");
    RNNCHECK_FIELD(std::vector<RuleVerdict>, verdicts, "every rule's answer, by id");
    RNNCHECK_FIELD(Facts, facts, "what was found on the machine");
    RNNCHECK_FIELD(std::optional<LstmExtras>, lstm, "what `rnncheck lstm` adds") = {};
    RNNCHECK_FIELD(
        std::optional<JudgedModel>, model, "with --model: the recurrent layers of that file") = {};
    RNNCHECK_FIELD(
        std::optional<std::vector<HiddenThings>>,
        hidden,
        "what was replaced by words; absent where nothing was") = {};
    About about = About::machine;  ///< not printed: the facts show it
    std::string own_home =
        {};  ///< what replaces the user's home directory in redacted facts; not printed
    RNNCHECK_FIELDS_END_AFTER(RunStamp)
};

std::size_t count_of(const std::vector<Finding>& findings, Severity severity);

/// What the layers' use of cuDNN alone comes to, and of two verdicts the one that counts.
OverallVerdict verdict_of(const JudgedModel& model);
OverallVerdict worse(OverallVerdict one, OverallVerdict other);

/// "2 of 3 recurrent layers use cuDNN; without it: lstm_1".
std::string sentence_of(const JudgedModel& model);

/// Its sentence or, where it has none yet, the whole in one of at most 78 columns: what was run on
/// a GPU, how many problems, the first to repair.
std::string sentence_of(const Report& report);

}  // namespace rnncheck
