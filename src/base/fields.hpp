// How a structure lists its own fields, once, for JSON, merging, the schema and the tests:
//     struct Gpu {
//         RNNCHECK_FIELDS
//         RNNCHECK_FIELD(int, index, "CUDA's ordinal") = 0;
//         RNNCHECK_FIELD(std::optional<int>, clock_mhz, "highest clock");
//         RNNCHECK_FIELDS_END
//     };
// has two members and Gpu::fields(self, visit), which calls visit("index",
// self.index, "CUDA's ordinal") and so on, in this order.
// RNNCHECK_FIELDS_END_AFTER(Base, ...) visits those of its bases first. A
// structure may write its fields() itself. An enumeration takes part through
// `constexpr std::span<const std::string_view> names_of(E)`, found by its type,
// whose entries are the values in order.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/version.hpp"

namespace rnncheck {

/// A structure that lists its fields: all of JSON, merging and the
/// schema work on any of these.
template <class T>
concept Fielded = requires(T& t) {
    T::fields(t, [](auto&&...) {});
};

/// An enumeration whose values have names, in JSON and on the screen.
template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T t) {
    { names_of(t) } -> std::same_as<std::span<const std::string_view>>;
};

/// The name of a value, "v8"; from_name is the reverse and gives nothing for
/// any other word.
template <NamedEnum E>
std::string_view name_of(E value) {
    return names_of(value)[static_cast<std::size_t>(value)];
}

/// A linear search, as an enumeration has few values.
template <NamedEnum E>
std::optional<E> from_name(std::string_view name) {
    const auto names = names_of(E{});
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name)
            return static_cast<E>(i);
    return std::nullopt;
}

/// Whether a type is an optional or a list, by which JSON and merging choose their code.
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

/// Sorted by key, so that equal maps are written as equal texts.
using TextMap = std::map<std::string, std::string>;

/// What a type looks like at run time: base/json.hpp.
struct Shape;
template <class T>
const Shape& shape_of();

/// The fields of the bases come first, in the order in which the bases are named.
template <class... Bases>
void visit_fields_of(auto& self, auto&& visit) {
    (Bases::fields(self, visit), ...);
}

/// use(std::integral_constant<int, line>) for each line from `first` to before `end`.
template <int first, int end>
void for_each_line(auto&& use) {
    [&]<int... at>(std::integer_sequence<int, at...>) {
        (use(std::integral_constant<int, first + at>()), ...);
    }
    (std::make_integer_sequence<int, end - first>());
}

}  // namespace rnncheck

/// A field is a function that is found by the line it is declared on.
#define RNNCHECK_FIELDS static constexpr int line_of_fields = __LINE__;
#define RNNCHECK_FIELD(T, name, about) RNNCHECK_FIELD_AS(T, name, #name, about)
/// With another name in JSON.
#define RNNCHECK_FIELD_AS(T, member, name, about)                                             \
    static void visit_field(std::integral_constant<int, __LINE__>, auto& self, auto& visit) { \
        visit(name, self.member, about);                                                      \
    }                                                                                         \
    T member
#define RNNCHECK_FIELDS_END RNNCHECK_FIELDS_END_AFTER()
#define RNNCHECK_FIELDS_END_AFTER(...)                                       \
    static void fields(auto& self, auto&& visit) {                           \
        ::rnncheck::visit_fields_of<__VA_ARGS__>(self, visit);               \
        ::rnncheck::for_each_line<line_of_fields, __LINE__>([&](auto line) { \
            if constexpr (requires { visit_field(line, self, visit); })      \
                visit_field(line, self, visit);                              \
        });                                                                  \
    }

/// Gives the enumeration E its names, in the order of its values; use it right
/// after E in namespace rnncheck.
#define RNNCHECK_ENUM_NAMES(E, ...)                                \
    inline std::span<const std::string_view> names_of(E) {         \
        static constexpr std::string_view names[] = {__VA_ARGS__}; \
        return names;                                              \
    }

/// An enumeration whose names are those of its values: RNNCHECK_ENUM(Cell, lstm, gru).
#define RNNCHECK_ENUM(E, ...)     \
    enum class E { __VA_ARGS__ }; \
    RNNCHECK_ENUM_NAMES(E, RNNCHECK_FOR_EACH(RNNCHECK_QUOTED, __VA_ARGS__))
#define RNNCHECK_QUOTED(word) #word,

/// At most 27, because each of the three levels of RNNCHECK_SCAN scans three times.
/// RNNCHECK_FOR_EACH(use, a, b) is use(a) use(b), for at most 27 words.
#define RNNCHECK_FOR_EACH(use, ...) RNNCHECK_SCAN(RNNCHECK_EACH(use, __VA_ARGS__))
#define RNNCHECK_EACH(use, first, ...) \
    use(first) __VA_OPT__(RNNCHECK_AGAIN RNNCHECK_PARENTHESES(use, __VA_ARGS__))
#define RNNCHECK_AGAIN() RNNCHECK_EACH
#define RNNCHECK_PARENTHESES ()
#define RNNCHECK_SCAN(...) RNNCHECK_SCAN_9(RNNCHECK_SCAN_9(RNNCHECK_SCAN_9(__VA_ARGS__)))
#define RNNCHECK_SCAN_9(...) RNNCHECK_SCAN_3(RNNCHECK_SCAN_3(RNNCHECK_SCAN_3(__VA_ARGS__)))
#define RNNCHECK_SCAN_3(...) RNNCHECK_SCAN_1(RNNCHECK_SCAN_1(RNNCHECK_SCAN_1(__VA_ARGS__)))
#define RNNCHECK_SCAN_1(...) __VA_ARGS__
