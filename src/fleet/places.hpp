// Places in the facts, "libraries[libcudnn.so.9].stub": what they are called, and which of them say nothing about a
// machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/comparisons.hpp"

namespace rnncheck {

/// Facts with one beginning: their layer, what they are called, and the probe that knows which there are.
struct Section {
    std::string_view begin;
    DiffLayer layer;
    std::string_view words;
    std::string_view probe = "";
};

/// Of a place. A place that no section has is the host's.
const Section& section_of(const std::string& place);

/// "libraries[libcudnn.so.9].stub" in all libraries: "libraries[].stub".
std::string without_names(std::string_view place);

/// What has this value is known not to be there.
inline constexpr std::string_view absent = "absent";

/// The probe that would have shown a value at this place if there were one; empty where a missing value is unknown
/// whatever ran: an element of a list is absent if the probe that lists them completed.
std::string_view probe_that_shows_absence(const std::string& place);

/// Another run, or an equal machine, may have something else there without any effect; or other facts tell it as well.
bool may_vary(const std::string& place);

/// "cuda_devices[0].name" begins with "cuda_devices[", is of "0", and ends with "name".
std::pair<std::string, std::string> name_and_member(const std::string& place);

/// "GPU 0 name", and "memory total MiB of GPUs 0 and 1" of places that differ in the name alone.
std::string label_of(const std::vector<std::string>& places);

}  // namespace rnncheck
