// What a Python pickle describes, as data: nothing that it names is imported or called.
// Format: Python's Lib/pickletools.py.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/bytes.hpp"

namespace rnncheck::model {

/// A value. Texts are views into the file.
struct PickleNode {
    enum class Kind { none, boolean, whole, real, text, list, dictionary, global, object, persistent };
    Kind kind = Kind::none;
    std::int64_t number = 0;                  ///< of a `boolean` and a `whole`
    double real = 0;                          ///< of a `real`
    std::string_view module = {}, text = {};  ///< of a `global`: "torch._utils", "_rebuild_tensor_v2"
    /// A list's items, tuples and sets included; keys and values of a dictionary in turn; of an object what it is made
    /// by, then its arguments, then its state; of a persistent id the id.
    std::vector<std::size_t> items = {};
    std::vector<std::size_t> pairs = {};  ///< keys and values in turn, of an object that is used as a dictionary
};

class Pickle {
  public:
    /// InputError where the bytes from `at` on are no pickle, or one of more than a million values.
    explicit Pickle(std::string_view bytes, std::uint64_t at = 0);

    const PickleNode& root() const { return nodes_[root_]; }
    const PickleNode& operator[](std::size_t index) const { return nodes_[index]; }
    std::uint64_t end() const { return cursor_.place(); }

    /// The value of a key of a dictionary or of an object's state; null when there is none.
    const PickleNode* value(const PickleNode& of, std::string_view key) const;
    /// A whole number or a text of it; nothing where it is another.
    std::optional<std::string> word(const PickleNode& of, std::string_view key) const;
    /// What an object is made by: a global, else null.
    const PickleNode* maker(const PickleNode& object) const;

  private:
    using Kind = PickleNode::Kind;

    bool step();
    // Each whether the code is one of its own.
    bool literal(char code);
    bool text(char code);
    bool reference(char code);
    bool collection(char code);
    bool object(char code);

    std::size_t add(PickleNode node);
    bool push(PickleNode node) { return push(add(std::move(node))); }
    bool push(std::size_t index) {
        stack_.push_back(index);
        return true;
    }
    std::size_t pop();
    std::vector<std::size_t> pop(std::size_t count);
    std::vector<std::size_t> pop_to_mark();
    bool append(const std::vector<std::size_t>& items);
    bool put(std::uint64_t index);
    bool get(std::uint64_t index);

    Cursor cursor_;
    std::deque<PickleNode> nodes_;
    std::vector<std::size_t> stack_, marks_, memo_;
    std::size_t links_ = 0;
    std::size_t root_ = 0;
};

}  // namespace rnncheck::model
