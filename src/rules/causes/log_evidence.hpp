// What the symptoms of a log indicate, by the table log_evidence. Pure.
#pragma once

#include "rules/causes/log_causes.hpp"

namespace rnncheck::rules {

/// A cause that at least one symptom indicates.
struct IndicatedCause {
    std::string cause;
    Confidence strength = Confidence::possible;
    /// The symptom and the conditions of the row that indicates it most strongly.
    std::vector<std::string> words;
};

struct Indications {
    std::vector<IndicatedCause> causes;  ///< the likeliest first, each once
    /// Causes that a row rules out, whatever else indicates them, with the word that is the reason.
    std::map<std::string, std::string> ruled_out;
};

/// The order: how strongly the cause is indicated; its place among the causes of the symptom; how
/// many symptoms indicate it as strongly; how many conditions hold; which line comes first.
Indications indications(const LogContext& known);

}  // namespace rnncheck::rules
