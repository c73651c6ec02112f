// The parts of a finding as text, for the reports of a machine and of a log.
#pragma once

#include "report/text.hpp"

namespace rnncheck {

/// A line each; `word` heads the first.
void write_evidence(Page& page, const std::vector<Evidence>& evidence, std::string_view word);
/// The check that would confirm a cause.
void write_confirmation(Page& page, const DecidingCheck& check);
/// Commands, then what they do; before destructive commands, what they destroy.
void write_remedy(Page& page, std::string_view word, const Remedy& remedy);

/// hidden_in_words() for a page, on which the user's own home directory is "~", which hides nothing
/// from that person.
std::string hidden_on_page(const Report& report);

/// Why a case did not pass: "cudnnRNNForward returned 8 (...)", or how far its numbers are off.
std::string why_not_passed(const RnnRun& run);

/// The report about a log, cause by cause.
void write_diagnosis(Page& page, const Report& report);

}  // namespace rnncheck
