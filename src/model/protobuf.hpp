// The wire format of protocol buffers
// (https://protobuf.dev/programming-guides/encoding), without their schema: ONNX' and
// TensorFlow's readers know the numbers of the fields that they need.
#pragma once

#include <bit>
#include <vector>

#include "model/bytes.hpp"

namespace rnncheck::model {

/// A field of a message: a number has `value`, everything else
/// `bytes`; the other member is empty.
struct ProtoField {
    /// 0 of a field that is not there
    std::uint64_t number = 0;
    std::uint64_t value = 0;
    /// a text, a message, or packed numbers
    std::string_view bytes;
};

/// Calls use(field) for every field of this number, in their order. InputError where
/// the bytes are no message; groups, wire types 3 and 4, are none of proto3.
template <class Use>
void each_field(std::string_view message, std::uint64_t number, Use&& use) {
    for (Cursor cursor(message); !cursor.at_end();) {
        const std::uint64_t key = cursor.varint(), wire_type = key & 7;
        ProtoField field{key >> 3, 0, {}};
        if (field.number == 0)
            damaged("it is not a protocol buffer");
        if (wire_type == 0)
            field.value = cursor.varint();
        else if (wire_type == 2)
            field.bytes = cursor.text(cursor.varint());
        else if (wire_type == 1)
            field.value = cursor.number(8);
        else if (wire_type == 5)
            field.value = cursor.number(4);
        else
            damaged("it is not a protocol buffer");
        if (field.number == number)
            use(field);
    }
}

/// The last field of this number, which is the one that counts where it is not repeated;
/// an empty one where there is none.
inline ProtoField field_of(std::string_view message, std::uint64_t number) {
    ProtoField last;
    each_field(message, number, [&](const ProtoField& field) { last = field; });
    return last;
}

/// "" where there is none.
inline std::string text_of(std::string_view message, std::uint64_t number) {
    return std::string(field_of(message, number).bytes);
}

/// The sizes in a shape: of each dimension, which has this number, field 1.
inline std::vector<std::int64_t> dimensions_of(std::string_view shape, std::uint64_t number) {
    std::vector<std::int64_t> sizes;
    each_field(shape, number, [&](const ProtoField& dimension) {
        sizes.push_back(static_cast<std::int64_t>(field_of(dimension.bytes, 1).value));
    });
    return sizes;
}

/// The texts of a repeated field.
inline std::vector<std::string> texts_of(std::string_view message, std::uint64_t number) {
    std::vector<std::string> texts;
    each_field(message, number, [&](const ProtoField& text) { texts.emplace_back(text.bytes); });
    return texts;
}

/// The numbers of a repeated field, packed or not.
inline std::vector<std::int64_t> numbers_of(std::string_view message, std::uint64_t number) {
    std::vector<std::int64_t> numbers;
    each_field(message, number, [&](const ProtoField& field) {
        if (field.bytes.empty())
            numbers.push_back(static_cast<std::int64_t>(field.value));
        for (Cursor packed(field.bytes); !packed.at_end();)
            numbers.push_back(static_cast<std::int64_t>(packed.varint()));
    });
    return numbers;
}

}  // namespace rnncheck::model
