// The facts of a report as values by place, "libraries[libcudnn.so.9].stub": what is compared between machines and
// between times.
#pragma once

#include <rapidjson/document.h>

#include <string>
#include <unordered_map>

#include "fleet/nodes.hpp"

namespace rnncheck {

/// Null, an empty list, an empty text where the object has no such member, or none of this type.
const rapidjson::Value* member(const rapidjson::Value& object, const char* name);
const rapidjson::Value& list_member(const rapidjson::Value& object, const char* name);
std::string text_member(const rapidjson::Value& object, const char* name);

using Values = std::unordered_map<std::string, std::string>;

/// What is unknown has no value, nor has what may vary. Elements of a list are known by their name, or on a GPU by its
/// number; the directory of a file is part of a value only where wanted. Facts that no machine has (nesting, types)
/// give no value.
Values values_of(const rapidjson::Value& facts, bool with_directories);

/// Adds the values and numbers that are compared between nodes. A list that has an item for each GPU is one value where
/// all are equal: "9.0", else "9.0 (GPUs 0-6), 8.0 (GPU 7)".
void add_facts(const rapidjson::Value& facts, FleetNode& node);

}  // namespace rnncheck
