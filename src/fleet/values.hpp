// What of a report is compared between nodes: a value for each field, and numbers.
#pragma once

#include <rapidjson/document.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace rnncheck {

struct NumberOfGpu {
    std::string field;
    int gpu = -1;  ///< -1: of the node
    double value = 0;
};

struct ComparedValues {
    std::unordered_map<std::string, std::string> values;  ///< by place in the facts
    std::vector<NumberOfGpu> numbers;
};

/// Of the facts in a report. What is unknown has no value. A list that has an item for each GPU is one value where all
/// are equal: "9.0", else "9.0 (GPU 0-6), 8.0 (GPU 7)". Facts that no machine has (nesting, types) give no value.
ComparedValues compared_values(const rapidjson::Value& facts);

}  // namespace rnncheck
