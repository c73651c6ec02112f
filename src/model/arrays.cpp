// Long because shapes and names of a cell have to be tried together.
// Libraries and programs without layers of PyTorch's or Keras' form still have
// two matrices for each cell: their shapes decide, their names only lead to them.
#include "model/arrays.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "base/if_any.hpp"
#include "base/text.hpp"

namespace rnncheck::model {

namespace {

using re2::RE2;
/// The arrays below one place, by the rest of their names: "hi.kernel".
using Members = std::map<std::string, const Tensor*>;

/// A vector or a tensor of a convolution is no matrix of a cell.
bool is_matrix(const Tensor* tensor) {
    return tensor && tensor->shape.size() == 2;
}

/// Versions of a library name the same array differently: the first
/// of these names that is there.
const Tensor* member_of(const Members& members, std::initializer_list<const char*> names) {
    for (const char* const name : names)
        if (const auto* const found = look_up(members, name))
            return *found;
    return nullptr;
}

/// Classes of a program's own have no class name here: they are computed step
/// by step, whatever they are called.
ModelLayer cell(
    const std::string& name,
    LayerKind kind,
    const std::string& class_name,
    std::optional<int> input,
    std::optional<int> hidden,
    const Tensor& of) {
    ModelLayer layer;
    layer.name = name;
    layer.kind = kind;
    layer.input = input;
    layer.hidden = hidden;
    if (!of.dtype.empty())
        layer.dtype = of.dtype;
    if (!class_name.empty())
        layer.settings["class"] = class_name;
    return layer;
}

LayerKind cell_kind(std::int64_t gates) {
    if (gates == 4)
        return LayerKind::lstm_cell;
    if (gates == 3)
        return LayerKind::gru_cell;
    if (gates == 1)
        return LayerKind::rnn_cell;
    return LayerKind::cell;
}

const char* flax_class(std::int64_t gates) {
    if (gates == 4)
        return "Flax' OptimizedLSTMCell";
    if (gates == 3)
        return "Flax' GRUCell";
    return "Flax' SimpleCell";
}

/// Matrices are [inputs][outputs]; flax/linen/recurrent.py and
/// flax/nnx/nn/recurrent.py name them so.
std::optional<ModelLayer> flax_cell(const std::string& place, const Members& members) {
    const auto matrix = [&](std::initializer_list<const char*> names) -> const Tensor* {
        const Tensor* const found = member_of(members, names);
        if (!is_matrix(found))
            return nullptr;
        return found;
    };
    const auto layer =
        [&](LayerKind kind, const char* class_name, const Tensor* input, const Tensor* state) {
            std::optional<int> width;
            if (input)
                width = size_from(input->shape[0]);
            return std::optional(
                cell(place, kind, class_name, width, size_from(state->shape[0]), *state));
        };
    const Tensor *const hf = matrix({"hf.kernel"}), *const hn = matrix({"hn.kernel"});
    if (hf && matrix({"hi.kernel"}) && matrix({"ho.kernel"}))
        return layer(
            LayerKind::lstm_cell, "Flax' LSTMCell", matrix({"ii.kernel", "ig.kernel"}), hf);
    if (hn && matrix({"hr.kernel"}) && matrix({"hz.kernel"}))
        return layer(
            LayerKind::gru_cell,
            "Flax' GRUCell",
            matrix({"in.kernel", "in_.kernel", "iz.kernel"}),
            hn);
    if (hn && hf)
        return layer(LayerKind::cell, "Flax' MGUCell", matrix({"in.kernel", "in_.kernel"}), hn);
    const Tensor *const dense_i = matrix({"dense_i.kernel"}), *const dense_h =
                                                                  matrix({"dense_h.kernel"});
    if (dense_i && dense_h)
        if (const auto sizes = cell_sizes(*dense_i, *dense_h, true))
            return layer(cell_kind(sizes->gates), flax_class(sizes->gates), dense_i, dense_h);
    const Tensor *const i = matrix({"i.kernel"}), *const h = matrix({"h.kernel"});
    if (i && h && h->shape[0] == h->shape[1] && i->shape[1] == h->shape[0])
        return layer(LayerKind::rnn_cell, "Flax' SimpleCell", i, h);
    const Tensor *const ih = member_of(members, {"ih.kernel"}), *const hh = member_of(
                                                                    members, {"hh.kernel"});
    if (ih && hh && ih->shape.size() > 2 && hh->shape.size() > 2)
        return cell(place, LayerKind::conv_lstm, "Flax' ConvLSTMCell", {}, {}, *ih);
    return std::nullopt;
}

/// dm-haiku's _src/recurrent.py: an LSTM has one matrix [input + hidden][4
/// * hidden], a GRU w_i and w_h.
std::optional<ModelLayer> haiku_cell(const std::string& place, const Members& members) {
    static const RE2 lstm("(?i)lstm", RE2::Latin1), recurrent("(?i)rnn", RE2::Latin1);
    const Tensor* const w = member_of(members, {"linear.w"});
    if (is_matrix(w) && RE2::PartialMatch(place, lstm) && w->shape[1] % 4 == 0 &&
        w->shape[0] > w->shape[1] / 4)
        return cell(
            place,
            LayerKind::lstm_cell,
            "Haiku's LSTM",
            size_from(w->shape[0] - w->shape[1] / 4),
            size_from(w->shape[1] / 4),
            *w);
    const Tensor *const w_i = member_of(members, {"w_i"}), *const w_h = member_of(members, {"w_h"});
    if (is_matrix(w_i) && is_matrix(w_h))
        if (const auto sizes = cell_sizes(*w_i, *w_h, true); sizes && sizes->gates == 3)
            return cell(
                place,
                LayerKind::gru_cell,
                "Haiku's GRU",
                size_from(sizes->input),
                size_from(sizes->hidden),
                *w_i);
    const Tensor* const hidden = member_of(members, {"linear_1.w"});
    if (is_matrix(w) && is_matrix(hidden) && RE2::PartialMatch(place, recurrent) &&
        hidden->shape[0] == hidden->shape[1] && w->shape[1] == hidden->shape[0])
        return cell(
            place,
            LayerKind::rnn_cell,
            "Haiku's VanillaRNN",
            size_from(w->shape[0]),
            size_from(w->shape[1]),
            *w);
    return std::nullopt;
}

/// equinox/nn/_rnn.py: one bias; a GRUCell has bias_n beside it.
std::optional<ModelLayer> equinox_cell(const std::string& place, const Members& members) {
    const Tensor *const ih = member_of(members, {"weight_ih"}),
                        *const hh = member_of(members, {"weight_hh"}),
                        *const bias = member_of(members, {"bias"});
    if (!is_matrix(ih) || !is_matrix(hh) || !bias || members.contains("bias_ih"))
        return std::nullopt;
    const auto sizes = cell_sizes(*ih, *hh, false);
    if (!sizes)
        return std::nullopt;
    const char* const class_name = sizes->gates == 4 ? "Equinox' LSTMCell" : "Equinox' GRUCell";
    return cell(
        place,
        cell_kind(sizes->gates),
        class_name,
        size_from(sizes->input),
        size_from(sizes->hidden),
        *hh);
}

/// How arrays of a module are named: PyTorch and Keras by .weight and .kernel,
/// normalised weights by .weight_raw and .weight_orig.
constexpr const char* parameter_ends[] = {
    ".weight", ".kernel", ".w", ".W", ".weight_raw", ".weight_orig"};

std::string without_end(const std::string& leaf) {
    for (const std::string_view end : parameter_ends)
        if (leaf.size() > end.size() && leaf.ends_with(end))
            return leaf.substr(0, leaf.size() - end.size());
    return leaf;
}

/// Whether the matrices [gates * hidden][input] and [gates * hidden][hidden],
/// or the other way round, are of one cell. A projection makes the state
/// smaller: `projection` is [projected][hidden].
std::optional<CellSizes> pair_sizes(
    const Tensor& input, const Tensor& state, const Tensor* projection) {
    for (const bool turned : {false, true}) {
        const std::size_t wide = turned ? 1 : 0;
        const std::int64_t rows = state.shape[wide], inner = state.shape[1 - wide];
        if (input.shape[wide] != rows || inner <= 0)
            continue;
        const bool projected = is_matrix(projection) && rows % 4 == 0 &&
                               std::ranges::count(projection->shape, rows / 4) > 0 &&
                               std::ranges::count(projection->shape, inner) > 0;
        if (projected)
            return CellSizes{input.shape[1 - wide], rows / 4, 4};
        if (rows % inner == 0 && rows / inner >= 1 && rows / inner <= 4)
            return CellSizes{input.shape[1 - wide], inner, rows / inner};
    }
    return std::nullopt;
}

/// A class of the program's own that has a matrix for its inputs and one for
/// its state, of all gates together. `taken` has the beginnings of names whose
/// cells were found: enc of enc_w_ih.
std::optional<ModelLayer> custom_cell(
    const std::string& place, const Members& members, std::set<std::string>& taken) {
    static const RE2 of_input(
        "(?i)(?:(.*?)[._])?(?:[xi]2h|ih|xh|w_?ih|w_?xh?|weight_?[ix]h|w_?i|input(?:_linearity|_"
        "weights?|_to_hidden|_"
        "gates?|2hidden|"
        "_kernel)?|lin_?ih|linear_?ih|fc_?ih|igates|kernel|x_?proj|w|x|i)",
        RE2::Latin1);
    static const RE2 of_state(
        "(?i)(?:(.*?)[._])?(?:h2h|hh|w_?hh|weight_?hh|w_?h|u_?h?|state(?:_linearity|_weights?)?|"
        "hidden(?:_linearity|_"
        "weights?|"
        "_to_hidden|2hidden)|lin_?hh|linear_?hh|fc_?hh|hgates|rec(?:urrent)?(?:_kernel|_weights?|_"
        "linear)?|h_?proj|h)",
        RE2::Latin1);
    static const RE2 short_name("(?:.*[._])?[A-Za-z]", RE2::Latin1),
        of_projection("(?i).*proj.*", RE2::Latin1);
    static const RE2 recurrent("(?i).*(?:rnn|lstm|gru|recur|cell).*", RE2::Latin1);
    const Tensor* projection = nullptr;
    for (const auto& [leaf, tensor] : members)
        if (is_matrix(tensor) && RE2::FullMatch(without_end(leaf), of_projection))
            projection = tensor;
    for (const auto& [state_leaf, state] : members) {
        const std::string state_name = without_end(state_leaf);
        std::string before_state, before_input;
        if (!is_matrix(state) || !RE2::FullMatch(state_name, of_state, &before_state))
            continue;
        for (const auto& [input_leaf, input] : members) {
            const std::string input_name = without_end(input_leaf);
            if (input == state || !is_matrix(input) ||
                !RE2::FullMatch(input_name, of_input, &before_input))
                continue;
            if (before_input != before_state || taken.contains(before_state))
                continue;
            const auto sizes = pair_sizes(*input, *state, projection);
            if (!sizes)
                continue;
            const bool vague =
                RE2::FullMatch(input_name, short_name) || RE2::FullMatch(state_name, short_name);
            if ((sizes->gates < 3 || vague) && !RE2::FullMatch(place, recurrent) &&
                (vague || sizes->gates == 2))
                continue;
            std::string name = place + before_state;
            if (!place.empty() && !before_state.empty())
                name = place + "." + before_state;
            ModelLayer found = cell(
                name,
                cell_kind(sizes->gates),
                "",
                size_from(sizes->input),
                size_from(sizes->hidden),
                *state);
            if (projection)
                found.settings["projection"] = "yes";
            taken.insert(before_state);
            return found;
        }
    }
    return std::nullopt;
}

/// A class of the program's own with a matrix for each gate: W_hi, W_hf, W_hc,
/// W_ho; U_z, U_r.
std::optional<ModelLayer> custom_gates(const std::string& place, const Members& members) {
    static const RE2 of_state(
        "(?:(?:w|W|weight|fc|linear|lin)_?)?[hHuU]_?([ifcgozrnhIFCGOZRNH])", RE2::Latin1);
    static const RE2 of_input(
        "(?:(?:w|W|weight|fc|linear|lin)_?)?[xXiIwW]_?([ifcgozrnhIFCGOZRNH])", RE2::Latin1);
    std::set<std::string> gates;
    const Tensor *state = nullptr, *input = nullptr;
    for (const auto& [leaf, tensor] : members) {
        std::string gate;
        if (!is_matrix(tensor))
            continue;
        const std::string name = without_end(leaf);
        if (tensor->shape[0] == tensor->shape[1] && RE2::FullMatch(name, of_state, &gate)) {
            gates.insert(lower(gate));
            state = tensor;
        } else if (RE2::FullMatch(name, of_input, &gate)) {
            input = tensor;
        }
    }
    if (!state)
        return std::nullopt;
    const bool lstm = gates.contains("i") && gates.contains("f") && gates.contains("o");
    const bool gru = gates.contains("z") && gates.contains("r");
    if (!lstm && !gru)
        return std::nullopt;
    // the matrix for the inputs has the state's size on one side, the input's on the other
    std::optional<int> width;
    if (input && input->shape[0] == state->shape[0])
        width = size_from(input->shape[1]);
    else if (input)
        width = size_from(input->shape[0]);
    if (!width)
        width = size_from(state->shape[0]);
    const LayerKind kind = lstm ? LayerKind::lstm_cell : LayerKind::gru_cell;
    return cell(place, kind, "", width, size_from(state->shape[0]), *state);
}

/// One matrix or convolution for inputs and state together, in a place
/// that is named after an LSTM.
std::optional<ModelLayer> combined_cell(const std::string& place, const Members& members) {
    static const RE2 lstm("(?i).*lstm.*", RE2::Latin1),
        leaf_name("(?i)(?:.*[._])?(?:conv|gates?|cell|linear|kernel|fc|W|W_0)", RE2::Latin1);
    for (const auto& [leaf, tensor] : members) {
        if (!RE2::FullMatch(place + "." + leaf, lstm) ||
            !RE2::FullMatch(without_end(leaf), leaf_name))
            continue;
        const auto& shape = tensor->shape;
        if (shape.size() >= 3 && shape[0] % 4 == 0 && shape[1] > shape[0] / 4)
            return cell(
                place,
                LayerKind::conv_lstm,
                "",
                size_from(shape[1] - shape[0] / 4),
                size_from(shape[0] / 4),
                *tensor);
        if (shape.size() != 2)
            continue;
        // ELMo's weights, of TensorFlow's LSTMCell: W_0 [input + projected][4 *
        // hidden], W_P_0 [hidden][projected].
        const Tensor* const projection = member_of(members, {"W_P_0"});
        if (leaf == "W_0" && is_matrix(projection) && shape[1] == projection->shape[0] * 4 &&
            shape[0] > projection->shape[1])
            return cell(
                place,
                LayerKind::lstm_cell,
                "",
                size_from(shape[0] - projection->shape[1]),
                size_from(projection->shape[0]),
                *tensor);
        for (const bool turned : {false, true}) {
            const std::int64_t rows = shape[turned ? 1 : 0], columns = shape[turned ? 0 : 1];
            if (rows % 4 == 0 && columns > rows / 4 && rows > columns / 8)
                return cell(
                    place,
                    LayerKind::lstm_cell,
                    "",
                    size_from(columns - rows / 4),
                    size_from(rows / 4),
                    *tensor);
        }
    }
    return std::nullopt;
}

/// Whether a component of a name is a recurrent layer's: "lstm",
/// "rnn_1", "my_gru", "LSTMCell_0".
bool names_recurrent(const std::string& name) {
    static const RE2 word(
        "(?i)(?:^|[^a-z])(?:lstm|bilstm|gru|bigru|rnn|birnn)(?:cell)?s?(?:[^a-z]|$)", RE2::Latin1);
    static const RE2 camel("LSTM|GRU|RNN|lstm", RE2::Latin1);
    return RE2::PartialMatch(name, word) || RE2::PartialMatch(name, camel);
}

/// Groups all arrays by the module around them, then tries each kind of cell on each group.
class CellsByNames {
  public:
    CellsByNames(const std::vector<NamedTensor>& tensors, ModelFile& file) : file_(file) {
        std::set<std::string> containers;
        for (const NamedTensor& one : tensors)
            containers.insert(one.container);
        for (const ModelLayer& layer : file.layers)
            known_.push_back(layer.name);
        for (const std::string& container : containers)
            for (const ModelLayer& layer : file.layers)
                if (!container.empty() && known_.size() < 10'000)
                    known_.push_back(container + "." + layer.name);
        for (const NamedTensor& one : tensors) {
            std::string name = if_any("", one.container, ".") + one.name;
            std::ranges::replace(name, '/', '.');
            // Optax' moments have the shapes of the weights
            if (contains("." + name, ".opt_state."))
                continue;
            add(name, one.tensor);
        }
    }

    void run() {
        const std::size_t before = file_.layers.size();
        for (const auto& [place, members] : groups_) {
            if (is_known(place))
                continue;
            for (const auto find : {flax_cell, haiku_cell, equinox_cell})
                if (auto layer = find(place, members))
                    keep(place, std::move(*layer), true);
        }
        for (const auto& [place, members] : groups_) {
            if (is_known(place) || members.size() > 200)
                continue;
            std::set<std::string> taken;
            while (!is_known(place)) {
                auto layer = custom_cell(place, members, taken);
                if (!layer)
                    break;
                keep(place, std::move(*layer), false);
            }
            for (const auto find : {custom_gates, combined_cell}) {
                std::optional<ModelLayer> layer;
                if (!is_known(place))
                    layer = find(place, members);
                if (layer)
                    keep(place, std::move(*layer), false);
            }
        }
        if (jax_)
            file_.framework = "jax";
        if (file_.layers.empty())
            note_pairs();
        note_others(before == 0 && file_.layers.empty());
    }

  private:
    /// Into the group of its module and into that of the module around it: Flax
    /// has an array of its own below each gate.
    void add(const std::string& name, const Tensor& tensor) {
        all_.emplace_back(name, &tensor);
        auto at = name.rfind('.');
        for (int levels = 0; levels < 2; ++levels) {
            if (at == std::string::npos) {
                groups_[""].try_emplace(name, &tensor);
                return;
            }
            groups_[name.substr(0, at)].try_emplace(name.substr(at + 1), &tensor);
            at = at == 0 ? std::string::npos : name.rfind('.', at - 1);
        }
    }

    /// Whether a layer is known at this place, around it or in it.
    bool is_known(const std::string& place) const {
        return std::ranges::any_of(known_, [&](const std::string& name) {
            if (name.empty() || place.empty())
                return name == place;
            return name == place || place.starts_with(name + ".") ||
                   name.starts_with(place + ".") || place.ends_with("." + name) ||
                   contains(place, "." + name + ".");
        });
    }

    void keep(const std::string& place, ModelLayer layer, bool jax) {
        constexpr std::size_t most_layers = 5000;
        if (is_known(place) || is_known(layer.name) || file_.layers.size() >= most_layers)
            return;
        known_.push_back(layer.name);
        jax_ |= jax;
        if (!jax)
            layer.settings["custom"] = "True";
        file_.layers.push_back(std::move(layer));
    }

    /// A module with two matrices alone, [gates * hidden][input] and [gates *
    /// hidden][hidden], by whichever names.
    void note_pairs() {
        for (const auto& [place, members] : groups_) {
            std::vector<const Tensor*> matrices;
            for (const auto& [leaf, tensor] : members)
                if (is_matrix(tensor))
                    matrices.push_back(tensor);
            if (matrices.size() != 2)
                continue;
            for (const auto& [input, state] : {std::pair(0, 1), std::pair(1, 0)}) {
                const auto sizes = cell_sizes(*matrices[input], *matrices[state], false);
                if (!sizes || sizes->gates < 3)
                    continue;
                std::string where = "it";
                if (!place.empty())
                    where = "'" + place + "'";
                return add_once(
                    file_.unclear,
                    where +
                        " has two matrices with the shapes of a recurrent cell's; "
                        "whether it is one is not in the file");
            }
        }
    }

    /// Names of recurrent layers whose arrays have the shapes of none.
    void note_others(bool none) {
        std::vector<std::string> names;
        static const RE2 layer_itself(
            "(?i)(?:^|\\.)(?:bi)?(?:lstm|gru|rnn)(?:_?cell)?s?_?[0-9]*(?:\\.|$)", RE2::Latin1);
        for (const auto& [name, tensor] : all_) {
            const auto at = name.rfind('.');
            if (tensor->shape.empty() || (!none && tensor->shape.size() != 2) || names.size() >= 3)
                continue;
            std::string place;
            if (at != std::string::npos)
                place = name.substr(0, at);
            bool named = RE2::PartialMatch(name, layer_itself);
            if (none)
                named = names_recurrent(name);
            if (named && !is_known(place) && !is_known(name))
                names.push_back(name);
        }
        if (!names.empty())
            add_once(
                file_.unclear,
                "arrays are named after recurrent layers (" + join(names, ", ") +
                    "), but their shapes are those of no known cell");
    }

    ModelFile& file_;
    std::map<std::string, Members> groups_;
    std::vector<std::pair<std::string, const Tensor*>> all_;
    std::vector<std::string> known_;
    bool jax_ = false;
};

}  // namespace

void add_cells_by_names(const std::vector<NamedTensor>& tensors, ModelFile& file) {
    constexpr std::size_t most_tensors = 200'000;
    if (tensors.size() <= most_tensors)
        CellsByNames(tensors, file).run();
}

}  // namespace rnncheck::model
