// .pt2, the archive of torch.export.save (torch/export/pt2_archive,
// torch/_export/serde/schema.py): the operators of its graph.
#include <re2/re2.h>

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

using re2::RE2;

/// Operators of PyTorch's recurrent layers, by the beginning of their names:
/// "torch.ops.aten.lstm.input".
struct RecurrentOperator {
    const char* target;
    LayerKind kind;
};
constexpr RecurrentOperator recurrent_operators[] = {
    {"aten.lstm.", LayerKind::lstm},
    {"aten.gru.", LayerKind::gru},
    {"aten.rnn_tanh.", LayerKind::rnn_tanh},
    {"aten.rnn_relu.", LayerKind::rnn_relu},
    {"aten.lstm_cell.", LayerKind::lstm_cell},
    {"aten.gru_cell.", LayerKind::gru_cell},
    {"aten.rnn_tanh_cell.", LayerKind::rnn_cell},
    {"aten.rnn_relu_cell.", LayerKind::rnn_cell}};

/// Null where one of the names is missing.
const Json& at_path(const Json& json, std::initializer_list<const char*> names) {
    const Json* at = &json;
    for (const char* const name : names)
        at = &member(*at, name);
    return *at;
}

/// One graph; torch.export gives each parameter a name that begins with "p_".
class ExportedProgram {
  public:
    ExportedProgram(const Json& program, ModelFile& file)
        : graph_(at_path(program, {"graph_module", "graph"})), file_(file) {
    }

    bool read() {
        const Json& nodes = member(graph_, "nodes");
        if (!nodes.is_array())
            return false;
        for (const Json& node : nodes) {
            const std::string target = text_member(node, "target");
            for (const auto& [name, kind] : recurrent_operators)
                if (contains(target, name))
                    add(node, kind, target);
        }
        if (file_.layers.empty())
            add_decomposed();
        return true;
    }

  private:
    static constexpr std::size_t most_layers = 5000;

    Tensor tensor(const std::string& name) const {
        const Json& about = member(member(graph_, "tensor_values"), name.c_str());
        Tensor found;
        for (const Json& size : member(about, "sizes")) {
            // a size that is symbolic is known only when the program runs
            std::int64_t number = 0;
            if (member(size, "as_int").is_number_integer())
                number = member(size, "as_int").get<std::int64_t>();
            found.shape.push_back(number);
        }
        // torch/_export/serde/schema.py, ScalarType.
        const Json& type = member(about, "dtype");
        constexpr std::pair<int, const char*> types[] = {
            {6, "float16"}, {7, "float32"}, {8, "float64"}, {13, "bfloat16"}};
        for (const auto& [number, name_of_type] : types)
            if (type == Json(number))
                found.dtype = name_of_type;
        return found;
    }

    /// Parameters come in the order of torch.nn.LSTM: weight_ih_l0, weight_hh_l0, ...
    void add(const Json& node, LayerKind kind, const std::string& target) {
        if (file_.layers.size() >= most_layers)
            return;
        ModelLayer layer;
        layer.kind = kind;
        layer.name = target.substr(target.rfind("aten"));
        layer.settings["op"] = layer.name;
        std::vector<std::string> parameters;
        for (const Json& input : member(node, "inputs")) {
            const Json& argument = member(input, "arg");
            const std::string name = text_member(input, "name");
            for (const Json& one : member(argument, "as_tensors"))
                if (name == "params")
                    parameters.push_back(text_member(one, "name"));
            if (name == "w_ih" || name == "w_hh")
                parameters.push_back(text_member(member(argument, "as_tensor"), "name"));
            if (name == "num_layers" && member(argument, "as_int").is_number_integer())
                layer.layers =
                    size_from(member(argument, "as_int").get<std::int64_t>()).value_or(1);
            if (name == "bidirectional" && member(argument, "as_bool") == Json(true))
                layer.directions = 2;
        }
        if (parameters.size() > 1)
            set_sizes(layer, tensor(parameters[0]), tensor(parameters[1]));
        static const RE2 of_weight("p_(.*?)_?weight_ih(?:_l0)?", RE2::Latin1);
        std::string module;
        if (!parameters.empty() && RE2::FullMatch(parameters[0], of_weight, &module) &&
            !module.empty())
            layer.name = module;
        file_.layers.push_back(std::move(layer));
    }

    static std::int64_t gates_in(LayerKind kind) {
        if (kind == LayerKind::lstm || kind == LayerKind::lstm_cell)
            return 4;
        if (kind == LayerKind::gru || kind == LayerKind::gru_cell)
            return 3;
        return 1;
    }

    /// A layer with a projection has a state that is smaller than its hidden size.
    static void set_sizes(ModelLayer& layer, const Tensor& input, const Tensor& state) {
        const std::int64_t gates = gates_in(layer.kind);
        if (input.shape.size() != 2 || state.shape.size() != 2)
            return;
        layer.input = size_from(input.shape[1]);
        layer.hidden = size_from(input.shape[0] / gates);
        if (!input.dtype.empty())
            layer.dtype = input.dtype;
        if (state.shape[1] != input.shape[0] / gates)
            layer.settings["proj_size"] = std::to_string(state.shape[1]);
    }

    /// The weights of a recurrent layer without its operator:
    /// run_decompositions() has replaced it.
    void add_decomposed() {
        static const RE2 of_weight("p_(.*?)_?weight_ih(?:_l0)?", RE2::Latin1);
        const Json& values = member(graph_, "tensor_values");
        for (const auto& [name, about] : values.items()) {
            std::string module;
            if (!RE2::FullMatch(name, of_weight, &module) || file_.layers.size() >= most_layers)
                continue;
            std::string state = name;
            replace_all(state, "weight_ih", "weight_hh");
            const auto sizes = cell_sizes(tensor(name), tensor(state), false);
            if (!sizes)
                continue;
            ModelLayer layer;
            layer.kind = kind_by(sizes->gates, !name.ends_with("_l0"));
            layer.name = module;
            layer.input = size_from(sizes->input);
            layer.hidden = size_from(sizes->hidden);
            layer.directions = directions_of(values.contains(name + "_reverse"));
            if (const std::string type = tensor(name).dtype; !type.empty())
                layer.dtype = type;
            layer.settings["decomposed"] = "True";
            file_.layers.push_back(std::move(layer));
        }
    }

    const Json& graph_;
    ModelFile& file_;
};

}  // namespace

/// Newer archives have models/NAME.json, older ones
/// serialized_exported_program.json.
bool read_exported_program(const ZipArchive& archive, ModelFile& into) {
    const bool marked =
        archive.find("archive_format") || archive.find("serialized_exported_program.json");
    if (!marked)
        return false;
    into.format = "pt2";
    into.framework = "pytorch";
    bool read = false;
    for (const auto& entry : archive.entries()) {
        const bool program =
            (contains("/" + entry.name, "/models/") && entry.name.ends_with(".json")) ||
            file_name(entry.name) == "serialized_exported_program.json";
        if (program)
            read |= ExportedProgram(parsed_json(archive.content(entry), entry.name), into).read();
    }
    if (!read)
        throw InputError(
            "it is a .pt2 archive without an exported program, such as AOTInductor compiles; give "
            "what "
            "torch.export.save wrote");
    return true;
}

}  // namespace rnncheck::model
