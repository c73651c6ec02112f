// The codes of a pickle and what each does to the stack; names of codes as
// in Python's Lib/pickletools.py.
#include "model/pickle.hpp"

#include <algorithm>
#include <bit>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/tensor.hpp"

namespace rnncheck::model {

constexpr std::size_t most_values = 1'000'000, none = static_cast<std::size_t>(-1);

/// The codes that pickles of protocols 2 to 5 have. Numbers and texts of
/// protocol 0, which are lines, are unknown here.
const Pickle::Code Pickle::codes[] = {
    {'\x80', [](Pickle& p) { p.cursor_.skip(1); }},  // PROTO
    {'\x95', [](Pickle& p) { p.cursor_.skip(8); }},  // FRAME
    {'N', [](Pickle& p) { p.push({}); }},
    {'\x88', [](Pickle& p) { p.push({.kind = Kind::boolean, .number = 1}); }},
    {'\x89', [](Pickle& p) { p.push({.kind = Kind::boolean}); }},
    {'K', [](Pickle& p) { p.push_whole(p.number(1)); }},
    {'M', [](Pickle& p) { p.push_whole(p.number(2)); }},
    {'J', [](Pickle& p) { p.push({.kind = Kind::whole, .number = static_cast<std::int32_t>(p.number(4))}); }},
    {'\x8a', [](Pickle& p) { p.push_long(1); }},
    {'\x8b', [](Pickle& p) { p.push_long(4); }},
    {'G', [](Pickle& p) { p.push({.kind = Kind::real, .real = std::bit_cast<double>(__builtin_bswap64(p.number(8)))}); }},
    {'U', push_text<1>},
    {'T', push_text<4>},
    {'X', push_text<4>},
    {'\x8c', push_text<1>},
    {'\x8d', push_text<8>},
    {'C', push_text<1>},  // bytes
    {'B', push_text<4>},
    {'\x8e', push_text<8>},
    {'\x96', push_text<8>},
    {'\x94', [](Pickle& p) { p.put(p.memo_.size()); }},  // MEMOIZE
    {'q', [](Pickle& p) { p.put(p.number(1)); }},
    {'r', [](Pickle& p) { p.put(p.number(4)); }},
    {'h', [](Pickle& p) { p.get(p.number(1)); }},
    {'j', [](Pickle& p) { p.get(p.number(4)); }},
    {'(', [](Pickle& p) { p.marks_.push_back(p.stack_.size()); }},
    {'0', [](Pickle& p) { p.pop(); }},
    {'1', [](Pickle& p) { p.pop_to_mark(); }},
    {']', [](Pickle& p) { p.push({.kind = Kind::list}); }},
    {')', [](Pickle& p) { p.push({.kind = Kind::list}); }},
    {'\x8f', [](Pickle& p) { p.push({.kind = Kind::list}); }},  // a set
    {'}', [](Pickle& p) { p.push({.kind = Kind::dictionary}); }},
    {'t', [](Pickle& p) { p.push({.kind = Kind::list, .items = p.pop_to_mark()}); }},
    {'\x91', [](Pickle& p) { p.push({.kind = Kind::list, .items = p.pop_to_mark()}); }},  // FROZENSET
    {'\x85', [](Pickle& p) { p.push({.kind = Kind::list, .items = p.pop(1)}); }},         // TUPLE1 to 3
    {'\x86', [](Pickle& p) { p.push({.kind = Kind::list, .items = p.pop(2)}); }},
    {'\x87', [](Pickle& p) { p.push({.kind = Kind::list, .items = p.pop(3)}); }},
    {'a', [](Pickle& p) { p.append(p.pop(1), &PickleNode::items); }},
    {'e', [](Pickle& p) { p.append(p.pop_to_mark(), &PickleNode::items); }},
    {'\x90', [](Pickle& p) { p.append(p.pop_to_mark(), &PickleNode::items); }},  // ADDITEMS, to a set
    {'s', [](Pickle& p) { p.append(p.pop(2), &PickleNode::pairs); }},
    {'u', [](Pickle& p) { p.append(p.pop_to_mark(), &PickleNode::pairs); }},
    {'c',
     [](Pickle& p) {
         const std::string_view module = p.cursor_.text_to('\n');
         p.push({.kind = Kind::global, .module = module, .text = p.cursor_.text_to('\n')});
     }},
    {'\x93',  // STACK_GLOBAL
     [](Pickle& p) {
         const Items names = p.pop(2);
         p.push({.kind = Kind::global, .module = p.nodes_[names[0]].text, .text = p.nodes_[names[1]].text});
     }},
    {'R', [](Pickle& p) { p.push({.kind = Kind::object, .items = p.pop(2)}); }},
    {'\x81', [](Pickle& p) { p.push({.kind = Kind::object, .items = p.pop(2)}); }},  // NEWOBJ
    {'\x92',                                                                         // NEWOBJ_EX
     [](Pickle& p) {
         p.pop();
         p.push({.kind = Kind::object, .items = p.pop(2)});
     }},
    {'b', [](Pickle& p) { p.build(); }},
    {'Q', [](Pickle& p) { p.push({.kind = Kind::persistent, .items = p.pop(1)}); }},
};

Pickle::Pickle(std::string_view bytes, std::uint64_t at) : cursor_(bytes, at) {
    // Up to STOP, which is ".".
    for (char code; (code = static_cast<char>(number(1))) != '.';) {
        const Code* const known = find_by(codes, &Code::code, code);
        if (!known)
            damaged("the pickle has an unknown code");
        known->run(*this);
        if (stack_.size() > most_values || marks_.size() > most_values)
            damaged("the pickle's stack is too deep");
    }
    root_ = pop();
}

/// The memo lets a small file use a value any number of times: values and uses are
/// bounded.
void Pickle::count(std::size_t more) {
    links_ += more;
    if (links_ > most_values)
        throw InputError("the pickle contains more than 1000000 values");
}

void Pickle::push(PickleNode node) {
    count(1 + node.items.size());
    stack_.push_back(nodes_.size());
    nodes_.push_back(std::move(node));
}

/// Numbers of more than 8 bytes are kept as 0.
void Pickle::push_long(std::uint64_t length_bytes) {
    const std::string_view digits = cursor_.text(number(length_bytes));
    push_whole(digits.size() > 8 ? 0 : little(digits, 0, digits.size()));
}

std::size_t Pickle::pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back()))
        damaged("the pickle's stack is empty");
    const std::size_t top = stack_.back();
    stack_.pop_back();
    return top;
}

