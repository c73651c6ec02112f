// The calls, functions and names of a Python program.
#include "model/python_source.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::model {

namespace {

/// Of keras.layers, of torch.nn, and of the libraries for JAX.
constexpr std::string_view rnn_classes[] = {
    "LSTM",
    "GRU",
    "SimpleRNN",
    "RNN",
    "CuDNNLSTM",
    "CuDNNGRU",
    "LSTMCell",
    "GRUCell",
    "SimpleRNNCell",
    "StackedRNNCells",
    "ConvLSTM1D",
    "ConvLSTM2D",
    "ConvLSTM3D"};
constexpr std::string_view torch_classes[] = {
    "LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell"};
constexpr std::string_view jax_classes[] = {
    "LSTMCell",
    "OptimizedLSTMCell",
    "GRUCell",
    "SimpleCell",
    "MGUCell",
    "ConvLSTMCell",
    "LSTM",
    "GRU",
    "VanillaRNN"};

}  // namespace

bool is_keras(const std::string& path) {
    return contains("." + path, ".keras.") || path.starts_with("tf_keras.") ||
           path.starts_with("keras_core.");
}
bool is_torch(const std::string& path) {
    return path.starts_with("torch.nn.");
}
bool is_jax(const std::string& path) {
    return path.starts_with("flax.") || path.starts_with("haiku.") || path.starts_with("equinox.");
}
std::string last_of(const std::string& path) {
    return path.substr(path.rfind('.') + 1);
}

/// Whether a path names a recurrent layer of one of the frameworks.
/// Quantized classes of PyTorch compute with whole numbers on the processor.
/// TensorFlow 1 has functions instead of classes.
bool is_recurrent(const std::string& path) {
    const std::string name = last_of(path);
    return (is_keras(path) && includes(rnn_classes, name)) ||
           (is_torch(path) && includes(torch_classes, name) && !contains(path, "quant")) ||
           (is_jax(path) && includes(jax_classes, name)) || contains(path, "nn.rnn_cell.") ||
           path.ends_with("nn.dynamic_rnn") || path.ends_with("nn.bidirectional_dynamic_rnn");
}

PythonSource::PythonSource(std::string_view text) : text_(text), tokens_(python_tokens(text)) {
    read_names();
    read_calls();
    read_functions();
    spread_dictionaries();
}

/// a.b.c from this token on; `at` is behind it then.
std::string PythonSource::dotted(std::size_t& at) const {
    std::string path;
    while (is_name(at)) {
        path += tokens_[at++].text;
        if (!is(at, ".") || !is_name(at + 1))
            break;
        path += '.';
        ++at;
    }
    return path;
}

/// "nn.LSTM" after "from torch import nn" is "torch.nn.LSTM".
/// Names can be bound to each other: 8 steps are followed.
std::string PythonSource::followed(std::string path) const {
    for (int i = 0; i < 8; ++i) {
        const auto dot = path.find('.');
        const std::string head = path.substr(0, dot);
        const auto* const known = look_up(names_, head);
        if (!known || *known == head)
            break;
        path = *known + path.substr(head.size());
        if (path.starts_with(head + "."))
            break;
    }
    if (!contains(path, ".") && !classes_.contains(path))
        for (const std::string& package : stars_)
            if (is_recurrent(package + "." + path))
                return package + "." + path;
    return path;
}

/// Imports, classes and aliases at the beginnings of statements.
void PythonSource::read_names() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const bool begins = i == 0 || tokens_[i - 1].kind == TokenKind::line_end ||
                            is(i - 1, ";") || is(i - 1, ":");
        if (!begins)
            continue;
        if (is(i, "import"))
            read_import(i + 1);
        if (is(i, "from"))
            read_from(i + 1);
        if (is(i, "class") && is_name(i + 1))
            classes_.insert(std::string(tokens_[i + 1].text));
        if (is_name(i) && is(i + 1, "="))
            read_alias(i);
    }
    count_bindings();
}

/// import torch.nn as nn, numpy. Without "as" the name is that of the package itself.
void PythonSource::read_import(std::size_t at) {
    do {
        const std::string path = dotted(at);
        if (path.empty())
            return;
        if (is(at, "as") && is_name(at + 1)) {
            names_[std::string(tokens_[at + 1].text)] = path;
            at += 2;
        }
        imports_.insert(path.substr(0, path.find('.')));
    } while (is(at++, ","));
}

