// What a log and what a person told amount to, as words that the table log_evidence uses. Pure.
#pragma once

#include <map>

#include "compat/given.hpp"

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

/// Every feature there is: a word of log_evidence that is none of these, no signature and no comparison is a mistake.
std::vector<std::string> all_features();

/// One pass over what is known; each function below adds the features of one subject.
struct Features {
    const Log& log;
    const Matrix& matrix;
    LogWords& out;

    bool seen(std::string_view signature) const { return out.has(signature); }
    void add(const char* feature, const std::string& why) { out.words.emplace(feature, why); }

    std::optional<std::string> told(std::string_view signature, std::string_view name) const {
        for (const LogEvent& event : log.events)
            if (event.signature == signature)
                for (const LogField& field : event.captures)
                    if (field.name == name && !field.value.empty()) return field.value;
        return std::nullopt;
    }
};

/// The CUDA that the framework was built with: as its flavour says, as its release was, else as installed.
std::optional<Version> build_cuda(const Features& t);

/// The cuDNN that was loaded against the one wanted; the GPU and the driver against the CUDA of the build.
void add_version_features(Features& t);
/// The libraries that could not be opened against what is there.
void add_library_features(Features& t);

}  // namespace rnncheck::rules
