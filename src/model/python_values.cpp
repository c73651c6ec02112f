// The values that are written in a Python program for its names: what an argument of
// a layer is, when it is a constant, a parameter, or an entry of a dictionary.
#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/python_source.hpp"

namespace rnncheck::model {

namespace {

/// How many names are followed one after another: a circle of them must end.
constexpr int deepest = 6;

/// As Keras stores it: 0.50 as "0.5", 1_000 as "1000".
std::string number_word(std::string_view text, bool minus) {
    std::string digits(text);
    std::erase(digits, '_');
    std::string number = digits;
    if (const auto real = number_from<double>(digits))
        number = short_number(*real);
    if (minus)
        number.insert(0, "-");
    return number;
}

}  // namespace

/// Every call must give the same: which of two values a layer gets would
/// depend on the order of execution.
std::optional<std::pair<std::size_t, std::size_t>> PythonSource::given_for(
    const Function& function, const std::string& parameter) const {
    const auto place =
        std::ranges::find(function.parameters, parameter) - function.parameters.begin();
    if (place == std::ssize(function.parameters))
        return std::nullopt;
    // A class that is derived from it may give other values.
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
        if (!is(i, "class") || !is(i + 2, "("))
            continue;
        for (std::size_t base = i + 3; base < closing(i + 2); ++base)
            if (is(base, function.name))
                return std::nullopt;
    }
    std::optional<std::pair<std::size_t, std::size_t>> given;
    bool called = false;
    const auto* const usual = look_up(function.defaults, parameter);
    for (const Call& call : calls_) {
        if (last_of(call.path) != function.name || call.path.starts_with("super"))
            continue;
        if (std::ranges::any_of(
                call.arguments, [](const Argument& one) { return one.name.starts_with("*"); }))
            return std::nullopt;
        called = true;
        const Argument* const one = find(call, parameter, static_cast<int>(place));
        if (!one && !usual)
            return std::nullopt;
        std::pair<std::size_t, std::size_t> here;
        if (one)
            here = {one->first, one->last};
        else
            here = *usual;
        // The same name in two functions can be two values.
        const bool other_place =
            given && function_around(given->first) != function_around(here.first);
        const bool plain = here.second == here.first + 1 && !is_name(here.first);
        if (given && source(given->first, given->second) != source(here.first, here.second))
            return std::nullopt;
        if (other_place && !plain)
            return std::nullopt;
        given = here;
    }
    if (!called)
        return std::nullopt;
    return given;
}

/// A dictionary counts as it is written only where the program neither sets an
/// entry nor calls a method that changes it.
std::optional<std::vector<Argument>> PythonSource::entries_of(const std::string& name) const {
    const auto* const value = look_up(values_, name);
    const auto* const count = look_up(bindings_, name);
    if (!value || !count || *count != 1)
        return std::nullopt;
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        if (!is_name(i) || tokens_[i].text != name || (i > 0 && is(i - 1, ".")))
            continue;
        const bool assigned = is(i + 1, "[") && closing(i + 1) != 0 && is(closing(i + 1) + 1, "=");
        const bool changed =
            is(i + 1, ".") && (is(i + 2, "update") || is(i + 2, "pop") || is(i + 2, "setdefault"));
        if (assigned || changed)
            return std::nullopt;
    }
    const bool call = is(*value, "dict") && is(*value + 1, "(");
    std::size_t open = *value;
    if (call)
        ++open;
    const std::size_t close = closing(open);
    if (close == 0 || !ends_line(close + 1) || (!call && !is(open, "{")))
        return std::nullopt;
    std::vector<Argument> entries = arguments_of(open, close);
    for (Argument& entry : entries) {
        if (call && !entry.name.empty() && !entry.name.starts_with("*"))
            continue;
        const bool keyed =
            !call && tokens_[entry.first].kind == TokenKind::text && is(entry.first + 1, ":");
        if (!keyed)
            return std::nullopt;
        entry = {std::string(tokens_[entry.first].text), entry.first + 2, entry.last};
    }
    return entries;
}

