// The document of `matrix check` for what a person specifies: given({"driver=535", "cuda=12.4"}).
#pragma once

#include <stdexcept>

#include "stack/given.hpp"

namespace rnncheck::test {

inline Facts given(const std::vector<std::string>& items) {
    std::vector<GivenValue> values;
    for (const std::string& item : items)
        values.push_back(stack::split_given(item).value());
    stack::Given read = stack::read_given(values, Matrix::bundled());
    if (!read.not_understood.empty())
        throw std::logic_error(stack::in_words(read.not_understood.front()));
    return stack::document_of(read.stack);
}

}  // namespace rnncheck::test
