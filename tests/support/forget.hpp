// "Forgetting cannot heal": blank one optional fact after the other, every entry of a text map too,
// and look each time.
#pragma once

#include <functional>

#include "facts/facts.hpp"

namespace rnncheck::test {

/// Calls `look` once per set optional of `value` (and per entry of a text map) with just that one
/// blanked, and shows its place ("facts.cuda_devices[0].name"). Everything is restored afterwards.
template <class T>
void forget_each(
    T& value, const std::string& place, const std::function<void(const std::string&)>& look) {
    if constexpr (std::is_same_v<T, ExpectedMachine>) {
        return;  // a question, of which a part may have an answer
    } else if constexpr (IsOptional<T>::value) {
        if (!value)
            return;
        auto kept = std::move(*value);
        value.reset();
        look(place);
        value = std::move(kept);
        forget_each(*value, place, look);
    } else if constexpr (IsVector<T>::value) {
        for (std::size_t i = 0; i < value.size(); ++i)
            forget_each(value[i], place + '[' + std::to_string(i) + ']', look);
    } else if constexpr (std::is_same_v<T, TextMap>) {
        const TextMap kept = value;
        for (const auto& [key, text] : kept) {
            value.erase(key);
            look(place + '.' + key);
            value = kept;
        }
    } else if constexpr (Fielded<T>) {
        T::fields(value, [&](const char* name, auto& member, const char*) {
            forget_each(member, place + '.' + name, look);
        });
    }
}

}  // namespace rnncheck::test
