// The code of a TorchScript archive: calls of recurrent layers and cells that no
// module shows, as in a frozen model, and cells written out in elementary operators.
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/readers.hpp"
#include "model/tensor.hpp"

namespace rnncheck::model {

namespace {

using re2::RE2;

constexpr std::size_t most_layers = 1000;

/// torch.lstm(input, hx, weights, bias, layers, dropout, train, both
/// directions, batch first); of packed sequences without the last
/// (aten/src/ATen/native/native_functions.yaml).
struct LayerCall {
    std::string kind, weights;
    int layers = 1;
    bool both = false;
};

class ScriptCode {
  public:
    ScriptCode(std::string_view code, const std::vector<Tensor>& constants, ModelFile& file)
        : code_(code), constants_(constants), file_(file) {
    }

    void read() {
        add_layers();
        add_cells();
    }

    /// A function with the operators of a cell, in a loop or step by step.
    void add_written_out() {
        for (std::size_t at = code_.find("\n  def "); at != std::string_view::npos;) {
            const std::size_t next = code_.find("\n  def ", at + 1);
            std::string_view function = code_.substr(at);
            if (next != std::string_view::npos)
                function = code_.substr(at, next - at);
            add_written_out(function);
            at = next;
        }
    }

  private:
    static std::size_t count(std::string_view text, std::string_view word) {
        std::size_t found = 0;
        for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
            ++found;
        return found;
    }

    /// The constants that a text names: CONSTANTS.c3, or those of a list with this name.
    std::vector<const Tensor*> constants_in(std::string_view text, int depth = 0) const {
        static const RE2 constant("CONSTANTS\\.c([0-9]+)", RE2::Latin1);
        std::vector<const Tensor*> found;
        re2::StringPiece rest(text.data(), text.size());
        for (std::string number; RE2::FindAndConsume(&rest, constant, &number);)
            if (const auto index = number_from<std::size_t>(number);
                index && *index < constants_.size())
                found.push_back(&constants_[*index]);
        if (!found.empty() || depth > 0)
            return found;
        const RE2 list(
            "\n\\s*" + RE2::QuoteMeta(std::string(text)) + " = (\\[[^\\]]*\\])", RE2::Latin1);
        std::string values;
        if (RE2::PartialMatch(code_, list, &values))
            return constants_in(values, 1);
        return found;
    }

    /// By the first two matrices: of a layer weight_ih_l0 and
    /// weight_hh_l0, of a cell w_ih and w_hh.
    void set_sizes(const std::vector<const Tensor*>& constants, ModelLayer& layer) const {
        if (constants.size() < 2)
            return;
        const auto sizes = cell_sizes(*constants[0], *constants[1], false);
        if (!constants[0]->dtype.empty())
            layer.dtype = constants[0]->dtype;
        if (!sizes)
            return;
        layer.input = size_from(sizes->input);
        layer.hidden = size_from(sizes->hidden);
    }

    /// A frozen model calls torch.lstm with its weights as constants, or as a
    /// list of constants that is bound to a name before.
    void add_layers() {
        static const RE2 call(
            "torch\\.(lstm|gru|rnn_tanh|rnn_relu)\\([^\n]*?, ([A-Za-z_0-9.]+|\\[[^\\]]*\\]), "
            "(?:True|False), "
            "([0-9]+), [0-9.e-]+, (?:True|False), (True|False)(?:, (?:True|False))?\\)",
            RE2::Latin1);
        re2::StringPiece rest(code_.data(), code_.size());
        LayerCall found;
        for (std::string both;
             RE2::FindAndConsume(&rest, call, &found.kind, &found.weights, &found.layers, &both);) {
            if (!seen_.insert(found.kind + " " + found.weights).second ||
                file_.layers.size() >= most_layers)
                continue;
            ModelLayer layer;
            layer.name = "torch." + found.kind;
            layer.kind = from_name<LayerKind>(found.kind).value_or(LayerKind::rnn);
            layer.layers = std::max(found.layers, 1);
            layer.directions = directions_of(both == "True");
            set_sizes(constants_in(found.weights), layer);
            file_.layers.push_back(std::move(layer));
        }
        // A call whose arguments have another form shows its kind, at least.
        if (!file_.layers.empty())
            return;
        for (const char* const kind : {"lstm", "gru", "rnn_tanh", "rnn_relu"})
            if (contains(std::string(code_), std::string("torch.") + kind + "("))
                file_.layers.push_back(
                    {.name = std::string("torch.") + kind,
                     .kind = from_name<LayerKind>(kind).value_or(LayerKind::rnn)});
    }

