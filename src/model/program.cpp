// A Python program or a notebook: the recurrent layers that it builds, with the arguments that are
// written there. Nothing is executed or imported: a reader of tokens that follows names through
// imports and simple assignments.
#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/keras_masks.hpp"
#include "model/readers.hpp"
#include "model/whole_program.hpp"

namespace rnncheck::model {

namespace {

struct Argument_names {
    const char* setting;
    const char* needed;
    int position;  ///< in LSTM(units, activation, ...)
};
/// What decides of a Keras layer, what it must be, and where it may be without a name.
constexpr Argument_names keras_arguments[] = {
    {"activation", "\"tanh\"", 1}, {"recurrent_activation", "\"sigmoid\"", 2},
    {"use_bias", "True", 3},       {"recurrent_dropout", "0", -1},
    {"unroll", "False", -1},       {"reset_after", "True", -1},
    {"use_cudnn", "\"auto\"", -1}, {"dropout", "", -1}};

class Program : private WholeProgram {
  public:
    Program(std::string_view text, ModelFile& file, std::function<std::string(std::size_t)> place)
        : WholeProgram(text), file_(file), place_(std::move(place)), masks_(*this, place_) {
    }

    void read() {
        read_statements();
        for (const Call& call : calls_)
            if (is_recurrent(call.path))
                add(call);
        add_references();
        note_others();
        note_elsewhere();
    }

  private:
    static constexpr std::size_t most_layers = 5000;

    void add(const Call& call) {
        if (file_.layers.size() >= most_layers || is_inside_rnn(call))
            return;
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
        // A program that imports LSTM and defines it: which one is called is not followed.
        if (const auto* const own = look_up(definitions_, tokens_[call.at].text))
            layer.settings["chosen"] = *own;
        const std::string kept = hidden_.empty() ? device_around(call) : hidden_;
        if (!kept.empty())
            layer.settings["gpus"] = kept;
        file_.layers.push_back(std::move(layer));
    }

    /// A cell in keras.layers.RNN(...), which is what is listed.
    bool is_inside_rnn(const Call& call) const {
        if (!is_keras(call.path) || !contains(last_of(call.path), "Cell"))
            return false;
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
            {"LSTM", LayerKind::lstm},        {"GRU", LayerKind::gru},
            {"RNN", LayerKind::rnn_tanh},     {"LSTMCell", LayerKind::lstm_cell},
            {"GRUCell", LayerKind::gru_cell}, {"RNNCell", LayerKind::rnn_cell}};
        const auto* const known =
            find_by(kinds, &std::pair<std::string_view, LayerKind>::first, name);
        return known ? known->second : LayerKind::cell;
    }

    /// dtype=torch.float16, or a parameter whose value the program shows.
    void set_torch_type(const Call& call, ModelLayer& layer) const {
        layer.dtype = torch_dtype_.empty() ? "float32" : torch_dtype_;
        const Argument* type = find(call, "dtype", 99);
        if (!type)
            return;
        std::pair<std::size_t, std::size_t> written{type->first, type->last};
        const Function* const function = function_around(type->first);
        const std::string name = source(written.first, written.second);
        if (function && includes(function->parameters, name))
            if (const auto given = given_for(*function, name))
                written = *given;
        const std::string text = source(written.first, written.second);
        if (text == "None")
            return;
        layer.dtype = last_of(text);
        static const re2::RE2 known("float(?:16|32|64)?|half|double|bfloat16");
        if (re2::RE2::FullMatch(*layer.dtype, known))
            return;
        layer.settings["at run time: dtype"] = text;
        layer.dtype.reset();
    }

