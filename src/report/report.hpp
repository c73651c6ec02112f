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

enum class OverallVerdict { healthy, warnings, problems, undetermined };
RNNCHECK_ENUM_NAMES(OverallVerdict, "healthy", "warnings", "problems", "undetermined")

struct ToolStamp {
    std::string name = "rnncheck";
    std::string version{version_of_rnncheck()};
    std::string matrix_date;
    std::string matrix_digest;
    std::optional<int> matrix_age_days = {};
    std::optional<std::string> commit = {};

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "rnncheck");
        visit("version", self.version, "version that judged");
        visit("matrix_date", self.matrix_date, "date of the newest entry of the compatibility matrix");
        visit("matrix_digest", self.matrix_digest,
              "SHA-256 over the matrix: `sha256sum *.json | sha256sum` in its directory");
        visit("matrix_age_days", self.matrix_age_days, "days from matrix_date to the day of this run");
        visit("commit", self.commit, "commit of rnncheck's source that it was built from");
    }
};

struct Counts {
    int fault = 0;
    int pass = 0;
    int undecided = 0;
    int not_applicable = 0;

    static void fields(auto& self, auto&& visit) {
        visit("problem", self.fault, "rules with a finding, whatever its severity");
        visit("pass", self.pass, "rules that found no fault");
        visit("undetermined", self.undecided, "rules that could not be decided");
        visit("not_applicable", self.not_applicable, "rules that do not apply here, or were not evaluated");
    }
};

struct RuleVerdict {
    std::string rule;
    Outcome outcome = Outcome::undecided;
    std::string reason;
    std::vector<Evidence> evidence = {};
    std::optional<NotAsked> not_asked = {};
    Layer layer = Layer::host;

    static void fields(auto& self, auto&& visit) {
        visit("rule", self.rule, "id of the rule");
        visit("outcome", self.outcome, "its answer");
        visit("reason", self.reason, "why, in a few words");
        visit("evidence", self.evidence, "what a pass rests on, where the tables decided it; findings have their own");
        visit("not_asked", self.not_asked, "why the rule was not asked, where it was not");
        visit("layer", self.layer, "where its fault would sit");
    }
};

/// The smallest case that still fails, found by running smaller ones.
struct MinimalCase {
    RnnRun run;      ///< as it went when it was run
    int number = 0;  ///< of the case that it was shrunk from
    int trials = 0;
    bool finished = true;  ///< false: time or trials ended first, there may be a smaller one
    bool alone = true;     ///< false: run by itself the case does not fail, so `run` is still the one it came from
    std::string rerun_command = {};

    static void fields(auto& self, auto&& visit) {
        visit("case", self.run, "the case, as it went");
        visit("from", self.number, "number of the case that it was shrunk from");
        visit("trials", self.trials, "how many cases were run to find it");
        visit("finished", self.finished, "false: time ended first, there may be a smaller one");
        visit("alone", self.alone, "false: run alone the case is correct; `case` is then the one that failed");
        visit("rerun_command", self.rerun_command, "the command that runs it again");
    }
};

enum class LogFailure {
    environment,  ///< cuDNN itself fails here with the same network
    memory,       ///< it does not fit into the memory that is free
    elsewhere,    ///< cuDNN computes it here: the framework, its data, or what else took memory
    unknown,      ///< nothing was computed
};
RNNCHECK_ENUM_NAMES(LogFailure, "environment", "memory", "elsewhere", "unknown")

/// What running the network of a log shows about the failure in that log.
struct LogReplay {
    LogFailure failure = LogFailure::unknown;
    std::vector<std::string> sentences;  ///< what follows, what was taken for what the log lacks, the memory

    static void fields(auto& self, auto&& visit) {
        visit("failure", self.failure, "where the failure of the log lies");
        visit("sentences", self.sentences, "what follows from the run, what the log lacks, the memory needed");
    }
};

/// The largest size that fits into GPU memory: calculated, then tried.
struct FitSearch {
    RnnFit calculated;
    std::optional<int> largest = {};    ///< the largest that ran
    std::optional<RnnFit> failed = {};  ///< the smallest above it that did not
    int trials = 0;
    bool out_of_time = false;  ///< the deadline passed before the search was over
    std::string answer = {};

    static void fields(auto& self, auto&& visit) {
        visit("calculated", self.calculated, "the calculation that the search began with");
        visit("largest", self.largest, "the largest size that ran");
        visit("failed", self.failed, "the smallest size above it that did not");
        visit("trials", self.trials, "how many sizes were tried");
        visit("out_of_time", self.out_of_time, "whether the deadline passed before the search was over");
        visit("answer", self.answer, "the answer in one sentence");
    }
};