    /// torch.lstm_cell(input, [h, c], w_ih, w_hh, b_ih, b_hh).
    void add_cells() {
        static const RE2 call(
            "torch\\.(lstm|gru|rnn_tanh|rnn_relu)_cell\\(([^\n]*)\\)", RE2::Latin1);
        re2::StringPiece rest(code_.data(), code_.size());
        for (std::string kind, arguments; RE2::FindAndConsume(&rest, call, &kind, &arguments);) {
            const auto from = arguments.find("CONSTANTS");
            std::string weights;
            if (from != std::string::npos)
                weights = arguments.substr(from);
            if (!seen_.insert(kind + "_cell " + weights).second ||
                file_.layers.size() >= most_layers)
                continue;
            ModelLayer layer;
            layer.name = "torch." + kind + "_cell";
            layer.kind = from_name<LayerKind>(kind + "_cell").value_or(LayerKind::rnn_cell);
            set_sizes(constants_in(arguments), layer);
            file_.layers.push_back(std::move(layer));
        }
    }

    /// Of a function that multiplies matrices and has the activations of an LSTM
    /// or a GRU, or any of them in a loop. Where two constants have an LSTM's
    /// shapes, they are its weights.
    void add_written_out(std::string_view function) {
        const std::size_t sigmoid_count = count(function, "torch.sigmoid"),
                          tanh_count = count(function, "torch.tanh");
        const bool loop = contains(std::string(function), "\n    for ") ||
                          contains(std::string(function), "\n    while ");
        const bool lstm = sigmoid_count >= 3 && tanh_count >= 2,
                   gru = sigmoid_count >= 2 && tanh_count >= 1;
        const bool multiplies = count(function, "torch.linear") + count(function, "torch.matmul") +
                                    count(function, "torch.mm") + count(function, "torch.addmm") +
                                    count(function, ").forward(") >
                                0;
        if (!multiplies || (!lstm && !gru && !(loop && tanh_count + sigmoid_count > 0)))
            return;
        const auto constants = constants_in(function);
        for (const Tensor* input : constants)
            for (const Tensor* state : constants) {
                if (input == state || !lstm || file_.layers.size() >= most_layers)
                    continue;
                const auto sizes = cell_sizes(*input, *state, false);
                if (!sizes || sizes->gates != 4 || sizes->input == sizes->hidden * 4)
                    continue;
                ModelLayer layer;
                layer.name = "LSTM cell of the program";
                layer.kind = LayerKind::lstm_cell;
                set_sizes({input, state}, layer);
                layer.settings["custom"] = "True";
                file_.layers.push_back(std::move(layer));
                return;
            }
        std::string how = "one step after another";
        if (loop)
            how = "in a loop";
        add_once(
            file_.unclear,
            "its code computes with sigmoid and tanh " + how +
                ", as a recurrent cell of the program's own does");
    }

    std::string_view code_;
    const std::vector<Tensor>& constants_;
    ModelFile& file_;
    std::set<std::string> seen_;
};

}  // namespace

void read_script_code(
    const ZipArchive& archive, const std::vector<Tensor>& constants, ModelFile& file) {
    std::vector<std::string_view> files;
    for (const auto& entry : archive.entries())
        if (contains(entry.name, "code/") && entry.name.ends_with(".py"))
            files.push_back(archive.content(entry));
    const auto has = [&](const char* word) {
        return std::ranges::any_of(files, [&](std::string_view code) {
            return code.find(word) != std::string_view::npos;
        });
    };
    const bool tanh = has("torch.rnn_tanh("), relu = has("torch.rnn_relu(");
    for (ModelLayer& layer : file.layers) {
        if (layer.kind == LayerKind::rnn && tanh && !relu)
            layer.kind = LayerKind::rnn_tanh;
        if (layer.kind == LayerKind::rnn && relu && !tanh)
            layer.kind = LayerKind::rnn_relu;
    }
    if (!file.layers.empty())
        return;
    for (const std::string_view code : files)
        ScriptCode(code, constants, file).read();
    if (!file.layers.empty())
        return;
    for (const std::string_view code : files)
        ScriptCode(code, constants, file).add_written_out();
}

}  // namespace rnncheck::model
