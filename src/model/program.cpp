// Long because one reader of tokens knows the calls of four frameworks and what around them decides.
// A Python program or a notebook: the recurrent layers that it builds, with the arguments that are written there.
// Nothing is executed or imported: a reader of tokens that follows names through imports and simple assignments.
#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

enum class TokenKind { name, number, text, sign, line_end };

struct Token {
    TokenKind kind;
    std::string_view text;  ///< of a `text` what is between its quotes
    std::size_t at, end;    ///< in the program
    std::size_t line;
    bool formatted = false;  ///< an f-string
};

/// Python's tokens (reference, chapter 2); inside brackets lines do not end. What is none is skipped.
class Tokens {
  public:
    explicit Tokens(std::string_view program) : program_(program) {
        constexpr std::size_t most = 2'000'000;
        while (at_ < program.size() && tokens_.size() < most) next();
        push(TokenKind::line_end, program.size(), program.size());
    }
    std::vector<Token> take() { return std::move(tokens_); }

  private:
    static bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); }
    static bool in_name(char c) { return starts_name(c) || (c >= '0' && c <= '9'); }
    char peek(std::size_t more) const { return at_ + more < program_.size() ? program_[at_ + more] : '\0'; }

    void push(TokenKind kind, std::size_t begin, std::size_t end, bool formatted = false) {
        tokens_.push_back({kind, program_.substr(begin, end - begin), begin, end, line_, formatted});
    }

    void next() {
        const char c = program_[at_];
        if (c == '\n') {
            if (depth_ == 0) push(TokenKind::line_end, at_, at_ + 1);
            ++line_;
            ++at_;
        } else if (c == '#') {
            while (at_ < program_.size() && program_[at_] != '\n') ++at_;
        } else if (c == '\\' && peek(1) == '\n') {
            at_ += 2;
            ++line_;
        } else if (c == '"' || c == '\'') {
            read_text(at_, false, false);
        } else if (starts_name(c)) {
            read_name();
        } else if ((c >= '0' && c <= '9') || (c == '.' && peek(1) >= '0' && peek(1) <= '9')) {
            read_number();
        } else {
            if (c == '(' || c == '[' || c == '{') ++depth_;
            if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
            if (c != ' ' && c != '\t' && c != '\r')
                read_sign();
            else
                ++at_;
        }
    }

    void read_sign() {
        constexpr std::string_view two[] = {"==", "!=", "<=", ">=", "->", ":=", "**",
                                            "//", "+=", "-=", "*=", "/=", "|="};
        const std::size_t length = includes(two, program_.substr(at_, 2)) ? 2 : 1;
        push(TokenKind::sign, at_, at_ + length);
        at_ += length;
    }

    void read_name() {
        const std::size_t begin = at_;
        while (at_ < program_.size() && in_name(program_[at_])) ++at_;
        const std::string prefix = lower(std::string(program_.substr(begin, at_ - begin)));
        const bool quoted = at_ < program_.size() && (program_[at_] == '"' || program_[at_] == '\'');
        if (quoted && prefix.size() <= 2 && prefix.find_first_not_of("rbuf") == std::string::npos)
            return read_text(begin, contains(prefix, "r"), contains(prefix, "f"));
        push(TokenKind::name, begin, at_);
    }

    void read_number() {
        const std::size_t begin = at_;
        while (at_ < program_.size() && (in_name(program_[at_]) || program_[at_] == '.' ||
                                         ((program_[at_] == '-' || program_[at_] == '+') &&
                                          (program_[at_ - 1] == 'e' || program_[at_ - 1] == 'E'))))
            ++at_;
        push(TokenKind::number, begin, at_);
    }

    void read_text(std::size_t begin, bool, bool formatted) {
        const char quote = program_[at_];
        const bool three = peek(1) == quote && peek(2) == quote;
        const std::size_t inside = at_ + (three ? 3 : 1), line = line_;
        at_ = inside;
        while (at_ < program_.size()) {
            if (program_[at_] == '\n') {
                if (!three) break;
                ++line_;
            }
            if (program_[at_] == '\\') {
                if (peek(1) == '\n') ++line_;
                at_ += 2;
                continue;
            }
            if (program_[at_] == quote && (!three || (peek(1) == quote && peek(2) == quote))) break;
            ++at_;
        }
        at_ = std::min(at_, program_.size());
        tokens_.push_back({TokenKind::text, program_.substr(inside, at_ - inside), begin, 0, line, formatted});
        at_ = std::min(at_ + (three ? 3 : 1), program_.size());
        tokens_.back().end = at_;
    }

    std::string_view program_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0, line_ = 1;
    int depth_ = 0;
};

/// An argument of a call: its tokens from `first` to before `last`.
struct Argument {
    std::string name;  ///< "" of a positional one; "*" or "**" of one that is spread
    std::size_t first = 0, last = 0;
};

struct Call {
    std::string path;                         ///< "keras.layers.LSTM", its names followed through imports
    std::size_t at = 0, open = 0, close = 0;  ///< the tokens of its name and brackets
    std::vector<Argument> arguments = {};
};

constexpr std::string_view rnn_classes[] = {"LSTM",       "GRU",        "SimpleRNN", "RNN",           "CuDNNLSTM",
                                            "CuDNNGRU",   "LSTMCell",   "GRUCell",   "SimpleRNNCell", "StackedRNNCells",
                                            "ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D"};
