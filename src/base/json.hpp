// Any fielded structure as JSON and back, and its JSON Schema.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/fields.hpp"
#include "base/text.hpp"

namespace rnncheck {

using Json = nlohmann::json;

/// How texts become UTF-8: by default so that from_json gives the very bytes back, as paths need it. With valid_utf8
/// they are for reading alone.
using TextCoding = std::string (*)(std::string_view);

template <class T>
Json to_json(const T& value, TextCoding text = reversible_utf8);

/// Fills `value`. Fields that are absent keep their defaults, unknown ones are ignored (a newer rnncheck wrote them).
/// InputError names the place: "facts.gpus[0].compute_capability: '8.x' is not a version".
template <class T>
void from_json(const Json& json, T& value, const std::string& place);

/// JSON Schema (draft 2020-12) of what to_json writes.
template <class T>
Json schema_of();

// ---------------------------------------------------------------------------------------------------------------

template <class T>
Json to_json(const T& value, TextCoding text) {
    if constexpr (std::is_same_v<T, Version>) return text(value.text);
    else if constexpr (std::is_same_v<T, std::string>) return text(value);
    else if constexpr (NamedEnum<T>) return std::string(name_of(value));
    else if constexpr (IsOptional<T>::value) return value ? to_json(*value, text) : Json();
    else if constexpr (IsVector<T>::value) {
        Json list = Json::array();
        for (const auto& item : value) list.push_back(to_json(item, text));
        return list;
    } else if constexpr (std::is_same_v<T, TextMap>) {
        Json object = Json::object();
        for (const auto& [key, item] : value) object[text(key)] = text(item);
        return object;
    } else if constexpr (Fielded<T>) {
        Json object = Json::object();
        T::fields(value, [&](const char* name, const auto& member, const char*) {
            Json item = to_json(member, text);
            if (!item.is_null()) object[name] = std::move(item);
        });
        return object;
    } else if constexpr (std::is_floating_point_v<T>) return std::isfinite(value) ? Json(value) : Json();  // JSON has no infinity
    else return Json(value);
}

[[noreturn]] inline void wrong(const std::string& place, const std::string& why) { throw InputError(place + ": " + why); }

template <class T>
void from_json_scalar(const Json& json, T& value, const std::string& place) {
    if constexpr (std::is_same_v<T, bool>) {
        if (!json.is_boolean()) wrong(place, "true or false is expected");
        value = json.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
        if (!json.is_number_integer()) wrong(place, "a whole number is expected");
        const auto wide = json.get<std::int64_t>();
        if (json.is_number_unsigned() ? json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<T>::max())
                                      : wide < std::numeric_limits<T>::min())
            wrong(place, "the number is out of range");
        value = static_cast<T>(wide);
    } else {
        if (!json.is_number()) wrong(place, "a number is expected");
        value = json.get<T>();
    }
}

inline std::string quoted_text(const Json& json, const std::string& place) {
    if (!json.is_string()) wrong(place, "a text is expected");
    return json.get<std::string>();
}

template <class T>
void from_json(const Json& json, T& value, const std::string& place) {
    if constexpr (std::is_same_v<T, std::string>) value = original_bytes(quoted_text(json, place));
    else if constexpr (std::is_same_v<T, Version>) {
        const auto text = quoted_text(json, place);
        const auto version = parse_version(text);
        if (!version) wrong(place, "'" + escaped(text, 80) + "' is not a version");
        value = *version;
    } else if constexpr (NamedEnum<T>) {
        const auto text = quoted_text(json, place);
        const auto named = from_name<T>(text);
        const auto words = names_of(T{});
        if (!named) wrong(place, "'" + escaped(text, 80) + "' is not one of " + listing({words.begin(), words.end()}));
        value = *named;
    } else if constexpr (IsOptional<T>::value) {
        if (json.is_null()) value.reset();
        else from_json(json, value.emplace(), place);
    } else if constexpr (IsVector<T>::value) {
        if (!json.is_array()) wrong(place, "a list is expected");
        value.clear();
        for (const auto& item : json) {
            const std::string item_place = place + '[' + std::to_string(value.size()) + ']';
            from_json(item, value.emplace_back(), item_place);
        }
    } else if constexpr (std::is_same_v<T, TextMap>) {
        if (!json.is_object()) wrong(place, "an object is expected");
        for (const auto& [key, item] : json.items()) value[original_bytes(key)] = original_bytes(quoted_text(item, place + '.' + key));
    } else if constexpr (Fielded<T>) {
        if (!json.is_object()) wrong(place, "an object is expected");
        T::fields(value, [&](const char* name, auto& member, const char*) {
            if (const auto found = json.find(name); found != json.end()) from_json(*found, member, place + '.' + name);
        });
    } else from_json_scalar(json, value, place);
}

template <class T>
Json schema_of() {
    if constexpr (std::is_same_v<T, Version>) return {{"type", "string"}, {"pattern", "^[0-9]+(\\.[0-9]+){0,3}$"}};
    else if constexpr (std::is_same_v<T, std::string>) return {{"type", "string"}};
    else if constexpr (std::is_same_v<T, bool>) return {{"type", "boolean"}};
    else if constexpr (NamedEnum<T>) {
        Json words = Json::array();
        for (const auto name : names_of(T{})) words.push_back(std::string(name));
        return {{"enum", words}};
    } else if constexpr (std::is_integral_v<T>) return {{"type", "integer"}};
    else if constexpr (std::is_floating_point_v<T>) return {{"type", "number"}};
    else if constexpr (IsOptional<T>::value) return schema_of<typename T::value_type>();
    else if constexpr (IsVector<T>::value) return {{"type", "array"}, {"items", schema_of<typename T::value_type>()}};
    else if constexpr (std::is_same_v<T, TextMap>)
        return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    else {
        Json properties = Json::object();
        Json required = Json::array();
        T sample;
        T::fields(sample, [&]<class M>(const char* name, M&, const char* about) {
            properties[name] = schema_of<M>();
            properties[name]["description"] = about;
            if constexpr (!IsOptional<M>::value) required.push_back(name);
        });
        return {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
    }
}

}  // namespace rnncheck
