// The word for a column's type in the head of a table.
#pragma once

#include <string>

#include "matrix/matrix.hpp"

namespace rnncheck {

template <class T>
std::string type_word() {
    if constexpr (IsOptional<T>::value)
        return "optional " + type_word<typename T::value_type>();
    else if constexpr (std::is_same_v<T, Version>)
        return "version";
    else if constexpr (std::is_same_v<T, Source>)
        return "source";
    else if constexpr (std::is_same_v<T, Known>)
        return "known";
    else if constexpr (std::is_same_v<T, bool>)
        return "yes_no";
    else if constexpr (std::is_integral_v<T>)
        return "integer";
    else
        return "text";
}

}  // namespace rnncheck
