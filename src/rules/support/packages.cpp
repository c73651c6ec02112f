#include "rules/support/packages.hpp"

#include "base/text.hpp"

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

std::vector<std::string> driver_install_commands(const Facts& facts) {
    const std::string os = facts.host.os.value_or("");
    if (contains(os, "Ubuntu")) return {"sudo ubuntu-drivers install"};
    if (contains(os, "Debian")) return {"sudo apt-get install nvidia-driver"};
    return {};
}

}  // namespace rnncheck::rules