/// What a report of `rnncheck lstm` has beside that of the doctor.
struct LstmExtras {
    bool complete = false;
    std::string machine;
    std::optional<MinimalCase> minimal_case = {};
    std::optional<LogReplay> log_replay = {};
    std::vector<FitSearch> fits = {};

    static void fields(auto& self, auto&& visit) {
        visit("complete", self.complete, "whether every case was tried");
        visit("machine", self.machine,
              "digest of what results depend on, which --resume compares; empty before the first case");
        visit("minimal_case", self.minimal_case, "the smallest case that still fails");
        visit("log_replay", self.log_replay, "what running the network of a log shows");
        visit("fits", self.fits, "with --fit: the largest size for each GPU and cuDNN installation");
    }
};

/// What a gate requires, read from a file such as rnncheck.toml.
struct Profile {
    std::string file;
    std::vector<std::string> require = {};
    TextMap ignore = {};
    std::optional<std::string> fail_on = {};
    std::optional<ExpectedVersions> expect = {};

    static void fields(auto& self, auto&& visit) {
        visit("file", self.file, "the file");
        visit("require", self.require, "rules that must be decided, as --require");
        visit("ignore", self.ignore, "rules whose findings do not affect the verdict, with the reason for each");
        visit("fail_on", self.fail_on, "as --fail-on, which replaces it");
        visit("expect", self.expect, "versions that the rule version_not_expected compares");
    }
};

/// When a report was made, and how it was asked for.
struct RunStamp {
    std::string run_at;
    double duration_ms = 0;
    std::string command;
    std::vector<std::string> options;
    TextMap labels;
    std::optional<Profile> profile = {};

    static void fields(auto& self, auto&& visit) {
        visit("run_at", self.run_at, "when the command was started, in UTC: 2026-11-23T13:04:09Z");
        visit("duration_ms", self.duration_ms, "time from then to this report, in milliseconds");
        visit("command", self.command, "the command of rnncheck: doctor, matrix check");
        visit("options", self.options, "its options and arguments, without --label");
        visit("labels", self.labels, "what --label named, e.g. node: gpu017");
        visit("profile", self.profile, "what --profile added to the options");
    }
};

/// What redact() replaced by words such as USER1.
struct HiddenThings {
    std::string kind;
    int count = 0;

    static void fields(auto& self, auto&& visit) {
        visit("kind", self.kind, "user, home, host, uuid, serial, token, secret, email, ip_address, ...");
        visit("count", self.count, "how many different ones");
    }
};

struct Report : RunStamp {
    int schema = report_schema;
    ToolStamp tool;
    OverallVerdict verdict = OverallVerdict::undetermined;
    std::string sentence;
    Counts counts;
    std::vector<Finding> findings;
    std::vector<RuleVerdict> verdicts;
    Facts facts;
    std::optional<LstmExtras> lstm = {};
    std::optional<JudgedModel> model = {};
    std::optional<std::vector<HiddenThings>> hidden = {};

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the report");
        visit("tool", self.tool, "who judged, by which matrix");
        RunStamp::fields(self, visit);
        visit("verdict", self.verdict, "the whole in one word");
        visit("sentence", self.sentence,
              "the verdict in one short sentence: what was run on a GPU, how many problems, the first to repair");
        visit("counts", self.counts, "how many rules gave which answer");
        visit("findings", self.findings, "faults: errors, then warnings, then notes, each from the lowest layer up");
        visit("verdicts", self.verdicts, "every rule's answer, by id");
        visit("facts", self.facts, "what was found on the machine");
        visit("lstm", self.lstm, "what `rnncheck lstm` adds");
        visit("model", self.model, "with --model: the recurrent layers of that file");
        visit("hidden", self.hidden, "what was replaced by words; absent where nothing was");
    }
};

/// What the layers' use of cuDNN alone comes to, and of two verdicts the one that counts.
OverallVerdict verdict_of(const std::vector<JudgedLayer>& layers);
OverallVerdict worse(OverallVerdict one, OverallVerdict other);

/// "2 of 3 recurrent layers use cuDNN; without it: lstm_1".
std::string sentence_of(const std::vector<JudgedLayer>& layers);

/// Its sentence or, where it has none yet, the whole in one of at most 78 columns: what was run on a GPU, how many
/// problems, the first to repair.
std::string sentence_of(const Report& report);

}  // namespace rnncheck
