// The causes that a log indicates, ranked, and what the log and the user's hints contain, as words
// that the table log_evidence uses. Pure.
#pragma once

#include <map>
#include <set>

#include "matrix/log_rows.hpp"
#include "report/finding.hpp"
#include "stack/given.hpp"

namespace rnncheck::rules {

/// What is known about one log: its lines, the user's hints, and the words of the table
/// log_evidence that hold.
struct LogContext {
    const Log& parsed;
    const Matrix& matrix;
    stack::Given hints;
    /// Ids of signatures that were seen, their symptoms, and features with what they rest on, for
    /// the evidence.
    std::map<std::string, std::string, std::less<>> words = {};
    /// For each symptom, the signatures of it that were seen and that no other line supersedes.
    std::map<std::string, std::vector<std::string>, std::less<>> signatures_of = {};
    /// Signatures and symptoms that follow from what another line reports.
    std::set<std::string, std::less<>> superseded = {};

    bool has(std::string_view word) const {
        return words.find(word) != words.end();
    }
    /// A word of log_evidence: a plain one, or a comparison of a version that is known; false for
    /// "!word" that holds.
    bool holds(std::string_view word) const;
    /// Whether all of these conditions, parted by spaces, hold.
    bool all_hold(const std::string& conditions) const;
    /// Whether the word holds and indicates something: no other line supersedes it.
    bool indicates(std::string_view symptom) const;
    /// How many kinds of lines that were seen have this symptom.
    std::size_t count_of(std::string_view symptom) const;
    /// The first line with this signature, or with one of this symptom; null where there is none.
    const LogEvent* first_event(std::string_view word) const;

    /// The first value of the field, or the preferred one if any line has it.
    std::optional<std::string> field(
        std::string_view signature, std::string_view name, std::string_view preferred = {}) const {
        std::optional<std::string> first;
        for (const LogEvent& event : parsed.events)
            if (event.signature == signature)
                for (const LogField& field : event.captures)
                    if (field.name == name && !field.value.empty() &&
                        (!first || field.value == preferred))
                        first = field.value;
        return first;
    }

    std::optional<Version> version(std::string_view signature, std::string_view name) const {
        return parse_version(field(signature, name).value_or(""));
    }

    void add(const std::string& feature, const std::string& why) {
        words.emplace(feature, why);
    }
};

/// Needs facts.log.
LogContext log_context(const Facts& facts, const Matrix& matrix);

/// The CUDA that the framework was built with: by its flavor, by its version, else the installed
/// one.
std::optional<Version> build_cuda(const LogContext& log);
/// The CUDA that the program opens: that of the missing library, else that of the build.
std::optional<Version> wanted_cuda(const LogContext& log);
/// The cuDNN that the program was built with: that of the missing library, that of a line in the
/// log, else by its version.
std::optional<Version> wanted_cudnn(const LogContext& log);
/// The compute capability of the first GPU that the log or the person names.
std::optional<Version> gpu_capability(const LogContext& log);
/// The driver version that the user specified, else the one in the log.
std::optional<Version> driver_in_log(const LogContext& log);

/// The library of the first line with this signature.
std::optional<std::string> missing_library(const LogContext& log, std::string_view signature);
/// 8 of "libcudnn_ops_infer.so.8", 10.1 of "libcudart.so.10.1", 9 of "cudnn_ops64_9.dll", 11.2 of
/// "cudart64_112.dll".
std::optional<Version> version_in_file_name(std::string_view name);
/// Only the major version in a library's file name.
std::optional<int> major_in_file_name(std::string_view name);
/// Only these libraries carry the toolkit's major in their names in every version.
bool names_the_toolkit(std::string_view library);

/// The cuDNN that was loaded against the one wanted; the GPU and the driver against the CUDA of the
/// build.
void add_version_features(LogContext& log);

/// The remedies of the cause; before them a container image, if no published build of the framework
/// runs on the log's GPU.
std::vector<Remedy> remedies_for(const LogCause& cause, const LogContext& log);

/// Text and commands for a failure that a line names more exactly than the cause: which packages,
/// which switch.
void refine_for_failure(Remedy& remedy, const LogCause& cause, const LogContext& log);

/// Text and commands that follow from the versions in the log: which build of which framework,
/// which compiler.
void refine_for_builds(Remedy& remedy, const LogCause& cause, const LogContext& log);

/// The check for such a failure; nothing where that of the cause applies.
std::optional<DecidingCheck> check_of_what_failed(const LogCause& cause, const LogContext& log);

/// Whether only a Unix shell can run the command: it has programs, paths or syntax that neither
/// cmd.exe nor PowerShell has.
bool is_for_unix(std::string_view command);

/// The command for the shell of the reader; "" where there is none for it.
const std::string& for_shell(
    const std::string& command, const std::string& on_windows, const LogContext& log);

/// The check that would confirm the cause.
DecidingCheck check_for(const LogCause& cause, const LogContext& log);

/// One finding per cause, the most likely first, each with the lines it rests on and the check that
/// would decide. Empty without a log. At most five: what is far behind the first is left out.
std::vector<Finding> causes_in_log(const Facts& facts, const Matrix& matrix);

}  // namespace rnncheck::rules
