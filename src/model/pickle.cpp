#include "model/pickle.hpp"

#include <algorithm>
#include <bit>

#include "base/text.hpp"

namespace rnncheck::model {

namespace {

constexpr std::size_t most_values = 1'000'000, none = static_cast<std::size_t>(-1);

/// A text whose length comes first, in so many bytes; or, with none, one that ends with its line.
struct TextCode {
    char code;
    std::uint64_t length_bytes;
};
constexpr TextCode text_codes[] = {{'U', 1}, {'T', 4},    {'X', 4},    {'\x8c', 1}, {'\x8d', 8}, {'C', 1},
                                   {'B', 4}, {'\x8e', 8}, {'\x96', 8}, {'S', 0},    {'V', 0}};

std::string_view without_quotes(std::string_view text) {
    const bool quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"');
    return quoted ? text.substr(1, text.size() - 2) : text;
}

double big_endian_real(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
    return std::bit_cast<double>(number);
}

}  // namespace

Pickle::Pickle(std::string_view bytes, std::uint64_t at) : cursor_(bytes, at) {
    while (step()) {
    }
    root_ = pop();
}

std::size_t Pickle::add(PickleNode node) {
    links_ += 1 + node.items.size();
    if (links_ > most_values) throw InputError("the pickle holds more than 1000000 values");
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
}

std::size_t Pickle::pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) damaged("the pickle's stack is empty");
    const std::size_t top = stack_.back();
    stack_.pop_back();
    return top;
}

std::vector<std::size_t> Pickle::pop_to_mark() {
    if (marks_.empty()) damaged("the pickle has no mark");
    const auto mark = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<std::size_t> items(mark, stack_.end());
    stack_.erase(mark, stack_.end());
    marks_.pop_back();
    return items;
}

std::vector<std::size_t> Pickle::pop(std::size_t count) {
    std::vector<std::size_t> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    return items;
}

/// To the value on top: items of a list, or keys and values in turn.
bool Pickle::append(const std::vector<std::size_t>& items) {
    const std::size_t top = pop();
    links_ += items.size();
    if (links_ > most_values) throw InputError("the pickle holds more than 1000000 values");
    PickleNode& node = nodes_[top];
    const bool own = node.kind == Kind::list || node.kind == Kind::dictionary;
    std::ranges::copy(items, std::back_inserter(own ? node.items : node.pairs));
    return push(top);
}

bool Pickle::step() {
    const char code = static_cast<char>(cursor_.number(1));
    if (code == '.') return false;
    if (!literal(code) && !text(code) && !reference(code) && !collection(code) && !object(code))
        damaged("the pickle has an unknown code");
    if (stack_.size() > most_values || marks_.size() > most_values) damaged("the pickle's stack is too deep");
    return true;
}

bool Pickle::literal(char code) {
    const auto whole = [&](std::uint64_t number) {
        return push({.kind = Kind::whole, .number = static_cast<std::int64_t>(number)});
    };
    const auto line = [&] { return cursor_.text_to('\n'); };
    switch (code) {
        case '\x80':  // PROTO
            return cursor_.skip(1);
        case '\x95':  // FRAME
            return cursor_.skip(8);
        case 'N':
            return push(PickleNode{});
        case '\x88':
        case '\x89':
            return push({.kind = Kind::boolean, .number = code == '\x88'});
        case 'K':
            return whole(cursor_.number(1));
        case 'M':
            return whole(cursor_.number(2));
        case 'J':
            return whole(static_cast<std::uint64_t>(static_cast<std::int32_t>(cursor_.number(4))));
        case '\x8a':    // LONG1
        case '\x8b': {  // LONG4; numbers of more than 8 bytes are kept as 0
            const std::string_view digits = cursor_.text(cursor_.number(code == '\x8a' ? 1 : 4));
            return whole(digits.size() > 8 ? 0 : little(digits, 0, digits.size()));
        }
        case 'I':
        case 'L':
            return whole(static_cast<std::uint64_t>(leading_number<std::int64_t>(line()).value_or(0)));
        case 'G':
            return push({.kind = Kind::real, .real = big_endian_real(cursor_.text(8))});
        case 'F':
            return push({.kind = Kind::real, .real = leading_number<double>(line()).value_or(0)});
        default:
            return false;
    }
}

bool Pickle::text(char code) {
    const auto found = std::ranges::find(text_codes, code, &TextCode::code);
    if (found == std::end(text_codes)) return false;
    const std::uint64_t bytes = found->length_bytes;
    const std::string_view value = bytes > 0 ? cursor_.text(cursor_.number(bytes)) : cursor_.text_to('\n');
    return push({.kind = Kind::text, .text = code == 'S' ? without_quotes(value) : value});
}

bool Pickle::put(std::uint64_t index) {
    if (index > most_values) damaged("the pickle's memo has too many entries");
    if (index >= memo_.size()) memo_.resize(index + 1, none);
    return push(memo_[index] = pop());
}

bool Pickle::get(std::uint64_t index) {
    if (index >= memo_.size() || memo_[index] == none) damaged("the pickle uses a value before it is there");
    return push(memo_[index]);
}