Pickle::Items Pickle::pop_to_mark() {
    if (marks_.empty())
        damaged("the pickle has no mark");
    const std::size_t mark = marks_.back();
    marks_.pop_back();
    return pop(stack_.size() - mark);
}

Pickle::Items Pickle::pop(std::size_t count) {
    Items items(count);
    for (std::size_t i = count; i-- > 0;)
        items[i] = pop();
    return items;
}

/// To the value on top.
void Pickle::append(Items items, Items PickleNode::*to) {
    const std::size_t top = pop();
    count(items.size());
    std::ranges::copy(items, std::back_inserter(nodes_[top].*to));
    stack_.push_back(top);
}

/// Sets the state of the object below it.
void Pickle::build() {
    const std::size_t state = pop();
    const bool dictionary = nodes_[state].kind == Kind::dictionary;
    append(
        dictionary ? nodes_[state].pairs : Items{state},
        dictionary ? &PickleNode::pairs : &PickleNode::items);
}

void Pickle::put(std::uint64_t index) {
    if (index > most_values)
        damaged("the pickle's memo has too many entries");
    if (index >= memo_.size())
        memo_.resize(index + 1, none);
    stack_.push_back(memo_[index] = pop());
}

void Pickle::get(std::uint64_t index) {
    if (index >= memo_.size() || memo_[index] == none)
        damaged("the pickle uses a value before it is there");
    stack_.push_back(memo_[index]);
}

std::optional<std::string> Pickle::word(const PickleNode& of, std::string_view key) const {
    for (std::size_t i = 0; i + 1 < of.pairs.size(); i += 2) {
        const PickleNode &name = nodes_[of.pairs[i]], &value = nodes_[of.pairs[i + 1]];
        if (name.kind != Kind::text || name.text != key)
            continue;
        if (value.kind == Kind::boolean)
            return python_bool(value.number != 0);
        if (value.kind == Kind::whole)
            return std::to_string(value.number);
        if (value.kind == Kind::real)
            return short_number(value.real);
        if (value.kind == Kind::text)
            return std::string(value.text);
    }
    return std::nullopt;
}

const PickleNode* Pickle::maker(const PickleNode& object) const {
    if (object.kind != Kind::object || object.items.empty())
        return nullptr;
    const PickleNode* made_by = &nodes_[object.items.front()];
    // torch/serialization.py, _legacy_save, names the class of a module so: ("module", class, file,
    // source).
    if (made_by->kind == Kind::persistent && !made_by->items.empty())
        if (const auto& id = nodes_[made_by->items[0]].items; id.size() > 1)
            made_by = &nodes_[id[1]];
    if (made_by->kind != Kind::global)
        return nullptr;
    return made_by;
}

}  // namespace rnncheck::model
