// Flax' checkpoints in MessagePack: maps of parameters by name, whose arrays are
// extensions of type 1 (flax/serialization.py).
#include "base/if_any.hpp"
#include "base/text.hpp"
#include "model/arrays.hpp"

namespace rnncheck::model {

namespace {

/// MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md), as far
/// as flax.serialization uses it.
class MessagePack {
  public:
    explicit MessagePack(std::string_view bytes) : cursor_(bytes) {
    }

    /// One value of any type. The first byte has the type, and of short ones the
    /// length, too; codes of longer ones are followed by a length of 1, 2 or 4
    /// bytes, the highest first. Only maps, lists and arrays are of interest,
    /// what is in others is skipped.
    void read(const std::string& name, int depth, std::vector<NamedTensor>& into) {
        constexpr int deepest = 100;
        constexpr std::size_t most_values = 1'000'000;
        if (depth > deepest)
            damaged("its maps are nested too deeply");
        if (++values_ > most_values)
            throw InputError("it contains more than 1000000 values");
        const std::uint64_t code = cursor_.number(1);
        if (code >= 0x80 && code <= 0x8f)
            return read_map(code & 15, name, depth, into);
        if (code == 0xde)
            return read_map(big(2), name, depth, into);
        if (code == 0xdf)
            return read_map(big(4), name, depth, into);
        if (code >= 0x90 && code <= 0x9f)
            return read_list(code & 15, name, depth, into);
        if (code == 0xdc)
            return read_list(big(2), name, depth, into);
        if (code == 0xdd)
            return read_list(big(4), name, depth, into);
        if (code == 0xc7 || code == 0xc8 || code == 0xc9)
            return read_extension(big(1u << (code - 0xc7)), name, into);
        if (code >= 0xd4 && code <= 0xd8)
            return read_extension(1u << (code - 0xd4), name, into);
        skip(code);
    }

  private:
    /// The names of nested maps make the array's: "params.lstm.hi.kernel".
    void read_map(
        std::uint64_t count, const std::string& name, int depth, std::vector<NamedTensor>& into) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::string key = text();
            const std::string inner = if_any("", name, ".") + key;
            read(inner, depth + 1, into);
        }
    }
    /// The items of a list are named by their places, counted from 0.
    void read_list(
        std::uint64_t count, const std::string& name, int depth, std::vector<NamedTensor>& into) {
        for (std::uint64_t i = 0; i < count; ++i)
            read(name + "." + std::to_string(i), depth + 1, into);
    }

    /// Type 1 is an array: its shape, the name of its type, its bytes.
    void read_extension(
        std::uint64_t length, const std::string& name, std::vector<NamedTensor>& into) {
        const std::uint64_t type = cursor_.number(1);
        const std::string_view content = cursor_.text(length);
        if (type != 1)
            return;
        MessagePack inner(content);
        // 0x93 is a list of three.
        if (inner.cursor_.number(1) != 0x93)
            return;
        Tensor tensor;
        const std::uint64_t rank = inner.cursor_.number(1);
        // A short list, of at most 15 dimensions.
        if ((rank & 0xf0) != 0x90)
            return;
        for (std::uint64_t i = 0; i < (rank & 15); ++i)
            tensor.shape.push_back(static_cast<std::int64_t>(inner.whole()));
        tensor.dtype = inner.text();
        into.push_back({"", name, std::move(tensor)});
    }

    /// A number of so many bytes, the highest first.
    std::uint64_t big(std::uint64_t count) {
        std::uint64_t number = 0;
        for (std::uint64_t i = 0; i < count; ++i)
            number = number << 8 | cursor_.number(1);
        return number;
    }

    /// A number without a sign: below 128 it is the code itself.
    std::uint64_t whole() {
        const std::uint64_t code = cursor_.number(1);
        if (code < 0x80)
            return code;
        if (code >= 0xcc && code <= 0xcf)
            return big(1u << (code - 0xcc));
        damaged("the shape of an array is no list of numbers");
    }

    /// A key; a whole number as text, too, as dictionaries of Python may have it.
    std::string text() {
        const std::uint64_t code = cursor_.number(1);
        if (code >= 0xa0 && code <= 0xbf)
            return std::string(cursor_.text(code & 31));
        if (code >= 0xd9 && code <= 0xdb)
            return std::string(cursor_.text(big(1u << (code - 0xd9))));
        if (code < 0x80)
            return std::to_string(code);
        if (code >= 0xcc && code <= 0xcf)
            return std::to_string(big(1u << (code - 0xcc)));
        damaged("a key of its map is no text");
    }

    /// Past a text, bytes or a number; nil, booleans and small numbers are their code alone.
    void skip(std::uint64_t code) {
        if (code >= 0xa0 && code <= 0xbf)
            cursor_.skip(code & 31);
        else if (code >= 0xc4 && code <= 0xc6)
            cursor_.skip(big(1u << (code - 0xc4)));
        else if (code >= 0xd9 && code <= 0xdb)
            cursor_.skip(big(1u << (code - 0xd9)));
        else if (code == 0xca)
            cursor_.skip(4);
        else if (code == 0xcb)
            cursor_.skip(8);
        else if (code >= 0xcc && code <= 0xcf)
            cursor_.skip(1u << (code - 0xcc));
        else if (code >= 0xd0 && code <= 0xd3)
            cursor_.skip(1u << (code - 0xd0));
        else if (code == 0xc1)
            damaged("it has a code that MessagePack does not use");
    }

    Cursor cursor_;
    std::size_t values_ = 0;
};

}  // namespace

void read_flax_msgpack(std::string_view bytes, ModelFile& into) {
    into.format = "msgpack";
    into.framework = "jax";
    std::vector<NamedTensor> tensors;
    MessagePack(bytes).read("", 0, tensors);
    if (tensors.empty())
        throw InputError("it is MessagePack without an array of Flax; give the file of the model");
    add_cells_by_names(tensors, into);
    into.framework = "jax";
}

}  // namespace rnncheck::model