    void add_torch(const Call& call, const std::string& name, ModelLayer& layer) const {
        layer.settings["framework"] = "pytorch";
        layer.kind = torch_kind(name);
        layer.input = size_argument(call, "input_size", 0);
        layer.hidden = size_argument(call, "hidden_size", 1);
        layer.layers = std::max(size_argument(call, "num_layers", 2).value_or(1), 1);
        if (const Argument* const two = find(call, "bidirectional", 6))
            layer.directions =
                literal(two->first, two->last) == std::optional<std::string>("True") ? 2 : 1;
        set_torch_type(call, layer);
        if (layer.dtype == "half")
            layer.dtype = "float16";
        if (layer.dtype == "float" || layer.dtype == "double")
            layer.dtype = *layer.dtype == "float" ? "float32" : "float64";
        if (cudnn_off_)
            layer.settings["cudnn_enabled"] = "False";
        if (!cudnn_variable_.empty())
            layer.settings["at run time: cudnn_enabled"] = cudnn_variable_;
        else if (!cudnn_off_)
            layer.settings["cudnn_enabled"] = "True";
        layer.settings["device"] = "gpu";
        const bool own = find(call, "device", 99) != nullptr;
        if ((on_gpu_ || own) && !moved_back_.empty()) {
            layer.settings.erase("device");
            layer.settings["at run time: device"] = moved_back_;
        }
        if (on_gpu_ || own)
            return;
        if (!device_variable_.empty()) {
            layer.settings.erase("device");
            layer.settings["at run time: device"] = device_variable_;
        } else if (on_cpu_ || ((trains_ || runs_itself()) && !other_trainer_)) {
            layer.settings["device"] = "cpu";
        }
        if (quantized_)
            layer.settings["quantized_copy"] = "dynamic";
    }

    static LayerKind keras_kind(const std::string& name) {
        constexpr std::pair<std::string_view, LayerKind> kinds[] = {
            {"LSTM", LayerKind::lstm},
            {"CuDNNLSTM", LayerKind::lstm},
            {"GRU", LayerKind::gru},
            {"CuDNNGRU", LayerKind::gru},
            {"SimpleRNN", LayerKind::rnn_tanh},
            {"LSTMCell", LayerKind::lstm_cell},
            {"GRUCell", LayerKind::gru_cell},
            {"SimpleRNNCell", LayerKind::rnn_cell},
            {"StackedRNNCells", LayerKind::stacked_cells},
            {"RNN", LayerKind::stacked_cells}};
        const auto* const known =
            find_by(kinds, &std::pair<std::string_view, LayerKind>::first, name);
        return known ? known->second : LayerKind::conv_lstm;
    }

    void add_keras(const Call& call, const std::string& name, ModelLayer& layer) const {
        layer.settings["framework"] = "keras";
        layer.settings["class"] = name;
        layer.kind = keras_kind(name);
        layer.hidden =
            size_argument(call, layer.kind == LayerKind::conv_lstm ? "filters" : "units", 0);
        for (const Call& outer : calls_)
            if (last_of(outer.path) == "Bidirectional" && outer.open < call.at &&
                call.at < outer.close)
                layer.directions = 2;
        set_defaults(layer, contains(call.path, "compat.v1.") && !name.starts_with("CuDNN"));
        if (!name.starts_with("CuDNN"))
            read_keras_arguments(call, layer);
        if (!name.starts_with("CuDNN"))
            note_changes(call, layer);
        add_surroundings(call, name, layer);
    }

    static void set_defaults(ModelLayer& layer, bool v1) {
        const std::pair<const char*, const char*> defaults[] = {
            {"activation", "tanh"}, {"recurrent_activation", v1 ? "hard_sigmoid" : "sigmoid"},
            {"use_bias", "True"},   {"recurrent_dropout", "0"},
            {"unroll", "False"},    {"dropout", "0"},
            {"use_cudnn", "auto"},  {"reset_after", v1 ? "False" : "True"}};
        for (const auto& [setting, value] : defaults)
            layer.settings[setting] = value;
    }

