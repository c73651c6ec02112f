// Packages that remedies of a log name: of cuDNN, of the libraries of CUDA, of frameworks.
#pragma once

#include "rules/causes/log_causes.hpp"

namespace rnncheck::rules {

/// What is between the separators; those in double quotes part nothing.
std::vector<std::string> commands_of(const std::string& chain, std::string_view separator);

/// The command with its placeholders filled in (LogCause::command), for the CUDA and cuDNN of
/// `requested`; unset where one of them cannot be.
std::optional<std::string> filled_in(
    std::string command, const stack::Stack& requested, const LogContext& log);

/// The row's own remedy, without commands.
Remedy plain_remedy(const LogCause& cause);

/// The remedy with the package of cuDNN in the version that the log requests, for each CUDA that
/// the log leaves open.
Remedy with_package_of_cudnn(const LogCause& cause, const LogContext& log);

/// A program that has no use for packages of Python.
bool is_outside_python(const LogContext& log);

/// cuDNN for such a program.
Remedy cudnn_outside_python(const LogCause& cause, const LogContext& log);

/// "libcusparse" of the library that the log shows as missing, in any of the forms of its name; ""
/// where there is none.
std::string named_library(const LogContext& log);

/// Adds the package of the library that the log names, for the CUDA of the build.
void name_package_of_library(Remedy& remedy, const LogContext& log);

/// Replaces the commands by those that install the build with CUDA of the framework that the log
/// names.
void name_build_with_cuda(Remedy& remedy, const LogContext& log);

}  // namespace rnncheck::rules
