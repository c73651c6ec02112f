// Why a command failed, from its output and the machine together.
#pragma once

#include "commands/library_path.hpp"
#include "report/report.hpp"

namespace rnncheck {

/// What the command's own end adds to the two reports.
struct FailureTraits {
    bool has_crashed = false;         ///< a signal of its own ended it, such as SIGSEGV
    bool uses_gpu_libraries = false;  ///< it loaded the driver, CUDA or cuDNN
    LibraryPath library_path;         ///< that it inherited
};

/// The report about the output alone, with what the machine shows: a cause that both show is
/// certain and comes first. If the output only allows causes, an error of the machine about the
/// same library or layer comes before them, and those that the machine does not show come last. The
/// machine was judged without the output.
Report cause_of_failure(
    Report from_output, const Report& from_machine, const FailureTraits& traits);

}  // namespace rnncheck
