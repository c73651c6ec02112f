// A machine together with what a profile expects of it.
#pragma once

#include "support/healthy_machine.hpp"

namespace rnncheck::test {

inline const std::string named_profile = "rnncheck.toml";

inline Facts expecting(ExpectedMachine expected, Facts facts = a_healthy_machine()) {
    facts.expected = std::move(expected);
    return facts;
}

}  // namespace rnncheck::test
