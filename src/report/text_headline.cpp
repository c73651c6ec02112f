#include "report/text_parts.hpp"

namespace rnncheck {

std::string headline(const Report& report) {
    return "rnncheck " + shown(report.tool.version) + ": " + shown(report.sentence.empty() ? sentence_of(report) : report.sentence);
}

}  // namespace rnncheck