    /// What the program around a Keras layer decides.
    void add_surroundings(const Call& call, const std::string& name, ModelLayer& layer) const {
        const std::string mask = name.starts_with("CuDNN") ? "" : masks_.before(call);
        set(layer, "mask",
            mask.empty()            ? std::optional<std::string>("none")
            : mask.starts_with("?") ? std::nullopt
                                    : std::optional(mask),
            mask);
        if (!jit_variable_.empty())
            layer.settings["at run time: jit_compile"] = jit_variable_;
        else if (!jit_.empty())
            layer.settings["jit_compile"] = jit_;
        if (xla_)
            layer.settings["xla"] = "True";
        if (!eager_)
            layer.settings["eager"] = "False";
        layer.dtype = policy_.empty()                 ? "float32"
                      : policy_.starts_with("mixed_") ? policy_.substr(6)
                                                      : policy_;
        if (const Argument* const type = find(call, "dtype", 99))
            layer.dtype = literal(type->first, type->last).value_or(*layer.dtype);
        if (backend_.starts_with("?"))
            layer.settings["at run time: backend"] = backend_.substr(1);
        else if (!backend_.empty())
            layer.settings["backend"] = backend_;
        if (legacy_ || call.path.starts_with("tf_keras."))
            layer.settings["legacy"] = "True";
    }

    static void set(ModelLayer& layer, const std::string& setting,
                    const std::optional<std::string>& value, const std::string& written) {
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
            if (!given)
                continue;
            auto value = literal(given->first, given->last);
            if (value == "None")
                value = std::string(setting) == "use_cudnn" ? "None" : "linear";
            set(layer, setting, value, source(given->first, given->last));
            std::string plain = needed;
            std::erase(plain, '"');
            const bool of_gru =
                std::string(setting) == "reset_after" && layer.kind != LayerKind::gru;
            if (!value || plain.empty() || *value == plain || of_gru ||
                (plain == "auto" && *value == "True"))
                continue;
            wrong.emplace_back(given, needed);
            layer.corrected.emplace_back(setting);
        }
        for (const Argument& spread : call.arguments)
            if (spread.name == "**" || spread.name == "*")
                for (const char* const setting : {"activation", "recurrent_activation",
                                                  "recurrent_dropout", "unroll", "use_bias"})
                    if (!find(call, setting, 99))
                        set(layer, setting, std::nullopt,
                            spread.name + source(spread.first, spread.last));
        if (!wrong.empty())
            layer.settings["changed line"] = changed_line(call, std::move(wrong));
    }

    /// An attribute that is set after a layer was built: what it becomes is not followed.
    struct Change {
        std::string of;  ///< the name of the layer; "" of a layer of a model
        std::string setting, text;
    };

