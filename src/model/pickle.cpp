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
constexpr TextCode text_codes[] = {{'U', 1}, {'T', 4}, {'X', 4}, {'\x8c', 1}, {'\x8d', 8}, {'C', 1},
                                   {'B', 4}, {'\x8e', 8}, {'\x96', 8}, {'S', 0}, {'V', 0}};

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

void Pickle::push_global(std::string_view module, std::string_view name) {
    push({.kind = Kind::global, .module = module, .text = name});
}

void Pickle::push_tuple(std::size_t count) {
    std::vector<std::size_t> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    push({.kind = Kind::list, .items = std::move(items)});
}

/// Onto the list on top; onto an object that is used as one, e.g. a deque.
void Pickle::append(std::vector<std::size_t> items) {
    const std::size_t list = pop();
    links_ += items.size();
    if (links_ > most_values) throw InputError("the pickle holds more than 1000000 values");
    if (nodes_[list].kind == Kind::list) std::ranges::copy(items, std::back_inserter(nodes_[list].items));
    stack_.push_back(list);
}

void Pickle::set_items(const std::vector<std::size_t>& items) {
    const std::size_t dictionary = pop();
    links_ += items.size();
    if (links_ > most_values) throw InputError("the pickle holds more than 1000000 values");
    PickleNode& node = nodes_[dictionary];
    std::ranges::copy(items, std::back_inserter(node.kind == Kind::dictionary ? node.items : node.pairs));
    stack_.push_back(dictionary);
}

void Pickle::make(std::vector<std::size_t> parts) {
    push({.kind = Kind::object, .items = std::move(parts)});
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
    const auto whole = [&](std::int64_t number) { push({.kind = Kind::whole, .number = number}); };
    switch (code) {
        case '\x80':  // PROTO
            cursor_.skip(1);
            return true;
        case '\x95':  // FRAME
            cursor_.skip(8);
            return true;
        case 'N':
            push({});
            return true;
        case '\x88':
        case '\x89':
            push({.kind = Kind::boolean, .number = code == '\x88'});
            return true;
        case 'K':
            whole(static_cast<std::int64_t>(cursor_.number(1)));
            return true;
        case 'M':
            whole(static_cast<std::int64_t>(cursor_.number(2)));
            return true;
        case 'J':
            whole(static_cast<std::int32_t>(cursor_.number(4)));
            return true;
        case '\x8a': {  // LONG1; numbers of more than 8 bytes are kept as 0
            const std::string_view digits = cursor_.text(cursor_.number(1));
            whole(digits.size() > 8 ? 0 : static_cast<std::int64_t>(little(digits, 0, digits.size())));
            return true;
        }
        case '\x8b':  // LONG4
            cursor_.skip(cursor_.number(4));
            whole(0);
            return true;
        case 'I':
        case 'L':
            whole(leading_number<std::int64_t>(cursor_.text_to('\n')).value_or(0));
            return true;
        case 'G':
            push({.kind = Kind::real, .real = big_endian_real(cursor_.text(8))});
            return true;
        case 'F':
            push({.kind = Kind::real, .real = leading_number<double>(cursor_.text_to('\n')).value_or(0)});
            return true;
        default:
            return false;
    }
}

bool Pickle::text(char code) {
    const auto found = std::ranges::find(text_codes, code, &TextCode::code);
    if (found == std::end(text_codes)) return false;
    const std::uint64_t bytes = found->length_bytes;
    const std::string_view value = bytes > 0 ? cursor_.text(cursor_.number(bytes)) : cursor_.text_to('\n');
    push({.kind = Kind::text, .text = code == 'S' ? without_quotes(value) : value});
    return true;
}

bool Pickle::reference(char code) {
    const auto put = [&](std::uint64_t index) {
        if (index > most_values) damaged("the pickle's memo has too many entries");
        if (index >= memo_.size()) memo_.resize(index + 1, none);
        memo_[index] = pop();
        stack_.push_back(memo_[index]);
    };
    const auto get = [&](std::uint64_t index) {
        if (index >= memo_.size() || memo_[index] == none) damaged("the pickle uses a value before it is there");
        stack_.push_back(memo_[index]);
    };
    const auto line = [&] { return leading_number<std::uint64_t>(cursor_.text_to('\n')).value_or(none); };
    switch (code) {
        case '\x94':
            put(memo_.size());
            return true;
        case 'q':
            put(cursor_.number(1));
            return true;
        case 'r':
            put(cursor_.number(4));
            return true;
        case 'p':
            put(line());
            return true;
        case 'h':
            get(cursor_.number(1));
            return true;
        case 'j':
            get(cursor_.number(4));
            return true;
        case 'g':
            get(line());
            return true;
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
        case '2':
            stack_.push_back(pop());
            stack_.push_back(stack_.back());
            return true;
        case ']':
        case ')':
        case '\x8f':
            push({.kind = Kind::list});
            return true;
        case '}':
            push({.kind = Kind::dictionary});
            return true;
        case 'l':
        case 't':
        case '\x91':
            push({.kind = Kind::list, .items = pop_to_mark()});
            return true;
        case 'd':
            push({.kind = Kind::dictionary, .items = pop_to_mark()});
            return true;
        case '\x85':
        case '\x86':
        case '\x87':
            push_tuple(static_cast<unsigned char>(code) - 0x84u);
            return true;
        case 'a':
            append({pop()});
            return true;
        case 'e':
        case '\x90':
            append(pop_to_mark());
            return true;
        case 's': {
            const std::size_t value = pop(), key = pop();
            set_items({key, value});
            return true;
        }
        case 'u':
            set_items(pop_to_mark());
            return true;
        default:
            return false;
    }
}

bool Pickle::object(char code) {
    switch (code) {
        case 'c': {
            const std::string_view module = cursor_.text_to('\n');
            push_global(module, cursor_.text_to('\n'));
            return true;
        }
        case '\x93': {
            const PickleNode &name = nodes_[pop()], &module = nodes_[pop()];
            push_global(module.text, name.text);
            return true;
        }
        case 'i': {  // INST
            const std::string_view module = cursor_.text_to('\n');
            push_global(module, cursor_.text_to('\n'));
            const std::size_t maker = pop();
            make({maker, add({.kind = Kind::list, .items = pop_to_mark()})});
            return true;
        }
        case 'o':  // OBJ
            make(pop_to_mark());
            return true;
        case 'R':
        case '\x81': {
            const std::size_t arguments = pop(), maker = pop();
            make({maker, arguments});
            return true;
        }
        case '\x92': {  // NEWOBJ_EX
            pop();
            const std::size_t arguments = pop(), maker = pop();
            make({maker, arguments});
            return true;
        }
        case 'b': {  // BUILD
            const std::size_t state = pop(), built = pop();
            if (nodes_[built].kind == Kind::object) nodes_[built].items.push_back(state);
            stack_.push_back(built);
            return true;
        }
        case 'P':
            push({.kind = Kind::persistent, .text = cursor_.text_to('\n')});
            return true;
        case 'Q': {
            const std::size_t id = pop();
            push({.kind = Kind::persistent, .items = {id}});
            return true;
        }
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
    const PickleNode* const found = state && state != &of && state->kind == Kind::dictionary ? in(state->items) : nullptr;
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
    const PickleNode& made_by = nodes_[object.items.front()];
    return made_by.kind == Kind::global ? &made_by : nullptr;
}

}  // namespace rnncheck::model
