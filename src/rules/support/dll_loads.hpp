// The DLLs that frameworks of Windows load, and other programs with cuDNN: what rules about them
// share. Pure.
#pragma once

#include <functional>

#include "facts/dll_names.hpp"
#include "rules/support/dlls.hpp"
#include "rules/support/frameworks.hpp"

namespace rnncheck::rules {

bool is_front(const DllLoad& load);
bool is_part(const DllLoad& load);

/// Null for a load by a program that is none of the known frameworks.
const Framework* framework_of(const Facts& facts, const DllLoad& load);

/// "tensorflow 2.10.1", "a program".
std::string words_of(const Facts& facts, const DllLoad& load);

/// A load of a framework and environment with others of it.
using LoadKey = std::pair<std::string, std::string>;

LoadKey key_of(const DllLoad& load);

using JudgeLoad = std::function<void(const DllLoad&, VerdictBuilder&)>;
using PickLoad = std::function<bool(const DllLoad&)>;

/// Of a cuDNN that a framework loads, other programs count no more.
enum class Loads { of_frameworks, of_all_programs };

/// Over the loads that `concerns` picks; an unknown one among them leaves the verdict open.
Verdict over_loads(
    const Facts& facts,
    const PickLoad& concerns,
    const JudgeLoad& judge,
    Loads loads = Loads::of_frameworks);

/// The same over those that are not found themselves.
Verdict over_not_found(
    const Facts& facts,
    const PickLoad& concerns,
    const JudgeLoad& judge,
    Loads loads = Loads::of_frameworks);

/// Queries of a cuDNN with a fault in its files fail for the same reason. If no framework loads
/// it, it is an error where a program gets it that opens cuDNN by its name.
void concern_cudnn(const Facts& facts, const DllLoad& load, Finding& finding);

/// A finding about one DLL.
Finding about(
    const Facts& facts, const DllLoad& load, std::string message, std::vector<Remedy> remedies);

}  // namespace rnncheck::rules
