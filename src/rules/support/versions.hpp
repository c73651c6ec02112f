// The engine's functions about versions for the facts of a machine. Pure.
#pragma once

#include "facts/facts.hpp"
#include "matrix/ranges.hpp"
#include "rules/support/verdict_builder.hpp"
#include "rules/support/words.hpp"
#include "stack/builds.hpp"

namespace rnncheck::rules {

using stack::Builds;
using stack::cudnn_builds_of;
using stack::evidence_of;
using stack::is_default;
using stack::outside_data;
using stack::takes_system_libraries;

/// "GPU" and what was given: "compute capability 8.6", "GeForce RTX 3090 (8.6)".
std::string words_of(const Gpu& gpu);
/// "PyTorch 2.4", "TensorFlow 2.10".
std::string words_of(const Framework& framework);

/// What a finding is about.
stack::Part part_of(const Gpu& gpu);
stack::Part part_of(const Framework& framework);

/// Its name, version and build.
stack::Framework as_named(const Framework& framework);
/// Whether the machine's builds are those for Linux on Arm.
bool on_arm(const Facts& facts, const Matrix& matrix);
/// The published builds that it may be, of the machine's system.
Builds builds_of(const Facts& facts, const Matrix& matrix, const Framework& framework);
/// With the CUDA that the driver reports, and the system whose drivers count.
stack::Driver driver_of(const Facts& facts);

/// To pip, another build of torch 2.8.0 satisfies torch==2.8.0, too.
constexpr const char* in_place_of_installed = " --force-reinstall";

/// The versions of a machine, as a person would describe them to `matrix check`: driver, GPUs,
/// system, active Python, the frameworks in use, and for one that --for names the CUDA and cuDNN
/// that it would take from the system.
stack::Stack stack_of(const Facts& facts, const Matrix& matrix);
/// Only what --for names, with the system and the active Python; unset without --for.
std::optional<stack::Stack> named_stack(const Facts& facts);
/// What is specified with a log is installed: of a framework with its own libraries, whose build
/// was not named, the build for the specified CUDA, if there is one.
stack::Stack as_installed(stack::Stack stack, const Matrix& matrix);

}  // namespace rnncheck::rules