/// from torch.nn import LSTM as Layer, GRU; also in brackets and over several lines.
void PythonSource::read_from(std::size_t at) {
    bool relative = false;
    for (; is(at, "."); ++at)
        relative = true;
    std::string package;
    if (!is(at, "import"))
        package = dotted(at);
    if (!is(at, "import"))
        return;
    ++at;
    if (relative)
        local_.push_back(at);
    imports_.insert(package.substr(0, package.find('.')));
    if (is(at, "*"))
        return stars_.push_back(package);
    if (is(at, "("))
        ++at;
    for (; is_name(at); ++at) {
        const std::string name(tokens_[at].text);
        const bool renamed = is(at + 1, "as") && is_name(at + 2);
        if (renamed)
            at += 2;
        if (!relative)
            names_[std::string(tokens_[at].text)] = package + "." + name;
        if (!is(++at, ","))
            break;
    }
}

/// LSTM = tf.keras.layers.LSTM; layers = keras.layers. Not a call, not an expression.
void PythonSource::read_alias(std::size_t at) {
    const std::string name(tokens_[at].text);
    std::size_t end = at + 2;
    const std::string path = dotted(end);
    const bool whole = end < tokens_.size() && tokens_[end].kind == TokenKind::line_end;
    if (!whole || path.empty() || path == name || !contains(path, "."))
        return;
    const std::string target = followed(path);
    if (is_keras(target + ".") || is_torch(target + ".") || is_recurrent(target))
        names_.try_emplace(name, target);
}

/// How often each name is bound; where a name is bound once to a
/// literal, it is that literal.
void PythonSource::count_bindings() {
    int depth = 0;  // in brackets NAME= is an argument
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (is(i, "(") || is(i, "[") || is(i, "{"))
            ++depth;
        if (is(i, ")") || is(i, "]") || is(i, "}"))
            --depth;
        if (!is_name(i))
            continue;
        const std::string name(tokens_[i].text);
        const bool attribute = i > 0 && is(i - 1, ".");
        if (attribute)
            continue;
        constexpr std::string_view changing[] = {"+=", "-=", "*=", "/=", "|=", ":="};
        const bool changed = i + 1 < tokens_.size() && tokens_[i + 1].kind == TokenKind::sign &&
                             includes(changing, tokens_[i + 1].text);
        const bool assigned = changed || (depth <= 0 && is(i + 1, "="));
        const bool begins = i == 0 || tokens_[i - 1].kind == TokenKind::line_end;
        const bool bound =
            assigned || (i > 0 && (is(i - 1, "for") || is(i - 1, "as") || is(i - 1, "global")));
        if (bound)
            ++bindings_[name];
        if (assigned && is(i + 1, "=") && begins)
            values_[name] = i + 2;
        // Targets of several values, parameters of a function.
        if (is(i + 1, ",") && begins)
            ++bindings_[name];
        if (is(i, "def") || is(i, "lambda"))
            count_parameters(i);
    }
}

/// Parameters are bound by every call: a name that is one has no single value.
void PythonSource::count_parameters(std::size_t at) {
    for (std::size_t i = at + 1; i < tokens_.size() && tokens_[i].kind != TokenKind::line_end;
         ++i) {
        if (is(i, ":") && is(i - 1, ")"))
            return;
        if (is_name(i))
            ++bindings_[std::string(tokens_[i].text)];
    }
}

/// Brackets first, as arguments need their ends; then every name before an open bracket.
void PythonSource::read_calls() {
    std::vector<std::size_t> open;
    std::vector<std::size_t> matching(tokens_.size(), 0);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (tokens_[i].kind != TokenKind::sign)
            continue;
        const std::string_view sign = tokens_[i].text;
        if (sign == "(" || sign == "[" || sign == "{")
            open.push_back(i);
        if ((sign == ")" || sign == "]" || sign == "}") && !open.empty()) {
            matching[open.back()] = i;
            open.pop_back();
        }
    }
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (!is_name(i) || (i > 0 && is(i - 1, ".")))
            continue;
        std::size_t end = i;
        const std::string path = dotted(end);
        if (!is(end, "(") || matching[end] == 0)
            continue;
        const bool defined = i > 0 && (is(i - 1, "def") || is(i - 1, "class"));
        if (!defined)
            calls_.push_back(
                {followed(path), i, end, matching[end], arguments_of(end, matching[end])});
    }
    // Attributes of calls and subscripts: compile() and fit() of what is not named.
    matching_ = std::move(matching);
}

std::vector<Argument> PythonSource::arguments_of(std::size_t open, std::size_t close) const {
    std::vector<Argument> arguments;
    int depth = 0;
    std::size_t first = open + 1;
    for (std::size_t i = open + 1; i <= close; ++i) {
        const bool ends = (i == close || (depth == 0 && is(i, ",")));
        if (ends) {
            if (i > first)
                arguments.push_back(argument(first, i));
            first = i + 1;
            continue;
        }
        if (is(i, "(") || is(i, "[") || is(i, "{"))
            ++depth;
        if (is(i, ")") || is(i, "]") || is(i, "}"))
            --depth;
    }
    return arguments;
}

