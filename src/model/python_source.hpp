// A Python program as text: its tokens, its calls, and what its names are
// bound to. Nothing is executed. Programs of any quality are read, so what is not
// understood is passed over; read by program.cpp.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rnncheck::model {

enum class TokenKind { name, number, text, sign, line_end };

/// A token, as a view of the program.
struct Token {
    TokenKind kind;
    /// of a `text` what is between its quotes
    std::string_view text;
    /// its place in the program, quotes included, and the one behind it
    std::size_t at, end;
    /// counted from 1
    std::size_t line;
    /// an f-string, whose value is computed
    bool formatted = false;
};

/// Python's tokens (reference, chapter 2); inside brackets lines do not
/// end. What is none is skipped.
std::vector<Token> python_tokens(std::string_view program);

/// An argument of a call: its tokens from `first` to before `last`.
struct Argument {
    /// "" of a positional one; "*" or "**" of one that is spread
    std::string name;
    std::size_t first = 0, last = 0;
};

/// A call that is written in the program, whatever it calls.
struct Call {
    /// "keras.layers.LSTM", its names followed through imports
    std::string path;
    /// the tokens of its name and brackets
    std::size_t at = 0, open = 0, close = 0;
    std::vector<Argument> arguments = {};
};

/// "LSTM" of "keras.layers.LSTM".
std::string last_of(const std::string& path);
/// Whose a path is: "keras.layers.LSTM", "torch.nn.LSTM", "flax.linen.LSTMCell".
bool is_keras(const std::string& path);
bool is_torch(const std::string& path);
bool is_jax(const std::string& path);
/// Whether a path names a recurrent layer of one of the frameworks.
bool is_recurrent(const std::string& path);

/// A function that the program defines.
struct Function {
    /// of __init__ that of its class
    std::string name;
    /// its tokens
    std::size_t first = 0, last = 0;
    /// without self
    std::vector<std::string> parameters = {};
    /// The tokens of the values that are used where a call gives none.
    std::map<std::string, std::pair<std::size_t, std::size_t>> defaults = {};
};

/// Places in it are numbers of tokens. What a name is bound to is taken from
/// imports and from assignments that occur once: no order of execution is followed.
class PythonSource {
  public:
    explicit PythonSource(std::string_view text);

    const std::vector<Token>& tokens() const {
        return tokens_;
    }
    const std::vector<Call>& calls() const {
        return calls_;
    }

    /// Whether the token is this name or sign, not a text with these letters.
    bool is(std::size_t at, std::string_view text) const {
        return at < tokens_.size() && tokens_[at].kind != TokenKind::text &&
               tokens_[at].text == text;
    }
    bool is_name(std::size_t at) const {
        return at < tokens_.size() && tokens_[at].kind == TokenKind::name;
    }
    bool ends_line(std::size_t at) const {
        return at >= tokens_.size() || tokens_[at].kind == TokenKind::line_end;
    }

    /// a.b.c from this token on; `at` is behind it then.
    std::string dotted(std::size_t& at) const;
    /// "torch.nn.LSTM" of "nn.LSTM" after "from torch import nn".
    std::string followed(std::string path) const;
    /// The text from a token to before another one, as it is written.
    std::string source(std::size_t first, std::size_t last) const;
    /// What is between two brackets, at its commas.
    std::vector<Argument> arguments_of(std::size_t open, std::size_t close) const;
    /// The bracket that ends the one at this token; 0 where none does.
    std::size_t closing(std::size_t open) const {
        if (open >= matching_.size())
            return 0;
        return matching_[open];
    }
    /// The argument of a call by its name or place, also of a
    /// dictionary that is spread into it.
    const Argument* find(const Call& call, std::string_view name, int position) const;

    /// The value that is written there, as Keras stores it: "tanh", "True",
    /// "0"; nothing where it is computed.
    std::optional<std::string> literal(std::size_t first, std::size_t last, int depth = 0) const;

    /// The first token of the statement, and how far its line is indented.
    std::size_t statement_of(std::size_t at) const;
    std::size_t indentation(std::size_t at) const;
    /// The name that the result of a call is assigned to, net or self.lstm; ""
    /// where it is part of an expression.
    std::string target_of(const Call& call) const;
    /// The function around a token; null at the program's own level.
    const Function* function_around(std::size_t at) const;
    /// What is in a dictionary that is bound once: dict(a=1), {"a": 1}; nothing where the
    /// program changes it.
    std::optional<std::vector<Argument>> entries_of(const std::string& name) const;
    /// What every call of the function that the program has gives for a
    /// parameter, where that is one expression; its default where none gives it.
    std::optional<std::pair<std::size_t, std::size_t>> given_for(
        const Function& function, const std::string& parameter) const;

  protected:
    /// Names, calls, functions and dictionaries, in the order in which they need each other.
    void read_names();
    void read_import(std::size_t at);
    void read_from(std::size_t at);
    void read_alias(std::size_t at);
    void count_bindings();
    void count_parameters(std::size_t at);
    void read_calls();
    void read_functions();
    void add_function(std::size_t at, const std::string& class_name);
    void spread_dictionaries();
    /// One argument by its tokens.
    Argument argument(std::size_t first, std::size_t last) const;
    /// The value of a name: of a parameter what its calls give, else what it is
    /// bound to once.
    std::optional<std::string> literal_of_name(
        std::size_t first, const std::string& path, int depth) const;
    std::optional<std::string> chosen_literal(std::size_t first, std::size_t last, int depth) const;

    std::string_view text_;
    std::vector<Token> tokens_;
    std::vector<std::size_t> matching_;
    std::vector<Call> calls_;
    std::vector<Function> functions_;
    /// what a name is called in full, by imports and aliases
    std::map<std::string, std::string> names_;
    /// how often each name is bound; the token behind the "=" of its last assignment
    std::map<std::string, std::size_t> bindings_, values_;
    /// classes that the program defines; packages that it imports
    std::set<std::string> classes_, imports_;
    /// packages of "from PACKAGE import *"
    std::vector<std::string> stars_;
    /// Imports of files beside the program: from .layers import LSTM.
    std::vector<std::size_t> local_;
};

}  // namespace rnncheck::model