    /// layer.activation = ..., model.layers[0].activation = ..., and the functions and classes of
    /// the program.
    void read_statements() {
        for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
            if (i > 0 && tokens_[i - 1].kind != TokenKind::line_end)
                continue;
            if ((is(i, "def") || is(i, "class")) && indentation(i) == 0)
                definitions_.emplace(tokens_[i + 1].text, source(i, i + 2));
            std::size_t end = i;
            std::string path = dotted(end);
            const bool of_model = last_of(path) == "layers" && is(end, "[") &&
                                  is(closing(end) + 1, ".") && is_name(closing(end) + 2);
            if (of_model)
                end = closing(end) + 3;
            const std::string setting =
                of_model ? std::string(tokens_[end - 1].text) : last_of(path);
            if (!is(end, "=") || !decides(setting))
                continue;
            path.resize(of_model || path == setting ? 0 : path.size() - setting.size() - 1);
            if (of_model || !path.empty())
                changes_.push_back({path, setting, source(i, end)});
        }
    }

    void note_changes(const Call& call, ModelLayer& layer) const {
        const std::string target = target_of(call);
        for (const Change& change : changes_)
            if (change.of.empty() || change.of == target)
                set(layer, change.setting, std::nullopt, change.text);
    }

    static bool decides(const std::string& setting) {
        return std::ranges::any_of(
            keras_arguments, [&](const Argument_names& one) { return setting == one.setting; });
    }

    /// The call with the arguments that cuDNN needs.
    std::string changed_line(const Call& call,
                             std::vector<std::pair<const Argument*, const char*>> wrong) const {
        std::ranges::sort(wrong, {}, [](const auto& one) { return one.first->first; });
        std::string line;
        std::size_t at = tokens_[call.at].at;
        for (const auto& [argument, needed] : wrong) {
            line += text_.substr(at, tokens_[argument->first].at - at);
            line += needed;
            at = tokens_[argument->last - 1].end;
        }
        line += text_.substr(at, tokens_[call.close].end - at);
        const auto trimmed = [](const std::string& part) { return std::string(trim(part)); };
        return join(mapped(split(line, '\n'), trimmed), " ");
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

    /// Classes that are named without being called: in a table, as an argument, chosen by a
    /// condition.
    void add_references() {
        std::set<std::size_t> called;
        for (const Call& call : calls_)
            called.insert(call.at);
        for (std::size_t i = 0; i < tokens_.size() && file_.layers.size() < most_layers; ++i) {
            if (!is_name(i) || (i > 0 && is(i - 1, ".")) || called.contains(i))
                continue;
            std::size_t end = i;
            const std::string written = dotted(end), path = followed(written);
            const bool chosen = path.ends_with("getattr");
            if (chosen || !is_recurrent(path) || is_jax(path) || is_declaration(i, end))
                continue;
            ModelLayer layer;
            layer.name = place_(tokens_[i].line);
            layer.kind = is_torch(path) ? torch_kind(last_of(path)) : keras_kind(last_of(path));
            set_chosen(layer, is_torch(path), written);
            file_.layers.push_back(std::move(layer));
        }
        for (const Call& call : calls_) {
            if (call.path != "getattr" || call.arguments.size() < 2 ||
                file_.layers.size() >= most_layers)
                continue;
            const std::string of =
                followed(source(call.arguments[0].first, call.arguments[0].last));
            const std::string what = source(call.arguments[1].first, call.arguments[1].last);
            static const re2::RE2 cells("(?i).*(?:rnn|cell|lstm|gru).*");
            if ((of != "torch.nn" && !of.ends_with("keras.layers")) ||
                !re2::RE2::FullMatch(what, cells))
                continue;
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
        if (torch)
            return;
        layer.settings["class"] = "LSTM";
        layer.settings["mask"] = "none";
        set_defaults(layer, false);
    }

    /// In an import, an annotation, a list of base classes or isinstance(): no layer is built
    /// there.
    bool is_declaration(std::size_t first, std::size_t last) const {
        std::size_t start = first;
        while (start > 0 && tokens_[start - 1].kind != TokenKind::line_end)
            --start;
        if (is(start, "def") && first == start + 1)
            return true;
        if (is(start, "import") || is(start, "from") || is(start, "class") || is(start, "assert"))
            return true;
        if (first > 0 && (is(first - 1, "->") || is(first - 1, "is")))
            return true;
        if (first > 0 && is(first - 1, ":") &&
            (is(last, "=") || is(last, ",") || is(last, ")") || last >= tokens_.size() ||
             tokens_[last].kind == TokenKind::line_end))
            return !in_braces(first);
        for (const Call& call : calls_) {
            const std::string name = last_of(call.path);
            const bool checks = name == "isinstance" || name == "issubclass" ||
                                name == "quantize_dynamic" || name == "type";
            if (checks && call.open < first && first < call.close)
                return true;
        }
        // LSTM = tf.keras.layers.LSTM is followed as an alias.
        return last < tokens_.size() && tokens_[last].kind == TokenKind::line_end && first >= 2 &&
               is(first - 1, "=") &&
               look_up(names_, std::string(tokens_[first - 2].text)) != nullptr;
    }

    bool in_braces(std::size_t at) const {
        for (std::size_t i = at; i-- > 0 && tokens_[i].kind != TokenKind::line_end;) {
            if (is(i, "{") && matching_[i] > at)
                return true;
        }
        return false;
    }

    /// Classes that are derived from recurrent layers, and those of other files and libraries: what
    /// they compute is not in the program.
    void note_others() {
        for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
            if (!is(i, "class") || statement_of(i) != i || !is(i + 2, "("))
                continue;
            for (std::size_t base = i + 3; base < closing(i + 2); ++base) {
                std::size_t end = base;
                const std::string path = followed(dotted(end));
                if (is_recurrent(path))
                    return add_once(file_.unclear, place_(tokens_[i].line) + ": the class " +
                                                       std::string(tokens_[i + 1].text) +
                                                       " is derived from " + path +
                                                       ": what it computes is not followed");
                base = std::max(base, end);
            }
        }
        static const re2::RE2 recurrent(
            "[A-Z][A-Za-z0-9]*?(?:LSTM|GRU|RNN)[A-Za-z0-9]*|(?:LSTM|GRU|RNN)[A-Za-z0-9]*");
        static const re2::RE2 others("RNNT.*|.*RNNT?Loss|.*RCNN.*");
        for (const Call& call : calls_) {
            const std::string name = last_of(call.path);
            const bool other = contains(call.path, ".") && !is_recurrent(call.path) &&
                               !call.path.starts_with("self.");
            if (other && re2::RE2::FullMatch(name, recurrent) && !re2::RE2::FullMatch(name, others))
                return add_once(file_.unclear, place_(tokens_[call.at].line) + ": " + call.path +
                                                   " is not here; give the file that builds it");
        }
    }

    /// Without a layer here the program may take its model from elsewhere.
    void note_elsewhere() {
        if (!file_.layers.empty())
            return;
        constexpr std::string_view loaders[] = {"load_model",
                                                "from_pretrained",
                                                "model_from_json",
                                                "model_from_config",
                                                "layers.deserialize",
                                                "from_config",
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
                    return add_once(file_.unclear, place_(tokens_[call.at].line) +
                                                       ": the model is loaded (" +
                                                       source(call.at, call.open) +
                                                       "); give the file that is loaded");
        if (!local_.empty())
            return add_once(
                file_.unclear,
                place_(tokens_[local_.front()].line) +
                    ": the program imports files of its own; give the file that builds the model");
        static const re2::RE2 own(
            "(?i)models?|nets?|networks?|layers|modules?|architectures?|lstm.*|.*_lstm|.*_model");
        for (const std::string& package : imports_)
            if (re2::RE2::FullMatch(package, own))
                return add_once(file_.unclear,
                                "the program imports '" + package +
                                    "', which is not here; give the file that builds the model");
    }

    ModelFile& file_;
    std::function<std::string(std::size_t)> place_;
    KerasMasks masks_;
    std::vector<Change> changes_;
    std::map<std::string_view, std::string> definitions_;  ///< "def LSTM", by the name
};

void note_versions(ModelFile& file) {
    if (!file.layers.empty())
        file.notes.emplace_back(
            "read as text, nothing was executed; judged for the newest versions of the frameworks "
            "unless --given names "
            "others");
}

}  // namespace

void read_python(std::string_view text, ModelFile& into) {
    constexpr std::size_t longest_program = 16 << 20;
    if (text.size() > longest_program)
        throw InputError("the program is larger than 16 MiB");
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
        if (!start.starts_with("%") && !start.starts_with("!"))
            program += text;
        program += '\n';
        ++line;
    };
    for (const Json& cell : member(notebook, "cells")) {
        begins.push_back(line);
        if (text_member(cell, "cell_type") != "code")
            continue;
        std::string source;
        const Json& written = member(cell, "source");
        if (written.is_string())
            source = written.get<std::string>();
        for (const Json& part : written)
            if (written.is_array() && part.is_string())
                source += part.get<std::string>();
        if (program.size() + source.size() > longest)
            throw InputError("the code of the notebook is larger than 16 MiB");
        for (const std::string& one : split(source, '\n'))
            add_line(one);
    }
    Program(program, into, [&](std::size_t at) {
        const auto next = std::ranges::upper_bound(begins, at);
        const auto number = static_cast<std::size_t>(next - begins.begin());
        return concat("cell ", number, ", line ", at - (number > 0 ? begins[number - 1] : 0) + 1);
    }).read();
    note_versions(into);
}

}  // namespace rnncheck::model