Argument PythonSource::argument(std::size_t first, std::size_t last) const {
    if (is(first, "**") || is(first, "*"))
        return {std::string(tokens_[first].text), first + 1, last};
    if (is_name(first) && is(first + 1, "="))
        return {std::string(tokens_[first].text), first + 2, last};
    return {"", first, last};
}

const Argument* PythonSource::find(const Call& call, std::string_view name, int position) const {
    for (const Argument& one : call.arguments)
        if (one.name == name)
            return &one;
    int at = 0;
    for (const Argument& one : call.arguments) {
        if (one.name == "*")
            return nullptr;
        if (one.name.empty() && at++ == position)
            return &one;
    }
    return nullptr;
}

/// The tokens of a line have no blanks between them: the text is taken from the program.
std::string PythonSource::source(std::size_t first, std::size_t last) const {
    if (first >= last)
        return "";
    return std::string(text_.substr(tokens_[first].at, tokens_[last - 1].end - tokens_[first].at));
}

/// The lines of a statement in brackets have no end between them.
std::size_t PythonSource::statement_of(std::size_t at) const {
    while (at > 0 && tokens_[at - 1].kind != TokenKind::line_end)
        --at;
    return at;
}

/// In characters; a tab is one of them, as all lines of a block begin alike.
std::size_t PythonSource::indentation(std::size_t at) const {
    const std::size_t begin = tokens_[statement_of(at)].at;
    if (begin == 0)
        return 0;
    const std::size_t line = text_.rfind('\n', begin - 1);
    if (line == std::string_view::npos)
        return begin;
    return begin - line - 1;
}

std::string PythonSource::target_of(const Call& call) const {
    std::size_t end = statement_of(call.at);
    const std::string target = dotted(end);
    if (!is(end, "="))
        return "";
    return target;
}

/// Functions and methods with the class that they are in, which shows by indentation.
void PythonSource::read_functions() {
    // classes by their indentation
    std::vector<std::pair<std::size_t, std::string>> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const bool begins = i == 0 || tokens_[i - 1].kind == TokenKind::line_end;
        if (!begins || tokens_[i].kind == TokenKind::line_end)
            continue;
        const std::size_t column = indentation(i);
        while (!open.empty() && open.back().first >= column)
            open.pop_back();
        if (is(i, "class") && is_name(i + 1))
            open.emplace_back(column, std::string(tokens_[i + 1].text));
        std::size_t at = i;
        if (is(i, "async"))
            ++at;
        if (is(at, "def") && is_name(at + 1))
            add_function(at, open.empty() ? "" : open.back().second);
    }
}

/// A class is called by its name, and what is given to it are the parameters of __init__.
/// The body ends before the first line that is not indented further than the head.
void PythonSource::add_function(std::size_t at, const std::string& class_name) {
    constexpr std::size_t most = 20'000;
    if (functions_.size() >= most)
        return;
    Function function{std::string(tokens_[at + 1].text)};
    if (function.name == "__init__" && !class_name.empty())
        function.name = class_name;
    const std::size_t open = at + 2, close = closing(open), column = indentation(at);
    if (!is(open, "(") || close == 0)
        return;
    for (const Argument& one : arguments_of(open, close)) {
        std::size_t name = one.first;
        if (!one.name.empty())
            name -= 2;
        if (!one.name.empty() && !is(one.first - 1, "="))
            continue;  // *args
        if (!is_name(name))
            continue;
        const std::string parameter(tokens_[name].text);
        if (parameter == "self" || parameter == "cls")
            continue;
        function.parameters.push_back(parameter);
        std::size_t value = name + 1;  // behind an annotation
        while (value < one.last && !is(value, "="))
            ++value;
        if (value + 1 < one.last || (value < one.last && is(value, "=")))
            function.defaults[parameter] = {value + 1, one.last};
    }
    function.first = close;
    std::size_t end = close;
    while (end < tokens_.size() && tokens_[end].kind != TokenKind::line_end)
        ++end;
    while (end + 1 < tokens_.size()) {
        if (tokens_[end + 1].kind != TokenKind::line_end && indentation(end + 1) <= column)
            break;
        ++end;
        while (end < tokens_.size() && tokens_[end].kind != TokenKind::line_end)
            ++end;
    }
    function.last = std::min(end, tokens_.size());
    functions_.push_back(std::move(function));
}

const Function* PythonSource::function_around(std::size_t at) const {
    const Function* innermost = nullptr;
    for (const Function& function : functions_)
        if (function.first < at && at < function.last)
            innermost = &function;
    return innermost;
}

}  // namespace rnncheck::model
