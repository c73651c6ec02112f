#include "rules/support/words.hpp"

namespace rnncheck::rules {

Severity error_if(bool is_error) {
    return is_error ? Severity::error : Severity::warning;
}

Confidence certain_if(bool decides) {
    return decides ? Confidence::certain : Confidence::likely;
}

std::string in_words(const std::optional<CallResult>& call) {
    if (!call)
        return "the reason is unknown";
    return in_words(*call);
}

std::string if_known(const std::optional<Version>& version) {
    if (!version)
        return "";
    return version->text;
}
/// As in_words(), but empty instead of "the reason is unknown".
std::string if_known(const std::optional<CallResult>& call) {
    if (!call)
        return "";
    return in_words(*call);
}
std::string if_known(const std::optional<std::string>& text) {
    return text.value_or("");
}

std::string why_unusable(const CallResult& failure) {
    const bool is_opening =
        failure.call.starts_with("dlopen") || failure.call.starts_with("LoadLibraryEx");
    if (is_opening)
        return "cannot be opened: " + escaped(failure.text, 300);
    return "does not report its version: " + in_words(failure);
}

Evidence evidence_of(const FailedCall& failed) {
    return {"failed call", in_words(failed.call), failed.source};
}

std::optional<Verdict> without_cuinit(const Facts& facts) {
    if (const auto why = lower_cause(facts))
        return not_applicable(*why);
    if (!facts.driver.init)
        return undecided("the result of cuInit is unknown");
    return std::nullopt;
}

std::vector<Finding> findings_for(const std::vector<FailedCall>& failures, const Finding& sample) {
    return mapped(failures, [&](const FailedCall& failed) {
        Finding finding = sample;
        finding.subject = failed.subject;
        finding.gpu = failed.gpu;
        finding.evidence.insert(finding.evidence.begin(), evidence_of(failed));
        finding.symptoms = {failed.explains.front()};
        finding.explains = failed.explains;
        return finding;
    });
}

std::string cuda_for_driver(int major) {
    return "CUDA " + std::to_string(major) + " on this driver";
}

}  // namespace rnncheck::rules
