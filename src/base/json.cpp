// A type is walked by its Shape; places in messages are built on the way down,
// so that InputError names the field that is wrong.
#include "base/json.hpp"

#include <cmath>

#include "base/program.hpp"

namespace rnncheck {

void wrong(const std::string& place, const std::string& why) {
    throw InputError(place + ": " + why);
}

std::string quoted_text(const Json& json, const std::string& place) {
    if (!json.is_string())
        wrong(place, "a text is expected");
    return json.get<std::string>();
}

namespace {

/// A Shape knows its value only as an address: what the kind
/// promises is what the memory holds.
using Kind = Shape::Kind;

template <class T>
const T& as(const void* value) {
    return *static_cast<const T*>(value);
}

template <class T>
T& as(void* value) {
    return *static_cast<T*>(value);
}

/// By the offset that shape_of_structure measured on a sample.
const void* member_of(const void* value, const Shape::Member& member) {
    return static_cast<const char*>(value) + member.offset;
}

// Texts
// -----------------------------------------------------------------------------

/// Versions are texts in JSON: 12.10 would be 12.1 as a number.
Version version_from_json(const Json& json, const std::string& place) {
    const std::string text = quoted_text(json, place);
    const auto version = parse_version(text);
    if (!version)
        wrong(place, "'" + escaped(text, 80) + "' is not a version");
    return *version;
}

int word_from_json(const Json& json, const Shape& shape, const std::string& place) {
    const std::string text = quoted_text(json, place);
    const auto found = std::ranges::find(shape.words, text);
    if (found == shape.words.end())
        wrong(
            place,
            "'" + escaped(text, 80) + "' is not one of " +
                join_with_and({shape.words.begin(), shape.words.end()}));
    return static_cast<int>(found - shape.words.begin());
}

// Structures
// -----------------------------------------------------------------------------

Json list_to_json(const Shape& shape, const void* value, TextCoding text) {
    Json list = Json::array();
    for (std::size_t i = 0; i < shape.count(value); ++i)
        list.push_back(to_json(shape.item_shape(), shape.item(value, i), text));
    return list;
}

Json map_to_json(const TextMap& map, TextCoding text) {
    Json object = Json::object();
    for (const auto& [key, item] : map)
        object[text(key)] = text(item);
    return object;
}

/// Unknown fields of the structure are left out, not written as null: absent means unknown.
Json structure_to_json(const Shape& shape, const void* value, TextCoding text) {
    Json object = Json::object();
    for (const Shape::Member& member : shape.members) {
        Json item = to_json(member.shape(), member_of(value, member), text);
        if (!item.is_null())
            object[member.name] = std::move(item);
    }
    return object;
}

void list_from_json(const Json& json, const Shape& shape, void* value, const std::string& place) {
    if (!json.is_array())
        wrong(place, "a list is expected");
    shape.clear(value);
    std::size_t i = 0;
    for (const Json& item : json)
        from_json(
            item, shape.item_shape(), shape.add(value), place + '[' + std::to_string(i++) + ']');
}

void map_from_json(const Json& json, TextMap& map, const std::string& place) {
    if (!json.is_object())
        wrong(place, "an object is expected");
    for (const auto& [key, item] : json.items())
        map[original_bytes(key)] = original_bytes(quoted_text(item, place + '.' + key));
}

/// Members that the structure does not have are not looked at here;
/// facts_from_text reports them.
void structure_from_json(
    const Json& json, const Shape& shape, void* value, const std::string& place) {
    if (!json.is_object())
        wrong(place, "an object is expected");
    for (const Shape::Member& member : shape.members)
        if (const auto found = json.find(member.name); found != json.end())
            from_json(
                *found,
                member.shape(),
                static_cast<char*>(value) + member.offset,
                place + '.' + member.name);
}

/// Every field but the optional ones is required: to_json writes it.
Json schema_of_structure(const Shape& shape) {
    Json properties = Json::object(), required = Json::array();
    for (const Shape::Member& member : shape.members) {
        properties[member.name] = schema_of(member.shape());
        properties[member.name]["description"] = member.about;
        if (member.shape().kind != Kind::optional)
            required.push_back(member.name);
    }
    return {
        {"type", "object"},
        {"properties", properties},
        {"required", required},
        {"additionalProperties", false}};
}

}  // namespace

Json to_json(const Shape& shape, const void* value, TextCoding text) {
    switch (shape.kind) {
        case Kind::boolean:
            return as<bool>(value);
        case Kind::whole:
            return shape.number_to_json(value);
        case Kind::real:
            // JSON has no infinity
            if (!std::isfinite(as<double>(value)))
                return {};
            return as<double>(value);
        case Kind::text:
            return text(as<std::string>(value));
        case Kind::version:
            return text(as<Version>(value).text);
        case Kind::word:
            return std::string(shape.words[static_cast<std::size_t>(as<int>(value))]);
        case Kind::text_map:
            return map_to_json(as<TextMap>(value), text);
        case Kind::optional:
            if (shape.count(value) == 0)
                return {};
            return to_json(shape.item_shape(), shape.item(value, 0), text);
        case Kind::list:
            return list_to_json(shape, value, text);
        case Kind::structure:
            return structure_to_json(shape, value, text);
    }
    return {};
}

/// Throws at the first value of the wrong kind or range; what was
/// read before remains in `value`.
void from_json(const Json& json, const Shape& shape, void* value, const std::string& place) {
    switch (shape.kind) {
        case Kind::boolean:
            if (!json.is_boolean())
                wrong(place, "true or false is expected");
            as<bool>(value) = json.get<bool>();
            return;
        case Kind::whole:
            if (!json.is_number_integer())
                wrong(place, "a whole number is expected");
            if (!shape.number_from_json(json, value))
                wrong(place, "the number is out of range");
            return;
        case Kind::real:
            if (!json.is_number())
                wrong(place, "a number is expected");
            as<double>(value) = json.get<double>();
            return;
        case Kind::text:
            as<std::string>(value) = original_bytes(quoted_text(json, place));
            return;
        case Kind::version:
            as<Version>(value) = version_from_json(json, place);
            return;
        case Kind::word:
            as<int>(value) = word_from_json(json, shape, place);
            return;
        case Kind::text_map:
            return map_from_json(json, as<TextMap>(value), place);
        case Kind::optional:
            if (json.is_null())
                shape.clear(value);
            else
                from_json(json, shape.item_shape(), shape.add(value), place);
            return;
        case Kind::list:
            return list_from_json(json, shape, value, place);
        case Kind::structure:
            return structure_from_json(json, shape, value, place);
    }
}

Json schema_of(const Shape& shape) {
    switch (shape.kind) {
        case Kind::boolean:
            return {{"type", "boolean"}};
        case Kind::whole:
            return {{"type", "integer"}};
        case Kind::real:
            return {{"type", "number"}};
        case Kind::text:
            return {{"type", "string"}};
        case Kind::version:
            return {{"type", "string"}, {"pattern", "^[0-9]+(\\.[0-9]+){0,3}$"}};
        case Kind::word:
            return {{"enum", std::vector<std::string>(shape.words.begin(), shape.words.end())}};
        case Kind::text_map:
            return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
        case Kind::optional:
            return schema_of(shape.item_shape());
        case Kind::list:
            return {{"type", "array"}, {"items", schema_of(shape.item_shape())}};
        case Kind::structure:
            return schema_of_structure(shape);
    }
    return {};
}

}  // namespace rnncheck
