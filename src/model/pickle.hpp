// What a Python pickle describes, as data: nothing that it names is imported or
// called, so that a file of unknown origin can be read. Format: Python's
// Lib/pickletools.py, protocols 2 to 5. Used by torch.cpp.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "model/bytes.hpp"

namespace rnncheck::model {

/// A value. Texts are views into the file.
struct PickleNode {
    enum class Kind {
        other,
        boolean,
        whole,
        real,
        text,
        list,
        dictionary,
        global,
        object,
        persistent
    };
    Kind kind = Kind::other;
    /// of a `boolean` and a `whole`
    std::int64_t number = 0;
    /// of a `real`
    double real = 0;
    /// of a `global` both: "torch._utils", "_rebuild_tensor_v2"; of a `text` the second
    std::string_view module = {}, text = {};
    /// A list's items, tuples and sets included; of an object what it is made by,
    /// its arguments, and a state that is no dictionary; of a persistent id the id.
    std::vector<std::size_t> items = {};
    /// Keys and values in turn, of a dictionary and of an object's state.
    std::vector<std::size_t> pairs = {};
};

/// The machine that a pickle is a program for: it pushes values, and joins those on
/// top of its stack to others. Values have a number each, and refer to each other by
/// it, so that a value that is used twice, or contains itself, is one value here, too.
class Pickle {
  public:
    /// InputError where the bytes from `at` on are no pickle, or one
    /// of more than a million values.
    explicit Pickle(std::string_view bytes, std::uint64_t at = 0);

    /// The value that unpickling would return.
    const PickleNode& root() const {
        return nodes_[root_];
    }
    /// The value of a number in `items` or `pairs`.
    const PickleNode& operator[](std::size_t index) const {
        return nodes_[index];
    }
    /// All values, in the order in which the file has them.
    const std::deque<PickleNode>& nodes() const {
        return nodes_;
    }
    /// Where the pickle ends: files of torch.save have several, one after the other.
    std::uint64_t end() const {
        return cursor_.place();
    }

    /// The value of a key as a word: a number, a text, True or False;
    /// nothing where it is another.
    std::optional<std::string> word(const PickleNode& of, std::string_view key) const;
    /// What an object is made by: a global, else null.
    const PickleNode* maker(const PickleNode& object) const;

  private:
    using Kind = PickleNode::Kind;
    using Items = std::vector<std::size_t>;
    /// What is done for one code of the format.
    struct Code {
        char code;
        void (*run)(Pickle&);
    };
    static const Code codes[];

    std::uint64_t number(std::uint64_t bytes) {
        return cursor_.number(bytes);
    }
    void push(PickleNode node);
    void push_whole(std::uint64_t number) {
        push({.kind = Kind::whole, .number = static_cast<std::int64_t>(number)});
    }
    /// LONG1 and LONG4: the length of the number in so many bytes, then its digits.
    void push_long(std::uint64_t length_bytes);
    /// A text with its length first, in so many bytes.
    template <std::uint64_t length_bytes>
    static void push_text(Pickle& pickle) {
        pickle.push({.kind = Kind::text, .text = pickle.cursor_.text(pickle.number(length_bytes))});
    }
    /// InputError where the stack, above the last mark, has no value.
    std::size_t pop();
    Items pop(std::size_t count);
    /// What is above the last mark, in its order; the mark is taken off.
    Items pop_to_mark();
    void append(Items items, Items PickleNode::*to);
    void build();
    /// The memo: values that the file refers to by a number of its own.
    void put(std::uint64_t index);
    void get(std::uint64_t index);
    /// Counts values and references to them; InputError where there are too many.
    void count(std::size_t more);

    Cursor cursor_;
    std::deque<PickleNode> nodes_;
    Items stack_, marks_, memo_;
    std::size_t links_ = 0;
    std::size_t root_ = 0;
};

}  // namespace rnncheck::model
