// What a Python pickle describes, as data: nothing that it names is imported or called.
// Format: Python's Lib/pickletools.py, protocols 2 to 5.
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
    std::int64_t number = 0;  ///< of a `boolean` and a `whole`
    double real = 0;          ///< of a `real`
    std::string_view module = {},
                     text = {};  ///< of a `global`: "torch._utils", "_rebuild_tensor_v2"
    /// A list's items, tuples and sets included; of an object what it is made by, its arguments,
    /// and a state that is no dictionary; of a persistent id the id.
    std::vector<std::size_t> items = {};
    std::vector<std::size_t> pairs =
        {};  ///< keys and values in turn, of a dictionary and of an object's state
};

class Pickle {
  public:
    /// InputError where the bytes from `at` on are no pickle, or one of more than a million values.
    explicit Pickle(std::string_view bytes, std::uint64_t at = 0);

    const PickleNode& root() const {
        return nodes_[root_];
    }
    const PickleNode& operator[](std::size_t index) const {
        return nodes_[index];
    }
    const std::deque<PickleNode>& nodes() const {
        return nodes_;
    }
    std::uint64_t end() const {
        return cursor_.place();
    }

    /// The value of a key as a word: a number, a text, True or False; nothing where it is another.
    std::optional<std::string> word(const PickleNode& of, std::string_view key) const;
    /// What an object is made by: a global, else null.
    const PickleNode* maker(const PickleNode& object) const;

  private:
    using Kind = PickleNode::Kind;
    using Items = std::vector<std::size_t>;
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
    void push_long(std::uint64_t length_bytes);
    template <std::uint64_t length_bytes>
    static void push_text(Pickle& pickle) {
        pickle.push({.kind = Kind::text, .text = pickle.cursor_.text(pickle.number(length_bytes))});
    }
    std::size_t pop();
    Items pop(std::size_t count);
    Items pop_to_mark();
    void append(Items items, Items PickleNode::*to);
    void build();
    void put(std::uint64_t index);
    void get(std::uint64_t index);
    void count(std::size_t more);

    Cursor cursor_;
    std::deque<PickleNode> nodes_;
    Items stack_, marks_, memo_;
    std::size_t links_ = 0;
    std::size_t root_ = 0;
};

}  // namespace rnncheck::model
