// What every format prints of a document. Made once for each kind of document, so that a new document needs no code in
// the formats, and a new format none in the documents.
#pragma once

#include <functional>
#include <map>

#include "report/documents.hpp"
#include "report/text.hpp"

namespace rnncheck {

/// Lines of fixed width below a heading: a table, the tests that failed.
struct OutlineSection {
    std::string heading, text;
};

struct Outline {
    ToolStamp tool = {};
    RunStamp run = {};
    OverallVerdict verdict = OverallVerdict::undetermined;
    std::string sentence = {};
    std::vector<ChecklistLine> checklist = {};
    std::vector<Finding> findings = {};
    std::vector<RuleVerdict> checks = {};  ///< of a finding's rule too
    std::vector<OutlineSection> sections = {};
    std::map<int, std::map<RunEnd, int>> tests = {};  ///< by GPU and end; empty where none belongs to the document
    std::function<std::vector<std::string>()> pictures = [] { return std::vector<std::string>(); };  ///< SVG
    std::function<std::string(const Style&)> text = {};
    std::function<std::string(JsonLines)> json = {};
};

Outline outline_of(const Report& report);
Outline outline_of(const ModelDocument& document);

/// The number of a finding's GPU, where its subject is one: "GPU 3"; else empty.
std::string gpu_of(const Finding& finding);

}  // namespace rnncheck
