// The reasons that a result rests on, collected over several GPUs, installations or frameworks.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "base/lists.hpp"
#include "facts/common.hpp"

namespace rnncheck::stack {

/// Keeps the first reason of each sort.
class Reasons {
  public:
    void unknown(const std::string& why) {
        keep(unknown_, why);
    }
    /// A version is outside the tables.
    void outside(const std::string& why) {
        keep(outside_, why);
    }
    /// Not applicable, and the result must not be a pass because of others.
    void block_pass(const std::string& why) {
        keep(blocked_pass_, why);
    }
    void passed(const std::string& why, const std::vector<Evidence>& evidence = {}) {
        keep(passed_, why);
        append(evidence_, evidence);
    }
    void not_applicable(const std::string& why) {
        keep(not_applicable_, why);
    }

  protected:
    static void keep(std::string& reason, const std::string& why) {
        if (reason.empty())
            reason = why;
    }
    /// What stays unknown beside a fault.
    const std::string& still_unknown() const {
        return outside_.empty() ? unknown_ : outside_;
    }

    std::vector<Evidence> evidence_;
    std::string unknown_, outside_, blocked_pass_, passed_, not_applicable_;
};

}  // namespace rnncheck::stack
