// A Python program or a notebook: the recurrent layers that it builds. PyTorch's
// are read in program_torch.cpp, Keras' in program_keras.cpp.
#include "model/program.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::model {

void ProgramLayers::read() {
    read_statements();
    for (const Call& call : calls_)
        if (is_recurrent(call.path))
            add(call);
    add_references();
    note_others();
    note_elsewhere();
}

void ProgramLayers::add(const Call& call) {
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
    // Of the whole program, else of this call.
    std::string kept = hidden_;
    if (kept.empty())
        kept = device_around(call);
    if (!kept.empty())
        layer.settings["gpus"] = kept;
    file_.layers.push_back(std::move(layer));
}

bool ProgramLayers::is_inside_rnn(const Call& call) const {
    if (!is_keras(call.path) || !contains(last_of(call.path), "Cell"))
        return false;
    return std::ranges::any_of(calls_, [&](const Call& outer) {
        return is_keras(outer.path) && last_of(outer.path) == "RNN" && outer.open < call.at &&
               call.at < outer.close;
    });
}

/// A size that is written as a number, or a name that is bound to one;
/// nothing where it is computed.
std::optional<int> ProgramLayers::size_argument(
    const Call& call, const char* name, int position) const {
    const Argument* const size = find(call, name, position);
    if (!size)
        return std::nullopt;
    const auto value = literal(size->first, size->last);
    if (!value)
        return std::nullopt;
    return number_from(*value);
}

/// Libraries that have no cuDNN layer of their own: JAX' classes are named in full
/// for the rules, TensorFlow 1's nn.rnn_cell is computed by nn.dynamic_rnn's loop.
void ProgramLayers::add_other(const Call& call, const std::string& name, ModelLayer& layer) const {
    layer.kind = LayerKind::rnn_cell;
    if (contains(name, "LSTM"))
        layer.kind = LayerKind::lstm_cell;
    else if (contains(name, "GRU"))
        layer.kind = LayerKind::gru_cell;
    if (is_jax(call.path)) {
        layer.settings["framework"] = "jax";
        layer.settings["class"] = call.path;
    } else {
        layer.settings["framework"] = "tensorflow";
        layer.settings["computed"] = "in a loop";
        layer.settings.erase("class");
    }
}

