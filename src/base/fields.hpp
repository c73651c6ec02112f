// How a facts structure lists its own fields, once, for JSON, merging, the schema and the tests.
// A structure T that takes part has
//     static void fields(auto& self, auto&& visit);
// which calls visit(name, self.member, "what it holds, with its unit") for every member, in reading order.
// An enumeration takes part through `constexpr std::span<const std::string_view> names_of(E)`, found by its type,
// whose entries are the values in order.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/version.hpp"

namespace rnncheck {

template <class T>
concept Fielded = requires(T& t) {
    T::fields(t, [](auto&&...) {});
};

template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T t) {
    { names_of(t) } -> std::same_as<std::span<const std::string_view>>;
};

template <NamedEnum E>
std::string_view name_of(E value) {
    return names_of(value)[static_cast<std::size_t>(value)];
}

template <NamedEnum E>
std::optional<E> from_name(std::string_view name) {
    const auto names = names_of(E{});
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<E>(i);
    return std::nullopt;
}

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

using TextMap = std::map<std::string, std::string>;

}  // namespace rnncheck

/// Gives the enumeration E its names, in the order of its values; use it right after E in namespace rnncheck.
#define RNNCHECK_ENUM_NAMES(E, ...)                                \
    inline std::span<const std::string_view> names_of(E) {         \
        static constexpr std::string_view names[] = {__VA_ARGS__}; \
        return names;                                              \
    }
