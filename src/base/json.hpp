// Any fielded structure as JSON and back, and its JSON Schema. Each type is
// described once at run time (`Shape`), so that the code about JSON is
// compiled once and not for every type.
#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"

namespace rnncheck {

using Json = nlohmann::json;

/// How texts become UTF-8: by default so that from_json gives the very bytes
/// back, as paths need it. With valid_utf8 they are for reading alone.
using TextCoding = std::string (*)(std::string_view);

/// What a type looks like to JSON.
struct Shape {
    enum class Kind {
        boolean,
        whole,
        real,
        text,
        version,
        word,
        text_map,
        optional,
        list,
        structure
    };
    struct Member {
        const char* name;
        const char* about;
        std::size_t offset;
        const Shape& (*shape)();
    };

    Kind kind;
    /// Of a `whole`; the second is false when the number is out of range.
    Json (*number_to_json)(const void*) = nullptr;
    bool (*number_from_json)(const Json&, void*) = nullptr;
    /// of a `word`: the values of an enumeration, in order
    std::span<const std::string_view> words = {};
    // Of an `optional` (which has one item or none) and of a `list`:
    const Shape& (*item_shape)() = nullptr;
    std::size_t (*count)(const void*) = nullptr;
    const void* (*item)(const void*, std::size_t) = nullptr;
    void* (*add)(void*) = nullptr;
    void (*clear)(void*) = nullptr;
    /// of a `structure`
    std::vector<Member> members = {};
};

/// One shape per type, created at its first use and kept.
template <class T>
const Shape& shape_of();

/// `value` is the address of an object of the type that the shape describes.
Json to_json(const Shape& shape, const void* value, TextCoding text);
void from_json(const Json& json, const Shape& shape, void* value, const std::string& place);

/// JSON Schema (draft 2020-12) of what to_json writes.
Json schema_of(const Shape& shape);

template <class T>
Json to_json(const T& value, TextCoding text = reversible_utf8) {
    return to_json(shape_of<T>(), &value, text);
}

/// Fills `value`. Fields that are absent keep their defaults, unknown ones are
/// ignored (a newer rnncheck wrote them). InputError names the place:
/// "facts.cuda_devices[0].compute_capability: '8.x' is not a version".
template <class T>
void from_json(const Json& json, T& value, const std::string& place) {
    from_json(json, shape_of<T>(), &value, place);
}

template <class T>
Json schema_of() {
    return schema_of(shape_of<T>());
}

/// InputError "place: why".
[[noreturn]] void wrong(const std::string& place, const std::string& why);

/// InputError when `json` is not a string.
std::string quoted_text(const Json& json, const std::string& place);

// -----------------------------------------------------------------------------

/// nlohmann::json keeps a number without a sign as unsigned, any other as
/// signed; each is compared with the range of T as what it is.
template <std::integral T>
Shape shape_of_whole() {
    return {
        .kind = Shape::Kind::whole,
        .number_to_json = [](const void* value) { return Json(*static_cast<const T*>(value)); },
        .number_from_json =
            [](const Json& json, void* value) {
                const bool fits = json.is_number_unsigned()
                                      ? std::in_range<T>(json.get<std::uint64_t>())
                                      : std::in_range<T>(json.get<std::int64_t>());
                if (fits)
                    *static_cast<T*>(value) = json.get<T>();
                return fits;
            }};
}

template <class T>
Shape shape_of_optional() {
    return {
        .kind = Shape::Kind::optional,
        .item_shape = shape_of<typename T::value_type>,
        .count =
            [](const void* value) {
                return std::size_t{static_cast<const T*>(value)->has_value()};
            },
        .item = [](const void* value, std::size_t) -> const void* {
            return &**static_cast<const T*>(value);
        },
        .add = [](void* value) -> void* { return &static_cast<T*>(value)->emplace(); },
        .clear = [](void* value) { static_cast<T*>(value)->reset(); }};
}

template <class T>
Shape shape_of_list() {
    return {
        .kind = Shape::Kind::list,
        .item_shape = shape_of<typename T::value_type>,
        .count = [](const void* value) { return static_cast<const T*>(value)->size(); },
        .item = [](const void* value, std::size_t i) -> const void* {
            return &(*static_cast<const T*>(value))[i];
        },
        .add = [](void* value) -> void* { return &static_cast<T*>(value)->emplace_back(); },
        .clear = [](void* value) { static_cast<T*>(value)->clear(); }};
}

/// Visits the fields of a sample once, for the places of the fields in the structure.
template <Fielded T>
Shape shape_of_structure() {
    Shape shape{.kind = Shape::Kind::structure};
    T sample;
    T::fields(sample, [&]<class M>(const char* name, M& member, const char* about) {
        const auto offset =
            reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&sample);
        shape.members.push_back({name, about, static_cast<std::size_t>(offset), shape_of<M>});
    });
    return shape;
}

/// The static_assert matters to as<int>(), by which words are read and written.
template <class T>
Shape make_shape() {
    using enum Shape::Kind;
    if constexpr (std::same_as<T, bool>)
        return {.kind = boolean};
    else if constexpr (NamedEnum<T>) {
        static_assert(sizeof(T) == sizeof(int));
        return {.kind = word, .words = names_of(T{})};
    } else if constexpr (std::integral<T>)
        return shape_of_whole<T>();
    else if constexpr (std::same_as<T, double>)
        return {.kind = real};
    else if constexpr (std::same_as<T, std::string>)
        return {.kind = text};
    else if constexpr (std::same_as<T, Version>)
        return {.kind = version};
    else if constexpr (std::same_as<T, TextMap>)
        return {.kind = text_map};
    else if constexpr (IsOptional<T>::value)
        return shape_of_optional<T>();
    else if constexpr (IsVector<T>::value)
        return shape_of_list<T>();
    else
        return shape_of_structure<T>();
}

template <class T>
const Shape& shape_of() {
    static const Shape shape = make_shape<T>();
    return shape;
}

}  // namespace rnncheck
