#include "rules/support/words.hpp"

#include "base/text.hpp"

namespace rnncheck::rules {

std::string in_words(const CallResult& call) {
    return call.call + " answered " + std::to_string(call.code) +
           (call.text.empty() ? "" : " (" + escaped(call.text, 200) + ")");
}

Evidence evidence_of(const FailedCall& failed) {
    return {"failed call", in_words(failed.call), failed.source};
}

std::vector<Finding> findings_for(const std::vector<FailedCall>& failures, const Finding& sample) {
    std::vector<Finding> findings;
    for (const auto& failed : failures) {
        Finding finding = sample;
        finding.subject = failed.subject;
        finding.evidence.insert(finding.evidence.begin(), evidence_of(failed));
        finding.symptoms = {failed.explains.front()};
        finding.explains = failed.explains;
        findings.push_back(std::move(finding));
    }
    return findings;
}

std::string told(const CallResult& result) {
    if (result.code != -1) return in_words(result);
    return result.call + (result.text.empty() ? " failed" : ": " + escaped(result.text, 300));
}

std::string told(const std::optional<CallResult>& result) {
    return result ? told(*result) : "the reason is not known";
}

std::string cuda_for_driver(int major) {
    return "CUDA " + std::to_string(major) + " on this driver";
}

std::string kind_of(const Library& library) {
    if (library.kind != LibraryKind::cuda) return std::string(name_of(library.kind));
    return on_loader_path(library) ? "libcuda" : "";
}

}  // namespace rnncheck::rules
