// The readers of the formats, for read_model() alone.
#pragma once

#include <map>
#include <string_view>

#include "base/json.hpp"
#include "model/bytes.hpp"
#include "model/model.hpp"

namespace rnncheck::model {

class ZipArchive;

/// A weight's name, shape and type; not its numbers.
struct Tensor {
    std::string container;  ///< the dictionaries around the one that holds it: "state_dict"
    std::string name;
    std::vector<std::int64_t> shape;
    std::string dtype;
};

/// What is known of modules beside their weights, by name.
using ModuleSettings = std::map<std::string, TextMap>;

/// PyTorch's recurrent layers by the names and shapes of their parameters: lstm.weight_ih_l0.
void add_torch_layers(const std::vector<Tensor>& tensors, const ModuleSettings& modules, ModelFile& into);

ModelFile read_torch_zip(const ZipArchive& archive);
/// As torch.save wrote before 1.6: several pickles, then the weights.
ModelFile read_torch_pickle(std::string_view bytes);
ModelFile read_safetensors(std::string_view bytes);
/// The index of a checkpoint in several files beside it.
ModelFile read_safetensors_index(const Json& index, const std::string& directory);

ModelFile read_onnx(std::string_view bytes, const std::string& directory);

/// By their path in the file: "layers/lstm/cell/vars/0".
using Weights = std::map<std::string, Tensor>;
/// The model as Keras describes it, in JSON; sizes that it does not hold come from the shapes of weights.
void add_keras_layers(const Json& model, const Weights& weights, ModelFile& into);
/// By weights alone: a kernel [input][gates * hidden] beside a recurrent kernel [hidden][gates * hidden].
void add_keras_layers(const Weights& weights, ModelFile& into);

ModelFile read_keras_zip(const ZipArchive& archive);
ModelFile read_keras_json(const Json& json);
ModelFile read_keras_hdf5(std::string_view bytes);
/// A SavedModel's directory.
ModelFile read_saved_model(const std::string& directory);

/// Null where it is none, or a value of another type.
const Json& member(const Json& object, const char* name);
/// The text of a member; "" where it is none.
std::string text_member(const Json& object, const char* name);
/// InputError where it is not JSON.
Json parsed_json(std::string_view text, const std::string& what);

}  // namespace rnncheck::model
