#include "matrix/targets.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck {

std::optional<Target> parse_target(std::string_view word) {
    constexpr std::string_view sm = "sm_", compute = "compute_";
    Target target;
    target.machine_code = word.starts_with(sm);
    if (!target.machine_code && !word.starts_with(compute)) return std::nullopt;
    word.remove_prefix(target.machine_code ? sm.size() : compute.size());
    if (word.ends_with('a') || word.ends_with('f')) {
        target.kind = word.back();
        word.remove_suffix(1);
    }
    const bool digits = std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits || word.size() < 2 || word.size() > 3) return std::nullopt;
    target.capability = *parse_version(std::string(word.substr(0, word.size() - 1)) + "." + word.back());
    return target;
}

std::vector<Target> targets_of(std::string_view text) {
    std::vector<Target> targets;
    for (const std::string& word : split(text, ' '))
        if (auto target = parse_target(word)) targets.push_back(std::move(*target));
    return targets;
}

bool runs_on(const Target& machine_code, const Version& capability) {
    if (!machine_code.machine_code || machine_code.capability.major() != capability.major()) return false;
    return machine_code.kind == 'a' ? machine_code.capability == capability : machine_code.capability <= capability;
}

}  // namespace rnncheck