bool Pickle::reference(char code) {
    const auto line = [&] { return leading_number<std::uint64_t>(cursor_.text_to('\n')).value_or(none); };
    switch (code) {
        case '\x94':  // MEMOIZE
            return put(memo_.size());
        case 'q':
            return put(cursor_.number(1));
        case 'r':
            return put(cursor_.number(4));
        case 'p':
            return put(line());
        case 'h':
            return get(cursor_.number(1));
        case 'j':
            return get(cursor_.number(4));
        case 'g':
            return get(line());
        default:
            return false;
    }
}

bool Pickle::collection(char code) {
    switch (code) {
        case '(':
            marks_.push_back(stack_.size());
            return true;
        case '0':
            pop();
            return true;
        case '1':
            pop_to_mark();
            return true;
        case '2': {
            const std::size_t top = pop();
            return push(top) && push(top);
        }
        case ']':
        case ')':
        case '\x8f':  // EMPTY_SET
            return push({.kind = Kind::list});
        case '}':
            return push({.kind = Kind::dictionary});
        case 'l':
        case 't':
        case '\x91':  // FROZENSET
            return push({.kind = Kind::list, .items = pop_to_mark()});
        case 'd':
            return push({.kind = Kind::dictionary, .items = pop_to_mark()});
        case '\x85':
        case '\x86':
        case '\x87':  // TUPLE3
            return push({.kind = Kind::list, .items = pop(static_cast<unsigned char>(code) - 0x84u)});
        case 'a':
            return append(pop(1));
        case 'e':
        case '\x90':  // ADDITEMS
            return append(pop_to_mark());
        case 's':
            return append(pop(2));
        case 'u':
            return append(pop_to_mark());
        default:
            return false;
    }
}

bool Pickle::object(char code) {
    const auto global = [&] {
        const std::string_view module = cursor_.text_to('\n');
        return PickleNode{.kind = Kind::global, .module = module, .text = cursor_.text_to('\n')};
    };
    switch (code) {
        case 'c':
            return push(global());
        case '\x93': {  // STACK_GLOBAL
            const std::vector<std::size_t> names = pop(2);
            return push({.kind = Kind::global, .module = nodes_[names[0]].text, .text = nodes_[names[1]].text});
        }
        case 'i': {  // INST
            const std::size_t maker = add(global());
            return push({.kind = Kind::object, .items = {maker, add({.kind = Kind::list, .items = pop_to_mark()})}});
        }
        case 'o':  // OBJ
            return push({.kind = Kind::object, .items = pop_to_mark()});
        case 'R':
        case '\x81':  // NEWOBJ
            return push({.kind = Kind::object, .items = pop(2)});
        case '\x92':  // NEWOBJ_EX
            pop();
            return push({.kind = Kind::object, .items = pop(2)});
        case 'b': {  // BUILD
            const std::size_t state = pop();
            if (PickleNode& built = nodes_[stack_.empty() ? root_ : stack_.back()]; built.kind == Kind::object)
                built.items.push_back(state);
            return true;
        }
        case 'P':
            return push({.kind = Kind::persistent, .text = cursor_.text_to('\n')});
        case 'Q':
            return push({.kind = Kind::persistent, .items = pop(1)});
        default:
            return false;
    }
}

const PickleNode* Pickle::value(const PickleNode& of, std::string_view key) const {
    const auto in = [&](const std::vector<std::size_t>& items) -> const PickleNode* {
        for (std::size_t i = 0; i + 1 < items.size(); i += 2)
            if (nodes_[items[i]].kind == Kind::text && nodes_[items[i]].text == key) return &nodes_[items[i + 1]];
        return nullptr;
    };
    if (of.kind == Kind::dictionary) return in(of.items);
    if (of.kind != Kind::object) return nullptr;
    const PickleNode* const state = of.items.size() > 2 ? &nodes_[of.items.back()] : nullptr;
    const PickleNode* const found =
        state && state != &of && state->kind == Kind::dictionary ? in(state->items) : nullptr;
    return found ? found : in(of.pairs);
}

std::optional<std::string> Pickle::word(const PickleNode& of, std::string_view key) const {
    const PickleNode* const found = value(of, key);
    if (!found) return std::nullopt;
    switch (found->kind) {
        case Kind::boolean:
            return found->number ? "True" : "False";
        case Kind::whole:
            return std::to_string(found->number);
        case Kind::real:
            return short_number(found->real);
        case Kind::text:
            return std::string(found->text);
        default:
            return std::nullopt;
    }
}

const PickleNode* Pickle::maker(const PickleNode& object) const {
    if (object.kind != Kind::object || object.items.empty()) return nullptr;
    const PickleNode* made_by = &nodes_[object.items.front()];
    // torch/serialization.py, _legacy_save, names the class of a module so: ("module", class, file, source).
    if (made_by->kind == Kind::persistent && !made_by->items.empty())
        if (const auto& id = nodes_[made_by->items[0]].items; id.size() > 1) made_by = &nodes_[id[1]];
    return made_by->kind == Kind::global ? made_by : nullptr;
}

}  // namespace rnncheck::model