/// With a class that is chosen at run time neither its arguments nor its kind
/// are known: it is listed with what decides.
void ProgramLayers::add_references() {
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
    // getattr(nn, kind), where the name of the class is a value of the program.
    for (const Call& call : calls_) {
        if (call.path != "getattr" || call.arguments.size() < 2 ||
            file_.layers.size() >= most_layers)
            continue;
        const std::string of = followed(source(call.arguments[0].first, call.arguments[0].last));
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

/// A layer of which only the framework is known: what Keras needs for cuDNN is set to
/// its defaults, so that the judgment is about the choice alone.
void ProgramLayers::set_chosen(ModelLayer& layer, bool torch, const std::string& what) {
    layer.settings["framework"] = "keras";
    if (torch)
        layer.settings["framework"] = "pytorch";
    layer.settings["chosen"] = what;
    layer.dtype = "float32";
    if (torch)
        return;
    layer.settings["class"] = "LSTM";
    layer.settings["mask"] = "none";
    set_defaults(layer, false);
}

bool ProgramLayers::is_declaration(std::size_t first, std::size_t last) const {
    std::size_t start = first;
    while (start > 0 && tokens_[start - 1].kind != TokenKind::line_end)
        --start;
    if (is(start, "def") && first == start + 1)
        return true;
    if (is(start, "import") || is(start, "from") || is(start, "class") || is(start, "assert"))
        return true;
    if (first > 0 && (is(first - 1, "->") || is(first - 1, "is")))
        return true;
    // An annotation: lstm: nn.LSTM = None, def f(cell: nn.LSTM). In braces it
    // is an entry of a dictionary of classes.
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
           is(first - 1, "=") && look_up(names_, std::string(tokens_[first - 2].text)) != nullptr;
}

/// Inside brackets lines do not end: an open brace before the place is on the
/// same line, and contains the place if its end is behind it.
bool ProgramLayers::in_braces(std::size_t at) const {
    for (std::size_t i = at; i-- > 0 && tokens_[i].kind != TokenKind::line_end;) {
        if (is(i, "{") && matching_[i] > at)
            return true;
    }
    return false;
}

/// The first of them is enough.
void ProgramLayers::note_others() {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
        if (!is(i, "class") || statement_of(i) != i || !is(i + 2, "("))
            continue;
        for (std::size_t base = i + 3; base < closing(i + 2); ++base) {
            std::size_t end = base;
            const std::string path = followed(dotted(end));
            if (is_recurrent(path))
                return add_once(
                    file_.unclear,
                    place_(tokens_[i].line) + ": the class " + std::string(tokens_[i + 1].text) +
                        " is derived from " + path + ": what it computes is not followed");
            base = std::max(base, end);
        }
    }
    // RNNT is a loss (warp-rnnt) and RCNN a detector.
    static const re2::RE2 recurrent(
        "[A-Z][A-Za-z0-9]*?(?:LSTM|GRU|RNN)[A-Za-z0-9]*|(?:LSTM|GRU|RNN)[A-Za-z0-9]*");
    static const re2::RE2 others("RNNT.*|.*RNNT?Loss|.*RCNN.*");
    for (const Call& call : calls_) {
        const std::string name = last_of(call.path);
        const bool other =
            contains(call.path, ".") && !is_recurrent(call.path) && !call.path.starts_with("self.");
        if (other && re2::RE2::FullMatch(name, recurrent) && !re2::RE2::FullMatch(name, others))
            return add_once(
                file_.unclear,
                place_(tokens_[call.at].line) + ": " + call.path +
                    " is not here; give the file that builds it");
    }
}

/// From the most to the least certain: a call that loads a model, an import of
/// a file beside the program, a package whose name is that of a model.
void ProgramLayers::note_elsewhere() {
    if (!file_.layers.empty())
        return;
    constexpr std::string_view loaders[] = {
        "load_model",
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
                return add_once(
                    file_.unclear,
                    place_(tokens_[call.at].line) + ": the model is loaded (" +
                        source(call.at, call.open) + "); give the file that is loaded");
    if (!local_.empty())
        return add_once(
            file_.unclear,
            place_(tokens_[local_.front()].line) +
                ": the program imports files of its own; give the file that builds the model");
    static const re2::RE2 own(
        "(?i)models?|nets?|networks?|layers|modules?|architectures?|lstm.*|.*_lstm|.*_model");
    for (const std::string& package : imports_)
        if (re2::RE2::FullMatch(package, own))
            return add_once(
                file_.unclear,
                "the program imports '" + package +
                    "', which is not here; give the file that builds the model");
}

namespace {

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
    ProgramLayers(text, into, [](std::size_t line) { return concat("line ", line); }).read();
    note_versions(into);
}

void read_notebook(const Json& notebook, ModelFile& into) {
    constexpr std::size_t longest = 16 << 20;
    into.format = "notebook";
    into.framework = "python";
    std::string program;
    std::vector<std::size_t> begins;  // of each cell its first line
    std::size_t line = 1;
    // Lines of IPython, %matplotlib and !pip, are not Python; they remain as
    // empty lines, so that places count as in the notebook.
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
        // nbformat keeps the source as a list of lines, or as one text.
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
    ProgramLayers(program, into, [&](std::size_t at) {
        const auto next = std::ranges::upper_bound(begins, at);
        const auto number = static_cast<std::size_t>(next - begins.begin());
        std::size_t begin = 0;
        if (number > 0)
            begin = begins[number - 1];
        return concat("cell ", number, ", line ", at - begin + 1);
    }).read();
    note_versions(into);
}

}  // namespace rnncheck::model