constexpr std::string_view torch_classes[] = {"LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell"};
constexpr std::string_view jax_classes[] = {
    "LSTMCell", "OptimizedLSTMCell", "GRUCell", "SimpleCell", "MGUCell", "ConvLSTMCell", "LSTM", "GRU", "VanillaRNN"};

bool is_keras(const std::string& path) {
    return contains("." + path, ".keras.") || path.starts_with("tf_keras.") || path.starts_with("keras_core.");
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
bool is_recurrent(const std::string& path) {
    const std::string name = last_of(path);
    return (is_keras(path) && includes(rnn_classes, name)) || (is_torch(path) && includes(torch_classes, name)) ||
           (is_jax(path) && includes(jax_classes, name)) || contains(path, "nn.rnn_cell.") ||
           path.ends_with("nn.dynamic_rnn") || path.ends_with("nn.bidirectional_dynamic_rnn");
}

struct Argument_names {
    const char* setting;
    const char* needed;
    int position;  ///< in LSTM(units, activation, ...)
};
/// What decides of a Keras layer, what it must be, and where it may be without a name.
constexpr Argument_names keras_arguments[] = {{"activation", "\"tanh\"", 1}, {"recurrent_activation", "\"sigmoid\"", 2},
                                              {"use_bias", "True", 3},       {"recurrent_dropout", "0", -1},
                                              {"unroll", "False", -1},       {"reset_after", "True", -1},
                                              {"use_cudnn", "\"auto\"", -1}, {"dropout", "", -1}};

class Program {
  public:
    Program(std::string_view text, ModelFile& file, std::function<std::string(std::size_t)> place)
        : text_(text), file_(file), place_(std::move(place)), tokens_(Tokens(text).take()) {}

    void read() {
        read_names();
        read_calls();
        read_whole_program();
        for (const Call& call : calls_)
            if (is_recurrent(call.path)) add(call);
        add_references();
        note_elsewhere();
    }

  private:
    static constexpr std::size_t most_layers = 5000;

    bool is(std::size_t at, std::string_view text) const {
        return at < tokens_.size() && tokens_[at].kind != TokenKind::text && tokens_[at].text == text;
    }
    bool is_name(std::size_t at) const { return at < tokens_.size() && tokens_[at].kind == TokenKind::name; }

    /// a.b.c from this token on; `at` is behind it then.
    std::string dotted(std::size_t& at) const {
        std::string path;
        while (is_name(at)) {
            path += tokens_[at++].text;
            if (!is(at, ".") || !is_name(at + 1)) break;
            path += '.';
            ++at;
        }
        return path;
    }

    /// "nn.LSTM" after "from torch import nn" is "torch.nn.LSTM".
    std::string followed(std::string path) const {
        for (int i = 0; i < 8; ++i) {
            const auto dot = path.find('.');
            const std::string head = path.substr(0, dot);
            const auto* const known = look_up(names_, head);
            if (!known || *known == head) break;
            path = *known + (dot == std::string::npos ? "" : path.substr(dot));
            if (path.starts_with(head + ".")) break;
        }
        if (!contains(path, ".") && !classes_.contains(path))
            for (const std::string& package : stars_)
                if (is_recurrent(package + "." + path)) return package + "." + path;
        return path;
    }

    void read_names() {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            const bool begins =
                i == 0 || tokens_[i - 1].kind == TokenKind::line_end || is(i - 1, ";") || is(i - 1, ":");
            if (!begins) continue;
            if (is(i, "import")) read_import(i + 1);
            if (is(i, "from")) read_from(i + 1);
            if (is(i, "class") && is_name(i + 1)) classes_.insert(std::string(tokens_[i + 1].text));
            if (is_name(i) && is(i + 1, "=")) read_alias(i);
        }
        count_bindings();
    }

    void read_import(std::size_t at) {
        do {
            const std::string path = dotted(at);
            if (path.empty()) return;
            if (is(at, "as") && is_name(at + 1)) {
                names_[std::string(tokens_[at + 1].text)] = path;
                at += 2;
            }
            imports_.insert(path.substr(0, path.find('.')));
        } while (is(at++, ","));
    }

    void read_from(std::size_t at) {
        bool relative = false;
        for (; is(at, "."); ++at) relative = true;
        const std::string package = is(at, "import") ? "" : dotted(at);
        if (!is(at, "import")) return;
        ++at;
        if (relative) local_.push_back(at);
        imports_.insert(package.substr(0, package.find('.')));
        if (is(at, "*")) return stars_.push_back(package);
        if (is(at, "(")) ++at;
        for (; is_name(at); ++at) {
            const std::string name(tokens_[at].text);
            const bool renamed = is(at + 1, "as") && is_name(at + 2);
            if (renamed) at += 2;
            if (!relative) names_[std::string(tokens_[at].text)] = package + "." + name;
            if (!is(++at, ",")) break;
        }
    }

    /// LSTM = tf.keras.layers.LSTM; layers = keras.layers. Not a call, not an expression.
    void read_alias(std::size_t at) {
        const std::string name(tokens_[at].text);
        std::size_t end = at + 2;
        const std::string path = dotted(end);
        const bool whole = end < tokens_.size() && tokens_[end].kind == TokenKind::line_end;
        if (!whole || path.empty() || path == name || !contains(path, ".")) return;
        const std::string target = followed(path);
        if (is_keras(target + ".") || is_torch(target + ".") || is_recurrent(target)) names_.try_emplace(name, target);
    }

    /// How often each name is bound; where a name is bound once to a literal, it is that literal.
    void count_bindings() {
        int depth = 0;  // in brackets NAME= is an argument
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (is(i, "(") || is(i, "[") || is(i, "{")) ++depth;
            if (is(i, ")") || is(i, "]") || is(i, "}")) --depth;
            if (!is_name(i)) continue;
            const std::string name(tokens_[i].text);
            const bool attribute = i > 0 && is(i - 1, ".");
            if (attribute) continue;
            constexpr std::string_view changing[] = {"+=", "-=", "*=", "/=", "|=", ":="};
            const bool changed = i + 1 < tokens_.size() && tokens_[i + 1].kind == TokenKind::sign &&
                                 includes(changing, tokens_[i + 1].text);
            const bool assigned = changed || (depth <= 0 && is(i + 1, "="));
            const bool begins = i == 0 || tokens_[i - 1].kind == TokenKind::line_end;
            const bool bound = assigned || (i > 0 && (is(i - 1, "for") || is(i - 1, "as") || is(i - 1, "global")));
            if (bound) ++bindings_[name];
            if (assigned && is(i + 1, "=") && begins) values_[name] = i + 2;
            // Targets of several values, parameters of a function.
            if (is(i + 1, ",") && begins) ++bindings_[name];
            if (is(i, "def") || is(i, "lambda")) count_parameters(i);
        }
    }

    void count_parameters(std::size_t at) {
        for (std::size_t i = at + 1; i < tokens_.size() && tokens_[i].kind != TokenKind::line_end; ++i) {
            if (is(i, ":") && is(i - 1, ")")) return;
            if (is_name(i)) ++bindings_[std::string(tokens_[i].text)];
        }
    }

    void read_calls() {
        std::vector<std::size_t> open;
        std::vector<std::size_t> matching(tokens_.size(), 0);
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].kind != TokenKind::sign) continue;
            const std::string_view sign = tokens_[i].text;
            if (sign == "(" || sign == "[" || sign == "{") open.push_back(i);
            if ((sign == ")" || sign == "]" || sign == "}") && !open.empty()) {
                matching[open.back()] = i;
                open.pop_back();
            }
        }
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (!is_name(i) || (i > 0 && is(i - 1, "."))) continue;
            std::size_t end = i;
            const std::string path = dotted(end);
            if (!is(end, "(") || matching[end] == 0) continue;
            const bool defined = i > 0 && (is(i - 1, "def") || is(i - 1, "class"));
            if (!defined) calls_.push_back({followed(path), i, end, matching[end], arguments_of(end, matching[end])});
        }
        // Attributes of calls and subscripts: compile() and fit() of what is not named.
        matching_ = std::move(matching);
    }

    std::vector<Argument> arguments_of(std::size_t open, std::size_t close) const {
        std::vector<Argument> arguments;
        int depth = 0;
        std::size_t first = open + 1;
        for (std::size_t i = open + 1; i <= close; ++i) {
            const bool ends = (i == close || (depth == 0 && is(i, ",")));
            if (ends) {
                if (i > first) arguments.push_back(argument(first, i));
                first = i + 1;
                continue;
            }
            if (is(i, "(") || is(i, "[") || is(i, "{")) ++depth;
            if (is(i, ")") || is(i, "]") || is(i, "}")) --depth;
        }
        return arguments;
    }

    Argument argument(std::size_t first, std::size_t last) const {
        if (is(first, "**") || is(first, "*")) return {std::string(tokens_[first].text), first + 1, last};
        if (is_name(first) && is(first + 1, "=")) return {std::string(tokens_[first].text), first + 2, last};
        return {"", first, last};
    }

    static const Argument* find(const Call& call, std::string_view name, int position) {
        for (const Argument& one : call.arguments)
            if (one.name == name) return &one;
        int at = 0;
        for (const Argument& one : call.arguments) {
            if (one.name == "*") return nullptr;
            if (one.name.empty() && at++ == position) return &one;
        }
        return nullptr;
    }

    std::string source(std::size_t first, std::size_t last) const {
        return first < last ? std::string(text_.substr(tokens_[first].at, tokens_[last - 1].end - tokens_[first].at))
                            : "";
    }

    /// The value that is written there, as Keras stores it: "tanh", "True", "0"; nothing where it is computed.
    std::optional<std::string> literal(std::size_t first, std::size_t last, int depth = 0) const {
        if (first >= last || depth > 4) return std::nullopt;
        const bool minus = is(first, "-") && last - first == 2;
        const Token& token = tokens_[minus ? first + 1 : first];
        if (last - first == 1 || minus) {
            if (token.kind == TokenKind::text && !token.formatted) return std::string(token.text);
            if (token.kind == TokenKind::number) return number_word(token.text, minus);
            if (token.text == "True" || token.text == "False" || token.text == "None") return std::string(token.text);
        }
        if (minus || token.kind != TokenKind::name) return std::nullopt;
        std::size_t end = first;
        const std::string path = followed(dotted(end));
        if (end != last) return std::nullopt;
        // A function of the framework: tf.nn.tanh, keras.activations.sigmoid.
        const bool function =
            path.starts_with("tensorflow.") || path.starts_with("keras.") || path.starts_with("tf_keras.");
        if (function) return last_of(path);
        const auto* const value = look_up(values_, path);
        const auto* const count = look_up(bindings_, path);
        if (!value || !count || *count != 1) return std::nullopt;
        std::size_t line_end = *value;
        while (line_end < tokens_.size() && tokens_[line_end].kind != TokenKind::line_end) ++line_end;
        return literal(*value, line_end, depth + 1);
    }

    static std::string number_word(std::string_view text, bool minus) {
        std::string digits(text);
        std::erase(digits, '_');
        const auto real = number_from<double>(digits);
        return (minus ? "-" : "") + (real ? short_number(*real) : digits);
    }

    /// What holds for the whole program: precision, devices, compilation, the back end.
    void read_whole_program() {
        for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) read_environment(i);
        for (const Call& call : calls_) {
            const std::string name = last_of(call.path);
            if (name == "compile" || call.path == "tensorflow.function") read_compile(call);
            if (name == "set_global_policy" || name == "set_policy" || name == "set_dtype_policy")
                if (!call.arguments.empty())
                    policy_ = literal(call.arguments[0].first, call.arguments[0].last).value_or("?");
            if (name == "set_backend" && is_keras(call.path) && !call.arguments.empty())
                backend_ = literal(call.arguments[0].first, call.arguments[0].last).value_or("?");
            if (name == "disable_eager_execution" || name == "disable_v2_behavior") eager_ = false;
            if (name == "quantize_dynamic") quantized_ = true;
            if (name == "set_default_dtype" && !call.arguments.empty())
                torch_dtype_ = last_of(source(call.arguments[0].first, call.arguments[0].last));
            if (name == "autocast")
                if (const Argument* const type = find(call, "dtype", 1))
                    if (last_of(source(type->first, type->last)) == "bfloat16") torch_dtype_ = "bfloat16";
            if (name == "backward" || contains(call.path, "torch.optim.")) trains_ = true;
            if (contains(call.path, "lightning") || contains(call.path, "accelerate") || contains(call.path, "Trainer"))
                other_trainer_ = true;
            if (contains(call.path, "set_default_device") || contains(call.path, "set_default_tensor_type"))
                read_device(call);
        }
        for (const auto& package : imports_)
            other_trainer_ |= contains(package, "lightning") || package == "accelerate" || package == "fastai" ||
                              package == "transformers";
        for (std::size_t i = 1; i + 2 < tokens_.size(); ++i) {
            if (!is(i - 1, ".") || !is(i + 1, "(") || matching_[i + 1] == 0) continue;
            const Call call{std::string(tokens_[i].text), i, i + 1, matching_[i + 1],
                            arguments_of(i + 1, matching_[i + 1])};
            if (call.path == "cuda") on_gpu_ = true;
            if (call.path == "half") torch_dtype_ = "float16";
            if (call.path == "bfloat16") torch_dtype_ = "bfloat16";
            if (call.path == "to") read_device(call);
            if (call.path == "backward") trains_ = true;
            if (call.path == "compile") read_compile(call);
        }
    }

    void read_compile(const Call& call) {
        const Argument* const jit = find(call, "jit_compile", 99);
        if (!jit) return;
        const auto value = literal(jit->first, jit->last);
        if (!value)
            jit_variable_ = source(jit->first, jit->last);
        else if (call.path == "tensorflow.function")
            xla_ |= *value == "True";
        else
            jit_ = *value;
    }

    /// os.environ["KERAS_BACKEND"] = "torch", os.environ.setdefault(...), torch.backends.cudnn.enabled = False.
    void read_environment(std::size_t at) {
        const Token& token = tokens_[at];
        if (token.kind == TokenKind::text) {
            const bool set = is(at + 1, "]") && is(at + 2, "=");
            const bool by_default = is(at + 1, ",");
            if (!set && !by_default) return;
            const std::size_t from = at + (set ? 3 : 2);
            if (from >= tokens_.size()) return;
            const auto value = literal(from, from + 1);
            if (token.text == "KERAS_BACKEND") backend_ = value.value_or("?" + std::string(tokens_[from].text));
            if (token.text == "TF_USE_LEGACY_KERAS" && (!value || *value != "0")) legacy_ = true;
            if (token.text == "CUDA_VISIBLE_DEVICES" && value && (*value == "-1" || value->empty())) hidden_ = true;
        }
        if (is(at, "cudnn") && is(at + 1, ".") && is(at + 2, "enabled") && is(at + 3, "=")) {
            const auto value = literal(at + 4, at + 5);
            if (value && *value == "False") cudnn_off_ = true;
            if (!value) cudnn_variable_ = at + 4 < tokens_.size() ? tokens_[at + 4].text : "";
        }
    }

    /// .to(device): a literal, what is chosen with is_available(), or a variable.
    void read_device(const Call& call) {
        if (call.arguments.empty()) return;
        const Argument* const given = find(call, "device", 0);
        if (!given) return;
        const std::string text = source(given->first, given->last);
        note_device(text, given->first, given->last, 0);
        if (const Argument* const type = find(call, "dtype", 1)) note_type(source(type->first, type->last));
    }

    void note_type(const std::string& text) {
        for (const char* const type : {"bfloat16", "float16", "half", "float64", "double"})
            if (last_of(text) == type && contains(text, "torch"))
                torch_dtype_ = std::string(type) == "half"     ? "float16"
                               : std::string(type) == "double" ? "float64"
                                                               : type;
    }

    void note_device(const std::string& text, std::size_t first, std::size_t last, int depth) {
        static const re2::RE2 type(
            "(?:torch\\.)?(?:bfloat16|float16|float32|float64|half|float|double|long|int64|int32|int|bool)|.*dtype.*|.*"
            "\\.type\\(.*");
        if (re2::RE2::FullMatch(text, type)) return note_type(text);
        if (contains(text, "cuda") || contains(text, "is_available")) {
            on_gpu_ = true;
            return;
        }
        if (contains(text, "\"cpu\"") || contains(text, "'cpu'") || contains(text, "mps")) {
            on_cpu_ = true;
            return;
        }
        // self.device and device are what is assigned to them, by whichever name.
        const std::string name = text.substr(text.rfind('.') + 1);
        bool found = false;
        for (std::size_t i = 0; i + 2 < tokens_.size() && depth < 3; ++i) {
            if (!is_name(i) || tokens_[i].text != name || !is(i + 1, "=") || (first <= i && i < last)) continue;
            std::size_t end = i + 2;
            while (end < tokens_.size() && tokens_[end].kind != TokenKind::line_end) ++end;
            const std::string value = source(i + 2, end);
            if (value == text || value.empty()) continue;
            found = contains(value, "cuda") || contains(value, "cpu") || contains(value, "is_available");
            if (found) note_device(value, i + 2, end, depth + 1);
        }
        if (!found && device_variable_.empty()) device_variable_ = text;
    }

    /// The mask that reaches a Keras layer: of a Masking or Embedding(mask_zero=True) before it in the same model.
    std::string mask_before(const Call& call) const {
        if (const std::string given = mask_argument(call); !given.empty()) return given;
        std::string mask;
        const std::size_t begin = start_of_model(call.at);
        for (const Call& before : calls_) {
            if (before.at >= call.at) break;
            if (before.at < begin || !is_keras(before.path + ".")) continue;
            const std::string name = last_of(before.path);
            if (name == "Masking") mask = "from Masking, " + place_(tokens_[before.at].line);
            if (name == "Embedding")
                if (const Argument* const zero = find(before, "mask_zero", 4)) {
                    const auto value = literal(zero->first, zero->last);
                    if (!value)
                        mask = "? " + source(zero->first, zero->last);
                    else if (*value == "True")
                        mask = "from Embedding, " + place_(tokens_[before.at].line);
                }
            const bool sequential = in_sequential(call.at) && in_sequential(before.at);
            if (sequential && drops_mask(before, name)) mask.clear();
        }
        return mask;
    }

    bool drops_mask(const Call& call, const std::string& name) const {
        static const re2::RE2 dropping(
            "Conv.*|.*Pooling.*|Flatten|Reshape|Permute|RepeatVector|UpSampling.*|ZeroPadding.*");
        if (re2::RE2::FullMatch(name, dropping)) return true;
        if (name != "LSTM" && name != "GRU" && name != "SimpleRNN") return false;
        const Argument* const sequences = find(call, "return_sequences", 99);
        return !sequences || literal(sequences->first, sequences->last) == std::optional<std::string>("False");
    }

    /// Where the model begins that a token is in: the last Sequential, class or function before it.
    std::size_t start_of_model(std::size_t at) const {
        std::size_t begin = 0;
        for (const Call& call : calls_)
            if (call.at < at && last_of(call.path) == "Sequential" && is_keras(call.path + ".")) begin = call.at;
        for (std::size_t i = begin; i < at; ++i)
            if (is(i, "class") && (i == 0 || tokens_[i - 1].kind == TokenKind::line_end)) begin = i;
        return begin;
    }

    /// In the list of a Sequential model, or in model.add(...).
    bool in_sequential(std::size_t at) const {
        for (const Call& call : calls_) {
            const bool list = last_of(call.path) == "Sequential", added = call.path.ends_with(".add");
            if ((list || added) && call.open < at && at < call.close) return true;
        }
        return false;
    }

    /// LSTM(...)(x, mask=m), or self.lstm(x, mask=m) of the layer that is assigned to self.lstm.
    std::string mask_argument(const Call& call) const {
        const auto with_mask = [&](std::size_t open) {
            if (!is(open, "(") || matching_[open] == 0) return false;
            const auto arguments = arguments_of(open, matching_[open]);
            const auto* const mask = find_by(arguments, &Argument::name, "mask");
            return mask && literal(mask->first, mask->last) != std::optional<std::string>("None");
        };
        if (with_mask(call.close + 1)) return "from the argument mask";
        std::size_t start = call.at;
        while (start > 0 && tokens_[start - 1].kind != TokenKind::line_end) --start;
        std::size_t end = start;
        const std::string target = dotted(end);
        if (target.empty() || !is(end, "=")) return "";
        for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
            if (!is_name(i) || (i > 0 && is(i - 1, "."))) continue;
            std::size_t behind = i;
            if (dotted(behind) == target && with_mask(behind)) return "from the argument mask";
        }
        return "";
    }

    void add(const Call& call) {
        if (file_.layers.size() >= most_layers || is_inside_rnn(call)) return;
        ModelLayer layer;
        layer.name = place_(tokens_[call.at].line);
        const std::string name = last_of(call.path);
        layer.settings["call"] = source(call.at, call.open);
        if (is_torch(call.path))
            add_torch(call, name, layer);
        else if (is_keras(call.path))
            add_keras(call, name, layer);
        else
            add_other(call, name, layer);
        if (hidden_) layer.settings["gpus"] = "hidden";
        file_.layers.push_back(std::move(layer));
    }

    /// A cell in keras.layers.RNN(...), which is what is listed.
    bool is_inside_rnn(const Call& call) const {
        if (!is_keras(call.path) || !contains(last_of(call.path), "Cell")) return false;
        return std::ranges::any_of(calls_, [&](const Call& outer) {
            return is_keras(outer.path) && last_of(outer.path) == "RNN" && outer.open < call.at &&
                   call.at < outer.close;
        });
    }

    std::optional<int> size_argument(const Call& call, const char* name, int position) const {
        const Argument* const size = find(call, name, position);
        const auto value = size ? literal(size->first, size->last) : std::nullopt;
        return value ? number_from(*value) : std::nullopt;
    }

    static LayerKind torch_kind(const std::string& name) {
        constexpr std::pair<std::string_view, LayerKind> kinds[] = {
            {"LSTM", LayerKind::lstm},          {"GRU", LayerKind::gru},          {"RNN", LayerKind::rnn_tanh},
            {"LSTMCell", LayerKind::lstm_cell}, {"GRUCell", LayerKind::gru_cell}, {"RNNCell", LayerKind::rnn_cell}};
        const auto* const known = find_by(kinds, &std::pair<std::string_view, LayerKind>::first, name);
        return known ? known->second : LayerKind::cell;
    }

    void add_torch(const Call& call, const std::string& name, ModelLayer& layer) const {
        layer.settings["framework"] = "pytorch";
        layer.kind = torch_kind(name);
        layer.input = size_argument(call, "input_size", 0);
        layer.hidden = size_argument(call, "hidden_size", 1);
        layer.layers = std::max(size_argument(call, "num_layers", 2).value_or(1), 1);
        if (const Argument* const two = find(call, "bidirectional", 6))
            layer.directions = literal(two->first, two->last) == std::optional<std::string>("True") ? 2 : 1;
        const Argument* const type = find(call, "dtype", 99);
        layer.dtype = type ? last_of(source(type->first, type->last)) : torch_dtype_.empty() ? "float32" : torch_dtype_;
        if (*layer.dtype == "half") layer.dtype = "float16";
        if (*layer.dtype == "float" || *layer.dtype == "double")
            layer.dtype = *layer.dtype == "float" ? "float32" : "float64";
        if (cudnn_off_) layer.settings["cudnn_enabled"] = "False";
        if (!cudnn_variable_.empty())
            layer.settings["at run time: cudnn_enabled"] = cudnn_variable_;
        else if (!cudnn_off_)
            layer.settings["cudnn_enabled"] = "True";
        layer.settings["device"] = "gpu";
        const bool own = find(call, "device", 99) != nullptr;
        if (on_gpu_ || own) return;
        if (!device_variable_.empty()) {
            layer.settings.erase("device");
            layer.settings["at run time: device"] = device_variable_;
        } else if (on_cpu_ || (trains_ && !other_trainer_)) {
            layer.settings["device"] = "cpu";
        }
        if (quantized_) layer.settings["quantized_copy"] = "dynamic";
    }

    static LayerKind keras_kind(const std::string& name) {
        constexpr std::pair<std::string_view, LayerKind> kinds[] = {{"LSTM", LayerKind::lstm},
                                                                    {"CuDNNLSTM", LayerKind::lstm},
                                                                    {"GRU", LayerKind::gru},
                                                                    {"CuDNNGRU", LayerKind::gru},
                                                                    {"SimpleRNN", LayerKind::rnn_tanh},
                                                                    {"LSTMCell", LayerKind::lstm_cell},
                                                                    {"GRUCell", LayerKind::gru_cell},
                                                                    {"SimpleRNNCell", LayerKind::rnn_cell},
                                                                    {"StackedRNNCells", LayerKind::stacked_cells},
                                                                    {"RNN", LayerKind::stacked_cells}};
        const auto* const known = find_by(kinds, &std::pair<std::string_view, LayerKind>::first, name);
        return known ? known->second : LayerKind::conv_lstm;
    }

    void add_keras(const Call& call, const std::string& name, ModelLayer& layer) const {
        layer.settings["framework"] = "keras";
        layer.settings["class"] = name;
        layer.kind = keras_kind(name);
        layer.hidden = size_argument(call, layer.kind == LayerKind::conv_lstm ? "filters" : "units", 0);
        for (const Call& outer : calls_)
            if (last_of(outer.path) == "Bidirectional" && outer.open < call.at && call.at < outer.close)
                layer.directions = 2;
        set_defaults(layer, contains(call.path, "compat.v1.") && !name.starts_with("CuDNN"));
        if (!name.starts_with("CuDNN")) read_keras_arguments(call, layer);
        add_surroundings(call, name, layer);
    }

    static void set_defaults(ModelLayer& layer, bool v1) {
        const std::pair<const char*, const char*> defaults[] = {
            {"activation", "tanh"}, {"recurrent_activation", v1 ? "hard_sigmoid" : "sigmoid"},
            {"use_bias", "True"},   {"recurrent_dropout", "0"},
            {"unroll", "False"},    {"dropout", "0"},
            {"use_cudnn", "auto"},  {"reset_after", v1 ? "False" : "True"}};
        for (const auto& [setting, value] : defaults) layer.settings[setting] = value;
    }

    /// What the program around a Keras layer decides.
    void add_surroundings(const Call& call, const std::string& name, ModelLayer& layer) const {
        const std::string mask = name.starts_with("CuDNN") ? "" : mask_before(call);
        set(layer, "mask",
            mask.empty()            ? std::optional<std::string>("none")
            : mask.starts_with("?") ? std::nullopt
                                    : std::optional(mask),
            mask);
        if (!jit_variable_.empty())
            layer.settings["at run time: jit_compile"] = jit_variable_;
        else if (!jit_.empty())
            layer.settings["jit_compile"] = jit_;
        if (xla_) layer.settings["xla"] = "True";
        if (!eager_) layer.settings["eager"] = "False";
        layer.dtype = policy_.empty() ? "float32" : policy_.starts_with("mixed_") ? policy_.substr(6) : policy_;
        if (const Argument* const type = find(call, "dtype", 99))
            layer.dtype = literal(type->first, type->last).value_or(*layer.dtype);
        if (backend_.starts_with("?"))
            layer.settings["at run time: backend"] = backend_.substr(1);
        else if (!backend_.empty())
            layer.settings["backend"] = backend_;
        if (legacy_ || call.path.starts_with("tf_keras.")) layer.settings["legacy"] = "True";
    }

    static void set(ModelLayer& layer, const std::string& setting, const std::optional<std::string>& value,
                    const std::string& written) {
        layer.settings.erase(setting);
        if (value)
            layer.settings[setting] = *value;
        else
            layer.settings["at run time: " + setting] = written;
    }

    void read_keras_arguments(const Call& call, ModelLayer& layer) const {
        std::vector<std::pair<const Argument*, const char*>> wrong;
        for (const auto& [setting, needed, position] : keras_arguments) {
            const Argument* const given = find(call, setting, position);
            if (!given) continue;
            auto value = literal(given->first, given->last);
            if (value == "None") value = std::string(setting) == "use_cudnn" ? "None" : "linear";
            set(layer, setting, value, source(given->first, given->last));
            std::string plain = needed;
            std::erase(plain, '"');
            const bool of_gru = std::string(setting) == "reset_after" && layer.kind != LayerKind::gru;
            if (value && !plain.empty() && *value != plain && !of_gru && !(plain == "auto" && *value == "True"))
                wrong.emplace_back(given, needed);
        }
        for (const Argument& spread : call.arguments)
            if (spread.name == "**" || spread.name == "*")
                for (const char* const setting :
                     {"activation", "recurrent_activation", "recurrent_dropout", "unroll", "use_bias"})
                    if (!find(call, setting, 99))
                        set(layer, setting, std::nullopt, spread.name + source(spread.first, spread.last));
        if (!wrong.empty()) layer.settings["changed line"] = changed_line(call, std::move(wrong));
    }

    /// The call with the arguments that cuDNN needs.
    std::string changed_line(const Call& call, std::vector<std::pair<const Argument*, const char*>> wrong) const {
        std::ranges::sort(wrong, {}, [](const auto& one) { return one.first->first; });
        std::string line;
        std::size_t at = tokens_[call.at].at;
        for (const auto& [argument, needed] : wrong) {
            line += text_.substr(at, tokens_[argument->first].at - at);
            line += needed;
            at = tokens_[argument->last - 1].end;
        }
        line += text_.substr(at, tokens_[call.close].end - at);
        std::ranges::replace(line, '\n', ' ');
        return line;
    }

    void add_other(const Call& call, const std::string& name, ModelLayer& layer) const {
        layer.kind = contains(name, "LSTM")  ? LayerKind::lstm_cell
                     : contains(name, "GRU") ? LayerKind::gru_cell
                                             : LayerKind::rnn_cell;
        layer.settings["framework"] = is_jax(call.path) ? "jax" : "tensorflow";
        layer.settings["class"] = is_jax(call.path) ? call.path : name;
        if (!is_jax(call.path)) {
            layer.settings["computed"] = "in a loop";
            layer.settings.erase("class");
        }
    }

    /// Classes that are named without being called: in a table, as an argument, chosen by a condition.
    void add_references() {
        std::set<std::size_t> called;
        for (const Call& call : calls_) called.insert(call.at);
        for (std::size_t i = 0; i < tokens_.size() && file_.layers.size() < most_layers; ++i) {
            if (!is_name(i) || (i > 0 && is(i - 1, ".")) || called.contains(i)) continue;
            std::size_t end = i;
            const std::string written = dotted(end), path = followed(written);
            const bool chosen = path.ends_with("getattr");
            if (chosen || !is_recurrent(path) || is_jax(path) || is_declaration(i, end)) continue;
            ModelLayer layer;
            layer.name = place_(tokens_[i].line);
            layer.kind = is_torch(path) ? torch_kind(last_of(path)) : keras_kind(last_of(path));
            set_chosen(layer, is_torch(path), written);
            file_.layers.push_back(std::move(layer));
        }
        for (const Call& call : calls_) {
            if (call.path != "getattr" || call.arguments.size() < 2 || file_.layers.size() >= most_layers) continue;
            const std::string of = followed(source(call.arguments[0].first, call.arguments[0].last));
            const std::string what = source(call.arguments[1].first, call.arguments[1].last);
            static const re2::RE2 cells("(?i).*(?:rnn|cell|lstm|gru).*");
            if ((of != "torch.nn" && !of.ends_with("keras.layers")) || !re2::RE2::FullMatch(what, cells)) continue;
            ModelLayer layer;
            layer.name = place_(tokens_[call.at].line);
            layer.kind = LayerKind::lstm;
            set_chosen(layer, of == "torch.nn", what);
            file_.layers.push_back(std::move(layer));
        }
    }

    static void set_chosen(ModelLayer& layer, bool torch, const std::string& what) {
        layer.settings["framework"] = torch ? "pytorch" : "keras";
        layer.settings["chosen"] = what;
        layer.dtype = "float32";
        if (torch) return;
        layer.settings["class"] = "LSTM";
        layer.settings["mask"] = "none";
        set_defaults(layer, false);
    }

    /// In an import, an annotation, a list of base classes or isinstance(): no layer is built there.
    bool is_declaration(std::size_t first, std::size_t last) const {
        std::size_t start = first;
        while (start > 0 && tokens_[start - 1].kind != TokenKind::line_end) --start;
        if (is(start, "import") || is(start, "from") || is(start, "class") || is(start, "assert")) return true;
        if (first > 0 && (is(first - 1, "->") || is(first - 1, "is"))) return true;
        if (first > 0 && is(first - 1, ":") &&
            (is(last, "=") || is(last, ",") || is(last, ")") || last >= tokens_.size() ||
             tokens_[last].kind == TokenKind::line_end))
            return !in_braces(first);
        for (const Call& call : calls_) {
            const std::string name = last_of(call.path);
            const bool checks =
                name == "isinstance" || name == "issubclass" || name == "quantize_dynamic" || name == "type";
            if (checks && call.open < first && first < call.close) return true;
        }
        // LSTM = tf.keras.layers.LSTM is followed as an alias.
        return last < tokens_.size() && tokens_[last].kind == TokenKind::line_end && first >= 2 && is(first - 1, "=") &&
               look_up(names_, std::string(tokens_[first - 2].text)) != nullptr;
    }

    bool in_braces(std::size_t at) const {
        for (std::size_t i = at; i-- > 0 && tokens_[i].kind != TokenKind::line_end;) {
            if (is(i, "{") && matching_[i] > at) return true;
        }
        return false;
    }

    /// Without a layer here the program may take its model from elsewhere.
    void note_elsewhere() {
        if (!file_.layers.empty()) return;
        constexpr std::string_view loaders[] = {"load_model",
                                                "from_pretrained",
                                                "model_from_json",
                                                "model_from_config",
                                                "torch.load",
                                                "torch.hub.load",
                                                "torch.jit.load",
                                                "load_from_checkpoint",
                                                "saved_model.load",
                                                "import_module",
                                                "exec",
                                                "eval",
                                                "InferenceSession"};
        for (const Call& call : calls_)
            for (const std::string_view loader : loaders)
                if (call.path == loader || call.path.ends_with("." + std::string(loader)))
                    return add_once(file_.unclear, place_(tokens_[call.at].line) + ": the model is loaded (" +
                                                       source(call.at, call.open) + "); give the file that is loaded");
        if (!local_.empty())
            return add_once(file_.unclear,
                            place_(tokens_[local_.front()].line) +
                                ": the program imports files of its own; give the file that builds the model");
        static const re2::RE2 own("(?i)models?|nets?|networks?|layers|modules?|architectures?|lstm.*|.*_lstm|.*_model");
        for (const std::string& package : imports_)
            if (re2::RE2::FullMatch(package, own))
                return add_once(file_.unclear, "the program imports '" + package +
                                                   "', which is not here; give the file that builds the model");
    }

    std::string_view text_;
    ModelFile& file_;
    std::function<std::string(std::size_t)> place_;
    std::vector<Token> tokens_;
    std::vector<std::size_t> matching_;
    std::vector<Call> calls_;
    std::map<std::string, std::string> names_;
    std::map<std::string, std::size_t> bindings_, values_;
    std::set<std::string> classes_, imports_;
    std::vector<std::string> stars_;
    std::vector<std::size_t> local_;
    std::string jit_, jit_variable_, policy_, backend_, torch_dtype_, device_variable_, cudnn_variable_;
    bool xla_ = false, eager_ = true, quantized_ = false, trains_ = false, other_trainer_ = false, on_gpu_ = false,
         on_cpu_ = false, hidden_ = false, legacy_ = false, cudnn_off_ = false;
};

