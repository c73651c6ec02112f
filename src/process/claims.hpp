// What reports rely on and only the system itself can show: tried by the self-test.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rnncheck::process {

/// One of them, as the self-test prints it.
struct Claim {
    std::string name;           ///< "memory limit"
    std::optional<bool> holds;  ///< nothing where it cannot be tried
    std::string words;          ///< what holds, or why it cannot be tried
};

/// On Windows those that no test under Wine can prove; elsewhere none.
std::vector<Claim> claims_about_system();

}  // namespace rnncheck::process
