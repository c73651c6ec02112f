// Facts that a person gives: given({"driver=535", "cuda=12.4"}).
#pragma once

#include <stdexcept>

#include "stack/given.hpp"

namespace rnncheck::test {

inline Facts given(const std::vector<std::string>& items) {
    std::vector<GivenValue> values;
    for (const std::string& item : items) values.push_back(split_given(item).value());
    Given read = read_given(values, Matrix::bundled());
    if (!read.not_understood.empty()) throw std::logic_error(in_words(read.not_understood.front()));
    return std::move(read.facts);
}

}  // namespace rnncheck::test