void note_versions(ModelFile& file) {
    if (!file.layers.empty())
        file.notes.emplace_back(
            "read as text, nothing was executed; judged for the newest versions of the frameworks unless --given names "
            "others");
}

}  // namespace

void read_python(std::string_view text, ModelFile& into) {
    constexpr std::size_t longest_program = 16 << 20;
    if (text.size() > longest_program) throw InputError("the program is larger than 16 MiB");
    into.format = "python";
    into.framework = "python";
    Program(text, into, [](std::size_t line) { return concat("line ", line); }).read();
    note_versions(into);
}

void read_notebook(const Json& notebook, ModelFile& into) {
    constexpr std::size_t longest = 16 << 20;
    into.format = "notebook";
    into.framework = "python";
    std::string program;
    std::vector<std::size_t> begins;  // of each cell its first line
    std::size_t line = 1;
    const auto add_line = [&](std::string_view text) {
        const std::string start(trim(text.substr(0, 64)));
        if (!start.starts_with("%") && !start.starts_with("!")) program += text;
        program += '\n';
        ++line;
    };
    for (const Json& cell : member(notebook, "cells")) {
        begins.push_back(line);
        if (text_member(cell, "cell_type") != "code") continue;
        std::string source;
        const Json& written = member(cell, "source");
        if (written.is_string()) source = written.get<std::string>();
        for (const Json& part : written)
            if (written.is_array() && part.is_string()) source += part.get<std::string>();
        if (program.size() + source.size() > longest)
            throw InputError("the code of the notebook is larger than 16 MiB");
        for (const std::string& one : split(source, '\n')) add_line(one);
    }
    Program(program, into, [&](std::size_t at) {
        const auto next = std::ranges::upper_bound(begins, at);
        const auto number = static_cast<std::size_t>(next - begins.begin());
        return concat("cell ", number, ", line ", at - (number > 0 ? begins[number - 1] : 0) + 1);
    }).read();
    note_versions(into);
}

}  // namespace rnncheck::model
