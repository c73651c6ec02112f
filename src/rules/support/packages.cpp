#include "rules/support/packages.hpp"

namespace rnncheck::rules {

namespace {

void replace_all(std::string& text, std::string_view from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
}

}  // namespace

std::vector<Remedy> for_cuda_of(const CudnnCopy& copy, std::vector<Remedy> remedies) {
    if (!copy.answer || !copy.answer->built_for_cuda) return remedies;
    const std::string major = std::to_string(copy.answer->built_for_cuda->major());
    for (auto& remedy : remedies) {
        for (auto& command : remedy.commands) {
            replace_all(command, "-cu12", "-cu" + major);
            replace_all(command, "-cuda-12", "-cuda-" + major);
        }
    }
    return remedies;
}

}  // namespace rnncheck::rules
