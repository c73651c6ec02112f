// The facts of a report as values by place, "libraries[libcudnn.so.9].stub": what is compared
// between machines and between times, and what places are called.
#pragma once

#include <rapidjson/document.h>

#include <string>
#include <unordered_map>

#include "fleet/fleet.hpp"

namespace rnncheck {

/// Facts with one beginning: their layer, what they are called, and the probe that knows which
/// there are.
struct Section {
    std::string_view begin;
    DiffLayer layer;
    std::string_view words;
    std::string_view probe = "";
};

/// The section of a place; a place of no section belongs to the host.
const Section& section_of(const std::string& place);

/// "libraries[libcudnn.so.9].stub" in all libraries: "libraries[].stub".
std::string without_names(std::string_view place);

/// The value of something that is known not to exist, such as a library that only one of two
/// machines has. A value that is merely missing is unknown, and never compared.
inline constexpr std::string_view absent = "absent";

/// The probe that would have shown a value at this place if there were one; empty where a missing
/// value is unknown whatever ran: an element of a list is absent if the probe that lists them
/// completed.
std::string_view probe_that_shows_absence(const std::string& place);

/// The name of the element and the member: "0" and "name" of "cuda_devices[0].name". The name is
/// empty where the place is of no list.
std::pair<std::string, std::string> name_and_member(const std::string& place);

/// "GPU 0 name", and "memory total MiB of GPUs 0 and 1" of places that differ in the name alone.
std::string label_of(const std::vector<std::string>& places);

/// Null, an empty list, an empty text where the object has no such member, or none of this type.
const rapidjson::Value* member(const rapidjson::Value& object, const char* name);
const rapidjson::Value& list_member(const rapidjson::Value& object, const char* name);
std::string text_member(const rapidjson::Value& object, const char* name);

using Values = std::unordered_map<std::string, std::string>;

/// What is unknown has no value, nor has what may vary. Elements of a list are known by their name,
/// or on a GPU by its number; the directory of a file is part of a value only where wanted. Facts
/// that no machine has (nesting, types) give no value.
Values values_of(const rapidjson::Value& facts, bool with_directories);

/// Adds the values and numbers that are compared between nodes. A list that has an item for each
/// GPU is one value where all are equal: "9.0", else "9.0 (GPUs 0-6), 8.0 (GPU 7)".
void add_facts(const rapidjson::Value& facts, FleetNode& node);

}  // namespace rnncheck
