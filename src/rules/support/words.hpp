// Failed calls in words and as evidence, and the names by which findings explain each other
// (Rule::superseded_by). Pure.
#pragma once

#include "base/lists.hpp"
#include "base/text.hpp"
#include "facts/queries.hpp"
#include "report/finding.hpp"

namespace rnncheck::rules {

/// The value of an evidence; empty when it is unknown.
std::string if_known(const std::optional<Version>& version);
std::string if_known(const std::optional<CallResult>& call);
std::string if_known(const std::optional<std::string>& text);

/// An error if it is one, else a warning.
Severity error_if(bool is_error);
/// Certain if the evidence decides, else likely.
Confidence certain_if(bool decides);

/// A call in words, or that the reason is not known.
using rnncheck::in_words;
std::string in_words(const std::optional<CallResult>& call);

Evidence evidence_of(const FailedCall& failed);

/// "cannot be opened: ..." or "does not report its version: ...".
std::string why_unusable(const CallResult& failure);

/// Why the result of cuInit cannot be evaluated: the driver cannot be reached, or cuInit was not
/// called.
std::optional<Verdict> without_cuinit(const Facts& facts);

/// The same finding for each subject.
std::vector<Finding> findings_for(const std::vector<FailedCall>& failures, const Finding& sample);

/// What Finding::explains calls a CUDA major that the driver may be too old for.
std::string cuda_for_driver(int major);

}  // namespace rnncheck::rules