/// LSTM(8, **options), where options = dict(activation="tanh") is bound once.
void PythonSource::spread_dictionaries() {
    for (Call& call : calls_) {
        std::vector<Argument> arguments;
        for (const Argument& one : call.arguments) {
            const bool name = one.name == "**" && one.last == one.first + 1 && is_name(one.first);
            std::optional<std::vector<Argument>> entries;
            if (name)
                entries = entries_of(std::string(tokens_[one.first].text));
            if (entries)
                arguments.insert(arguments.end(), entries->begin(), entries->end());
            else
                arguments.push_back(one);
        }
        call.arguments = std::move(arguments);
    }
}

/// A if FLAG else B, where the flag is written in the program, or both are the same.
std::optional<std::string> PythonSource::chosen_literal(
    std::size_t first, std::size_t last, int depth) const {
    std::size_t condition = 0, otherwise = 0;
    for (std::size_t i = first; i < last; ++i) {
        if ((is(i, "(") || is(i, "[") || is(i, "{")) && closing(i) > i)
            i = closing(i);
        if (is(i, "if") && condition == 0)
            condition = i;
        if (is(i, "else") && condition != 0 && otherwise == 0)
            otherwise = i;
    }
    if (condition == 0 || otherwise == 0)
        return std::nullopt;
    const auto yes = literal(first, condition, depth + 1),
               no = literal(otherwise + 1, last, depth + 1);
    if (yes && yes == no)
        return yes;
    const auto flag = literal(condition + 1, otherwise, depth + 1);
    if (flag == std::optional<std::string>("True"))
        return yes;
    if (flag == std::optional<std::string>("False"))
        return no;
    return std::nullopt;
}

/// A parameter that the function itself binds again, or a name that is
/// bound twice, has no single value.
std::optional<std::string> PythonSource::literal_of_name(
    std::size_t first, const std::string& path, int depth) const {
    const Function* const function = function_around(first);
    if (function && includes(function->parameters, path)) {
        for (std::size_t i = function->first; i < function->last; ++i)
            if (is_name(i) && tokens_[i].text == path && is(i + 1, "=") && statement_of(i) == i)
                return std::nullopt;
        const auto given = given_for(*function, path);
        if (!given)
            return std::nullopt;
        return literal(given->first, given->second, depth + 1);
    }
    const auto* const value = look_up(values_, path);
    const auto* const count = look_up(bindings_, path);
    if (!value || !count || *count != 1)
        return std::nullopt;
    std::size_t line_end = *value;
    while (line_end < tokens_.size() && tokens_[line_end].kind != TokenKind::line_end)
        ++line_end;
    return literal(*value, line_end, depth + 1);
}

/// A constant, with a sign; what a condition chooses; a name; an entry of a
/// dictionary; a function of the framework by its name.
std::optional<std::string> PythonSource::literal(
    std::size_t first, std::size_t last, int depth) const {
    if (first >= last || depth > deepest)
        return std::nullopt;
    const bool minus = is(first, "-") && last - first == 2;
    std::size_t at = first;
    if (minus)
        ++at;
    const Token& token = tokens_[at];
    if (last - first == 1 || minus) {
        if (token.kind == TokenKind::text && !token.formatted)
            return std::string(token.text);
        if (token.kind == TokenKind::number)
            return number_word(token.text, minus);
        if (token.text == "True" || token.text == "False" || token.text == "None")
            return std::string(token.text);
    }
    if (!minus && last - first > 2)
        if (auto chosen = chosen_literal(first, last, depth))
            return chosen;
    if (minus || token.kind != TokenKind::name)
        return std::nullopt;
    std::size_t end = first;
    const std::string path = followed(dotted(end));
    // options["dropout"] of a dictionary that is written in the program.
    if (is(end, "[") && closing(end) + 1 == last && closing(end) == end + 2 &&
        tokens_[end + 1].kind == TokenKind::text)
        if (const auto entries = entries_of(path))
            for (const Argument& entry : *entries)
                if (entry.name == tokens_[end + 1].text)
                    return literal(entry.first, entry.last, depth + 1);
    if (end != last)
        return std::nullopt;
    // A function of the framework: tf.nn.tanh, keras.activations.sigmoid.
    const bool function = path.starts_with("tensorflow.") || path.starts_with("keras.") ||
                          path.starts_with("tf_keras.");
    if (function)
        return last_of(path);
    return literal_of_name(first, path, depth);
}

}  // namespace rnncheck::model
