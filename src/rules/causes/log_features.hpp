// What a log and what a person told amount to, as words that the table log_evidence uses. Pure.
#pragma once

#include <map>

#include "compat/given.hpp"
#include "report/finding.hpp"

namespace rnncheck::rules {

/// The words that hold: ids of signatures that were seen, and features with what they rest on, for the evidence.
struct LogWords {
    std::map<std::string, std::string, std::less<>> words;
    ParsedHints said;

    bool has(std::string_view word) const { return words.find(word) != words.end(); }
    /// A word of log_evidence: a plain one, or a comparison of a version that is known; false for "!word" that holds.
    bool holds(std::string_view word) const;
};

/// Needs facts.log.
LogWords log_words(const Facts& facts, const Matrix& matrix);

/// What is known of one log, to ask.
struct KnownOfLog {
    const Log& log;
    const Matrix& matrix;
    const LogWords& out;

    bool seen(std::string_view signature) const { return out.has(signature); }

    /// The first value of the field, or the preferred one if any line has it.
    std::optional<std::string> told(std::string_view signature, std::string_view name,
                                    std::string_view preferred = {}) const {
        std::optional<std::string> first;
        for (const LogEvent& event : log.events)
            if (event.signature == signature)
                for (const LogField& field : event.captures)
                    if (field.name == name && !field.value.empty() && (!first || field.value == preferred))
                        first = field.value;
        return first;
    }

    std::optional<Version> version(std::string_view signature, std::string_view name) const {
        return parse_version(told(signature, name).value_or(""));
    }
};

/// One pass over what is known; each function below adds the features of one subject.
struct Features : KnownOfLog {
    LogWords& found;  ///< the same as `out`, to add to

    void add(const std::string& feature, const std::string& why) { found.words.emplace(feature, why); }
};

/// The CUDA that the framework was built with: as its flavour says, as its release was, else as installed.
std::optional<Version> build_cuda(const KnownOfLog& t);
/// The CUDA that the program opens: of the library that is missing, else that of the build.
std::optional<Version> wanted_cuda(const KnownOfLog& t);
/// The cuDNN that the program was built with: of the library that is missing, as a line tells, else as its release was.
std::optional<Version> wanted_cudnn(const KnownOfLog& t);
/// The compute capability of the first GPU that the log or the person names.
std::optional<Version> gpu_capability(const KnownOfLog& t);
/// As given, else as the log shows it.
std::optional<Version> driver_in_log(const KnownOfLog& t);

/// The library of the first line with this signature.
std::optional<std::string> missing_library(const KnownOfLog& t, std::string_view signature);
/// 8 of "libcudnn_ops_infer.so.8", 10.1 of "libcudart.so.10.1", 9 of "cudnn_ops64_9.dll", 11.2 of "cudart64_112.dll".
std::optional<Version> version_in_file_name(std::string_view name);
/// Its major alone.
std::optional<int> major_in_file_name(std::string_view name);
/// Only these libraries carry the toolkit's major in their names in every version.
bool names_the_toolkit(std::string_view library);

/// The cuDNN that was loaded against the one wanted; the GPU and the driver against the CUDA of the build.
void add_version_features(Features& t);
/// The libraries that could not be opened against what is there.
void add_library_features(Features& t);

/// The cause's own, after the container images of a framework of which no build runs on the log's GPU.
std::vector<Remedy> remedies_for(const LogCause& cause, const KnownOfLog& t);

/// Only a Unix shell runs it: programs, paths or syntax that neither cmd.exe nor PowerShell has.
bool is_for_unix(std::string_view command);

/// The check of the cause that decides.
DecidingCheck check_for(const LogCause& cause, const KnownOfLog& t);

}  // namespace rnncheck::rules
