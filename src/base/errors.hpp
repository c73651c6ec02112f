// Our own failures. What the examined machine does wrong is data (facts), never an exception.
#pragma once

#include <stdexcept>

namespace rnncheck {

/// The command line asks for something that does not exist or does not fit: exit code 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A file given to us cannot be used: one sentence with the file, the place in it and what to do; exit code 2.
struct InputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace rnncheck
