// The exit code of a report.
#pragma once

#include "commands/command.hpp"
#include "commands/doctor_options.hpp"

namespace rnncheck {

/// Problems always give 1 and an open verdict 3; warnings give 0, or 4 when they are to fail.
inline Exit exit_code(Health verdict, FailOn fail_on) {
    switch (verdict) {
        case Health::healthy:
            return healthy;
        case Health::warnings:
            return fail_on == FailOn::warning ? warned : healthy;
        case Health::problems:
            return problem;
        case Health::undetermined:
            break;
    }
    return undetermined;
}

}  // namespace rnncheck
